#include "regression/shape_process.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace etad::regression {
namespace {

double square(double v) {
  return v * v;
}

}  // namespace

Process::Process(const ShapeData& data, const Kernel& kernel, const Eigen::VectorXd& carried)
    : residuals_(data.residuals), noise_(data.noise), carried_(Line::Zero(size())) {
  if (carried.size() > 0) carried_ = carried.head(size());
  const auto directions = kernel.directions.topRows(size());
  const auto coefficients = directions.leftCols(directions.cols() - 1);
  const auto small_batches = directions.rightCols(1);
  coefficients_ = coefficients * coefficients.transpose();
  small_batches_ = small_batches * small_batches.transpose();
  rough_ = kernel.rough.topRows(size());
}

// The covariance, and below it the residuals and what is carried.
void Process::fill(const Setting& s) {
  setting_ = s;
  const auto n = size();
  factor_.resize(2 * n + 2, n);
  auto k = factor_.topRows(n);
  k = coefficients_ + square(s.small_batches) * small_batches_ + square(s.rough) * rough_;
  if (s.moments) k += s.siblings * s.moments->between.topRows(n);
  k.diagonal() += noise_;
  k.diagonal().array() += square(s.whim);
  factor_.row(n) = residuals_;
  factor_.row(n + 1) = carried_;
}

// Outer-product Cholesky, K = L L' (Golub & Van Loan, "Matrix Computations", section 4.2), of the upper part.
// Carried on into the rows B below, it leaves B L^-T there. Where these end with the identity, whose column j
// has no entry below its row j before the step j nor after it, that of the inverse is had for the same price
// again.
void Process::factor(bool invert) {
  const auto n = size();
  if (invert) factor_.bottomRows(n).setIdentity();
  definite_ = true;
  for (Eigen::Index j = 0; j < n; ++j) {
    if (!(factor_(j, j) > 0)) {
      definite_ = false;
      return;
    }
    const auto end = n + 2 + (invert ? j + 1 : 0);
    auto column = factor_.col(j);
    column.segment(j, end - j) /= std::sqrt(factor_(j, j));
    for (Eigen::Index k = j + 1; k < n; ++k) {
      factor_.col(k).segment(k, end - k) -= column(k) * column.segment(k, end - k);
    }
  }
}

void Process::set(const Setting& setting) {
  fill(setting);
  factor(false);
}

double Process::evidence(double carried) const {
  constexpr double kNone = -std::numeric_limits<double>::max();
  if (!definite_) return kNone;
  const auto n = size();
  const double distance = (factor_.row(n) - carried * factor_.row(n + 1)).squaredNorm();
  const double out = -0.5 * distance - factor_.diagonal().array().log().sum();
  return std::isfinite(out) ? out : kNone;
}

void Process::set_and_invert(const Setting& setting) {
  fill(setting);
  factor(true);
  const auto half = factor_.bottomRows(size()).triangularView<Eigen::Upper>();  // L^-T
  weights_ = half * factor_.row(size()).transpose();
  carried_weights_ = half * factor_.row(size() + 1).transpose();
  inverse_ = factor_.bottomRows(size()) * factor_.bottomRows(size()).transpose();
}

Predictions::Predictions(const ShapeData& data, const Kernel& kernel, const Eigen::VectorXd& carried,
                         Eigen::Index positions)
    : data_(data),
      kernel_(kernel),
      carried_(carried),
      measured_(data.residuals.size()),
      others_(positions - measured_),
      sums_(static_cast<std::size_t>(positions)) {}

// Of a measured batch size its whim is known as well as its mean.
void Predictions::add_measured(const Process& process, const Share& share) {
  const Process::Line weights = process.weights(share.carried);
  for (Eigen::Index i = 0; i < measured_; ++i) {
    const double noise = data_.noise(i);
    sums_[static_cast<std::size_t>(i)].add(share.weight, data_.residuals(i) - noise * weights(i),
                                           std::max(0.0, noise - square(noise) * process.inverse()(i, i)));
  }
}

