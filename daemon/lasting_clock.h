// The wall clock as far as it has proved right. What is past its time is deleted by it: a clock that is years ahead for a
// minute, as before the machine asks for the time at a boot, would have all of it deleted.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "parsers/base/time.h"

namespace etad {

class LastingClock {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  // A step forward counts once it has lasted for a day by the steady clock, of several the smallest; one back at once.
  // `known`: a time that has been, by the history; at the first call all that is later is a step.
  Instant at(Steady now, Instant wall, Instant known) {
    const auto passed = std::chrono::floor<std::chrono::microseconds>(now.time_since_epoch());
    const auto ahead = wall.time_since_epoch() - passed;
    if (!ahead_) ahead_ = (known == Instant{} ? wall : std::min(wall, known)).time_since_epoch() - passed;
    if (ahead <= *ahead_ + kStep) {
      ahead_ = ahead;
      step_.reset();
    } else if (!step_) {
      step_ = {now, ahead};
    } else {
      step_->ahead = std::min(step_->ahead, ahead);
      if (now - step_->since >= kLasts) ahead_ = std::exchange(step_, std::nullopt)->ahead;
    }
    return Instant(passed + *ahead_);
  }

 private:
  static constexpr std::chrono::hours kStep{1}, kLasts{24};
  struct Step {
    Steady since;
    std::chrono::microseconds ahead;
  };

  std::optional<std::chrono::microseconds> ahead_;  // the wall clock's time less the steady one's
  std::optional<Step> step_;                        // that is not believed yet
};

}  // namespace etad
