// Times beside the steps of stamped lines. The stamps say how long steps took, and by that what such a time is of: of one
// step, of all since the line before, or since a beginning. Where they then show much more, something else lay between
// the two lines (an evaluation, a pause), and the stated time is that of the steps. Private to parsers/log.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/base/event.h"
#include "parsers/log/log_state.h"

namespace etad {

// Takes the time, in seconds, of a stamped line that stands at this step (of this epoch). Returns the time of one step,
// where the stamps of this line and the one before hold something else besides.
std::optional<double> step_time_beside_stamps(StampedTimesState& state, const Event& event,
                                              std::optional<std::int64_t> epoch,
                                              std::optional<std::int64_t> step, double seconds);

}  // namespace etad
