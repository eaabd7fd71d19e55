#include "regression/variants.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "regression/noise.h"
#include "regression/relative_fit.h"
#include "regression/select.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr std::size_t kLeastReference = 3;

// The mean log factor of a variant's runs, and its variance under the noise and the reference fit's own.
struct Effect {
  double mean = 0, variance = 0;
  int runs = 0;

  double bayes_factor() const {
    const double wide = variance + kVariantDeviation * kVariantDeviation;
    return std::sqrt(variance / wide) * std::exp(0.5 * mean * mean * (1 / variance - 1 / wide));
  }
  double trust() const {
    return kVariantDeviation * kVariantDeviation / (variance + kVariantDeviation * kVariantDeviation);
  }
  double shrunk() const { return mean * trust(); }
  double shrunk_variance() const { return variance * trust(); }
};

std::string most_common(const Observations& rows) {
  std::map<std::string, int> counts;
  for (const Observation& row : rows) ++counts[row.variant];
  const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::ranges::max_element(counts, by_count)->first;
}

struct Reference {
  const Basis* basis;
  std::vector<double> samples, knots;
  RelativeFit fit;
  Noise noise;
};

Effect effect_of(const std::string& variant, const Observations& rows, const Reference& reference) {
  Effect out;
  std::vector<double> residuals;
  double leverage = 0, noise = 0;
  for (const Observation& row : rows) {
    if (row.variant != variant) continue;
    // Where the reference has no runs of such a batch size, a difference may as well be the batch size's.
    if (row.b < reference.samples.front() || row.b > reference.samples.back()) return {};
    const Terms x = reference.basis->features(row.n, row.b, reference.knots);
    const double f = x.dot(reference.fit.coefficients);
    if (f <= 0) continue;
    residuals.push_back(std::log(row.t / f));
    leverage += relative_leverage(x, reference.fit.coefficients, reference.fit.covariance);
    noise += reference.noise.variance(row.n);
  }
  if (residuals.empty()) return out;
  const auto count = static_cast<double>(residuals.size());
  out.runs = static_cast<int>(residuals.size());
  out.mean = median(std::move(residuals));
  // The reference's error is common to the runs of the variant and does not average out.
  out.variance = noise / count / count + leverage / count * reference.noise.run * reference.noise.run;
  return out;
}

}  // namespace

std::vector<VariantEffect> separate_variants(Observations& rows, double typical_noise) {
  std::vector<VariantEffect> out;
  if (rows.empty()) return out;
  const std::string common = most_common(rows);
  Observations same;
  std::ranges::copy_if(rows, std::back_inserter(same),
                       [&](const auto& row) { return row.variant == common; });
  if (same.size() == rows.size() || same.size() < kLeastReference) return out;
  const Selection selection = select_basis(same);
  if (selection.candidates.empty()) return out;
  Reference reference{selection.winner().basis, batch_sizes(same), {}, {}, {}};
  reference.knots = place_knots(*reference.basis, reference.samples);
  reference.fit = fit_relative(*reference.basis, reference.knots, same);
  const auto parameters = static_cast<int>((reference.fit.coefficients.array() != 0).count());
  reference.noise = run_noise(same, reference.fit.residuals, parameters, 0, typical_noise);

  std::map<std::string, Effect> effects;
  for (const Observation& row : rows) {
    if (row.variant != common && !effects.contains(row.variant)) {
      effects[row.variant] = effect_of(row.variant, rows, reference);
    }
  }
  for (const auto& [name, effect] : effects) {
    if (effect.runs == 0 || effect.bayes_factor() < kVariantEvidence) continue;
    out.push_back({name, std::exp(effect.shrunk()), std::sqrt(effect.shrunk_variance()), effect.runs});
    for (Observation& row : rows) {
      if (row.variant == name) row.t /= out.back().factor;
    }
  }
  return out;
}

}  // namespace etad::regression
