#include "regression/interval.h"

#include <algorithm>
#include <cmath>

#include "regression/statistics.h"

namespace etad::regression {

namespace {

// The distribution of a score: those seen, and the prior.
class ScoreDistribution {
 public:
  ScoreDistribution(double scores, double independent, double confidence, double degrees_of_freedom)
      : count_(independent),
        each_(scores > 0 ? independent / scores : 0),
        degrees_(std::clamp(degrees_of_freedom + 2, 3.0, 30.0)) {
    // The run asked about is one more than those that gave scores: the p(m + 1)/m of conformal prediction, as
    // far as the scores and not the prior are what is gone by.
    const double one_more = 1 + count_ / ((count_ + kPriorScores) * (count_ + kPriorScores));
    wanted_ = std::clamp(confidence * one_more, 0.0, 0.9999);
  }

  // Whether the share of scores below q, `below` of which were seen, is as large as it should be.
  bool reached(double below, double q) const {
    const double prior = 2 * student_cdf(q, degrees_) - 1;
    return each_ * below + kPriorScores * prior >= wanted_ * (count_ + kPriorScores);
  }

 private:
  double count_, each_, degrees_, wanted_ = 0;  // each_: what a score counts for
};

}  // namespace

double score_quantile(std::span<const double> sorted_scores, double confidence, double degrees_of_freedom,
                      std::optional<double> independent) {
  const auto count = static_cast<double>(sorted_scores.size());
  const ScoreDistribution distribution(count, independent.value_or(count), confidence, degrees_of_freedom);
  const auto reached = [&](double q) {
    const auto below = std::ranges::upper_bound(sorted_scores, q) - sorted_scores.begin();
    return distribution.reached(static_cast<double>(below), q);
  };
  double low = 0, high = 1;
  while (!reached(high) && high < 1e6) high *= 2;
  for (int i = 0; i < 40; ++i) {
    const double mid = (low + high) / 2;
    (reached(mid) ? high : low) = mid;
  }
  return high;
}

double score_coverage(std::span<const double> sorted_scores, double confidence, double degrees_of_freedom,
                      std::optional<double> independent) {
  if (sorted_scores.empty()) return 0;
  const auto count = static_cast<double>(sorted_scores.size());
  const ScoreDistribution others(count - 1, independent.value_or(count) * (count - 1) / count, confidence,
                                 degrees_of_freedom);
  // A score lies inside the interval that the others make as long as what lies below it is not enough.
  int held = 0;
  for (const double score : sorted_scores) {
    const auto below = std::ranges::lower_bound(sorted_scores, score) - sorted_scores.begin();
    held += !others.reached(static_cast<double>(below), score);
  }
  return held / count;
}

}  // namespace etad::regression
