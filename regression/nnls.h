// Non-negative least squares: minimise |A x - b| over x >= 0. For each subset of the columns it is solved without bounds,
// the other coefficients being 0; the best solution without a negative coefficient is the answer. Our designs have so few
// columns that all subsets are tried, 2^8 at most. On the normal equations with columns scaled to unit length; the squared
// condition costs nothing with so few. A subset is solved by sweeping its columns (Goodnight, "A tutorial on the sweep
// operator", The American Statistician 33, 1979).
#pragma once

#include <Eigen/Core>

namespace etad::regression {

inline constexpr int kMaxTerms = 8;

// Small enough to live on the stack: fitting allocates nothing per step.
using Terms = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTerms, 1>;
using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxTerms, kMaxTerms>;

// `gram` = A'A, `projection` = A'b, of at most kMaxTerms columns. Of collinear columns the first ones do. Always finite
// for finite input.
Terms solve_nnls(const Gram& gram, const Terms& projection);

// The inverse of the Gram matrix over the columns with x_i != 0; zero elsewhere (a coefficient on its bound
// has no standard error of its own).
Gram active_inverse(const Gram& gram, const Terms& solution);

}  // namespace etad::regression
