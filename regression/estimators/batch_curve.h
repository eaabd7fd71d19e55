// The curve of time over batch size: log t(b) = level + log(h^s + b^s) / s for b samples per device, where h is the
// batch whose computing costs as much as what each iteration costs anyway. With sharpness s = 1 the two add up; the
// larger s, the more of one hides behind the other, as a launch of kernels does behind their work. One sharpness is a
// network's in a phase, and 1 unless its series say otherwise. No one h is chosen: a grid of them
// is weighed by how likely each makes a series' runs (Bayesian model averaging), from the weights that the
// other series of the same network end with, and these from what all the history shows (empirical Bayes:
// Efron & Morris, JASA 70, 1975). So a series with one batch size has a curve already, the others', and one
// with many follows its own.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "regression/estimators/case.h"

namespace etad::estimators {

// The covariance of a smooth departure from a curve, at points so far apart in log b: one that has a slope everywhere
// and no curvature of its own, Matern with nu = 3/2 (Rasmussen & Williams 2006, eq. 4.17). Its length, 1 in log b, is
// about a doubling and a half.
inline double matern(double distance) {
  const double r = std::sqrt(3.0) * std::abs(distance);
  return (1 + r) * std::exp(-r);
}

class BatchCurves {
 public:
  static constexpr int kGrid = 25, kSharpnesses = 3;
  using Weights = Eigen::Array<double, kGrid, kSharpnesses>;  // of each h and s
  using Sharpness = Eigen::Array<double, 1, kSharpnesses>;

  explicit BatchCurves(const std::vector<ReplicateGroup>& groups);

  // Mean and variance, over the grid, of log t(b) less log t at the network's reference: a batch amid those that it
  // ran with, so that levels of its series are compared where they have runs.
  struct Point {
    double mean = 0, variance = 0;
  };
  Point at(const Case& what) const;

 private:
  struct Series {
    std::array<std::string, 2> pools =
        {};  // that it is of: its network's in that phase, and those with its settings
    Weights likelihood = {}, level = {};  // in units of the largest
    Weights weights = Weights::Zero();
    bool shows_curve = false;  // it has two batch sizes
  };
  void lay_out(const std::vector<ReplicateGroup>& groups);
  Series series_of(const std::vector<const ReplicateGroup*>& points) const;
  void weigh_sharpness();
  void weigh_series(const Weights& beforehand);
  Weights curves(double samples) const;  // log t less the level
  void keep_curves(double samples);
  double reference(const Case& what) const;
  // What is known of a series' curve by the others.
  Weights prior(const Series& series) const;

  Eigen::Array<double, kGrid, 1> grid_;
  double middle_ = 1;                         // of all batches, in the geometric mean
  std::map<std::string, double> references_;  // the same of each network's
  std::map<double, Weights> curves_;          // at those batches, and all that ran
  Weights all_;
  std::map<std::string, Series> series_;
  std::map<std::string, Weights> pools_;  // sums of the weights of their series, by network and settings
  std::map<std::string, Sharpness> sharpness_;  // weights, by pool
};

}  // namespace etad::estimators
