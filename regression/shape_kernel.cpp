#include "regression/shape_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regression/relative_fit.h"

namespace etad::regression {
namespace {

// Prior standard deviation of each coefficient's share of the time: wide, the data decide.
constexpr double kShareDeviation = 0.3;
// Where no smaller batch was seen, the standard deviation of the share of time that does not shrink with B.
constexpr double kLatencyShare = 0.08;
// A sibling departs from the basis by at most this much; beyond, its figures are not to be believed.
constexpr double kMaxResidual = 0.3;

double reference(const ShapeData& data) {
  return data.samples[data.samples.size() / 2];
}

double basis_at(const ShapeData& data, double b) {
  return std::max(1e-300, evaluate(*data.basis, data.knots, data.coefficients, data.iterations, b));
}

KernelPart outer(const Eigen::MatrixXd& directions, std::size_t measured) {
  const auto columns = static_cast<Eigen::Index>(measured);
  return {directions * directions.topRows(columns).transpose(), directions.rowwise().squaredNorm()};
}

// The features of one iteration, without a cost per run: a curve holds none.
Terms per_iteration(const ShapeData& data, double b) {
  Terms x = data.basis->features(1, b, data.knots);
  x(0) = 0;
  return x;
}

// Seconds per iteration of a sibling: log-log between its points, held at the ends' time per sample outside.
double time_at(const std::vector<CurvePoint>& curve, double b) {
  const auto next = std::ranges::lower_bound(curve, b, {}, &CurvePoint::samples);
  if (next == curve.begin()) return curve.front().seconds * b / curve.front().samples;
  if (next == curve.end()) return curve.back().seconds * b / curve.back().samples;
  const auto last = next - 1;
  const double share = std::log(b / last->samples) / std::log(next->samples / last->samples);
  return last->seconds * std::pow(next->seconds / last->seconds, share);
}

bool covers(const std::vector<CurvePoint>& curve, const std::vector<double>& samples) {
  return curve.size() >= 3 && curve.front().samples <= samples.front() &&
         curve.back().samples >= samples.back();
}

// The basis fitted to the sibling's times at our batch sizes, as ours was.
Terms fit_sibling(const ShapeData& data, const Sibling& sibling) {
  const Eigen::Index terms = data.basis->parameters();
  Gram gram = Gram::Zero(terms, terms);
  Terms projection = Terms::Zero(terms);
  for (const double b : data.samples) {
    const Terms x = per_iteration(data, b) / time_at(sibling.curve, b);
    gram += x * x.transpose();
    projection += x;
  }
  return solve_nnls(gram, projection, data.basis->free);
}

SiblingResiduals residuals_of(const ShapeData& data, const Sibling& sibling,
                              std::span<const double> positions) {
  const auto count = static_cast<Eigen::Index>(positions.size());
  SiblingResiduals out{sibling.same_network, 0, Eigen::VectorXd::Zero(count), Eigen::VectorXd::Zero(count)};
  const Terms c = fit_sibling(data, sibling);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double b = positions[static_cast<std::size_t>(i)];
    if (b < sibling.curve.front().samples || b > sibling.curve.back().samples) continue;
    const double fitted = per_iteration(data, b).dot(c);
    const double r = fitted > 0 ? std::log(time_at(sibling.curve, b) / fitted) : 0;
    if (!std::isfinite(r)) continue;
    out.residuals(i) = std::clamp(r, -kMaxResidual, kMaxResidual);
    out.carried(i) =
        std::expm1(out.residuals(i)) * std::min(1.0, fitted * data.iterations / basis_at(data, b));
  }
  return out;
}

}  // namespace

KernelPart coefficients_part(const ShapeData& data, std::span<const double> positions) {
  const double middle = reference(data);
  const double scale = basis_at(data, middle);
  // With one batch size seen the basis has no slope of its own: it is as open as the affine form's.
  const Basis& form = data.basis->batch_sizes == 1 ? *find_basis("c0 + n*(c1 + c2*B)") : *data.basis;
  const Terms at_middle = form.features(data.iterations, middle, data.knots);
  Eigen::MatrixXd directions(static_cast<Eigen::Index>(positions.size()), form.parameters() - 1);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Terms x = form.features(data.iterations, positions[i], data.knots);
    for (Eigen::Index j = 1; j < x.size(); ++j) {  // not the cost per run: it is no function of B
      const double unit = std::abs(at_middle(j)) > 0 ? scale / std::abs(at_middle(j)) : 0;
      directions(static_cast<Eigen::Index>(i), j - 1) =
          kShareDeviation * x(j) * unit / basis_at(data, positions[i]);
    }
  }
  return outer(directions, data.samples.size());
}

KernelPart small_batches_part(const ShapeData& data, std::span<const double> positions) {
  const double middle = reference(data);
  Eigen::MatrixXd direction(static_cast<Eigen::Index>(positions.size()), 1);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double inside = std::max(positions[i], data.samples.front());
    direction(static_cast<Eigen::Index>(i), 0) =
        middle / inside * basis_at(data, middle) / basis_at(data, positions[i]);
  }
  return outer(direction, data.samples.size());
}

double latency_deviation(const ShapeData& data, double smallest, double b) {
  if (b >= smallest) return 0;
  return kLatencyShare * (smallest / b - 1) * basis_at(data, smallest) / basis_at(data, b);
}

KernelPart rough_part(const ShapeData& data, std::span<const double> positions) {
  const auto rows = static_cast<Eigen::Index>(positions.size());
  const auto columns = static_cast<Eigen::Index>(data.samples.size());
  KernelPart part{Eigen::MatrixXd(rows, columns), Eigen::VectorXd::Ones(rows)};
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      const double ratio = positions[static_cast<std::size_t>(i)] / data.samples[static_cast<std::size_t>(j)];
      part.between(i, j) = std::exp(-std::abs(std::log(ratio)));
    }
  }
  return part;
}

std::vector<SiblingResiduals> sibling_residuals(const ShapeData& data, std::span<const Sibling> siblings,
                                                std::span<const double> positions) {
  std::vector<SiblingResiduals> out;
  const auto measured = static_cast<Eigen::Index>(data.samples.size());
  for (const Sibling& sibling : siblings.first(std::min(siblings.size(), kMaxSiblings))) {
    if (!covers(sibling.curve, data.samples)) continue;
    SiblingResiduals entry = residuals_of(data, sibling, positions);
    entry.distance = std::sqrt((entry.residuals.head(measured) - data.residuals).squaredNorm() /
                               static_cast<double>(measured));
    out.push_back(std::move(entry));
  }
  return out;
}

KernelPart siblings_part(const std::vector<SiblingResiduals>& siblings, const SiblingWeights& weights,
                         std::size_t positions, std::size_t measured) {
  Eigen::MatrixXd directions(static_cast<Eigen::Index>(positions),
                             static_cast<Eigen::Index>(siblings.size()));
  double total = 0;
  for (std::size_t s = 0; s < siblings.size(); ++s) {
    const double d = siblings[s].distance / weights.distance;
    const double weight = (siblings[s].same_network ? weights.same_network : 1) * std::exp(-d * d / 2);
    directions.col(static_cast<Eigen::Index>(s)) = std::sqrt(weight) * siblings[s].residuals;
    total += weight;
  }
  if (total > 0) directions /= std::sqrt(total);
  return outer(directions, measured);
}

}  // namespace etad::regression
