#include "daemon/usage/usage.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/printable.h"
#include "parsers/base/suggest.h"

namespace etad::usage {
namespace {

std::string did_you_mean(std::string_view mistyped, const std::vector<std::string>& names) {
  const std::string_view near = nearest_name(mistyped, {names.begin(), names.end()});
  return near.empty() ? "" : "; did you mean " + std::string(near) + "?";
}

// "--name" of each option of the command and of the program itself, which every command takes.
std::vector<std::string> options_of(const CLI::App& app, const CLI::App* command) {
  std::vector<std::string> out;
  for (const CLI::App* const each : {command, &app}) {
    if (each == nullptr) continue;
    for (const CLI::Option* const option : each->get_options())
      for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* const each : app.get_subcommands({})) out.push_back(each->get_name());
  return out;
}

// What was mistyped, of all that is left over. Where a command is missing that is the first word; elsewhere it is the
// first option, since what else is left may be that option's value.
std::string mistyped(const std::vector<std::string>& left_over, bool lacks_command) {
  for (const std::string& each : left_over)
    if (each.starts_with("-") || lacks_command) return each.substr(0, each.find('='));
  return left_over.empty() ? "" : left_over.front();
}

// Of the `error` that `app` threw while it parsed. To be called before it parses again, for it holds what was left over.
std::string mistake(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App* const command = chosen.empty() ? nullptr : chosen.front();
  const std::string name = command == nullptr ? app.get_name() : app.get_name() + " " + command->get_name();
  const bool lacks_command = command == nullptr && !app.get_subcommands({}).empty();
  const std::string argument = mistyped(app.remaining(true), lacks_command);
  std::string what = error.what();
  if (argument.starts_with("-")) {
    what = (command == nullptr ? "there is" : command->get_name() + " has") + " no option " +
           printable(argument) + did_you_mean(argument, options_of(app, command));
  } else if (lacks_command) {
    what = argument.empty()
               ? "a command is missing"
               : "there is no command " + printable(argument) + did_you_mean(argument, commands_of(app));
  } else if (!argument.empty()) {
    what = (command == nullptr ? std::string("it") : command->get_name()) + " takes no argument " +
           printable(argument) + " here";
  }
  return app.get_name() + ": " + what + "\n  `" + name + " --help` says what there is\n";
}

}  // namespace

std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << mistake(app, error);
    return kExitStatus;
  }
}

std::string names_a_file(const std::string& word) {
  return word.empty() ? "an empty word names no file" : "";
}

}  // namespace etad::usage
