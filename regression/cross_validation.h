// How well a basis predicts what it has not seen: each fold is left out once, the basis is fitted to the
// others and asked for the runs of that fold.
#pragma once

#include <optional>
#include <vector>

#include "regression/relative_fit.h"

namespace etad::regression {

struct CrossValidation {
  std::vector<double> residuals;  // log(t / prediction from the other folds), per row
  std::vector<double> leverages;  // relative variance of that prediction, per unit of noise variance
  std::optional<double>
      error;  // mean over folds of the mean |t / prediction - 1|; none: nothing was left out
  std::vector<double> fold_errors;
};

CrossValidation cross_validate(const Basis& basis, const Dataset& rows, const Folds& folds);

// Relative variance of f(n, B) that the uncertainty of its coefficients causes.
double relative_leverage(const Terms& features, const Terms& coefficients, const Gram& covariance);

}  // namespace etad::regression
