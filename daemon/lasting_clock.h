// The wall clock as far as it has proved right. What is past its time is deleted by it: a clock that is years ahead for a
// minute, as before the machine asks for the time at a boot, would have all of it deleted.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "parsers/base/time.h"

namespace etad {

// The wall clock's time less the steady one's: what changes it is a clock that was set.
inline std::chrono::microseconds ahead_of_steady(Instant wall, std::chrono::steady_clock::time_point now) {
  return wall.time_since_epoch() - std::chrono::floor<std::chrono::microseconds>(now.time_since_epoch());
}

class LastingClock {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  // A step forward counts once it has lasted for a day by the steady clock, of several the smallest; one back at once.
  // `known`: a time that has been, by the history; at the first call all that is later is a step.
  Instant at(Steady now, Instant wall, Instant known) {
    const auto ahead = ahead_of_steady(wall, now);
    if (!ahead_) ahead_ = known == Instant{} ? ahead : ahead_of_steady(std::min(wall, known), now);
    if (ahead <= *ahead_ + kStep) {
      ahead_ = ahead;
      step_.reset();
    } else if (!step_) {
      step_ = {now, ahead};
    } else {
      step_->ahead = std::min(step_->ahead, ahead);
      if (now - step_->since >= kLasts) ahead_ = std::exchange(step_, std::nullopt)->ahead;
    }
    return wall - (ahead - *ahead_);
  }

 private:
  static constexpr std::chrono::hours kStep{1}, kLasts{24};
  struct Step {
    Steady since;
    std::chrono::microseconds ahead;
  };

  std::optional<std::chrono::microseconds> ahead_;  // of the steady clock, as believed
  std::optional<Step> step_;                        // that is not believed yet
};

}  // namespace etad
