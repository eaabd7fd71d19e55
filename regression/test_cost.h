// What a running run's test phases cost and how often they come. Seconds. Used by remaining() only.
#pragma once

#include <span>

#include "regression/step_time.h"

namespace etad::regression {

struct TestCost {
  int phases = 0;             // seen; test phases at one iteration (several test nets) are one
  double seconds = 0;         // of one: the mean of the recent half, outliers winsorised
  double iterations = 0;      // of one
  double interval = 0;        // training iterations between two, as seen; 0: fewer than two
  double last_iteration = 0;  // at which the latest took place
  double scatter = 0;         // relative standard deviation from one to the next
};

TestCost test_cost(std::span<const RunInterval> seen);

}  // namespace etad::regression
