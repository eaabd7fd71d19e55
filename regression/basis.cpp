#include "regression/basis.h"

#include <algorithm>
#include <array>

namespace etad::regression {
namespace {

Terms constant(double n, double, double) {
  return Terms{{1, n}};
}

// One batch size seen: the form says what is assumed of others, and the interval how little that is worth.
Terms one_size(double n, double b, double k) {
  return Terms{{1, n * (1 - kAssumedShare + kAssumedShare * b / k)}};
}

// Without a cost per run: what a log calls training rarely has one left in it.
Terms pure_affine(double n, double b, double) {
  return Terms{{0, n, n * b}};
}

Terms affine(double n, double b, double) {
  return Terms{{1, n, n * b}};
}

// The reading in which the batch size costs once and not at every iteration: physically odd, published, a
// rival.
Terms literal(double n, double b, double) {
  return Terms{{1, n, b}};
}

static_assert(kAssumedShare == 0.8, "the formula says so");

const std::array<Basis, 5>& table() {
  static const std::array<Basis, 5> kBases{{
      {"c0 + n*c1", {"c0", "c1"}, 0, true, constant},
      {"c0 + n*c1*(0.2 + 0.8*B/k)", {"c0", "c1"}, 1, true, one_size},
      {"n*(c1 + c2*B)", {"c0", "c1", "c2"}, 2, false, pure_affine},
      {"c0 + n*(c1 + c2*B)", {"c0", "c1", "c2"}, 2, true, affine},
      {"b0 + b1*n + b2*B", {"b0", "b1", "b2"}, 2, true, literal},
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

}  // namespace etad::regression
