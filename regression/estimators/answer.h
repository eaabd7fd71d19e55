// From the estimators' records to an answer: whom to ask a question, and how far off the answer may be.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "regression/estimators/performance.h"

namespace etad::estimators {

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

}  // namespace etad::estimators
