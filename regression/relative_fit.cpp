#include "regression/relative_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr double kTukey = 4.685;
constexpr double kLeastScale = 1e-4;  // a relative spread below this is rounding, not noise
constexpr int kAbsoluteSteps = 6, kBiweightSteps = 6;
constexpr double kSettled = 1e-5;  // relative change of the fit in a step: far below any noise

// One Gauss-Newton step of the relative problem over the rows in use.
class Step {
 public:
  Step(const Basis& basis, std::span<const double> knots, const Observations& rows) : free_(basis.free) {
    const bool cost_per_run = iterations_vary(rows);
    features_.reserve(rows.size());
    for (const Observation& row : rows) {
      features_.push_back(basis.features(row.n, row.b, knots));
      if (!cost_per_run) features_.back()(0) = 0;  // every basis has it first
    }
    terms_ = basis.parameters();
  }

  Terms solve(const Observations& rows, const std::vector<double>& fitted,
              const std::vector<double>& weights) {
    gram_ = Gram::Zero(terms_, terms_);
    Terms projection = Terms::Zero(terms_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (weights[i] <= 0) continue;
      const Terms x = features_[i] / fitted[i];
      const double target = 1 + std::clamp(std::log(rows[i].t / fitted[i]), -1.0, 1.0);
      gram_.noalias() += weights[i] * x * x.transpose();
      projection.noalias() += weights[i] * target * x;
    }
    return solve_nnls(gram_, projection, free_);
  }

  double value(std::size_t row, const Terms& c) const { return features_[row].dot(c); }
  const Gram& gram() const { return gram_; }

 private:
  std::vector<Terms> features_;
  unsigned free_;
  Eigen::Index terms_ = 0;
  Gram gram_;
};

double absolute_weight(double r, double scale) {
  return 1 / std::max(1.0, std::abs(r) / scale);
}

double biweight(double r, double scale) {
  const double u = r / (kTukey * scale);
  return std::abs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0;
}

}  // namespace

RelativeFit fit_relative(const Basis& basis, std::span<const double> knots, const Observations& rows,
                         const std::vector<int>& folds, int left_out) {
  Step step(basis, knots, rows);
  RelativeFit fit;
  std::vector<double> base(rows.size()), fitted(rows.size());
  double in_use = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    base[i] = !folds.empty() && folds[i] == left_out ? 0 : rows[i].weight;
    fitted[i] = rows[i].t;
    in_use += base[i] > 0;
  }
  fit.weights = base;
  fit.residuals.assign(rows.size(), 0);
  const bool robust = in_use > basis.parameters() + 2;
  // Residuals about a fit are smaller than the errors, the more so the fewer there are.
  const double correction = robust ? std::sqrt(in_use / (in_use - basis.parameters())) : 1;
  std::vector<double> used;
  int steps_left = robust ? kAbsoluteSteps : kAbsoluteSteps + kBiweightSteps;
  for (bool biweighted = !robust; steps_left > 0; --steps_left) {
    fit.coefficients = step.solve(rows, fitted, fit.weights);
    used.clear();
    double moved = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const double f = step.value(j, fit.coefficients);
      const double next =
          std::max(f, 1e-9 * rows[j].t);  // a row the basis can't reach keeps a finite residual
      moved = std::max(moved, std::abs(next / fitted[j] - 1));
      fitted[j] = next;
      fit.residuals[j] = std::log(rows[j].t / next);
      if (base[j] > 0) used.push_back(fit.residuals[j]);
    }
    fit.scale = std::max(kLeastScale, robust_scale(used) * correction);
    if (moved < kSettled && biweighted) break;
    if (!robust) continue;
    if (!biweighted && (moved < kSettled || steps_left == 1)) {
      biweighted = true;
      steps_left = kBiweightSteps + 1;
    }
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const double r = fit.residuals[j];
      fit.weights[j] = base[j] * (biweighted ? biweight(r, fit.scale) : absolute_weight(r, fit.scale));
    }
  }
  fit.covariance = active_inverse(step.gram(), fit.coefficients);
  return fit;
}

double evaluate(const Basis& basis, std::span<const double> knots, const Terms& coefficients, double n,
                double b) {
  return std::max(0.0, basis.features(n, b, knots).dot(coefficients));
}

}  // namespace etad::regression
