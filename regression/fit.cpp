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

// What the runs of a model have in common. A run whose batch size is unknown can be compared with others only where none is
// known.
struct Common {
  bool has_batch_size = false;
  Covariates covariates;
  auto operator<=>(const Common&) const = default;
};

Common common_of(const Dataset& data, const Observation& row) {
  return {row.b > 0, data[row.run].covariates};
}

// Of what the rows have in common what most owners mean, of several that of who was there first. An owner means what is
// first of his runs by these, in turn: it has a batch size; most runs are of it; the newest one is. `rows` are in order of
// time.
Common most_common(const Dataset& data, const Observations& rows) {
  struct Having {
    std::size_t runs = 0, newest = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<Common, Having>> by_place;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Having& having = by_place[{data[rows[i].run].place, rows[i].owner}][common_of(data, rows[i])];
    ++having.runs;
    having.newest = i;
  }
  const auto rank = [](const auto& each) {
    return std::tuple(each.first.has_batch_size, each.second.runs, each.second.newest);
  };
  std::vector<Common> meant;
  for (const auto& [place, its] : by_place) meant.push_back(std::ranges::max_element(its, {}, rank)->first);
  const auto most = std::ranges::max_element(
      meant, {}, [&](const Common& common) { return std::ranges::count(meant, common); });
  return most != meant.end() ? *most : Common{};
}

Range range_of(const Observations& rows, double Observation::*field) {
  Range out{std::numeric_limits<double>::max(), 0};
  for (const Observation& row : rows) {
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
std::vector<double> scores_of(const CrossValidation& validation, const Observations& rows,
                              const Noise& noise) {
  std::vector<double> scores;
  const Folds folds = fold(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (folds.of[i] == kNeverLeftOut) continue;
    const double alike = noise.variance(rows[i].n);
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
Settled settle(Observations& rows) {
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
  Observations rows = observe(data);
  Model model;
  const Common common = most_common(data, rows);
  model.covariates = common.covariates;
  model.other_runs = static_cast<int>(
      std::erase_if(rows, [&](const Observation& row) { return common_of(data, row) != common; }));
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
  model.samples = range_of(rows, &Observation::b);
  model.iterations = range_of(rows, &Observation::n);
  model.rivals = rivals(settled.selection);

  const Noise noise = between_run_noise(rows, settled.fit.residuals, active(settled.fit.coefficients),
                                        within_run_noise(data));
  model.noise = noise.run;
  model.within_run_noise = noise.iteration;
  model.degrees = noise.degrees;
  describe_coefficients(basis, settled.fit, model);
  model.scores = scores_of(settled.selection.winner().validation, rows, noise);
  std::ranges::sort(model.scores);
  model.coverage = score_coverage(model.scores, 0.9, model.degrees);
  return model;
}

}  // namespace etad::regression
