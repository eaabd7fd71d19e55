// What went wrong, and how to ask instead, in etactl's own words: a parameter of the API is an option here.
#include <algorithm>

#include "daemon/client/deployment_words.h"
#include "daemon/client/text.h"

namespace etad::client {
namespace {

namespace json = boost::json;

// "--test-batch-size"; "--set type" of "setting.type".
std::string option_text(std::string parameter) {
  for (const auto& [prefix, option] : {std::pair{"setting.", "--set "}, {"label.", "--label "}})
    if (parameter.starts_with(prefix)) return option + parameter.substr(std::string_view(prefix).size());
  std::replace(parameter.begin(), parameter.end(), '_', '-');
  return "--" + parameter;
}

// The option's value, as a shell takes it for one word.
std::string shell_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/' || c == ':';
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// What the API says of other parameters (must be before "to"; say device=MODEL) as options. These words alone: labels in
// commands, between backticks, stay as they are.
std::string with_options(std::string text) {
  for (const char* const name :
       {"architecture", "batch_size", "epochs", "iterations", "phase", "setting.sequence_length", "to"}) {
    const std::string quoted = "\"" + std::string(name) + "\"";
    // Behind "not " it is a value, before a colon a member of JSON.
    if (const std::size_t at = text.find(quoted); at != std::string::npos &&
                                                  !text.substr(0, at).ends_with("not ") &&
                                                  !text.substr(at + quoted.size()).starts_with(":"))
      text.replace(at, quoted.size(), option_text(name) + (quoted.starts_with("\"setting.") ? "=N" : ""));
  }
  for (const char* const said : {"device=MODEL", "test_interval=0"}) {
    const std::string_view pair(said);
    const std::size_t at = text.find(pair), equals = pair.find('=');
    if (at != std::string::npos)
      text.replace(
          at, pair.size(),
          option_text(std::string(pair.substr(0, equals))) + " " + std::string(pair.substr(equals + 1)));
  }
  return text;
}

std::string detail_text(const Object& problem) {
  std::string detail = text_of(problem, "detail");
  if (detail.empty()) return or_dash(text_of(problem, "title"));
  const std::string parameter = text_of(problem, "parameter");
  const std::string subject = "Parameter \"" + parameter + "\"";
  if (parameter.empty() || !detail.starts_with(subject)) return with_options(detail);
  // The network alone is no option where it is needed, but the command's argument.
  const bool argument = parameter == "network" && detail.starts_with(subject + " is missing");
  detail.replace(0, subject.size(), argument ? "NETWORK" : option_text(parameter));
  return with_options(detail);
}

// Near names; of settings as --set takes them.
std::string near_text(json::array names) {
  for (json::value& name : names)
    if (const auto* text = name.if_string(); text != nullptr && text->starts_with("setting."))
      name = json::string(std::string_view(*text).substr(std::string_view("setting.").size()));
  return joined(names);
}

// What chooses one of several candidates: " LeNet --device CPU"; the network is an argument.
std::string choice_text(const Object& problem, const Object& candidate) {
  std::string out;
  for (const json::value& each : array_of(problem, "parameters")) {
    const json::string* const name = each.if_string();
    const json::value* const value = name != nullptr ? candidate.if_contains(*name) : nullptr;
    if (value == nullptr) continue;
    std::string text;  // what is unknown is asked for by an empty value
    if (!value->is_null())
      text = value->is_string() ? printable(value->get_string()) : printable(json::serialize(*value));
    const std::string option = *name == "network" ? "" : option_text(std::string(*name)) + " ";
    out += (out.empty() ? ": " : " ") + option + shell_word(text);
  }
  return out;
}

// Of a network without a model: what the history has of it.
std::string runs_known_text(const Object& network) {
  std::string out =
      counted(count_of(network, "runs"), "run") + " by " + joined(array_of(network, "frameworks"));
  if (const std::string devices = joined(array_of(network, "devices")); !devices.empty())
    out += " on " + devices;
  const auto& sizes = array_of(network, "batch_sizes");
  if (sizes.empty()) return out;
  return out + (sizes.size() == 1 ? ", batch size " : ", batch sizes ") + joined(sizes);
}

}  // namespace

std::string problem_text(const Object& problem, const std::string& file) {
  std::string out = "etactl: " + (file.empty() ? "" : printable(file) + ": ") + detail_text(problem) + "\n";
  if (const std::string hint = text_of(problem, "hint"); !hint.empty())
    out += "  " + with_options(hint) + "\n";
  const auto& candidates = array_of(problem, "candidates");
  const bool names = !candidates.empty() && candidates.front().is_string();
  const std::string near = names ? near_text(candidates) : "";
  if (out.find(near) == std::string::npos) out += "  there is: " + near + "\n";  // and is not said yet
  for (const char* list : {"candidates", "known"}) {
    for (const Object& one : objects_of(problem, list)) {
      out += "  " + or_dash(text_of(one, "network")) + " (" + or_dash(text_of(one, "architecture")) + "), " +
             (known(one, "runs") ? runs_known_text(one) : deployment_text(one) + choice_text(problem, one)) +
             "\n";
    }
  }
  return out;
}

}  // namespace etad::client
