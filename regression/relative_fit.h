// Fits a basis so that relative error counts: minimises a robust loss of log(t / f(n, B)), the error of a
// factor, in which being twice too slow and twice too fast weigh the same (dividing by t itself would favour
// estimates that are too low).
//
// Iteratively reweighted least squares: each step linearises log f about the last fit (Gauss-Newton) and
// weighs the rows by the residual, first as Huber's loss does with k = 1, then as Tukey's biweight with c = 4.685
// (Holland & Welsch 1977): a contaminated run ends with weight 0.
#pragma once

#include <vector>

#include "regression/basis.h"
#include "regression/observations.h"

namespace etad::regression {

struct RelativeFit {
  Terms coefficients;
  std::vector<double> residuals;  // log(t / f) of every row, also of those left out; 0 where f is 0
  std::vector<double> weights;    // the loss's, in [0, 1]
  Gram covariance;                // of the coefficients, for relative errors of variance 1
  double scale = 0;               // robust standard deviation of the residuals
};

// Fits over the rows whose fold is not `left_out`. No `folds`: over all.
RelativeFit fit_relative(const Basis& basis, const Dataset& rows, const std::vector<int>& folds = {},
                         int left_out = 0);

// Relative variance of f(n, B) that the uncertainty of its coefficients causes.
double relative_leverage(const Terms& features, const Terms& coefficients, const Gram& covariance);

}  // namespace etad::regression
