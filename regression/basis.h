// The bases that compete to describe t(n, B): n iterations over B samples each take t seconds. All are linear in
// their coefficients, none of which is negative. A new basis is one entry of kBases. What bends otherwise is left to the
// estimators of all history, which have more to tell it from (estimators/batch_curve.h).
//
// Source of the affine form and the literal one: Gianniti, Zhang & Ardagna, CLOSER 2019.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regression/nnls.h"

namespace etad::regression {

struct Basis {
  std::string_view formula;             // its name, shown to users and kept in models
  std::vector<std::string_view> names;  // of its coefficients
  int batch_sizes = 1;                  // number of different B it is for: 0 none known, 1 one, 2 two or more
  bool per_run_cost = true;             // where there is none, its c0 is always 0
  // The row of the design matrix for n iterations over b samples each: t = features * coefficients. `k`: where one
  // batch size alone was seen, that one.
  Terms (*features)(double n, double b, double k) = nullptr;

  int parameters() const { return static_cast<int>(names.size()); }
  int terms() const { return parameters() - (per_run_cost ? 0 : 1); }  // that are fitted
};

// What is assumed where one batch size has been seen: a time per iteration of which this share is
// proportional to B. (Over the networks and devices of docs/accuracy.md it lies mostly between 0.6 and 1.)
inline constexpr double kAssumedShare = 0.8;

// From simple to rich: of two that do equally well, the earlier one wins.
std::span<const Basis> bases();

// nullptr: no basis of that formula.
const Basis* find_basis(std::string_view formula);

}  // namespace etad::regression
