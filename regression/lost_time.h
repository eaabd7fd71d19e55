// The time between a run's windows that none of them accounts for: tests whose length no line says,
// checkpoints that leave no line, a restart of the input. Seconds.
#pragma once

#include <optional>
#include <span>

#include "regression/step_time.h"

namespace etad::regression {

struct LostTime {
  double seconds = 0;
  int times = 0;          // gaps in which time was lost
  double iterations = 0;  // from the first window to the last: what `seconds` were lost over
};

// Which gaps: those between windows of which one follows the other at once, or those in which windows are
// missing. The training of missing windows, at the step time of the window before, is not counted as lost.
enum class Gap { between_neighbours, around_missing };

// Only intervals whose `at` is known count. A long gap that came no more than three times, and never twice of
// about the same length, is taken for an outlier and counts as three windows' time at most. From four windows on
// the first does not count where nothing was lost behind it: where each begins with a test, it has none.
LostTime lost_time(std::span<const RunInterval> seen, Gap gap);

// What of a whole run's training passed in that way: a share of the time of its iterations, each of which took
// `step` seconds; 0 under a hundredth. `windows`: all or some of its training's, in order; those of known `at` count.
// `measured`: seconds an iteration that its tests and snapshots took, as these pass between the windows, too. Of the
// stretches from window to window outliers count as ordinary ones, as above. nullopt: no two windows tell.
std::optional<double> other_share(std::span<const RunInterval> windows, double step, double measured);

}  // namespace etad::regression
