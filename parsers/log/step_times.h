// Times beside the steps of a log that may be of one step each, or of all steps since the line before. Lines that are
// unequally far apart show which, such as those around an epoch's end: where the time stays the same it is one step's.
// So does an epoch's own time, which as many steps at either make up; and where each line is of another epoch and its
// steps go on, the time is of all of them, as it is where the first step's own is a small part of what lines further on
// say. Private to parsers/log.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/base/event.h"
#include "parsers/log/log_state.h"

namespace etad {

// The steps between two lines, also across the end of an epoch whose number of steps the second one tells.
std::optional<std::int64_t> steps_between(std::optional<std::int64_t> last_epoch,
                                          std::optional<std::int64_t> last_step, const Event& event,
                                          std::optional<std::int64_t> epoch,
                                          std::optional<std::int64_t> step);

// Takes the time, in seconds, of a line that stands at this step (of this epoch): what such times are of is in
// `state.meaning` then, and in `state.apart` how many steps lie between the line and the one before.
void see_step_time(StepTimesState& state, const Event& event, std::optional<std::int64_t> epoch,
                   std::optional<std::int64_t> step, double seconds);

// Takes an epoch's own time, in seconds, behind its steps, and gives what those alone come to: it may hold a validation.
double see_epoch_time(StepTimesState& state, double seconds);

}  // namespace etad
