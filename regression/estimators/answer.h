// From the estimators' records to an answer: whom to ask a question, and how far off the answer may be.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "regression/estimators/performance.h"

namespace etad::estimators {

// The estimators to ask a question of that kind, best first, as indices into `records`: `combined` (or, where a single
// estimator has all the weight, that one), then the others by their error.
std::vector<std::size_t> ranking(const std::vector<Record>& records, Kind kind);

// The i-th estimator's answer to a question with that gap. `ask` gives the answer of any of them but `combined`. Who
// does best a little beyond all series may be wrong far beyond them: farther out than nearly all that the record is of,
// the simplest estimator and the richest have the same weight, and the others none.
Reply reply_of(std::size_t i, const std::vector<Record>& records, Gap gap,
               const std::function<Reply(std::size_t)>& ask);

// An answer with half the width, in the logarithm, of its interval.
struct Answered {
  Estimate estimate;
  double reach = 0;
};

// The same with its interval. What lies between others is easier to tell than what lies beyond them, and that easier
// than what lies beyond all series, so its interval is at most as wide as it would be as such a question: of few
// questions between, one that went wrong would make it wider. nullopt: the estimator abstains.
std::optional<Answered> answer_of(std::size_t i, const std::vector<Record>& records, Gap gap,
                                  double confidence, const std::function<Reply(std::size_t)>& ask);

}  // namespace etad::estimators
