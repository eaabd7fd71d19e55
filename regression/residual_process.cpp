#include "regression/residual_process.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace etad::regression {
namespace {

double square(double v) {
  return v * v;
}

bool differ_in_small_batches_only(const Hyperparameters& a, const Hyperparameters& b) {
  return a.matern == b.matern && a.nugget == b.nugget && a.related_models == b.related_models &&
         a.related_part == b.related_part;
}

}  // namespace

ResidualProcess::ResidualProcess(const ResidualData& data, const Kernel& kernel,
                                 const Eigen::VectorXd& carried)
    : lines_(data.residuals.size(), 3),
      noise_(data.noise),
      coefficients_(kernel.coefficients.measured),
      matern_(kernel.matern.measured) {
  lines_.col(0) = data.residuals;
  lines_.col(1).setZero();
  if (carried.size() > 0) lines_.col(1) = carried.head(size());
  lines_.col(2) = kernel.small_batches.features.topRows(size());
}

void ResidualProcess::apply(const Hyperparameters& s, bool invert) {
  const bool known = definite_ && (inverted_ || !invert) && differ_in_small_batches_only(s, hyperparameters_);
  hyperparameters_ = s;
  if (!known) {
    factor(s, invert);
  }
  if (!definite_) return;
  const double grown = 1 + square(s.small_batches) * products_(2, 2);
  correction_ = square(s.small_batches) / grown;
  half_log_determinant_ = log_diagonal_ + (grown > 1 ? 0.5 * std::log(grown) : 0);
  if (invert)
    inverse_ = plain_inverse_ - correction_ * plain_weights_.col(2) * plain_weights_.col(2).transpose();
}

// The covariance without the term in 1/B.
ResidualProcess::Square ResidualProcess::covariance(const Hyperparameters& s) const {
  Square k = coefficients_ + square(s.matern) * matern_;
  if (s.related_part) k += s.related_models * s.related_part->measured;
  k.diagonal() += noise_;
  k.diagonal().array() += square(s.nugget);
  return k;
}

void ResidualProcess::factor(const Hyperparameters& s, bool invert) {
  const Eigen::LLT<Square> cholesky(covariance(s));  // K = L L'
  log_diagonal_ = cholesky.matrixLLT().diagonal().array().log().sum();
  definite_ = cholesky.info() == Eigen::Success && std::isfinite(log_diagonal_);
  if (!definite_) return;
  const Trio halves = cholesky.matrixL().solve(lines_);
  products_ = halves.transpose() * halves;
  inverted_ = invert;
  if (!invert) return;
  plain_weights_ = cholesky.matrixU().solve(halves);
  plain_inverse_ = cholesky.solve(Square::Identity(size(), size()));
}

double ResidualProcess::evidence(double carried) const {
  constexpr double kNone = -std::numeric_limits<double>::max();
  if (!definite_) return kNone;
  const Eigen::Matrix3d& p = products_;
  const double plain = p(0, 0) - 2 * carried * p(0, 1) + square(carried) * p(1, 1);
  const double taken = correction_ * square(p(0, 2) - carried * p(1, 2));
  const double out = -0.5 * (plain - taken) - half_log_determinant_;
  return std::isfinite(out) ? out : kNone;
}

ResidualProcess::Line ResidualProcess::weights(double carried) const {
  const double taken = correction_ * (products_(0, 2) - carried * products_(1, 2));
  return plain_weights_.col(0) - carried * plain_weights_.col(1) - taken * plain_weights_.col(2);
}

Predictions::Predictions(const ResidualData& data, const Kernel& kernel, const Eigen::VectorXd& carried,
                         Eigen::Index positions)
    : data_(data),
      carried_(carried),
      measured_(data.residuals.size()),
      others_(positions - measured_),
      parts_{&kernel.coefficients, &kernel.small_batches, &kernel.matern, nullptr},
      sums_(static_cast<std::size_t>(positions)) {}

// Of a batch size that was measured, what its nugget came to is known as well as its mean.
void Predictions::add_measured(const ResidualProcess& process, const ResidualProcess::Line& weights,
                               double weight) {
  for (Eigen::Index i = 0; i < measured_; ++i) {
    const double noise = data_.noise(i);
    sums_[static_cast<std::size_t>(i)].add(weight, data_.residuals(i) - noise * weights(i),
                                           std::max(0.0, noise - square(noise) * process.inverse()(i, i)));
  }
}

