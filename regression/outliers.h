// Outliers among the times of a run's past: a process suspended overnight, a restart by hand. They say
// nothing of its future and are winsorised, which is to count as no more than an ordinary time.
#pragma once

#include <cstddef>
#include <vector>

namespace etad::regression {

// What takes longer than so many windows may be an outlier …
constexpr double kOutlierWindows = 3;
// … unless it has happened more often than this: of what comes again and again, as a window in a hundred that
// takes ten times as long, the next will come too.
constexpr std::size_t kMostOutliers = 3;

// The time in seconds that each of `values` is to count as at most: `usual`, or, where that is more, the
// largest of them but for the kMostOutliers largest.
double winsorised_at(std::vector<double> values, double usual);

}  // namespace etad::regression
