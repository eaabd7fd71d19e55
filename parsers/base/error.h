// Expected failures are values. A Result<T> holds a T or an Error that a person can act on.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace etad {

// What went wrong, where, and what would help.
struct Error {
  std::string where;    // "path:line" or "path"; empty where there is no place to point at
  std::string message;  // one sentence, no final newline
  std::string hint;     // what the reader can do about it; may be empty

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

}  // namespace etad
