#include "regression/nnls.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <optional>

namespace etad::regression {
namespace {

constexpr double kRidge = 1e-12;  // relative to unit columns: makes collinear columns share, not explode

using Indices = Eigen::Matrix<int, Eigen::Dynamic, 1, 0, kMaxTerms, 1>;

struct ActiveSet {
  const Gram& gram;
  const Terms& projection;
  unsigned passive = 0;  // bit i: x_i is not held at its bound

  Indices members() const {
    Indices out(gram.cols());
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < gram.cols(); ++i) {
      if (passive >> i & 1U) out(count++) = static_cast<int>(i);
    }
    return out.head(count);
  }

  Gram block(const Indices& index) const {
    Gram out(index.size(), index.size());
    for (Eigen::Index a = 0; a < index.size(); ++a) {
      for (Eigen::Index b = 0; b < index.size(); ++b) out(a, b) = gram(index(a), index(b));
      out(a, a) += kRidge;
    }
    return out;
  }

  // The unconstrained minimiser over the passive columns, zero elsewhere.
  Terms minimiser() const {
    const Indices index = members();
    Terms rhs(index.size());
    for (Eigen::Index a = 0; a < index.size(); ++a) rhs(a) = projection(index(a));
    const Terms z = block(index).ldlt().solve(rhs);
    Terms out = Terms::Zero(gram.cols());
    for (Eigen::Index a = 0; a < index.size(); ++a) out(index(a)) = std::isfinite(z(a)) ? z(a) : 0;
    return out;
  }
};

Terms column_scale(const Gram& gram) {
  Terms scale(gram.cols());
  for (Eigen::Index i = 0; i < gram.cols(); ++i) {
    const double s = std::sqrt(gram(i, i));
    scale(i) = s > 0 && std::isfinite(s) ? 1 / s : 0;  // an empty column takes no part
  }
  return scale;
}

// Moves x towards the minimiser z as far as the bounds allow; columns that arrive there leave the set.
Terms step_to_bound(const Terms& x, const Terms& z, ActiveSet& set) {
  double alpha = 1;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if ((set.passive >> i & 1U) && z(i) <= 0) alpha = std::min(alpha, x(i) / (x(i) - z(i)));
  }
  Terms out = x + alpha * (z - x);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if ((set.passive >> i & 1U) && z(i) <= 0 && out(i) <= 1e-14 * (1 + std::abs(x(i)))) {
      out(i) = 0;
      set.passive &= ~(1U << i);
    }
  }
  return out;
}

// The minimiser over all columns that are not empty, where it keeps the bounds: then it is the answer. By
// Gaussian elimination, whose pivots are what the columns before leave unexplained of each. Nearly collinear
// columns are left to the search, which does without those it does not need.
std::optional<Terms> unbounded(Gram g, Terms x) {
  constexpr double kIndependent = 1e-6;
  const Eigen::Index terms = g.cols();
  for (Eigen::Index j = 0; j < terms; ++j) {
    if (g(j, j) == 0) continue;
    g(j, j) += kRidge;
    if (!(g(j, j) > kIndependent)) return std::nullopt;
    for (Eigen::Index i = j + 1; i < terms; ++i) {
      const double share = g(i, j) / g(j, j);
      for (Eigen::Index k = j + 1; k <= i; ++k) g(i, k) -= share * g(k, j);
      x(i) -= share * x(j);
    }
  }
  for (Eigen::Index j = terms - 1; j >= 0; --j) {
    if (g(j, j) == 0) continue;
    for (Eigen::Index i = j + 1; i < terms; ++i) x(j) -= g(i, j) * x(i);
    x(j) /= g(j, j);
    if (!std::isfinite(x(j)) || x(j) < 0) return std::nullopt;
  }
  return x;
}

}  // namespace

Terms solve_nnls(const Gram& gram, const Terms& projection) {
  const Terms scale = column_scale(gram);
  const Gram g = scale.asDiagonal() * gram * scale.asDiagonal();
  const Terms h = scale.cwiseProduct(projection);
  const Eigen::Index terms = g.cols();
  if (const auto x = unbounded(g, h)) return scale.cwiseProduct(*x);
  ActiveSet set{g, h};
  Terms x = Terms::Zero(terms);
  const double tolerance = 1e-11 * (1 + h.cwiseAbs().maxCoeff());
  for (int step = 0; step < 4 * kMaxTerms; ++step) {
    const Terms gradient = h - g * x;
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < terms; ++i) {
      if ((set.passive >> i & 1U) || scale(i) == 0) continue;
      if (gradient(i) > tolerance && (best < 0 || gradient(i) > gradient(best))) best = i;
    }
    if (best < 0) break;
    set.passive |= 1U << best;
    for (int inner = 0; inner <= terms && set.passive; ++inner) {
      const unsigned before = set.passive;
      x = step_to_bound(x, set.minimiser(), set);
      if (set.passive == before) break;
    }
  }
  return scale.cwiseProduct(x);
}

Gram active_inverse(const Gram& gram, const Terms& solution) {
  const Terms scale = column_scale(gram);
  const Gram g = scale.asDiagonal() * gram * scale.asDiagonal();
  ActiveSet set{g, scale};
  for (Eigen::Index i = 0; i < solution.size(); ++i) {
    if (solution(i) != 0) set.passive |= 1U << i;
  }
  const Indices index = set.members();
  Gram out = Gram::Zero(gram.rows(), gram.cols());
  if (index.size() == 0) return out;
  const Gram inverse = set.block(index).ldlt().solve(Gram::Identity(index.size(), index.size()));
  for (Eigen::Index a = 0; a < index.size(); ++a) {
    for (Eigen::Index b = 0; b < index.size(); ++b) {
      const double v = inverse(a, b) * scale(index(a)) * scale(index(b));
      out(index(a), index(b)) = std::isfinite(v) ? v : 0;
    }
  }
  return out;
}

}  // namespace etad::regression
