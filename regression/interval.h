// How wide an interval must be. Scores are absolute errors in units of the spread that was predicted for
// them; a score of 2 was an error twice as large as foreseen.
//
// With many scores this is conformal prediction (Vovk et al. 2005; CV+ of Barber et al., "Predictive
// inference with the jackknife+", 2021): the interval's half-width is a quantile of the scores, whatever
// their distribution. Fewer than nine scores have no 90 % quantile. So a prior counts as kPriorScores further
// scores, and fades as runs come in: Student's t with the degrees of freedom that the noise was estimated
// with, which is wide where the spread is known from two or three runs only.
#pragma once

#include <optional>
#include <span>

namespace etad::regression {

inline constexpr double kPriorScores = 8;

// The relative noise assumed before any run has been repeated. Public training logs and our own replicates spread by 0.5
// to 10 % of their time.
inline constexpr double kPriorNoise = 0.05;

// The multiple of the predicted spread that an error stays below with probability `confidence`. Scores that are alike
// count for fewer independent ones; for as many as they are where it is not said.
double score_quantile(std::span<const double> sorted_scores, double confidence, double degrees_of_freedom,
                      std::optional<double> independent = std::nullopt);

// How often the interval of that confidence would have held: each score judged by all the others.
double score_coverage(std::span<const double> sorted_scores, double confidence, double degrees_of_freedom,
                      std::optional<double> independent = std::nullopt);

}  // namespace etad::regression
