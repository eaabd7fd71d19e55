// The order of things: measurable runs; the basis that the evidence picks; its robust fit; how noisy runs
// are; what the batch sizes show beyond the basis; and, from what each part got wrong about data it had
// not seen, how wide an interval must be.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "regression/cells.h"
#include "regression/drift.h"
#include "regression/interval.h"
#include "regression/model.h"
#include "regression/noise.h"
#include "regression/relative_fit.h"
#include "regression/select.h"
#include "regression/shape.h"
#include "regression/statistics.h"
#include "regression/variants.h"

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
                                 const Cells& cells, double n) {
  std::vector<CurvePoint> out;
  for (std::size_t i = 0; i < cells.samples.size(); ++i) {
    const auto index = static_cast<Eigen::Index>(i);
    Terms per_iteration = fit.coefficients;
    per_iteration(0) = 0;
    const double f = evaluate(basis, model.knots, per_iteration, n, cells.samples[i]) / n;
    if (f > 0)
      out.push_back({cells.samples[i], f * std::exp(cells.residuals(index)), std::sqrt(cells.noise(index))});
  }
  return out;
}

// Errors about runs of batch sizes that the prediction had not seen, in units of what was foreseen.
std::vector<double> scores_by_size(const Observations& rows, const RelativeFit& fit, const Cells& cells,
                                   const Shape& shape, const Noise& noise) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].weight <= 0) continue;
    const auto cell = static_cast<std::size_t>(cells.of[i]);
    const LeftOut& out = shape.left_out[cell];
    const double predicted = cells.residuals(static_cast<Eigen::Index>(cell)) - out.residual;
    scores.push_back(std::abs(fit.residuals[i] - predicted) /
                     std::sqrt(out.variance + noise.variance(rows[i].n)));
  }
  return scores;
}

// With one or two batch sizes: errors about runs that the prediction had not seen.
std::vector<double> scores_by_run(const Basis& basis, const Observations& rows, const Noise& noise) {
  std::vector<double> scores;
  if (rows.size() < 2) return scores;
  const CrossValidation validation = cross_validate(basis, rows, fold_by_run(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].weight <= 0) continue;
    const double variance = noise.variance(rows[i].n) * (1 + validation.leverages[i]);
    scores.push_back(std::abs(validation.residuals[i]) / std::sqrt(variance));
  }
  return scores;
}

double mean_error(const Observations& rows, const RelativeFit& fit, const Cells& cells, const Shape& shape) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].weight <= 0) continue;
    const auto cell = static_cast<std::size_t>(cells.of[i]);
    const double predicted = cells.residuals(static_cast<Eigen::Index>(cell)) - shape.left_out[cell].residual;
    sum += std::min(1.0, std::abs(std::expm1(predicted - fit.residuals[i])));
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

void tell_traits_apart(const Dataset& data, Observations& rows, double typical_noise, Model& model) {
  Variants variants = separate_variants(data, rows, typical_noise);
  model.variants = std::move(variants.effects);
  model.traits = std::move(variants.seen);
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

}  // namespace

std::optional<Model> fit(const Dataset& data, const Prior& prior) {
  Observations rows = comparable(observe(data));
  Model model;
  model.runs = static_cast<int>(rows.size());
  tell_traits_apart(data, rows, prior.noise, model);
  Settled settled = settle(rows);
  if (settled.selection.candidates.empty()) return std::nullopt;
  const Basis& basis = settled.basis();
  const RelativeFit& fitted = settled.fit;
  model.changed_at = settled.changed_at;
  model.basis = basis.formula;
  model.knots = settled.knots;
  const Noise noise =
      run_noise(rows, fitted.residuals, active(fitted.coefficients), iteration_noise(data), prior.noise);
  model.noise = noise.run;
  model.iteration_noise = noise.iteration;
  model.degrees = noise.degrees;
  describe_coefficients(basis, fitted, model);
  for (const RunObservation& run : data) model.windows += static_cast<int>(run.windows.size());
  model.dropped_runs = static_cast<int>(std::ranges::count(fitted.weights, 0.0));
  model.error_percent = rows.size() > 1 ? 100 * settled.selection.winner().validation.error : 0;
  model.samples = range_of(rows, &Observation::b);
  model.iterations = range_of(rows, &Observation::n);
  model.rivals = rivals(settled.selection);

  if (rows.front().b > 0) {
    const Cells cells = gather(rows, fitted.residuals, fitted.weights, noise);
    const double n = typical_iterations(rows);
    const ShapeData shape_data{&basis,        model.knots,     fitted.coefficients, n,
                               cells.samples, cells.residuals, cells.noise};
    Shape shape = infer_shape(shape_data, prior.siblings);
    model.curve = curve_of(basis, model, fitted, cells, n);
    if (cells.samples.size() >= 3) {
      model.scores = scores_by_size(rows, fitted, cells, shape, noise);
      const double error = 100 * mean_error(rows, fitted, cells, shape);
      model.rivals.push_back({model.basis + " x shape(B)", error, 0, basis.parameters() + 1});
      model.error_percent = error;
    }
    model.shape = std::move(shape.points);
  }
  if (model.scores.empty()) model.scores = scores_by_run(basis, rows, noise);
  std::ranges::sort(model.scores);
  model.coverage = score_coverage(model.scores, 0.9, model.degrees);
  return model;
}

}  // namespace etad::regression
