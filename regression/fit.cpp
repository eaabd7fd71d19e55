#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "regression/basis.h"
#include "regression/cross_validation.h"
#include "regression/interval.h"
#include "regression/model.h"
#include "regression/observations.h"
#include "regression/relative_fit.h"

namespace etad::regression {
namespace {

struct Candidate {
  const Basis* basis;
  CrossValidation validation;
};

// A run whose batch size is unknown can be compared with others only where none is known.
Observations comparable(Observations rows) {
  const bool some_known = std::ranges::any_of(rows, [](const Observation& r) { return r.b > 0; });
  if (some_known) std::erase_if(rows, [](const Observation& r) { return r.b <= 0; });
  return rows;
}

bool may_compete(const Basis& basis, std::size_t sizes, std::size_t rows) {
  if (sizes >= 2 && !basis.uses_samples()) return false;  // the batch size is never without influence
  return static_cast<int>(sizes) >= basis.batch_sizes && static_cast<int>(rows) >= basis.parameters() - 1;
}

std::vector<Candidate> compete(const Observations& rows, const Folds& folds) {
  const std::size_t sizes = batch_sizes(rows).size();
  std::vector<Candidate> out;
  for (const Basis& basis : bases()) {
    if (may_compete(basis, sizes, rows.size())) out.push_back({&basis, cross_validate(basis, rows, folds)});
  }
  return out;
}

// The simplest within one standard error of the best: the standard error of their difference, fold by fold.
const Candidate& choose(const std::vector<Candidate>& candidates) {
  const auto error = [](const Candidate& c) { return c.validation.error; };
  const Candidate& best = *std::ranges::min_element(candidates, {}, error);
  for (const Candidate& c : candidates) {
    const double slack = paired_standard_error(c.validation.fold_errors, best.validation.fold_errors);
    if (c.basis->parameters() <= best.basis->parameters() && error(c) <= error(best) + slack) return c;
  }
  return best;
}

std::vector<Rival> rivals(const std::vector<Candidate>& candidates) {
  std::vector<Rival> out;
  for (const Candidate& c : candidates) {
    out.push_back({std::string(c.basis->formula), 100 * c.validation.error,
                   100 * standard_error(c.validation.fold_errors), c.basis->parameters()});
  }
  return out;
}

Range range_of(const Observations& rows, double Observation::*field) {
  Range out{std::numeric_limits<double>::max(), 0};
  for (const Observation& row : rows) {
    out.min = std::min(out.min, row.*field);
    out.max = std::max(out.max, row.*field);
  }
  return out;
}

void describe_coefficients(const Basis& basis, const RelativeFit& fit, Model& model) {
  for (int i = 0; i < basis.parameters(); ++i) {
    const double error = model.noise * std::sqrt(std::max(0.0, fit.covariance(i, i)));
    model.coefficients.push_back(
        {std::string(basis.names[static_cast<std::size_t>(i)]), fit.coefficients(i), error});
    for (int j = 0; j < basis.parameters(); ++j) model.covariance.push_back(fit.covariance(i, j));
  }
}

// What the interval rests on, and how often it would have held: each score judged by all the others.
void score(const CrossValidation& validation, Model& model) {
  for (std::size_t i = 0; i < validation.residuals.size(); ++i) {
    const double spread = model.noise * std::sqrt(1 + validation.leverages[i]);
    model.scores.push_back(std::abs(validation.residuals[i]) / spread);
  }
  std::ranges::sort(model.scores);
  int held = 0;
  for (std::size_t i = 0; i < model.scores.size(); ++i) {
    std::vector<double> others = model.scores;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    held += model.scores[i] <= score_quantile(others, 0.9);
  }
  if (!model.scores.empty()) model.coverage = held / static_cast<double>(model.scores.size());
}

}  // namespace

std::optional<Model> fit(const Dataset& data, const Prior&) {
  const Observations rows = comparable(observe(data));
  if (rows.empty()) return std::nullopt;
  const Folds folds = fold(rows);
  const std::vector<Candidate> candidates = compete(rows, folds);
  if (candidates.empty()) return std::nullopt;
  const Candidate& chosen = choose(candidates);

  Model model;
  model.basis = chosen.basis->formula;
  model.knots = place_knots(*chosen.basis, batch_sizes(rows));
  const RelativeFit fitted = fit_relative(*chosen.basis, model.knots, rows);
  const auto degrees =
      static_cast<double>(rows.size()) - static_cast<double>((fitted.coefficients.array() != 0).count());
  model.noise = posterior_noise(fitted.scale, degrees);
  describe_coefficients(*chosen.basis, fitted, model);
  model.runs = static_cast<int>(rows.size());
  for (const RunObservation& run : data) model.windows += static_cast<int>(run.windows.size());
  model.dropped_runs = static_cast<int>(std::ranges::count(fitted.weights, 0.0));
  model.error_percent = rows.size() > 1 ? 100 * chosen.validation.error : 0;
  model.samples = range_of(rows, &Observation::b);
  model.iterations = range_of(rows, &Observation::n);
  model.rivals = rivals(candidates);
  if (rows.size() > 1) score(chosen.validation, model);
  return model;
}

}  // namespace etad::regression
