#include "regression/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "regression/statistics.h"

namespace etad::regression {

namespace {

// The distribution of a score, a mixture: those seen, each of this weight, and Student's t worth kPriorScores.
class ScoreDistribution {
 public:
  ScoreDistribution(double scores, double independent, double confidence, double degrees_of_freedom)
      : count_(independent),
        score_weight_(scores > 0 ? independent / scores : 0),
        degrees_(std::clamp(degrees_of_freedom + 2, 3.0, 30.0)) {
    // The run asked about is one more than those that gave scores: the p(m + 1)/m of conformal prediction, as
    // far as the scores and not the prior are what is gone by.
    const double one_more = 1 + count_ / ((count_ + kPriorScores) * (count_ + kPriorScores));
    wanted_ = std::clamp(confidence * one_more, 0.0, 0.9999);
  }

  // Whether the share of scores below q, `below` of which were seen, is as large as it should be.
  bool is_enough(double below, double q) const {
    const double prior = 2 * student_cdf(q, degrees_) - 1;
    return score_weight_ * below + kPriorScores * prior >= wanted_ * (count_ + kPriorScores);
  }

  // The least q at which so many scores below it are enough; infinite where they are not, however large it is.
  double prior_quantile(double below) const {
    const double prior = (wanted_ * (count_ + kPriorScores) - score_weight_ * below) / kPriorScores;
    if (prior >= 1) return std::numeric_limits<double>::infinity();
    return prior > 0 ? student_quantile((1 + prior) / 2, degrees_) : 0;
  }

 private:
  double count_, score_weight_, degrees_, wanted_ = 0;
};

}  // namespace

double score_quantile(std::span<const double> sorted_scores, double confidence, double degrees_of_freedom,
                      std::optional<double> independent) {
  const auto count = static_cast<double>(sorted_scores.size());
  const ScoreDistribution distribution(count, independent.value_or(count), confidence, degrees_of_freedom);
  // The first score that is far enough out, and how far the prior alone must reach beyond those below it.
  const auto far = std::ranges::partition_point(sorted_scores, [&](const double& score) {
    const auto below = std::ranges::upper_bound(sorted_scores, score) - sorted_scores.begin();
    return !distribution.is_enough(static_cast<double>(below), score);
  });
  const double between = distribution.prior_quantile(static_cast<double>(far - sorted_scores.begin()));
  return far == sorted_scores.end() ? between : std::min(between, *far);
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
    held += !others.is_enough(static_cast<double>(below), score);
  }
  return held / count;
}

}  // namespace etad::regression
