// The time between a run's windows that none of them accounts for: tests whose length no line says,
// checkpoints that leave no line, a restart of the input. The inside of remaining().
#pragma once

#include <span>

#include "regression/remaining.h"

namespace etad::regression {

struct LostTime {
  double seconds = 0;
  int times = 0;          // that any was lost
  double iterations = 0;  // that the windows went on by
};

// Between windows that follow each other at once, or where windows are missing between them: their training,
// at the step time of the window before, is taken out.
enum class Gap { between_neighbours, around_missing };

// Of intervals whose beginnings are known. What happened no more than three times may have been an outlier,
// and counts at no more than three windows' time.
LostTime lost_time(std::span<const RunInterval> seen, Gap gap);

}  // namespace etad::regression
