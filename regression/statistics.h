// Order statistics and the two distributions the intervals need. Pure; empty input gives 0.
#pragma once

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

// Quantile of the standard normal distribution; p in (0, 1). This and the next two are Boost.Math's.
double normal_quantile(double p);

// Cumulative distribution of Student's t, and its inverse; p in (0, 1).
double student_cdf(double t, double degrees_of_freedom);
double student_quantile(double p, double degrees_of_freedom);

}  // namespace etad::regression
