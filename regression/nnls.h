// Non-negative least squares: minimise |A x - b| over x >= 0, by the active-set method of Lawson & Hanson,
// "Solving Least Squares Problems" (1974), chapter 23, on the normal equations with columns scaled to
// unit length (our designs have at most kMaxTerms columns, so the squared condition costs nothing). Where the
// unconstrained minimiser is unique and keeps the bounds, there is nothing to search for.
#pragma once

#include <Eigen/Core>

namespace etad::regression {

inline constexpr int kMaxTerms = 8;

// Small enough to live on the stack: fitting allocates nothing per step.
using Terms = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTerms, 1>;
using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxTerms, kMaxTerms>;

// `gram` = A'A, `projection` = A'b. Collinear columns: any minimiser. Always finite for finite input.
Terms solve_nnls(const Gram& gram, const Terms& projection);

// The inverse of the Gram matrix over the columns with x_i != 0; zero elsewhere (a coefficient on its bound
// has no standard error of its own).
Gram active_inverse(const Gram& gram, const Terms& solution);

}  // namespace etad::regression
