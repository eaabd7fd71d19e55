// The order of things: measurable runs; the basis that the evidence picks; its robust fit; how noisy runs
// are; what the batch sizes show beyond the basis; and, from what each part got wrong about data it had
// not seen, how wide an interval must be.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "regression/covariate_effects.h"
#include "regression/drift.h"
#include "regression/interval.h"
#include "regression/model.h"
#include "regression/noise.h"
#include "regression/pure_error.h"
#include "regression/relative_fit.h"
#include "regression/replicates.h"
#include "regression/residual_curve.h"
#include "regression/select.h"
#include "regression/statistics.h"
#include "regression/two_stage_fit.h"

namespace etad::regression {
namespace {

// A run whose batch size is unknown can be compared with others only where none is known.
Observations comparable(Observations rows) {
  const bool some_known = std::ranges::any_of(rows, [](const Observation& r) { return r.b > 0; });
  if (some_known) std::erase_if(rows, [](const Observation& r) { return r.b <= 0; });
  return rows;
}

Range range_of(const Observations& rows, double Observation::*field) {
  Range out{std::numeric_limits<double>::max(), 0};
  for (const Observation& row : rows) {
    if (row.weight <= 0) continue;
    out.min = std::min(out.min, row.*field);
    out.max = std::max(out.max, row.*field);
  }
  return out;
}

double typical_iterations(const Observations& rows) {
  std::vector<double> n;
  for (const Observation& row : rows) n.push_back(row.n);
  return median(std::move(n));
}

int active(const Terms& coefficients) {
  return static_cast<int>((coefficients.array() != 0).count());
}

void describe_coefficients(const Basis& basis, const RelativeFit& fit, Model& model) {
  for (int i = 0; i < basis.parameters(); ++i) {
    const double error = model.noise * std::sqrt(std::max(0.0, fit.covariance(i, i)));
    const std::string_view name = basis.names[static_cast<std::size_t>(i)];
    model.coefficients.push_back({std::string(name), fit.coefficients(i), error});
    for (int j = 0; j < basis.parameters(); ++j) model.covariance.push_back(fit.covariance(i, j));
  }
}

std::vector<CurvePoint> curve_of(const Basis& basis, const Model& model, const RelativeFit& fit,
                                 const ReplicateGroups& groups, double n) {
  std::vector<CurvePoint> out;
  for (std::size_t i = 0; i < groups.samples.size(); ++i) {
    const auto index = static_cast<Eigen::Index>(i);
    Terms per_iteration = fit.coefficients;
    per_iteration(0) = 0;
    const double f = evaluate(basis, model.knots, per_iteration, n, groups.samples[i]) / n;
    if (f > 0)
      out.push_back(
          {groups.samples[i], f * std::exp(groups.residuals(index)), std::sqrt(groups.noise(index))});
  }
  return out;
}

// log(t / prediction) of a run whose batch size the prediction had not seen.
double left_out_error(std::size_t row, const RelativeFit& fit, const ReplicateGroups& groups,
                      const ResidualCurve& residual_curve) {
  const auto group = static_cast<std::size_t>(groups.of[row]);
  const double predicted =
      groups.residuals(static_cast<Eigen::Index>(group)) - residual_curve.left_out[group].residual;
  return fit.residuals[row] - predicted;
}

// These errors in units of what was foreseen.
std::vector<double> scores_by_size(const Observations& rows, const RelativeFit& fit,
                                   const ReplicateGroups& groups, const ResidualCurve& residual_curve,
                                   const Noise& noise) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].weight <= 0) continue;
    const LeftOut& out = residual_curve.left_out[static_cast<std::size_t>(groups.of[i])];
    scores.push_back(std::abs(left_out_error(i, fit, groups, residual_curve)) /
                     std::sqrt(out.variance + noise.variance(rows[i].n)));
  }
  return scores;
}

