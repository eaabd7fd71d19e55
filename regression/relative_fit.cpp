#include "regression/relative_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr double kTukey = 4.685;
constexpr double kLeastScale = 1e-4;  // a relative spread below this is rounding, not noise
constexpr int kHuberSteps = 6, kBiweightSteps = 6;
constexpr double kSettled = 1e-5;  // relative change of the fit in a step: far below any noise

using Column = Eigen::ArrayXd;  // a value for each row

// Whether numbers of iterations tell a cost per run from a cost per iteration.
bool differ_enough(const std::vector<double>& lengths) {
  constexpr double kLeastRatio = 1.5;
  const auto [least, most] = std::ranges::minmax_element(lengths);
  return least != lengths.end() && *most >= kLeastRatio * *least;
}

// One Gauss-Newton step of the relative problem over the rows in use.
class Step {
 public:
  // `base`: the weight of each row, 0 of those left out. These do not tell the cost per run, which every basis has
  // first.
  Step(const Basis& basis, const Dataset& rows, const Column& base)
      : features_(static_cast<Eigen::Index>(rows.size()), basis.parameters()) {
    std::vector<double> lengths;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      features_.row(row) = basis.features(rows[i].iterations, rows[i].samples, reference_size(rows));
      if (base(row) > 0) lengths.push_back(rows[i].iterations);
    }
    if (!differ_enough(lengths)) features_.col(0).setZero();
  }

  // From the inverse of the last fit and log(t / fit).
  Terms solve(const Column& inverse, const Column& residuals, const Column& weights) {
    target_ = 1 + residuals.max(-1).min(1);
    scaled_ = features_.array().colwise() * inverse;
    weighed_ = scaled_.array().colwise() * weights;
    const auto terms = features_.cols();
    gram_.resize(terms, terms);
    Terms projection(terms);
    for (Eigen::Index i = 0; i < terms; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        gram_(i, j) = gram_(j, i) = weighed_.col(i).dot(scaled_.col(j));
      }
      projection(i) = weighed_.col(i).dot(target_.matrix());
    }
    return solve_nnls(gram_, projection);
  }

  void evaluate(const Terms& c, Column& out) const { out.matrix().noalias() = features_ * c; }
  const Gram& gram() const { return gram_; }

 private:
  Eigen::MatrixXd features_, scaled_, weighed_;  // rows x terms
  Column target_;
  Gram gram_;
};

// Of those rows that are in use.
double scale_of(const Column& residuals, const Column& base) {
  std::vector<double> in_use;
  for (Eigen::Index i = 0; i < residuals.size(); ++i)
    if (base(i) > 0) in_use.push_back(residuals(i));
  return robust_scale(in_use);
}

std::vector<double> listed(const Column& column) {
  return {column.begin(), column.end()};
}

}  // namespace

RelativeFit fit_relative(const Basis& basis, const Dataset& rows, const std::vector<int>& folds,
                         int left_out) {
  const auto size = static_cast<Eigen::Index>(rows.size());
  Column base(size), times(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto row = static_cast<std::size_t>(i);
    base(i) = !folds.empty() && folds[row] == left_out ? 0 : 1;
    times(i) = rows[row].seconds;
  }
  Step step(basis, rows, base);
  const auto in_use = static_cast<double>((base > 0).count());
  const bool robust = in_use > basis.parameters() + 2;
  // Residuals about a fit are smaller than the errors, the more so the fewer there are.
  const double correction = robust ? std::sqrt(in_use / (in_use - basis.parameters())) : 1;
  RelativeFit fit;
  Column fitted = times, inverse = times.inverse(), residuals = Column::Zero(size), weights = base;
  const auto huber = [&] { weights = base / (residuals.abs() * (1 / fit.scale)).max(1); };
  const auto biweight = [&] {
    weights = base * (1 - (residuals * (1 / (kTukey * fit.scale))).square()).max(0).square();
  };
  // At most so many steps, until the fit has settled, with rows weighed anew after each.
  const auto iterate = [&](int steps, const auto& weigh) {
    for (; steps > 0; --steps) {
      fit.coefficients = step.solve(inverse, residuals, weights);
      step.evaluate(fit.coefficients, fitted);
      fitted = fitted.max(1e-9 * times);  // a row the basis can't reach keeps a finite residual
      const double moved = (fitted * inverse - 1).abs().maxCoeff();
      inverse = fitted.inverse();
      residuals = (times * inverse).log();
      fit.scale = std::max(kLeastScale, scale_of(residuals, base) * correction);
      if (moved < kSettled) return;
      weigh();
    }
  };
  if (robust) {
    iterate(kHuberSteps, huber);
    biweight();
    iterate(kBiweightSteps, biweight);
  } else {
    iterate(kHuberSteps + kBiweightSteps, [] {});
  }
  fit.residuals = listed(residuals);
  fit.weights = listed(weights);
  fit.covariance = active_inverse(step.gram(), fit.coefficients);
  return fit;
}

double relative_leverage(const Terms& features, const Terms& coefficients, const Gram& covariance) {
  constexpr double kMost = 25;  // five times the noise: beyond that a fit says nothing
  const double f = features.dot(coefficients);
  if (f <= 0) return kMost;
  const double v = features.dot(covariance * features) / (f * f);
  return std::isfinite(v) ? std::clamp(v, 0.0, kMost) : kMost;
}

}  // namespace etad::regression
