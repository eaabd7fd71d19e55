#include "regression/select.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

CrossValidation cross_validate(const Basis& basis, const Dataset& rows, const Folds& folds) {
  constexpr double kWorstError = 1;  // one absurd fold must not decide alone
  CrossValidation out;
  out.residuals.assign(rows.size(), 0);
  out.leverages.assign(rows.size(), 0);
  for (int k = 0; k < folds.count; ++k) {
    const RelativeFit fit = fit_relative(basis, rows, folds.of, k);
    std::vector<double> errors;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (folds.of[i] != k) continue;
      out.residuals[i] = fit.residuals[i];
      const Terms x = basis.features(rows[i].iterations, rows[i].samples, reference_size(rows));
      out.leverages[i] = relative_leverage(x, fit.coefficients, fit.covariance);
      errors.push_back(std::min(kWorstError, std::abs(std::expm1(-fit.residuals[i]))));
    }
    if (!errors.empty()) out.fold_errors.push_back(mean(errors));
  }
  if (!out.fold_errors.empty()) out.error = mean(out.fold_errors);
  return out;
}

}  // namespace

Selection select_basis(const Dataset& rows) {
  Selection out;
  if (rows.empty()) return out;
  out.folds = fold(rows);
  const bool known = rows.front().samples > 0;
  const int sizes = known ? static_cast<int>(std::min<std::size_t>(batch_sizes(rows).size(), 2)) : 0;
  for (const Basis& basis : bases()) {
    if (basis.batch_sizes != sizes) continue;
    out.candidates.push_back({&basis, cross_validate(basis, rows, out.folds)});
  }
  const auto error = [](const Candidate& c) { return c.validation.error.value_or(0); };
  const auto best = std::ranges::min_element(out.candidates, {}, error);
  // One standard deviation to Student; with fewer than five folds, its 95 % point: errors known from three
  // are hardly known, and a basis must not win by luck.
  const double sigma =
      out.folds.count > 1 ? student_quantile(out.folds.count < 5 ? 0.95 : 0.8413, out.folds.count - 1) : 1;
  const double best_error = standard_error(best->validation.fold_errors);
  const auto good = std::ranges::find_if(out.candidates, [&](const Candidate& c) {
    const double slack = sigma * std::hypot(best_error, standard_error(c.validation.fold_errors));
    return error(c) <= error(*best) + slack;
  });
  out.chosen = static_cast<std::size_t>(good - out.candidates.begin());
  return out;
}

std::vector<Rival> rivals(const Selection& selection) {
  std::vector<Rival> out;
  for (const Candidate& c : selection.candidates) {
    Rival& rival = out.emplace_back();
    rival.basis = c.basis->formula;
    rival.parameters = c.basis->terms();
    const auto& folds = c.validation.fold_errors;
    if (c.validation.error) rival.error_percent = 100 * *c.validation.error;
    if (folds.size() > 1) rival.standard_error = 100 * standard_error(folds);
  }
  return out;
}

}  // namespace etad::regression
