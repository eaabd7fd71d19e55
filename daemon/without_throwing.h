// A step whose exceptions are failures like any other, so that what has to follow it does.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "parsers/base/error.h"

namespace etad {

// `function()`, which returns a Result.
template <class Function>
auto without_throwing(const Function& function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::unavailable, "there is no memory for it at present", "try again in a moment");
  } catch (const std::exception& defect) {
    return fail(ErrorKind::internal, std::string("unexpectedly: ") + defect.what());
  }
}

}  // namespace etad
