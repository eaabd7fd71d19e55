#include "regression/residual_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "regression/relative_fit.h"

namespace etad::regression {
namespace {

// Prior standard deviation of each coefficient's share of the time: wide, the data decide.
constexpr double kShareDeviation = 0.3;
// Where no smaller batch was seen, the standard deviation of the share of time that does not shrink with B.
constexpr double kLatencyShare = 0.08;
// A related model departs from the basis by at most this much; beyond, its figures are not to be believed.
constexpr double kMaxResidual = 0.3;

double reference(const ResidualData& data) {
  return data.samples[data.samples.size() / 2];
}

double basis_at(const ResidualData& data, double b) {
  return std::max(1e-300, evaluate(*data.basis, data.knots, data.coefficients, data.iterations, b));
}

// The features of one iteration, without a cost per run: a curve holds none.
Terms per_iteration(const ResidualData& data, double b) {
  Terms x = data.basis->features(1, b, data.knots);
  x(0) = 0;
  return x;
}

// Of all positions, a row each.
Eigen::MatrixXd features_per_iteration(const ResidualData& data, std::span<const double> positions) {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(positions.size()), data.basis->parameters());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    out.row(static_cast<Eigen::Index>(i)) = per_iteration(data, positions[i]).transpose();
  }
  return out;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> out;
  for (const double v : values) out.push_back(std::log(v));
  return out;
}

// Seconds per iteration of a related model: log-log between its points, held at the ends' time per sample
// outside.
class LogCurve {
 public:
  explicit LogCurve(const std::vector<CurvePoint>& curve) : curve_(curve) {
    for (const CurvePoint& point : curve) {
      log_samples_.push_back(std::log(point.samples));
      log_seconds_.push_back(std::log(point.seconds));
    }
  }

  // The logarithm of the time at b, whose own logarithm is known.
  double at(double b, double log_b) const {
    const auto next = std::ranges::lower_bound(curve_, b, {}, &CurvePoint::samples);
    if (next == curve_.begin()) return log_seconds_.front() + log_b - log_samples_.front();
    if (next == curve_.end()) return log_seconds_.back() + log_b - log_samples_.back();
    const auto i = static_cast<std::size_t>(next - curve_.begin());
    const double share = (log_b - log_samples_[i - 1]) / (log_samples_[i] - log_samples_[i - 1]);
    return log_seconds_[i - 1] + share * (log_seconds_[i] - log_seconds_[i - 1]);
  }

  bool holds(double b) const { return b >= curve_.front().samples && b <= curve_.back().samples; }

 private:
  const std::vector<CurvePoint>& curve_;
  std::vector<double> log_samples_, log_seconds_;
};

bool covers(const std::vector<CurvePoint>& curve, const std::vector<double>& samples) {
  return curve.size() >= 3 && curve.front().samples <= samples.front() &&
         curve.back().samples >= samples.back();
}

std::span<const RelatedModel> those_that_count(std::span<const RelatedModel> related_models) {
  return related_models.first(std::min(related_models.size(), kMaxRelatedModels));
}

// All positions as the related models are held against them.
struct Grid {
  const ResidualData& data;
  std::span<const double> samples;
  std::vector<double> log_samples;
  Eigen::MatrixXd features;  // of one iteration

  Eigen::Index size() const { return features.rows(); }
  Eigen::Index measured() const { return data.residuals.size(); }
};

// The basis fitted to the related model's times at our batch sizes, as ours was: seconds per iteration
// everywhere.
Eigen::VectorXd fit_related_model(const Grid& grid, const LogCurve& curve) {
  const Eigen::Index terms = grid.features.cols();
  Gram gram = Gram::Zero(terms, terms);
  Terms projection = Terms::Zero(terms);
  for (Eigen::Index i = 0; i < grid.measured(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Terms x =
        grid.features.row(i).transpose() * std::exp(-curve.at(grid.samples[at], grid.log_samples[at]));
    gram += x * x.transpose();
    projection += x;
  }
  return grid.features * solve_nnls(gram, projection, grid.data.basis->free);
}

Eigen::VectorXd residuals_of(const Grid& grid, const LogCurve& curve, const Eigen::VectorXd& fitted) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(grid.size());
  for (Eigen::Index i = 0; i < grid.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!curve.holds(grid.samples[at]) || !(fitted(i) > 0)) continue;
    const double r = curve.at(grid.samples[at], grid.log_samples[at]) - std::log(fitted(i));
    if (std::isfinite(r)) out(i) = std::clamp(r, -kMaxResidual, kMaxResidual);
  }
  return out;
}

Eigen::VectorXd carried_over(const Grid& grid, const Eigen::VectorXd& residuals,
                             const Eigen::VectorXd& fitted) {
  Eigen::VectorXd out(grid.size());
  for (Eigen::Index i = 0; i < grid.size(); ++i) {
    const double ours = basis_at(grid.data, grid.samples[static_cast<std::size_t>(i)]);
    out(i) = std::expm1(residuals(i)) * std::min(1.0, fitted(i) * grid.data.iterations / ours);
  }
  return out;
}

double distance(const ResidualData& data, const Eigen::VectorXd& residuals) {
  const auto measured = data.residuals.size();
  return std::sqrt((residuals.head(measured) - data.residuals).squaredNorm() / static_cast<double>(measured));
}

// Where features are independent and of variance 1.
KernelPart outer(Eigen::MatrixXd features, Eigen::Index measured) {
  KernelPart out;
  out.span = features.topRows(measured).transpose();
  out.measured = features.topRows(measured) * out.span;
  out.own = features.rowwise().squaredNorm();
  out.features = std::move(features);
  return out;
}

