// The time between a run's windows that none of them accounts for: tests whose length no line says,
// checkpoints that leave no line, a restart of the input. Seconds. Used by remaining() only.
#pragma once

#include <span>

#include "regression/remaining.h"

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

}  // namespace etad::regression