// With one or two batch sizes: errors about runs that the prediction had not seen. Leaving out the only run
// of a batch size would ask about a batch size not seen, of a fit that has no slope: that says nothing.
std::vector<double> scores_by_run(const Basis& basis, const Observations& rows, const Noise& noise) {
  std::vector<double> scores;
  if (rows.size() < 2) return scores;
  const CrossValidation validation = cross_validate(basis, rows, fold_by_run(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto same_size = [&](const Observation& r) { return r.weight > 0 && r.b == rows[i].b; };
    if (rows[i].weight <= 0 || std::ranges::count_if(rows, same_size) < 2) continue;
    const double variance = noise.variance(rows[i].n) * (1 + validation.leverages[i]);
    scores.push_back(std::abs(validation.residuals[i]) / std::sqrt(variance));
  }
  return scores;
}

// Their mean for each batch size, as shares of the actual time.
std::vector<double> errors_by_size(const Observations& rows, const RelativeFit& fit,
                                   const ReplicateGroups& groups, const ResidualCurve& residual_curve) {
  std::vector<double> sums(groups.samples.size(), 0), counts(groups.samples.size(), 0), out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].weight <= 0) continue;
    const auto group = static_cast<std::size_t>(groups.of[i]);
    sums[group] += std::min(1.0, std::abs(std::expm1(-left_out_error(i, fit, groups, residual_curve))));
    counts[group] += 1;
  }
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (counts[c] > 0) out.push_back(sums[c] / counts[c]);
  }
  return out;
}

// The basis and its fit, once the rows that no longer count have lost their weight.
struct Settled {
  Selection selection;
  std::vector<double> knots;
  RelativeFit fit;
  std::optional<double> changed_at;

  const Basis& basis() const { return *selection.winner().basis; }
};

// Rows from before the deployment last changed no longer count. A change hides an earlier one, so it is asked
// again of what is left.
Settled settle(Observations& rows) {
  constexpr int kMaxChanges = 3;
  Settled out;
  for (int i = 0; i <= kMaxChanges; ++i) {
    out.selection = select_basis(rows);
    if (out.selection.candidates.empty()) return out;
    out.knots = place_knots(out.basis(), batch_sizes(rows));
    out.fit = fit_relative(out.basis(), out.knots, rows);
    const auto changed = i < kMaxChanges ? drop_before_change(rows, out.fit.residuals) : std::nullopt;
    if (!changed) return out;
    out.changed_at = changed;
  }
  return out;
}

// What the data say before anything is known of the noise.
struct Given {
  Observations rows;
  std::optional<ReferenceFit> reference;  // empty: the noise has no say in what follows
  double within_run_noise = 0;            // as the windows show it
};

Given given_by(const Dataset& data) {
  Given out{comparable(observe(data)), {}, within_run_noise(data)};
  out.reference = fit_reference(data, out.rows);
  return out;
}

}  // namespace

// What the runs say whatever the curves of the deployment's other models are.
struct FirstStage {
  Given given;
  Observations
      rows;  // as they count: without what their covariates cost, those before a change without weight
  Settled settled;
  double iterations = 0;  // typical
  Model model;            // what of it is known

  const Basis& basis() const { return settled.basis(); }
};

