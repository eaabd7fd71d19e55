// How coefficients are found. All work on a design: a row a run, a column a term.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace etad::estimators {

enum class Solver : std::uint8_t {
  nnls,           // min |X b - y|, b >= 0: exactly, by trying all subsets of the columns (regression/nnls.h)
  relative_nnls,  // min |X b / y - 1|, b >= 0: relative error counts
  forgetting_squares,  // min sum 0.97^(n - i) (x_i b / y_i - 1)^2, of any sign: what recursive least squares that
                       // forget (Haykin, "Adaptive filter theory", 2002, chapter 9) come to after n rows
  log_squares,         // min |X b - log y|, of any sign: multiplicative models
};

// b. y > 0. At most kMaxTerms columns for the non-negative ones. Always finite for finite input.
Eigen::VectorXd solve(Solver solver, const Eigen::MatrixXd& design, const Eigen::VectorXd& y);

// A matrix with a row, or a vector with a number, for each of some things.
template <class Things, class RowOf>
Eigen::MatrixXd rows_of(const Things& things, const RowOf& row_of) {
  Eigen::MatrixXd out;
  for (Eigen::Index i = 0; const auto& thing : things) {
    const Eigen::RowVectorXd row = row_of(thing);
    if (i == 0) out.resize(static_cast<Eigen::Index>(things.size()), row.size());
    out.row(i++) = row;
  }
  return out;
}
template <class Things, class NumberOf>
Eigen::VectorXd numbers_of(const Things& things, const NumberOf& number_of) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(things.size()));
  for (Eigen::Index i = 0; const auto& thing : things) out(i++) = std::invoke(number_of, thing);
  return out;
}

// The symmetric matrix of what each two of some things have in common.
template <class Things, class InCommon>
Eigen::MatrixXd symmetric(const Things& things, const InCommon& in_common) {
  const auto n = static_cast<Eigen::Index>(things.size());
  Eigen::MatrixXd out(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      out(i, j) = out(j, i) =
          in_common(things[static_cast<std::size_t>(i)], things[static_cast<std::size_t>(j)]);
  return out;
}

// Ordinary least squares, of the smallest coefficients where several do: coefficients of any sign, of at least as many
// rows as columns.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& design, const Eigen::VectorXd& y);

// Principal components of standardised columns: mean 0 and variance 1 each (Pearson 1901, Hotelling 1933).
struct Components {
  Eigen::RowVectorXd mean, scale;  // of the columns as they were given; infinite of one that does not vary
  Eigen::MatrixXd directions;      // a column a component, that of the largest variance first

  Eigen::VectorXd of(const Eigen::RowVectorXd& row) const {
    return (((row - mean).array() / scale.array()).matrix() * directions).transpose();
  }
};

// As few as explain that share of the variance, of rows at least two. A column that does not vary has no part
// in them.
Components principal_components(const Eigen::MatrixXd& rows, double explained);

}  // namespace etad::estimators