void Predictions::begin(const KernelPart* related_models) {
  parts_.back() = related_models;
  forms_.own = {};
  forms_.weight = forms_.nugget = forms_.carried = forms_.carried_square = 0;
  for (std::size_t a = 0; a < kParts; ++a) {
    forms_.linear[a].setZero(measured_, 2);
    for (std::size_t b = a; b < kParts; ++b) forms_.quadratic[a][b].setZero(measured_, measured_);
  }
}

void Predictions::add(const ResidualProcess& process, std::span<const CarriedShare> shares) {
  const Hyperparameters& s = process.hyperparameters();
  if (s.related_part != parts_.back() || forms_.weight == 0) {
    evaluate();
    begin(s.related_part);
  }
  double weight = 0;
  Pair linear = Pair::Zero(measured_, 2);
  ResidualProcess::Square quadratic = ResidualProcess::Square::Zero(measured_, measured_);
  for (const CarriedShare& share : shares) {
    const double w = std::exp(share.log_weight);
    const ResidualProcess::Line weights = process.weights(share.carried);
    add_measured(process, weights, w);
    for (Eigen::Index i = 0; i < measured_; ++i) quadratic.col(i) += w * weights(i) * weights;
    linear.col(0) += w * weights;
    linear.col(1) += w * share.carried * weights;
    forms_.carried += w * share.carried;
    forms_.carried_square += w * square(share.carried);
    weight += w;
  }
  quadratic -= weight * process.inverse();
  forms_.weight += weight;
  forms_.nugget += weight * square(s.nugget);
  const std::array<double, kParts> strengths{1, square(s.small_batches), square(s.matern), s.related_models};
  for (std::size_t a = 0; a < kParts; ++a) {
    if (strengths[a] == 0) continue;
    forms_.own[a] += weight * strengths[a];
    forms_.linear[a] += strengths[a] * linear;
    for (std::size_t b = a; b < kParts; ++b) {
      const double times = (a == b ? 1 : 2) * strengths[a] * strengths[b];
      if (times > 0) forms_.quadratic[a][b] += times * quadratic;
    }
  }
}

// The sums' forms in the parts' covariances as forms in their features, which are fewer, and these at all
// positions that were not measured.
void Predictions::evaluate() {
  if (forms_.weight == 0 || others_ == 0) return;
  const auto n = measured_;
  std::vector<Eigen::Index> first{0};
  for (const KernelPart* part : parts_) first.push_back(first.back() + (part ? part->features.cols() : 0));
  Eigen::MatrixXd features(others_, first.back());
  Eigen::MatrixXd quadratic = Eigen::MatrixXd::Zero(first.back(), first.back()), linear(first.back(), 2);
  Eigen::VectorXd own = Eigen::VectorXd::Constant(others_, forms_.nugget);
  const auto spanned = [](const KernelPart& part, const auto& form) -> Eigen::MatrixXd {
    if (part.span.size() == 0) return form;
    return part.span * form;
  };
  for (std::size_t a = 0; a < kParts; ++a) {
    if (!parts_[a]) continue;
    const KernelPart& part = *parts_[a];
    const auto count = part.features.cols();
    features.middleCols(first[a], count) = part.features.middleRows(n, others_);
    own += forms_.own[a] * part.own.segment(n, others_);
    linear.middleRows(first[a], count) = spanned(part, forms_.linear[a]);
    for (std::size_t b = a; b < kParts; ++b) {
      if (!parts_[b]) continue;
      const Eigen::MatrixXd half = spanned(part, forms_.quadratic[a][b]);
      quadratic.block(first[a], first[b], count, parts_[b]->features.cols()) =
          spanned(*parts_[b], half.transpose()).transpose();
    }
  }
  own += (features * quadratic).cwiseProduct(features).rowwise().sum();
  const Eigen::MatrixXd predicted = features * linear;
  for (Eigen::Index i = 0; i < others_; ++i) {
    const double carried = carried_.size() > 0 ? carried_(n + i) : 0;
    Moments& sum = sums_[static_cast<std::size_t>(n + i)];
    sum.weight += forms_.weight;
    sum.mean += predicted(i, 0) + forms_.carried * carried;
    sum.square += own(i) + 2 * carried * predicted(i, 1) + forms_.carried_square * square(carried);
  }
}

std::vector<Moments> Predictions::result() {
  evaluate();
  return std::move(sums_);
}

}  // namespace etad::regression