void Predictions::begin(const SiblingMoments* moments) {
  moments_ = moments;
  forms_ = {};
  const auto features = kernel_.directions.cols() + (moments ? 2 : 1) * measured_;
  forms_.quadratic.setZero(features, features);
  forms_.linear.setZero(features, 2);
}

void Predictions::add(const Process& process, std::span<const Share> shares) {
  if (process.setting().moments != moments_ || forms_.weight == 0) {
    evaluate();
    begin(process.setting().moments);
  }
  double weight = 0;
  Process::Square quadratic = Process::Square::Zero(measured_, measured_);
  Pair linear = Pair::Zero(measured_, 2);
  for (const Share& share : shares) {
    add_measured(process, share);
    const Process::Line weights = process.weights(share.carried);
    quadratic += share.weight * weights * weights.transpose();
    linear.col(0) += share.weight * weights;
    linear.col(1) += share.weight * share.carried * weights;
    forms_.carried += share.weight * share.carried;
    forms_.carried_square += share.weight * square(share.carried);
    weight += share.weight;
  }
  quadratic -= weight * process.inverse();
  add_forms(process.setting(), weight, quadratic, linear);
}

void Predictions::add_forms(const Setting& s, double weight, const Process::Square& quadratic,
                            const Pair& linear) {
  const auto n = measured_, low = kernel_.directions.cols();
  const double rough = square(s.rough);
  forms_.weight += weight;
  forms_.small_batches += weight * square(s.small_batches);
  forms_.flat += weight * (rough + square(s.whim));
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Process::kMost, kMaxTerms> directions =
      kernel_.directions.topRows(n);
  directions.rightCols(1) *= square(s.small_batches);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxTerms, Process::kMost> crossed =
      directions.transpose() * quadratic;
  // Twice above the diagonal, nothing below.
  forms_.quadratic.topLeftCorner(low, low) += crossed * directions;
  forms_.quadratic.block(0, low, low, n) += 2 * rough * crossed;
  forms_.quadratic.block(low, low, n, n) += square(rough) * quadratic;
  forms_.linear.topRows(low) += directions.transpose() * linear;
  forms_.linear.middleRows(low, n) += rough * linear;
  if (!s.moments) return;
  forms_.siblings += weight * s.siblings;
  forms_.quadratic.topRightCorner(low, n) += 2 * s.siblings * crossed;
  forms_.quadratic.block(low, low + n, n, n) += 2 * rough * s.siblings * quadratic;
  forms_.quadratic.bottomRightCorner(n, n) += square(s.siblings) * quadratic;
  forms_.linear.bottomRows(n) += s.siblings * linear;
}

// Into the sums at the positions that were not measured.
void Predictions::evaluate() {
  if (forms_.weight == 0 || others_ == 0) return;
  const auto low = kernel_.directions.cols();
  const auto directions = kernel_.directions.middleRows(measured_, others_);
  Eigen::MatrixXd features(others_, forms_.linear.rows());
  features.leftCols(low) = directions;
  features.middleCols(low, measured_) = kernel_.rough.middleRows(measured_, others_);
  Eigen::VectorXd own = forms_.weight * directions.leftCols(low - 1).rowwise().squaredNorm() +
                        forms_.small_batches * directions.col(low - 1).cwiseAbs2();
  own.array() += forms_.flat;
  if (moments_) {
    features.rightCols(measured_) = moments_->between.middleRows(measured_, others_);
    own += forms_.siblings * moments_->own.segment(measured_, others_);
  }
  const Eigen::MatrixXd linear = features * forms_.linear;
  own += (features * forms_.quadratic).cwiseProduct(features).rowwise().sum();
  for (Eigen::Index i = 0; i < others_; ++i) {
    const double carried = carried_.size() > 0 ? carried_(measured_ + i) : 0;
    Moments& sum = sums_[static_cast<std::size_t>(measured_ + i)];
    sum.weight += forms_.weight;
    sum.mean += linear(i, 0) + forms_.carried * carried;
    sum.square += own(i) + 2 * carried * linear(i, 1) + forms_.carried_square * square(carried);
  }
}

std::vector<Moments> Predictions::result() {
  evaluate();
  return std::move(sums_);
}

}  // namespace etad::regression
