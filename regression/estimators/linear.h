// Estimators that are linear in their coefficients: the terms of a case, a solver, and what must be equal among the
// runs that one set of coefficients describes.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <set>
#include <string_view>

#include "regression/estimators/grouped.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {

// The terms of a case: the row of the design that a run of it makes.
using Terms = std::function<Eigen::RowVectorXd(const Case&)>;

// What the terms come to in sum, or in the logarithm, with the coefficients that describe these runs.
Answers fit_linear(const Terms& terms, Solver solver, const Runs& runs);

struct Linear {
  std::string_view name, source;
  // Facts equal within a fit (case.h). In the others a group needs two different points together.
  unsigned group = kSeries;
  Terms terms;  // a run of which one is not finite is left out
  Solver solver = Solver::relative_nnls;
  std::set<Target> targets = kAllTargets;
};

// An estimator that fits each group of runs by itself and abstains where there is no such group.
Estimator linear(Linear form);

}  // namespace etad::estimators
