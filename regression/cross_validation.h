// How well a basis predicts what it has not seen.
#pragma once

#include <vector>

#include "regression/relative_fit.h"

namespace etad::regression {

struct CrossValidation {
  std::vector<double> residuals;  // log(t / prediction from the other folds), per row
  std::vector<double> leverages;  // relative variance of that prediction, per unit of noise variance
  double error = 0;               // mean over folds of the mean |t / prediction - 1|, contaminated rows apart
  std::vector<double> fold_errors;
};

CrossValidation cross_validate(const Basis& basis, const Observations& rows, const Folds& folds);

// Standard error of the mean difference of two paired lists: whether one basis is better than another is
// judged fold by fold, as both meet the same difficult folds.
double paired_standard_error(const std::vector<double>& a, const std::vector<double>& b);

double standard_error(const std::vector<double>& values);

// Relative variance of f(n, B) that the uncertainty of its coefficients causes.
double relative_leverage(const Terms& features, const Terms& coefficients, const Gram& covariance);

}  // namespace etad::regression
