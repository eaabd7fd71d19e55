// The time still to come, where a line of progress says no other: the steps done took as long each as it takes those to
// come to take, for that is how it was worked out. That may have been from all of them or from the last few, which
// shows once more of them would have taken less. Beside the batches of one of several epochs it may be of all of them:
// it comes down as the epoch goes on, or it hardly does. Private to parsers/log.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/base/event.h"
#include "parsers/log/log_state.h"

namespace etad {

// What a line's time to come says of the steps.
struct StepsToCome {
  TimeToComeState::Of of;   // never open
  bool in_epoch;            // the line counts the batches of an epoch
  std::int64_t done, left;  // steps, of what it is of
  std::int64_t units;       // the time to come: a whole number of what it was rounded to,
  double unit;              // so that its rounding is known of what is worked out as well. Seconds
  bool of_last_steps;       // what it takes each is the mean of the last ones done, not of all
};

// Nothing where the line says another time, or of the one to come too little.
std::optional<StepsToCome> steps_to_come(TimeToComeState& state, const Event& event);

}  // namespace etad
