#include "regression/covariate_effects.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "regression/noise.h"
#include "regression/relative_fit.h"
#include "regression/select.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr std::size_t kLeastReference = 3;
constexpr std::size_t kMaxEffects = 16;

// The mean log factor of a covariate's runs, and its variance under the noise and the reference fit's own.
struct Effect {
  double mean = 0, variance = 0;
  int runs = 0;

  double bayes_factor() const {
    const double wide = variance + kCovariateDeviation * kCovariateDeviation;
    return std::sqrt(variance / wide) * std::exp(0.5 * mean * mean * (1 / variance - 1 / wide));
  }
  double shrinkage() const {
    return kCovariateDeviation * kCovariateDeviation / (variance + kCovariateDeviation * kCovariateDeviation);
  }
  double shrunk() const { return mean * shrinkage(); }
  double shrunk_variance() const { return variance * shrinkage(); }
};

// A run as the reference sees it; nullopt where the reference has no runs of such a batch size, as then a
// difference may as well be the batch size's.
struct Judgement {
  double residual = 0, leverage = 0, noise = 0;
};
using Judgements = std::vector<std::optional<Judgement>>;

Covariates most_common(const Dataset& data, const Observations& rows) {
  std::map<Covariates, int> counts;
  for (const Observation& row : rows) ++counts[data[row.run].covariates];
  const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::ranges::max_element(counts, by_count)->first;
}

Covariates seen_in(const Dataset& data, const Observations& rows) {
  std::set<std::string> seen;
  for (const Observation& row : rows) {
    if (seen.size() < kMaxCovariates)
      seen.insert(data[row.run].covariates.begin(), data[row.run].covariates.end());
  }
  Covariates out(seen.begin(), seen.end());
  if (out.size() > kMaxCovariates) out.resize(kMaxCovariates);
  return out;
}

// All rows as the reference sees them.
struct Judged {
  Judgements rows;
  double variance = 0;  // of a long run
};

Judged judge(const ReferenceFit& reference, const Observations& rows) {
  const RelativeFit& fit = reference.fit;
  const auto parameters = static_cast<int>((fit.coefficients.array() != 0).count());
  const Noise noise = between_run_noise(reference.rows, fit.residuals, parameters, 0);
  Judged out{{}, noise.run * noise.run};
  for (const Observation& row : rows) {
    out.rows.emplace_back();
    if (row.b < reference.samples.front() || row.b > reference.samples.back()) continue;
    const Terms x = reference.basis->features(row.n, row.b, newest_size(reference.rows));
    const double f = x.dot(fit.coefficients);
    if (f <= 0) continue;
    out.rows.back() = Judgement{std::log(row.t / f), relative_leverage(x, fit.coefficients, fit.covariance),
                                noise.variance(row.n)};
  }
  return out;
}

Effect effect_of(const std::vector<std::size_t>& members, const Judged& judged) {
  Effect out;
  std::vector<double> residuals;
  double leverage = 0, noise = 0;
  for (const std::size_t i : members) {
    if (!judged.rows[i]) continue;
    residuals.push_back(judged.rows[i]->residual);
    leverage += judged.rows[i]->leverage;
    noise += judged.rows[i]->noise;
  }
  if (residuals.empty()) return out;
  const auto count = static_cast<double>(residuals.size());
  out.runs = static_cast<int>(residuals.size());
  out.mean = median(std::move(residuals));
  // The reference's error is common to the runs of the covariate and does not average out.
  out.variance = noise / count / count + leverage / count * judged.variance;
  return out;
}

using Members = std::map<std::string, std::vector<std::size_t>>;

// The rows that have each of the covariates the most common combination lacks.
Members members_of(const Dataset& data, const Observations& rows, const Covariates& common) {
  Members out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& covariate : data[rows[i].run].covariates) {
      if (std::ranges::find(common, covariate) == common.end()) out[covariate].push_back(i);
    }
  }
  return out;
}

// The best explained covariate leaves `members`, its effect is taken out of `rows` and `judged`.
std::optional<CovariateEffect> take_strongest(Members& members, Observations& rows, Judged& judged) {
  Effect strongest;
  auto holder = members.end();
  for (auto it = members.begin(); it != members.end(); ++it) {
    const Effect effect = effect_of(it->second, judged);
    if (effect.runs == 0 || effect.bayes_factor() < kCovariateEvidence) continue;
    if (holder != members.end() && effect.bayes_factor() <= strongest.bayes_factor()) continue;
    strongest = effect;
    holder = it;
  }
  if (holder == members.end()) return std::nullopt;
  for (const std::size_t i : holder->second) {
    rows[i].t /= std::exp(strongest.shrunk());
    if (judged.rows[i]) judged.rows[i]->residual -= strongest.shrunk();
  }
  CovariateEffect out{holder->first, std::exp(strongest.shrunk()), std::sqrt(strongest.shrunk_variance()),
                      strongest.runs};
  members.erase(holder);
  return out;
}

}  // namespace

std::optional<ReferenceFit> fit_reference(const Dataset& data, const Observations& rows) {
  if (rows.empty()) return std::nullopt;
  ReferenceFit out;
  out.covariates = most_common(data, rows);
  std::ranges::copy_if(rows, std::back_inserter(out.rows),
                       [&](const Observation& row) { return data[row.run].covariates == out.covariates; });
  if (out.rows.size() == rows.size() || out.rows.size() < kLeastReference) return std::nullopt;
  const Selection selection = select_basis(out.rows);
  if (selection.candidates.empty()) return std::nullopt;
  out.basis = selection.winner().basis;
  out.samples = batch_sizes(out.rows);
  out.fit = fit_relative(*out.basis, out.rows);
  return out;
}

CovariateEffects select_covariates(const Dataset& data, const std::optional<ReferenceFit>& reference,
                                   Observations& rows) {
  CovariateEffects out;
  out.seen = seen_in(data, rows);
  if (!reference) return out;
  Judged judged = judge(*reference, rows);
  Members members = members_of(data, rows, reference->covariates);
  while (out.effects.size() < kMaxEffects) {
    auto effect = take_strongest(members, rows, judged);
    if (!effect) break;
    out.effects.push_back(std::move(*effect));
  }
  return out;
}

}  // namespace etad::regression
