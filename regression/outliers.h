// Outliers among the times of a run's past: a process suspended overnight, a restart by hand. They say
// nothing of its future, so they are winsorised: cut to the longest time that is still ordinary.
#pragma once

#include <cstddef>
#include <vector>

namespace etad::regression {

// What takes longer than so many windows may be an outlier …
constexpr double kOutlierWindows = 3;
// … unless it has happened more often than this. What comes again and again, such as one window in a hundred
// that takes ten times as long, will come again and counts in full.
constexpr std::size_t kMostOutliers = 3;

// The most that any of `values` is to count as, in their unit: `usual`, or, if that is more, the largest
// value that is left when the kMostOutliers largest are taken away.
double winsorised_at(std::vector<double> values, double usual);

}  // namespace etad::regression
