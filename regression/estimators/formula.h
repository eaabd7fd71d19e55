// Networks that are only described: a formula says what a network needs of a machine, with parameters that only
// measurements tell. They are fitted to the machine's runs of described networks, from what is assumed of them on. In the
// logarithm every network is off by something of its own, and each of its phases by a little more: two random effects.
// For a network that has run they are learnt from its runs; for one that never ran they are 0 and add their variance.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "regression/estimators/grouped.h"

namespace etad::estimators {

// A value, and the derivatives of its logarithm by the parameters.
struct FormulaValue {
  double value = 0;
  Eigen::VectorXd gradient;
};

struct Formula {
  std::function<FormulaValue(const Case&, const Eigen::VectorXd& parameters)> at;
  Eigen::VectorXd mean, deviation;  // of its parameters before any run
  // Standard deviations, in the logarithm, of networks, their phases and single runs, before any is seen.
  double between_networks = 0.1, between_phases = 0.06, noise = 0.1;
};

// Of no runs: what is assumed. Of many networks the first ones are taken, and `runs` has theirs alone.
Answers fit_formula(const Formula& formula, Runs& runs);

}  // namespace etad::estimators
