#include "regression/select.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

bool may_compete(const Basis& basis, std::size_t sizes, std::size_t rows, bool sizes_known) {
  if (basis.batch_sizes == 0) return !sizes_known;
  if (!sizes_known) return false;
  if (basis.batch_sizes == 1) return sizes == 1;
  return static_cast<int>(sizes) >= basis.batch_sizes && static_cast<int>(rows) >= basis.parameters() - 1;
}

// Many runs say little more about a basis than a robust summary of them: the middle one of those with one
// batch size and nearly one length. Bounds the work of the competition.
constexpr std::size_t kMaxRepresentatives = 48;

Observations representatives(const Observations& rows) {
  Observations counted;
  std::ranges::copy_if(rows, std::back_inserter(counted), [](const Observation& r) { return r.weight > 0; });
  if (counted.size() <= kMaxRepresentatives) return counted;
  std::ranges::sort(counted, [](const Observation& a, const Observation& b) {
    return a.b != b.b ? a.b < b.b : a.n != b.n ? a.n < b.n : a.t < b.t;
  });
  const std::size_t group = (counted.size() + kMaxRepresentatives - 1) / kMaxRepresentatives;
  Observations out;
  for (std::size_t begin = 0; begin < counted.size();) {
    std::size_t end = begin;
    while (end < counted.size() && end - begin < group && counted[end].b == counted[begin].b) ++end;
    const auto middle = counted.begin() + static_cast<std::ptrdiff_t>((begin + end) / 2);
    std::nth_element(counted.begin() + static_cast<std::ptrdiff_t>(begin), middle,
                     counted.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const Observation& a, const Observation& b) { return a.t / a.n < b.t / b.n; });
    out.push_back(*middle);
    begin = end;
  }
  return out;
}

// Whether two bases are the same to these rows: but for the cost per run, where runs' lengths do not tell it
// from the cost per iteration.
bool alike(const Basis& a, const Basis& b, const Observations& rows) {
  if (a.parameters() != b.parameters() || a.free != b.free || a.knots > 0 || b.knots > 0) return false;
  if (iterations_vary(rows)) return false;
  return std::ranges::all_of(rows, [&](const Observation& row) {
    const auto others = a.parameters() - 1;
    return a.features(row.n, row.b, {}).tail(others) == b.features(row.n, row.b, {}).tail(others);
  });
}

CrossValidation validate(const Basis& basis, const Observations& rows, const Folds& folds,
                         const std::vector<Candidate>& validated) {
  const auto same =
      std::ranges::find_if(validated, [&](const Candidate& c) { return alike(*c.basis, basis, rows); });
  return same == validated.end() ? cross_validate(basis, rows, folds) : same->validation;
}

}  // namespace

Selection select_basis(const Observations& all) {
  const Observations rows = representatives(all);
  Selection out;
  if (rows.empty()) return out;
  const Folds folds = fold(rows);
  const std::size_t sizes = batch_sizes(rows).size();
  for (const Basis& basis : bases()) {
    if (!may_compete(basis, sizes, rows.size(), rows.front().b > 0)) continue;
    out.candidates.push_back({&basis, validate(basis, rows, folds, out.candidates)});
  }
  const auto error = [](const Candidate& c) { return c.validation.error; };
  const auto best = std::ranges::min_element(out.candidates, {}, error);
  // One standard deviation to Student; with fewer than five folds, its 95 % point: errors known from three
  // are hardly known, and a basis must not win by luck.
  const double sigma =
      folds.count > 1 ? student_quantile(folds.count < 5 ? 0.95 : 0.8413, folds.count - 1) : 1;
  const double best_error = standard_error(best->validation.fold_errors);
  for (std::size_t i = 0; i < out.candidates.size(); ++i) {
    const Candidate& c = out.candidates[i];
    const double slack = sigma * std::hypot(best_error, standard_error(c.validation.fold_errors));
    if (c.basis->parameters() <= best->basis->parameters() && error(c) <= error(*best) + slack) {
      out.chosen = i;
      break;
    }
  }
  return out;
}

std::vector<Rival> rivals(const Selection& selection) {
  std::vector<Rival> out;
  for (const Candidate& c : selection.candidates) {
    out.push_back({std::string(c.basis->formula), 100 * c.validation.error,
                   100 * standard_error(c.validation.fold_errors), c.basis->terms()});
  }
  return out;
}

}  // namespace etad::regression
