// Networks that are only described: a formula says what a network needs of a machine, with parameters that only
// measurements tell. They are fitted to the machine's runs of described networks, from what is assumed of them on. In the
// logarithm every network is off by something of its own, and each of its phases by a little more: two random effects.
// For a network that has run they are learnt from its runs; for one that never ran they are 0 and add their variance.
//
// Anybody may write a log of a network that nobody else has. Of several owners those who were there first say how fast
// the machine is: what all of another's runs have in common is a third random effect, which answers leave out, and whose
// runs are far from what the first ones foretell is not listened to at all.
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
  // Standard deviations, in the logarithm, of networks, their phases, later owners and single runs, before any is seen.
  double between_networks = 0.1, between_phases = 0.06, between_owners = 0.3, noise = 0.1;
};

// `formula_of` says what is assumed where there are such runs. Of many networks the first ones are taken, and `runs` has
// theirs alone.
Answers fit_formula(const std::function<Formula(const Runs&)>& formula_of, Runs& runs);

}  // namespace etad::estimators
