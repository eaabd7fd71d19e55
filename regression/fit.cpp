// The order of things: measurable runs; the basis that the evidence picks; its robust fit; how noisy runs
// are; and, from what the fit got wrong about data it had not seen, how wide an interval must be.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "regression/change_point.h"
#include "regression/interval.h"
#include "regression/model.h"
#include "regression/noise.h"
#include "regression/relative_fit.h"
#include "regression/select.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

// The settings that the runs of a model have in common. A run whose batch size is unknown can be compared with others
// only where none is known.
struct Combination {
  bool has_batch_size = false;
  Covariates covariates;
  auto operator<=>(const Combination&) const = default;
};

Combination combination_of(const RunObservation& run) {
  return {run.samples > 0, run.covariates};
}

// Each owner votes for one combination of settings: among his runs', one with a batch size before one without, then the
// most frequent, then the newest. The one with the most votes wins; of equal ones that of who was first. `rows` are in
// order of time.
Combination most_common(const Dataset& rows) {
  struct Tally {
    std::size_t runs = 0, newest = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<Combination, Tally>> by_place;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Tally& tally = by_place[{rows[i].place, rows[i].owner}][combination_of(rows[i])];
    ++tally.runs;
    tally.newest = i;
  }
  const auto rank = [](const auto& each) {
    return std::tuple(each.first.has_batch_size, each.second.runs, each.second.newest);
  };
  std::vector<Combination> votes;
  for (const auto& [place, its] : by_place) votes.push_back(std::ranges::max_element(its, {}, rank)->first);
  const auto most = std::ranges::max_element(
      votes, {}, [&](const Combination& each) { return std::ranges::count(votes, each); });
  return most != votes.end() ? *most : Combination{};
}

Range range_of(const Dataset& rows, double RunObservation::*field) {
  Range out{std::numeric_limits<double>::max(), 0};
  for (const RunObservation& row : rows) {
    out.min = std::min(out.min, row.*field);
    out.max = std::max(out.max, row.*field);
  }
  return out;
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

// Errors about what the prediction had not seen, batch sizes or, of one or two of these, runs, in units of what was
// foreseen.
std::vector<double> scores_of(const Selection& selection, const Dataset& rows, const Noise& noise) {
  std::vector<double> scores;
  const CrossValidation& validation = selection.winner().validation;
  const Folds& folds = selection.folds;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (folds.of[i] == kNeverLeftOut) continue;
    const double alike = noise.variance(rows[i].iterations);
    const double fitted = validation.leverages[i] * (folds.by_batch_size ? noise.run * noise.run : alike);
    scores.push_back(std::abs(validation.residuals[i]) / std::sqrt(alike + fitted));
  }
  return scores;
}

// The basis and its fit, once the rows that no longer count are taken out.
struct Settled {
  Selection selection;
  RelativeFit fit;
  std::optional<double> changed_at;

  const Basis& basis() const { return *selection.winner().basis; }
};

// Rows from before the deployment last changed no longer count. A change hides an earlier one, so it is asked
// again of what is left.
Settled settle(Dataset& rows) {
  constexpr int kMaxChanges = 3;
  Settled out;
  for (int i = 0; i <= kMaxChanges; ++i) {
    out.selection = select_basis(rows);
    if (out.selection.candidates.empty()) return out;
    out.fit = fit_relative(out.basis(), rows);
    const auto changed = i < kMaxChanges ? drop_before_change(rows, out.fit.residuals) : std::nullopt;
    if (!changed) return out;
    out.changed_at = changed;
  }
  return out;
}

}  // namespace

std::optional<Model> fit(const Dataset& data) {
  Dataset rows = rows_of(data);
  Model model;
  const Combination common = most_common(rows);
  model.covariates = common.covariates;
  model.other_runs = static_cast<int>(
      std::erase_if(rows, [&](const RunObservation& row) { return combination_of(row) != common; }));
  model.runs = static_cast<int>(rows.size());
  const Settled settled = settle(rows);
  if (settled.selection.candidates.empty()) return std::nullopt;
  const Basis& basis = settled.basis();
  model.changed_at = settled.changed_at;
  model.basis = basis.formula;
  for (const RunObservation& run : data) model.windows += run.within.windows;
  model.dropped_runs = model.runs - static_cast<int>(rows.size()) +
                       static_cast<int>(std::ranges::count(settled.fit.weights, 0.0));
  if (const auto error = settled.selection.winner().validation.error) model.error_percent = 100 * *error;
  model.samples = range_of(rows, &RunObservation::samples);
  model.iterations = range_of(rows, &RunObservation::iterations);
  model.rivals = rivals(settled.selection);

  const Noise noise = between_run_noise(rows, settled.fit.residuals, active(settled.fit.coefficients),
                                        within_run_noise(data));
  model.noise = noise.run;
  model.within_run_noise = noise.iteration;
  model.degrees = noise.degrees;
  describe_coefficients(basis, settled.fit, model);
  model.scores = scores_of(settled.selection, rows, noise);
  std::ranges::sort(model.scores);
  model.coverage = score_coverage(model.scores, 0.9, model.degrees);
  return model;
}

}  // namespace etad::regression