namespace {

// nullopt where there is nothing to fit from. The noise that is typical of the deployment decides which
// covariates are told apart, if there are any.
std::optional<FirstStage> first_stage(const Dataset& data, Given given, double typical_noise) {
  FirstStage out{std::move(given), {}, {}, 0, {}};
  out.rows = out.given.rows;
  out.model.runs = static_cast<int>(out.rows.size());
  CovariateEffects covariate_effects = select_covariates(data, out.given.reference, typical_noise, out.rows);
  out.settled = settle(out.rows);
  if (out.settled.selection.candidates.empty()) return std::nullopt;
  out.iterations = typical_iterations(out.rows);
  Model& model = out.model;
  model.covariate_effects = std::move(covariate_effects.effects);
  model.covariates = std::move(covariate_effects.seen);
  model.changed_at = out.settled.changed_at;
  model.basis = out.basis().formula;
  model.knots = out.settled.knots;
  for (const RunObservation& run : data) model.windows += static_cast<int>(run.windows.size());
  model.dropped_runs = static_cast<int>(std::ranges::count(out.settled.fit.weights, 0.0));
  model.error_percent = out.rows.size() > 1 ? 100 * out.settled.selection.winner().validation.error : 0;
  model.samples = range_of(out.rows, &Observation::b);
  model.iterations = range_of(out.rows, &Observation::n);
  model.rivals = rivals(out.settled.selection);
  return out;
}

// The noise, and what it is the measure of. The groups are empty where no batch size is known.
struct Measured {
  Noise noise;
  ReplicateGroups groups;
};

Measured measure(const FirstStage& first, double typical_noise, Model& model) {
  const RelativeFit& fitted = first.settled.fit;
  Measured out;
  out.noise = between_run_noise(first.rows, fitted.residuals, active(fitted.coefficients),
                                first.given.within_run_noise, typical_noise);
  model.noise = out.noise.run;
  model.within_run_noise = out.noise.iteration;
  model.degrees = out.noise.degrees;
  if (first.rows.front().b > 0) {
    out.groups = replicate_groups(first.rows, fitted.residuals, fitted.weights, out.noise);
    model.curve = curve_of(first.basis(), model, fitted, out.groups, first.iterations);
  }
  return out;
}

Model finish(const FirstStage& first, const Prior& prior) {
  const Basis& basis = first.basis();
  const RelativeFit& fitted = first.settled.fit;
  Model model = first.model;
  const auto [noise, groups] = measure(first, prior.noise, model);
  describe_coefficients(basis, fitted, model);
  if (!groups.samples.empty()) {
    const ResidualData residual_data{&basis,         model.knots,      fitted.coefficients, first.iterations,
                                     groups.samples, groups.residuals, groups.noise};
    ResidualCurve residual_curve = infer_residuals(residual_data, prior.related_models);
    if (groups.samples.size() >= 3) {
      model.scores = scores_by_size(first.rows, fitted, groups, residual_curve, noise);
      const std::vector<double> errors = errors_by_size(first.rows, fitted, groups, residual_curve);
      const double error = 100 * mean(errors);
      model.rivals.push_back(
          {model.basis + " x r(B)", error, 100 * standard_error(errors), basis.terms() + 1});
      model.error_percent = error;
    }
    model.residual_curve = std::move(residual_curve.points);
  }
  if (model.scores.empty()) {
    model.scores = scores_by_run(basis, first.rows, noise);
  } else {
    model.replicate_scores = replicate_scores(first.rows, fitted.residuals, noise);
  }
  std::ranges::sort(model.scores);
  std::ranges::sort(model.replicate_scores);
  model.coverage = score_coverage(model.scores, 0.9, model.degrees);
  return model;
}

}  // namespace

TwoStageFit::TwoStageFit(const Dataset& data, std::shared_ptr<const FirstStage> first)
    : data_(&data), first_(std::move(first)), alone_(first_->model) {
  measure(*first_, 0, alone_);
}

std::optional<TwoStageFit> TwoStageFit::of(const Dataset& data) {
  auto first = first_stage(data, given_by(data), 0);
  if (!first) return std::nullopt;
  return TwoStageFit(data, std::make_shared<const FirstStage>(std::move(*first)));
}

std::optional<Model> TwoStageFit::with(const Prior& prior) const {
  const Given& given = first_->given;
  Observations rows = given.rows;
  const bool told_apart =
      given.reference && (!first_->model.covariate_effects.empty() ||
                          !select_covariates(*data_, given.reference, prior.noise, rows).effects.empty());
  if (!told_apart) return finish(*first_, prior);
  const auto again = first_stage(*data_, given, prior.noise);
  if (!again) return std::nullopt;
  return finish(*again, prior);
}

std::optional<Model> fit(const Dataset& data, const Prior& prior) {
  const auto first = first_stage(data, given_by(data), prior.noise);
  if (!first) return std::nullopt;
  return finish(*first, prior);
}

}  // namespace etad::regression
