// Work that comes again and again, such as reading lines as they are written, leaves the cores to those whose machine
// it is: how long to rest after it, so that it takes one part of so many of a core, whatever there is to do.
#pragma once

#include <algorithm>
#include <chrono>

namespace etad {

// `spent`: of a core. No rest is longer than `longest`, beyond which nobody would want to wait.
inline std::chrono::nanoseconds rest_after(std::chrono::nanoseconds spent, int share,
                                           std::chrono::nanoseconds longest) {
  return std::clamp(spent * (share - 1), std::chrono::nanoseconds::zero(), longest);
}

}  // namespace etad
