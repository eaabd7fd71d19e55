// What is wrong with a command line, in words that say what to type instead.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace etad::client {

// Of the `error` that `app` threw while it parsed: what is wrong, the nearest name where one is mistyped, and
// whose --help to read. To be called before `app` parses again, for it holds what was left over.
std::string usage_text(const CLI::App& app, const CLI::ParseError& error);

}  // namespace etad::client
