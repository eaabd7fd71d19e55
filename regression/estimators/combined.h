// Estimators that err in different ways combined into one answer that errs less than each of them: the geometric mean of
// what they say, with weights by their errors in hidden questions (Bates, Granger, "The combination of forecasts",
// Operational Research Quarterly 20, 1969).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "regression/estimators/estimator.h"

namespace etad::estimators {

// Each estimator's part of the combined answer to questions of one kind, together 1; all 0: no case was answered.
// `errors`: by estimator, from simple to rich, the same cases for all: log(estimate / actual), NaN without an answer.
// Chosen greedily: one estimator after the other is added, again and again the same if need be, that makes the mean
// relative error of those taken least (Caruana et al., "Ensemble selection from libraries of models", ICML 2004). So
// of estimators that say the same only the simplest counts. Few answers make no record: n of them earn n / (n + 4) of the
// part that they would make, and the rest is the richest's, the last's, where that answered any.
std::vector<double> weights_of(const std::vector<std::vector<double>>& errors);

// What those with a part in it say, each asked once. Who abstains leaves its part to the others, and who is far off
// counts as no farther from their median than a factor. The deviation holds what they differ by.
Reply combine(std::span<const double> weights, const std::function<Reply(std::size_t)>& ask);

// It learns nothing of the runs, only of the others' records: reply_of (performance.h).
Estimator combined();

}  // namespace etad::estimators
