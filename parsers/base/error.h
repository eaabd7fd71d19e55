// Expected failures are values. A Result<T> holds a T or an Error that a person can act on.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace etad {

// What kind of failure it is, for those who act on it: the service's status follows from it.
enum class ErrorKind : std::uint8_t {
  invalid,      // what was given is wrong: a line, a file, a parameter
  not_found,    // there is no such thing
  conflict,     // it does not go together with what is there
  unavailable,  // not now: trying again may help
  exhausted,    // no room: a full disk, a limit
  corrupt,      // what was kept is damaged
  internal,     // none of these: a fault of ours or of the machine
};

// What went wrong, where, and what would help.
struct Error {
  std::string where;    // "path:line" or "path"; empty where there is no place to point at
  std::string message;  // one sentence, no final newline
  std::string hint;     // what the reader can do about it; may be empty
  ErrorKind kind = ErrorKind::invalid;

  // "path:line: message (hint)", the form in which every command and log line shows an error.
  std::string text() const {
    std::string out = where.empty() ? message : where + ": " + message;
    if (!hint.empty()) out += " (" + hint + ")";
    return out;
  }
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message, std::string hint = {}, std::string where = {}) {
  return tl::unexpected<Error>(Error{std::move(where), std::move(message), std::move(hint)});
}

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string hint = {},
                                  std::string where = {}) {
  return tl::unexpected<Error>(Error{std::move(where), std::move(message), std::move(hint), kind});
}

}  // namespace etad
