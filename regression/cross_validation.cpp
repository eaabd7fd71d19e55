#include "regression/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr double kWorstError = 1;      // one absurd fold must not decide alone
constexpr double kWorstLeverage = 25;  // five times the noise: beyond that a fit says nothing

}  // namespace

CrossValidation cross_validate(const Basis& basis, const Dataset& rows, const Folds& folds) {
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

double relative_leverage(const Terms& features, const Terms& coefficients, const Gram& covariance) {
  const double f = features.dot(coefficients);
  if (f <= 0) return kWorstLeverage;
  const double v = features.dot(covariance * features) / (f * f);
  return std::isfinite(v) ? std::clamp(v, 0.0, kWorstLeverage) : kWorstLeverage;
}

}  // namespace etad::regression