KernelPart direct(Eigen::MatrixXd between, Eigen::VectorXd own) {
  KernelPart out;
  out.measured = between.topRows(between.cols());
  out.features = std::move(between);
  out.own = std::move(own);
  return out;
}

KernelPart coefficients_part(const ResidualData& data, std::span<const double> positions) {
  const double middle = reference(data);
  const double scale = basis_at(data, middle);
  // With one batch size seen the basis has no slope of its own: it is as open as the affine form's.
  const Basis& form = data.basis->batch_sizes == 1 ? *find_basis("c0 + n*(c1 + c2*B)") : *data.basis;
  const Terms at_middle = form.features(data.iterations, middle, data.knots);
  Eigen::MatrixXd directions(static_cast<Eigen::Index>(positions.size()), form.parameters() - 1);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Terms x = form.features(data.iterations, positions[i], data.knots);
    const double here = basis_at(data, positions[i]);
    for (Eigen::Index j = 1; j < x.size(); ++j) {  // not the cost per run: it is no function of B
      const double unit = std::abs(at_middle(j)) > 0 ? scale / std::abs(at_middle(j)) : 0;
      directions(static_cast<Eigen::Index>(i), j - 1) = kShareDeviation * x(j) * unit / here;
    }
  }
  return outer(std::move(directions), data.residuals.size());
}

KernelPart small_batches_part(const ResidualData& data, std::span<const double> positions) {
  const double middle = reference(data);
  Eigen::MatrixXd direction(static_cast<Eigen::Index>(positions.size()), 1);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double inside = std::max(positions[i], data.samples.front());
    direction(static_cast<Eigen::Index>(i), 0) =
        middle / inside * basis_at(data, middle) / basis_at(data, positions[i]);
  }
  return outer(std::move(direction), data.residuals.size());
}

// Ornstein-Uhlenbeck in log B: exp(-|log(a / b)|).
KernelPart rough_part(const ResidualData& data, std::span<const double> positions) {
  Eigen::MatrixXd between(static_cast<Eigen::Index>(positions.size()), data.residuals.size());
  for (Eigen::Index j = 0; j < between.cols(); ++j) {
    const double b = data.samples[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < between.rows(); ++i) {
      const double a = positions[static_cast<std::size_t>(i)];
      between(i, j) = std::min(a, b) / std::max(a, b);
    }
  }
  Eigen::VectorXd own = Eigen::VectorXd::Ones(between.rows());
  return direct(std::move(between), std::move(own));
}

}  // namespace

Kernel kernel_of(const ResidualData& data, std::span<const double> positions) {
  return {coefficients_part(data, positions), small_batches_part(data, positions),
          rough_part(data, positions)};
}

double latency_deviation(const ResidualData& data, double smallest, double b) {
  if (b >= smallest) return 0;
  return kLatencyShare * (smallest / b - 1) * basis_at(data, smallest) / basis_at(data, b);
}

const RelatedModel* other_phase_of(const ResidualData& data, std::span<const RelatedModel> related_models) {
  for (const RelatedModel& related_model : those_that_count(related_models)) {
    if (related_model.same_network && covers(related_model.curve, data.samples)) return &related_model;
  }
  return nullptr;
}

RelatedResiduals related_residuals(const ResidualData& data, std::span<const RelatedModel> related_models,
                                   std::span<const double> positions) {
  const Grid grid{data, positions, logarithms(positions), features_per_iteration(data, positions)};
  const RelatedModel* other_phase = other_phase_of(data, related_models);
  RelatedResiduals out;
  std::vector<double> distances;
  out.others.resize(grid.size(), static_cast<Eigen::Index>(related_models.size()));
  for (const RelatedModel& related_model : those_that_count(related_models)) {
    if (!covers(related_model.curve, data.samples)) continue;
    const LogCurve curve(related_model.curve);
    const Eigen::VectorXd fitted = fit_related_model(grid, curve);
    Eigen::VectorXd residuals = residuals_of(grid, curve, fitted);
    if (&related_model == other_phase) {
      out.distance = distance(data, residuals);
      out.carried = carried_over(grid, residuals, fitted);
      out.is_part = fitted(grid.measured() / 2) * data.iterations < basis_at(data, reference(data));
      out.other_phase = std::move(residuals);
    } else {
      out.others.col(static_cast<Eigen::Index>(distances.size())) = residuals;
      distances.push_back(distance(data, residuals));
    }
  }
  out.distances =
      Eigen::Map<const Eigen::VectorXd>(distances.data(), static_cast<Eigen::Index>(distances.size()));
  out.others.conservativeResize(Eigen::NoChange, out.distances.size());
  return out;
}

KernelPart related_part(const RelatedResiduals& related_models, const RelatedWeights& weights, bool counts,
                        Eigen::Index positions, Eigen::Index measured) {
  const auto weight = [&](const auto& d) { return (-0.5 * (d / weights.distance).square()).exp(); };
  const Eigen::VectorXd each = weight(related_models.distances.array());
  const auto others = related_models.others.topRows(positions);
  const Eigen::MatrixXd weighed = each.asDiagonal() * others.topRows(measured).transpose();
  Eigen::MatrixXd between = others * weighed;
  Eigen::VectorXd own = others.cwiseAbs2() * each;
  double total = each.sum();
  if (counts && related_models.distance) {
    const double d = *related_models.distance / weights.distance;
    const double phase_weight = weights.same_network * std::exp(-0.5 * d * d);
    const auto phase = related_models.other_phase.head(positions);
    between += phase_weight * phase * phase.head(measured).transpose();
    own += phase_weight * phase.cwiseAbs2();
    total += phase_weight;
  }
  if (total > 0) {
    between /= total;
    own /= total;
  }
  return direct(std::move(between), std::move(own));
}

}  // namespace etad::regression
