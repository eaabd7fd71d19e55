#include "regression/basis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace etad::regression {
namespace {

using Knots = std::span<const double>;

template <class... Values>
Terms terms(Values... values) {
  Terms out(static_cast<Eigen::Index>(sizeof...(values)));
  Eigen::Index i = 0;
  ((out(i++) = values), ...);
  return out;
}

Terms constant(double n, double, Knots) {
  return terms(1, n);
}

// One batch size seen: the form says what is assumed of others, and the interval how little that is worth.
Terms one_size(double n, double b, Knots k) {
  return terms(1, n * (1 - kAssumedShare + kAssumedShare * b / k[0]));
}

// Without a cost per run: what a log calls training rarely has one left in it.
Terms pure_affine(double n, double b, Knots) {
  return terms(0, n, n * b);
}

Terms affine(double n, double b, Knots) {
  return terms(1, n, n * b);
}

// The reading in which the batch size costs once and not at every iteration: physically odd, published, a
// rival.
Terms literal(double n, double b, Knots) {
  return terms(1, n, b);
}

// A device that small batches leave partly idle: per sample, they cost more than the affine form allows.
Terms small_batches(double n, double b, Knots) {
  return terms(1, n, n * b, n / b);
}

// Concave: below the knot a sample costs more than above it.
Terms saturating(double n, double b, Knots k) {
  return terms(1, n, n * b, n * b / (b + k[0]));
}

// Superlinear: caches and memory fill up.
Terms superlinear(double n, double b, Knots) {
  return terms(1, n, n * b, n * b * std::log1p(b));
}

// Two slopes, either of which may be the steeper; increasing in B throughout.
Terms hinge(double n, double b, Knots k) {
  return terms(1, n, n * std::min(b, k[0]), n * std::max(0.0, b - k[0]));
}

Terms natural_spline(double n, double b, Knots k) {
  const auto cube = [](double x) { return x > 0 ? x * x * x : 0; };
  const auto d = [&](std::size_t j) { return (cube(b - k[j]) - cube(b - k[2])) / (k[2] - k[j]); };
  return terms(1, n, n * b, n * (d(0) - d(1)) / ((k[2] - k[0]) * (k[2] - k[0])));
}

const std::array<Basis, 10>& table() {
  static const std::array<Basis, 10> kBases{{
      {"c0 + n*c1", {"c0", "c1"}, 0, 0, 0, constant},
      {"c0 + n*c1*(0.2 + 0.8*B/k)", {"c0", "c1"}, 0, 1, 1, one_size},
      {"n*(c1 + c2*B)", {"c0", "c1", "c2"}, 0, 0, 2, pure_affine},
      {"c0 + n*(c1 + c2*B)", {"c0", "c1", "c2"}, 0, 0, 2, affine},
      {"b0 + b1*n + b2*B", {"b0", "b1", "b2"}, 0, 0, 2, literal},
      {"c0 + n*(c1 + c2*B + c3/B)", {"c0", "c1", "c2", "c3"}, 0, 0, 5, small_batches},
      {"c0 + n*(c1 + c2*B + c3*B/(B + k))", {"c0", "c1", "c2", "c3"}, 0, 1, 5, saturating},
      {"c0 + n*(c1 + c2*B + c3*B*log(1 + B))", {"c0", "c1", "c2", "c3"}, 0, 0, 5, superlinear},
      {"c0 + n*(c1 + c2*min(B, k) + c3*max(0, B - k))", {"c0", "c1", "c2", "c3"}, 0, 1, 5, hinge},
      {"c0 + n*(c1 + c2*B + c3*spline(B))", {"c0", "c1", "c2", "c3"}, 1U << 3, 3, 6, natural_spline},
  }};
  return kBases;
}

}  // namespace

std::span<const Basis> bases() {
  return table();
}

const Basis* find_basis(std::string_view formula) {
  const auto found = std::ranges::find(table(), formula, &Basis::formula);
  return found == table().end() ? nullptr : &*found;
}

std::vector<double> place_knots(const Basis& basis, std::span<const double> batch_sizes) {
  std::vector<double> out;
  const auto last = static_cast<double>(batch_sizes.size() - 1);
  for (int i = 0; i < basis.knots; ++i) {
    const double rank = basis.knots == 1 ? last / 2 : last * i / (basis.knots - 1);
    out.push_back(batch_sizes[static_cast<std::size_t>(rank + 0.5)]);
  }
  return out;
}

}  // namespace etad::regression
