// Order statistics and the two distributions the intervals need. Pure; empty input gives 0.
#pragma once

#include <cstddef>
#include <vector>

namespace etad::regression {

double median(std::vector<double> values);

double mean(const std::vector<double>& values);  // 0 of none

// Of the mean of `values`; 0 for fewer than two.
double standard_error(const std::vector<double>& values);

// 1.4826 x the median absolute value: of residuals, the standard deviation a normal sample would have.
double robust_scale(const std::vector<double>& residuals);

// The tau-scale of residuals about 0 (Maronna & Zamar, Technometrics 44, 2002, with c2 = 3): their root mean
// square, each cut at three times the robust scale. As robust as that, and more efficient: on normal samples
// it is as accurate with n values as the robust scale with 2 n.
double tau_scale(const std::vector<double>& residuals);

// Outliers among the times of a run's past, a process suspended overnight or a restart by hand, say nothing of its future,
// so they are winsorised: cut to the longest time that is still ordinary. Unless it has happened more often than this: what
// comes again and again, such as one window in a hundred that takes ten times as long, will come again and counts in full.
constexpr std::size_t kMostOutliers = 3;

// The most that any of `values` is to count as, in their unit: `usual`, or, if that is more, the largest
// value that is left when the kMostOutliers largest are taken away.
double winsorised_at(std::vector<double> values, double usual);

// Quantile of the standard normal distribution; p in (0, 1). This and the next two are Boost.Math's.
double normal_quantile(double p);

// Cumulative distribution of Student's t, and its inverse; p in (0, 1).
double student_cdf(double t, double degrees_of_freedom);
double student_quantile(double p, double degrees_of_freedom);

}  // namespace etad::regression
