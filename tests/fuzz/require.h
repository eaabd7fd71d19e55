// What a fuzz target demands: a target that finds it broken ends, and libFuzzer keeps the input.
#pragma once

#include <cstdlib>

namespace etad {

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace etad
