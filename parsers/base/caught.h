// From exceptions to values, at the face of a room inside which nearly every line could fail and none could
// go on: a database's statements.
#pragma once

#include <type_traits>

#include "parsers/base/error.h"

namespace etad {

// Runs `body` and turns a `Failure` that it throws into the Error which that carries as `error`.
template <class Failure, class Body>
auto caught(Body&& body) -> Result<decltype(body())> {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return {};
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return tl::unexpected<Error>(failure.error);
  }
}

}  // namespace etad
