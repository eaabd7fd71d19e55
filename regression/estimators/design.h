// Which runs to make next: those after which a set of questions is answered with the least variance, for what
// they cost. Ernest's experiment design (Venkataraman et al., NSDI 2016, section 4), with the posterior
// variance of `effects` in place of a linear fit's, greedily: one run after the other, each as if the runs
// before it had come out as estimated (the variance of a Gaussian process depends on the value hardly at
// all).
#pragma once

#include <cstddef>
#include <vector>

#include "regression/estimators/estimator.h"

namespace etad::estimators {

struct Candidate {
  Case what;
  double cost = 1;  // > 0, of any unit: seconds
};

// A question whose answer is to become surer.
struct Wanted {
  Case what;
  double weight = 1;  // > 0; of the answer's variance
};

// The questions behind the choice of a batch size: all of `sizes`, and of each series the largest with the
// weight of all of its series together. For every size is compared with the best one (prediction/what_if.h),
// which mostly is the largest: with equal weights the plan stays inside and never looks whether the
// throughput goes on rising.
std::vector<Wanted> to_choose_among(const std::vector<Case>& sizes);

struct Planned {
  std::size_t candidate = 0;     // its index
  double before = 0, after = 0;  // root of the weighted mean of the variances of the questions' answers
};

// At most `most` runs whose costs sum up to no more than `budget`, the most worthwhile first. Ends early
// where nothing narrows the answers by a hundredth. Empty where the questions can't be answered at all:
// something of the network must have run. Work: candidates x most fits of `history`, which the caller keeps
// short.
std::vector<Planned> plan_runs(const History& history, const std::vector<Candidate>& candidates,
                               const std::vector<Wanted>& questions, double budget, std::size_t most);

}  // namespace etad::estimators
