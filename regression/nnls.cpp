#include "regression/nnls.h"

#include <cmath>
#include <utility>

namespace etad::regression {
namespace {

// A column of which those before it leave less than this share unexplained is taken to be one of them.
constexpr double kIndependent = 1e-9;

using Tableau =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMaxTerms + 1, kMaxTerms + 1>;

Terms column_scale(const Gram& gram) {
  Terms scale(gram.cols());
  for (Eigen::Index i = 0; i < gram.cols(); ++i) {
    const double s = std::sqrt(gram(i, i));
    scale(i) = s > 0 && std::isfinite(s) ? 1 / s : 0;  // an empty column takes no part
  }
  return scale;
}

// A'A, with A'b beside and below it.
Tableau tableau_of(const Gram& gram, const Terms& projection, const Terms& scale) {
  const Eigen::Index terms = gram.cols();
  Tableau out = Tableau::Zero(terms + 1, terms + 1);
  out.topLeftCorner(terms, terms) = scale.asDiagonal() * gram * scale.asDiagonal();
  out.col(terms).head(terms) = scale.cwiseProduct(projection);
  out.row(terms).head(terms) = out.col(terms).head(terms);
  return out;
}

// Of the columns in the set, bit i for the i-th: then the inverse stands in their place, the minimiser beside it, and
// the loss less b'b in the corner. False: they are collinear.
bool sweep(Tableau& a, unsigned set) {
  for (Eigen::Index k = 0; set >> k != 0; ++k) {
    if (!(set >> k & 1U)) continue;
    const double pivot = a(k, k);
    if (!(pivot > kIndependent)) return false;
    a(k, k) = 1;
    for (Eigen::Index j = 0; j < a.cols(); ++j) a(k, j) /= pivot;
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      if (i == k) continue;
      const double share = std::exchange(a(i, k), 0.0);
      for (Eigen::Index j = 0; j < a.cols(); ++j) a(i, j) -= share * a(k, j);
    }
  }
  return true;
}

}  // namespace

Terms solve_nnls(const Gram& gram, const Terms& projection) {
  constexpr double kBetter = 1 + 1e-12;  // rounding decides nothing
  const Eigen::Index terms = gram.cols();
  const Terms scale = column_scale(gram);
  const Tableau all = tableau_of(gram, projection, scale);
  Terms best = Terms::Zero(terms);
  double least = 0;
  const auto try_set = [&](unsigned set) {
    Tableau a = all;
    if (!sweep(a, set) || !(a(terms, terms) < kBetter * least)) return false;
    Terms x = Terms::Zero(terms);
    for (Eigen::Index i = 0; i < terms; ++i) {
      if (set >> i & 1U) x(i) = a(i, terms);
      if (!(x(i) >= 0)) return false;
    }
    best = x;
    least = a(terms, terms);
    return true;
  };
  unsigned whole = 0;
  for (Eigen::Index i = 0; i < terms; ++i)
    if (scale(i) > 0) whole |= 1U << i;
  // Where the minimiser over all of them keeps the bounds there is nothing to search for.
  if (!try_set(whole))
    for (unsigned set = 1; set < whole; ++set)
      if ((set & ~whole) == 0) try_set(set);
  return scale.cwiseProduct(best);
}

Gram active_inverse(const Gram& gram, const Terms& solution) {
  const Eigen::Index terms = gram.cols();
  const Terms scale = column_scale(gram);
  Tableau a = tableau_of(gram, solution, scale);
  unsigned set = 0;
  for (Eigen::Index i = 0; i < terms; ++i)
    if (solution(i) != 0) set |= 1U << i;
  Gram out = Gram::Zero(terms, terms);
  if (!sweep(a, set)) return out;
  for (Eigen::Index i = 0; i < terms; ++i)
    for (Eigen::Index j = 0; j < terms; ++j)
      if ((set >> i) & (set >> j) & 1U) out(i, j) = a(i, j) * scale(i) * scale(j);
  return out;
}

}  // namespace etad::regression
