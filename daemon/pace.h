// Work that comes again and again, such as reading lines as they are written, leaves the cores to those whose machine
// it is: over time it takes one part of so many of a core, whatever there is to do. After a quiet moment a little of it
// is done at once (a token bucket), so that a line that comes alone waits for nothing.
#pragma once

#include <algorithm>
#include <chrono>

namespace etad {

class Pace {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  // One part of `share` of a core; no rest is longer than `longest`, beyond which nobody would want to wait; `at_once`
  // of a core may be spent ahead of the share.
  Pace(int share, Nanoseconds longest, Nanoseconds at_once = {})
      : share_(share), longest_(longest), at_once_(at_once) {}

  // How long to rest from `now` on, after work that has just taken `spent` of a core.
  Nanoseconds rest_after(std::chrono::steady_clock::time_point now, Nanoseconds spent) {
    const Nanoseconds earned = (now - last_) / share_;
    last_ = now;
    ahead_ = std::min(std::max<Nanoseconds>(ahead_ - earned, {}) + spent, at_once_ + longest_ / share_);
    return std::max<Nanoseconds>((ahead_ - at_once_) * share_, {});
  }

 private:
  int share_;
  Nanoseconds longest_, at_once_;
  std::chrono::steady_clock::time_point last_{};
  Nanoseconds ahead_{};  // spent, and not yet earned by the time that passed
};

}  // namespace etad
