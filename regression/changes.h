// Where a noisy level changes: optimal partitioning of a series into intervals of constant level, by least
// squares with a penalty for each change (Jackson et al. 2005). The cost is quadratic in the series' length:
// callers pass a few hundred values at most.
#pragma once

#include <cstddef>
#include <vector>

namespace etad::regression {

// The index at which each interval begins; the first is 0. `min_length`: of an interval. The noise is
// estimated from the median absolute difference of neighbours, which neither changes nor outliers move much. Empty for an
// empty series.
std::vector<std::size_t> level_changes(const std::vector<double>& series, std::size_t min_length = 3);

}  // namespace etad::regression
