// The Gaussian process of regression/shape.h under one setting of the strengths of its parts, seen from the
// measured batch sizes, and what many settings say together.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>
#include <vector>

#include "regression/shape_kernel.h"

namespace etad::regression {

// What the covariance is made of.
struct Setting {
  double small_batches = 0, rough = 0, whim = 0;  // standard deviations
  double siblings = 0;                            // factor of `moments`
  const SiblingMoments* moments = nullptr;        // of the siblings; may be nullptr
};

class Process {
 public:
  // Never larger than this: no setting allocates.
  static constexpr int kMost = static_cast<int>(kMaxCurve);
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  using Line = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;

  // `carried`: what the network's other phase bears over, at the measured batch sizes at least; empty:
  // nothing.
  Process(const ShapeData& data, const Kernel& kernel, const Eigen::VectorXd& carried);

  // Enough to ask for the evidence, of any share of what is carried over: it moves the residuals, not their
  // covariance.
  void set(const Setting& setting);
  double evidence(double carried) const;  // log marginal likelihood, but for a constant

  // Enough to ask for all the rest.
  void set_and_invert(const Setting& setting);
  const Setting& setting() const { return setting_; }
  const Square& inverse() const { return inverse_; }                                    // K^-1
  Line weights(double carried) const { return weights_ - carried * carried_weights_; }  // K^-1 (r - carried)

 private:
  // The covariance, and rows below it that are multiplied by its factor's inverse.
  using Bordered = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 2 * kMost + 2, kMost>;

  Eigen::Index size() const { return residuals_.size(); }
  void fill(const Setting& setting);
  void factor(bool invert);

  Line residuals_, noise_, carried_;
  Square coefficients_, small_batches_, rough_;
  Setting setting_;
  Bordered factor_;
  bool definite_ = false;
  Square inverse_;
  Line weights_, carried_weights_;
};

// A mean and a second moment of what is weighed.
struct Moments {
  double weight = 0, mean = 0, square = 0;
  void add(double w, double m, double variance) {
    weight += w;
    mean += w * m;
    square += w * (variance + m * m);
  }
  double average() const { return weight > 0 ? mean / weight : 0; }
  double variance() const { return weight > 0 ? std::max(0.0, square / weight - average() * average()) : 0; }
};

// The predictions of many settings at the first `positions` of all, weighed.
//
// At a batch size that was not measured the covariance to the measured ones is k = B f under each setting: f,
// the features of the position, is the same for all settings with the same siblings' moments, B differs.
// Prediction and variance (R&W eq. 2.25-2.26) are then a linear and a quadratic form in f, and so are their
// sums over the settings, which are evaluated once. At a measured one, k + noise is a column of the
// covariance itself, of which K^-1 leaves little to do.
class Predictions {
 public:
  Predictions(const ShapeData& data, const Kernel& kernel, const Eigen::VectorXd& carried,
              Eigen::Index positions);

  // One setting's, with these shares carried over. Settings with the same moments are to come one after the
  // other.
  struct Share {
    double carried = 0, weight = 0;
  };
  void add(const Process& process, std::span<const Share> shares);
  std::vector<Moments> result();

 private:
  // Sums of the settings with the same moments: forms in the features (those of low rank, rough, siblings)
  // ...
  struct Forms {
    Eigen::MatrixXd quadratic;  // of the prediction's square less what is known of the variance
    Eigen::MatrixXd linear;     // of the prediction; of the prediction times what is carried
    // ... and factors of the prior variances, and of what is carried.
    double weight = 0, small_batches = 0, flat = 0, siblings = 0;
    double carried = 0, carried_square = 0;
  };
  using Pair = Eigen::Matrix<double, Eigen::Dynamic, 2, 0, Process::kMost, 2>;

  void add_measured(const Process& process, const Share& share);
  void begin(const SiblingMoments* moments);
  void add_forms(const Setting& setting, double weight, const Process::Square& quadratic, const Pair& linear);
  void evaluate();

  const ShapeData& data_;
  const Kernel& kernel_;
  const Eigen::VectorXd& carried_;
  Eigen::Index measured_, others_;
  const SiblingMoments* moments_ = nullptr;
  Forms forms_;
  std::vector<Moments> sums_;
};

}  // namespace etad::regression
