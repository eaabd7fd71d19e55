#include "regression/interval.h"

#include <algorithm>
#include <cmath>

#include "regression/statistics.h"

namespace etad::regression {

double score_quantile(std::span<const double> sorted_scores, double confidence, double degrees_of_freedom) {
  const double degrees = std::clamp(degrees_of_freedom + 2, 3.0, 30.0);
  const auto count = static_cast<double>(sorted_scores.size());
  // The run asked about is one more than those that gave scores: the p(m + 1)/m of conformal prediction, as
  // far as the scores and not the prior are what is gone by.
  const double one_more = 1 + count / ((count + kPriorScores) * (count + kPriorScores));
  const double p = std::clamp(confidence * one_more, 0.0, 0.9999);
  const auto share_below = [&](double q) {
    const auto below = std::ranges::upper_bound(sorted_scores, q) - sorted_scores.begin();
    const double prior = 2 * student_cdf(q, degrees) - 1;
    return (static_cast<double>(below) + kPriorScores * prior) / (count + kPriorScores);
  };
  double low = 0, high = 1;
  while (share_below(high) < p && high < 1e6) high *= 2;
  for (int i = 0; i < 40; ++i) {
    const double mid = (low + high) / 2;
    (share_below(mid) < p ? low : high) = mid;
  }
  return high;
}

}  // namespace etad::regression
