// What is wrong with a program's command line, in words that say what to type instead.
#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace etad::usage {

// Of a command line that can't be understood.
constexpr int kExitStatus = 2;

// Parses the command line of the program that `app` is named after; its options are bound to what they set.
// nullopt: it goes on. Otherwise the exit status to end with: 0 where --help or --version was asked for and is
// answered, kExitStatus where stderr has been told what is wrong, which name is the nearest to a mistyped one, and
// whose --help to read.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv);

// A check of an option that names a file: what is wrong with an empty word, such as a variable that is not set. It would
// else be taken for an option that is not there.
std::string names_a_file(const std::string& word);

}  // namespace etad::usage
