// How well each estimator does in each kind of question, on this history: a part of the runs is hidden, the estimators
// are fitted to the rest and asked about the hidden ones, and their answers are compared with what those took (as
// Madougou et al. 2016 compare methods). The result decides which estimators answer a question, and how wide the
// interval is (conformal prediction: Vovk et al. 2005; regression/interval.h).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "regression/estimators/estimator.h"
#include "regression/estimators/kind.h"

namespace etad::estimators {

// One estimator's record in one kind of question.
struct Performance {
  int cases = 0;  // that were asked
  int answered = 0;
  double error_percent = 0;  // mean |estimate / actual - 1| of those answered
  double coverage = 0;       // share inside the 90 % interval that the other scores make
  // Its mean error divided by that of a reference, the estimator that answered most cases (of several the richest). Only
  // cases that both answered count, so that who answers easy ones alone is not preferred. nullopt: there are none.
  std::optional<double> error_ratio = {};
  double weight = 0;  // in the combined answer to such questions (combined.h); all estimators' sum to 1
  // Median of |log(actual / estimate)|, and while there are few cases what is assumed of such questions. Intervals allow
  // for it beside the deviation that the estimator itself states, which may be 0: a line through two points has no
  // residuals.
  double median_error = 0;
  // Errors are measured in units of scale * sqrt((deviation^2 + median_error^2) (1 + beyond)), as they grow like those of
  // a random walk with the distance from what ran. Beyond `farthest_hidden` the unit is also multiplied by (1 + beyond) /
  // (1 + farthest_hidden), since no hidden question was that far. The scale makes the median of the scores, where there
  // are many, that of Student's t, which stands for those that there are not.
  double scale = 1;
  double farthest_hidden = INFINITY;  // beyond, of the questions answered; infinite where there were none
  std::vector<double> scores;         // nonconformity scores, sorted: |log(actual / estimate)| in those units
  // How many independent cases those answered count for: several of one series, or of one network, err alike and say
  // less than as many of different ones (Kish, "Survey Sampling", 1965: the design effect).
  double independent = 0;

  // By how much more errors may have grown at that distance than hidden questions could show: 1 as far as those reached.
  double unseen_growth(double beyond) const;

  // Half the width, in the logarithm, of the interval about an estimate of that deviation.
  double half_width(double deviation, double confidence, double beyond = 0) const;
};

// All estimators' in one kind of question, in the order of estimators().
using Performances = std::vector<Performance>;

inline constexpr int kFewestAnswers = 4;  // of hidden questions, that make a record

struct Records {
  std::array<Performances, kKinds> all;  // of the questions about all runs, by kind
  // Of those about an owner's runs alone, in the kinds in which these make a record: what others write, without noise or
  // with much, makes nobody's intervals narrower or wider.
  std::map<std::pair<std::int64_t, Kind>, Performances> of_owner;

  const Performances& in(Kind kind) const { return all[static_cast<std::size_t>(kind)]; }
  // nullptr: that owner has none in such questions.
  const Performances* of(std::int64_t owner, Kind kind) const {
    const auto its = of_owner.find({owner, kind});
    return its == of_owner.end() ? nullptr : &its->second;
  }
};

// The work is bounded: of a long history a sample of some hundred groups of runs is hidden and asked about. `alive` is
// called between fits, to show a watchdog that work goes on.
Records compare(
    History history, Target target, const std::function<void()>& alive = [] {});

}  // namespace etad::estimators
