// The Gaussian process of regression/residual_curve.h. ResidualProcess is the process for one point of the
// grid of hyperparameters: its marginal likelihood, and its weights at the measured batch sizes. Predictions
// averages what all points of the grid say of mean and variance at every position.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "regression/residual_kernel.h"

namespace etad::regression {

// A point of the grid: what the covariance is made of.
struct Hyperparameters {
  double matern = 0, nugget = 0;             // standard deviations
  double related_models = 0;                 // factor of their part
  const KernelPart* related_part = nullptr;  // nullptr: none
  double small_batches = 0;                  // standard deviation
};

class ResidualProcess {
 public:
  // Never larger than this: no grid point allocates.
  static constexpr int kMost = static_cast<int>(kMaxCurve);
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  using Line = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;

  // `carried`: the residuals carried over from the network's other phase, at the measured batch sizes at
  // least; empty: nothing.
  ResidualProcess(const ResidualData& data, const Kernel& kernel, const Eigen::VectorXd& carried);

  // Prepares evidence(). It may then be asked of any share of what is carried over: a share moves the
  // residuals, not their covariance. A point that differs from the one before in `small_batches` only is
  // cheap.
  void set(const Hyperparameters& point) { apply(point, false); }
  double evidence(double carried) const;  // log marginal likelihood, but for a constant

  // Prepares all the rest too, which may be asked for if definite(). It is not only where a NaN or an
  // overflow came in.
  void set_and_invert(const Hyperparameters& point) { apply(point, true); }
  bool definite() const { return definite_; }
  const Hyperparameters& hyperparameters() const { return hyperparameters_; }
  const Square& inverse() const { return inverse_; }  // K^-1
  Line weights(double carried) const;                 // K^-1 (r - carried)

 private:
  // Of the residuals, of what is carried, and of the term in 1/B.
  using Trio = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, kMost, 3>;

  Eigen::Index size() const { return lines_.rows(); }
  void apply(const Hyperparameters& point, bool invert);
  Square covariance(const Hyperparameters& point) const;
  void factor(const Hyperparameters& point, bool invert);

  Trio lines_;
  Line noise_;
  Square coefficients_, matern_;
  Hyperparameters hyperparameters_;

  // Without the term in 1/B: K = L L'.
  bool definite_ = false, inverted_ = false;
  Eigen::Matrix3d products_;  // of lines_: lines' K^-1 lines
  double log_diagonal_ = 0;   // sum of log L_jj
  Square plain_inverse_;
  Trio plain_weights_;  // K^-1 lines

  // With it: K + s^2 d d' has the inverse K^-1 - correction K^-1 d d' K^-1 (Sherman & Morrison 1950).
  double correction_ = 0, half_log_determinant_ = 0;
  Square inverse_;
};

// A share of the other phase's residuals that may be carried over, and the logarithm of its posterior weight
// over that of the likeliest share.
struct CarriedShare {
  double carried = 0, log_weight = 0;
};

// Mean and variance of a weighted mixture, summed up part by part.
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

// The predictions of many grid points at the first `positions` of all, weighed.
//
// Where nothing was measured, prediction and variance under a grid point (R&W eq. 2.25-2.26) are a linear and
// a quadratic form in the covariances with the measured batch sizes, and these are sums of parts that the
// grid points share, each times a strength of the grid point's. So the grid points' forms are summed, pair of
// parts by pair, and evaluated once. At a measured batch size those covariances, its noise added, are a
// column of K, and K^-1 times a column of K is a unit vector: nothing is to be solved there.
class Predictions {
 public:
  Predictions(const ResidualData& data, const Kernel& kernel, const Eigen::VectorXd& carried,
              Eigen::Index positions);

  // One grid point's, with these shares carried over. Grid points with the same related models' part are to
  // come one after the other.
  void add(const ResidualProcess& process, std::span<const CarriedShare> shares);
  std::vector<Moments> result();

 private:
  static constexpr std::size_t kParts = 4;
  using Pair = Eigen::Matrix<double, Eigen::Dynamic, 2, 0, ResidualProcess::kMost, 2>;

  // Sums over the grid points with the same related models' part, by pair of parts and by part.
  struct Forms {
    // Of the prediction's square less what is known of the variance; [a][b] for a <= b counts for both.
    std::array<std::array<ResidualProcess::Square, kParts>, kParts> quadratic;
    // Of the prediction; of the prediction times what is carried.
    std::array<Pair, kParts> linear;
    std::array<double, kParts> own{};  // of the prior variances
    double weight = 0, nugget = 0, carried = 0, carried_square = 0;
  };

  void begin(const KernelPart* related_models);
  void add_measured(const ResidualProcess& process, const ResidualProcess::Line& weights, double weight);
  void evaluate();

  const ResidualData& data_;
  const Eigen::VectorXd& carried_;
  Eigen::Index measured_, others_;
  std::array<const KernelPart*, kParts> parts_;  // the related models' last; nullptr: none
  Forms forms_;
  std::vector<Moments> sums_;
};

}  // namespace etad::regression
