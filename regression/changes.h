// Where a noisy level changes: optimal partitioning of a series into intervals of constant level, by least
// squares with a penalty for each change (Jackson et al. 2005). The cost is quadratic in the series' length:
// callers pass a few hundred values at most.
#pragma once

#include <cstddef>
#include <vector>

namespace etad::regression {

struct ChangeOptions {
  double penalty = 100;        // in units of the noise's variance, times ln(length): how costly a change is
  double noise_floor = 0.001;  // no series is taken to be quieter than that
  std::size_t min_length = 3;  // of an interval
};

// The index at which each interval begins; the first is 0. The noise is estimated from the median absolute
// difference of neighbours, which neither changes nor outliers move much. Empty for an empty series.
std::vector<std::size_t> level_changes(const std::vector<double>& series, const ChangeOptions& options = {});

}  // namespace etad::regression
