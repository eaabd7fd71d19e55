// The shared random effect of a machine: what slows all of its runs alike for a while (neighbours on shared
// cores, a warm card, other jobs), seen in the runs that were over a little while ago, and worth knowing for
// one that starts now.
//
// Formally, with y_i the logarithm of run i's time over its model's estimate,
//
//     y_i = (mean of u(t) over the run) + e_i,   e_i independent,
//
// where u is an Ornstein-Uhlenbeck process, the AR(1) process of continuous time: values d seconds apart
// correlate by e^(-d/tau). A long run averages many of them, so that an effect of minutes does not touch the
// estimate of a run of hours. The mean of u at a time not seen is that of a Gaussian process (Rasmussen &
// Williams, "Gaussian Processes for Machine Learning", 2006, eq. 2.25-2.26).
//
// Its two hyperparameters, tau and the share of the runs' variance that u makes, are averaged over: each
// point of a grid weighs as much as it makes the runs likely. "There is no such effect" is one of the points,
// and as likely beforehand as all others together.
//
// Cost: cubic in kMostSharedEffectPoints when it is made, in kMostRecent when it is asked, once a grid point.
//
// The API calls the factor e^u of an estimate `mood`.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regression/model.h"

namespace etad::regression {

// A run as a datum of the effect: what is left of its time by a model that has not seen it.
struct SharedEffectPoint {
  double from = 0, until = 0;  // seconds since 1970
  double log_ratio = 0;
  double variance = 0;  // of log_ratio, the effect included
  double scale = 0;     // the model's noise: how far the effect may move its runs
};

class SharedEffect {
 public:
  SharedEffect() = default;
  explicit SharedEffect(std::vector<SharedEffectPoint> points);

  struct State {
    double log_ratio = 0;  // of the time of the run to the one its model estimates
    double explained = 0;  // by how much the variance of that logarithm shrinks with the effect known
  };

  // Of a run of `seconds` that starts at `at`, of a model whose noise is `scale`, by the runs that were over
  // then. At most kMostRecent of them count.
  State at(double at, double seconds, double scale) const;

 private:
  struct GridPoint {
    double lasting = 0;  // tau, seconds
    double share = 0;    // of the variance of a long run
    double weight = 0;
  };

  void weigh_grid();
  double deviation_of(double noise) const;  // how far it moves a long run's logarithm, by its model's noise

  std::vector<SharedEffectPoint> points_;  // by `until`
  std::vector<GridPoint> grid_;            // what counts of it; empty: no effect
  double scale_ = 0;                       // the median of the points' scales
};

struct Interval {
  double from = 0, until = 0;  // seconds
  bool operator==(const Interval&) const = default;
};

// The correlation of the means over two intervals of time of a process of variance 1 that lasts that long (tau):
// e^(-|u - v|/tau), averaged over both.
double correlation(const Interval& x, const Interval& y, double lasting);

// How many of the newest points say how long it lasts, and how many of the last ones what it is now.
inline constexpr std::size_t kMostSharedEffectPoints = 48, kMostRecent = 24;

// The newest runs of `data` with known times, at most `most`, as `model` (fitted from them) sees them. Runs
// that it rejects are left out: one contaminated run is no effect that others share.
std::vector<SharedEffectPoint> shared_effect_points(const Dataset& data, const Model& model,
                                                    std::size_t most);

}  // namespace etad::regression
