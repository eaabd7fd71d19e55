// Several estimators' answers combined into one. Where their errors differ, the mean of them errs less than each alone
// (Bates, Granger, "The combination of forecasts", Operational Research Quarterly 20, 1969). The combined answer is the
// weighted geometric mean of what they say; the weights come from questions whose answers were hidden (performance.h).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "regression/estimators/performance.h"

namespace etad::estimators {

// The weights for questions of one kind, one for each estimator. They sum to 1; all are 0 where no case was answered.
//
// errors[i][k] is log(estimate / actual) of estimator i in case k; NaN where it had no answer. Estimators are
// ordered from the simplest to the richest; the cases are the same for all.
//
// Ensemble selection (Caruana et al., "Ensemble selection from libraries of models", ICML 2004): each step adds the
// estimator with which the ensemble's mean relative error is least, one perhaps several times, until none makes it
// less. Of estimators with the same answers the simplest is taken. An estimator's weight is its share of the ensemble.
// Few cases, or cases much alike, make any of them look good by luck: so the ensemble begins with the reference, taken
// twice, and of the weight that n answers make only n / (n + 4) is kept. The rest goes to the reference.
std::vector<double> weights_of(const std::vector<std::vector<double>>& errors);

// The reference: the estimator that answered most cases, of several the richest, which is the one that knows when it
// does not know. errors: as above, of one estimator at least.
std::size_t most_answers(const std::vector<std::vector<double>>& errors);

// The combined answer: asks each estimator that has a weight once. The weight of one that abstains goes to the others
// in proportion. An answer far from the weighted median counts as if it were at the bound, a fixed factor away, so that
// one outlier does not move the mean. The deviation is that of the mixture: the estimators' own variances and the
// differences between their answers.
Reply combine(std::span<const double> weights, const std::function<Reply(std::size_t)>& ask);

// The estimators to ask a question, best first, as indices into what they did in questions of that kind: `combined` (or,
// where a single estimator has all the weight, that one), then the others by their error.
std::vector<std::size_t> ranking(const Performances& of_kind);

// The i-th estimator's answer. `ask` gives the answer of any of them but `combined`.
Reply reply_of(std::size_t i, const Performances& of_kind, const std::function<Reply(std::size_t)>& ask);

// An answer with half the width, in the logarithm, of its interval.
struct Answered {
  Estimate estimate;
  double half_width = 0;
};

// The same with its interval, `beyond` as Distance has it; nullopt: the estimator abstains.
std::optional<Answered> answer_of(std::size_t i, const Performances& of_kind, double beyond,
                                  double confidence, const std::function<Reply(std::size_t)>& ask);

// Its entry in the list of estimators. It is not fitted to runs: reply_of() computes its answer from the
// others'.
Estimator combined();

}  // namespace etad::estimators
