// Each run of a history asked about at the instant when it began (at=), of what was over by then.
#pragma once

#include <optional>
#include <vector>

#include "prediction/knowledge.h"
#include "regression/estimators/kind.h"

namespace etad::accuracy {

struct AsAsked {
  estimators::Kind kind{};                    // how far the question lay from the runs that were over
  double actual = 0;                          // seconds of the run
  bool answered = false;                      // then:
  double estimate = 0, lower = 0, upper = 0;  // seconds; of a 90 % interval
  // What a straight line through the same network's runs on the same deployment would have said (`gianniti`), where
  // there were two batch sizes of them.
  std::optional<double> plain;
};

// All runs that say when they began, asked as the daemon's clients ask (prediction/estimate.h).
std::vector<AsAsked> ask_when_begun(const prediction::Knowledge::Data& runs);

// On standard output: every estimator's error by kind of question, hidden; then the above by kind.
void report_by_kind(const prediction::Knowledge::Data& runs);

}  // namespace etad::accuracy
