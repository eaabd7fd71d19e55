#include <algorithm>
#include <cmath>

#include "regression/basis.h"
#include "regression/covariates.h"
#include "regression/interval.h"
#include "regression/model.h"
#include "regression/relative_fit.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

Terms values_of(const std::vector<Coefficient>& coefficients) {
  Terms out(static_cast<Eigen::Index>(coefficients.size()));
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    out(static_cast<Eigen::Index>(i)) = coefficients[i].value;
  return out;
}

Gram matrix_of(const std::vector<double>& values, Eigen::Index size) {
  if (static_cast<Eigen::Index>(values.size()) != size * size) return Gram::Zero(size, size);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values.data(), size, size);
}

bool outside(const Range& range, double v) {
  return v < range.min * (1 - 1e-9) || v > range.max * (1 + 1e-9);
}

// Variance of log t at a batch size outside those seen that no fit to them can tell. A curve bends, the more the
// farther; below the smallest size a device may stop getting faster; and where one size was seen, how much of the
// time is proportional to it is assumed. Standard deviations, of which the last two are those of shares of the time.
// `ratio`: of the time at the nearest size seen to the time at this one.
double variance_outside(const Range& seen, double size, double nearest, double ratio) {
  constexpr double kBend = 0.03;  // for each factor of two
  constexpr double kLatencyShare = 0.08;
  constexpr double kAssumedShareDeviation = 0.2;
  if (!(nearest > 0) || !outside(seen, size)) return 0;
  const double bend = kBend * std::log2(size / nearest);
  double share = 0;
  if (seen.min == seen.max)
    share = kAssumedShareDeviation * (size / nearest - 1) * ratio;
  else if (size < nearest)
    share = kLatencyShare * (1 - size / nearest) * ratio;
  return bend * bend + share * share;
}

}  // namespace

std::vector<std::string> Model::unseen(const Covariates& asked) const {
  std::vector<std::string> out;
  for (const std::string& covariate : asked) {
    const std::string_view name = covariate_name(covariate);
    const auto its = std::ranges::find(covariates, name, covariate_name);
    const bool told = covariate.size() > name.size() + 1;
    if (told && its != covariates.end() && *its != covariate) out.emplace_back(name);
  }
  return out;
}

std::optional<Expectation> Model::expect(double n, double b, const Covariates& asked) const {
  constexpr double kCovariateDeviation = 0.25;  // of the factor that another value of one may make
  const Basis* form = find_basis(basis);
  if (!(n > 0) || !(b > 0 || samples.min == samples.max) || form == nullptr ||
      static_cast<int>(coefficients.size()) != form->parameters())
    return std::nullopt;
  const double size = b > 0 ? b : samples.min;
  const Terms c = values_of(coefficients);
  const double only_size = samples.max;  // of a basis for one
  const auto at = [&](double of) { return std::max(0.0, form->features(n, of, only_size).dot(c)); };
  const double long_run = noise * noise;
  Expectation out;
  out.seconds = at(size);
  if (!std::isfinite(out.seconds) || !(out.seconds > 0)) return std::nullopt;
  out.run = long_run + within_run_noise * within_run_noise / n;
  const Terms x = form->features(n, size, only_size);
  out.fitted = relative_leverage(x, c, matrix_of(covariance, c.size())) * long_run;
  const double nearest = std::min(std::max(size, samples.min), samples.max);
  out.fitted += variance_outside(samples, size, nearest, at(nearest) / out.seconds);
  out.fitted += static_cast<double>(unseen(asked).size()) * kCovariateDeviation * kCovariateDeviation;
  return out;
}

std::optional<Prediction> Model::predict(double n, std::optional<double> b, double confidence,
                                         const Covariates& asked) const {
  if (!std::isfinite(n) || n <= 0 || (b && (!std::isfinite(*b) || *b <= 0))) return std::nullopt;
  const auto expected = expect(n, b.value_or(0), asked);
  if (!expected) return std::nullopt;
  Prediction out;
  out.seconds = expected->seconds;
  out.extrapolates = unseen(asked);
  // The noise alone sets the least width there can be.
  const double least = student_quantile((1 + confidence) / 2, std::max(3.0, degrees));
  const double scored = score_quantile(scores, confidence, degrees);
  const double width =
      std::max(scored * std::sqrt(expected->run + expected->fitted), least * std::sqrt(expected->run));
  out.lower = out.seconds * std::exp(-width);
  out.upper = out.seconds * std::exp(width);
  if (b && samples.max <= 0) out.extrapolates.emplace_back("batch_size");  // no run told its own
  if (b && samples.max > 0 && outside(samples, *b)) out.extrapolates.emplace_back("batch_size");
  if (outside(iterations, n)) out.extrapolates.emplace_back("iterations");
  return out;
}

}  // namespace etad::regression
