// Replicate groups: the runs of one batch size, taken together. What the Gaussian process over batch sizes
// (regression/residual_curve.h) is inferred from, instead of from single runs.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "regression/noise.h"
#include "regression/observations.h"

namespace etad::regression {

// One entry a group, in the order of `samples`.
struct ReplicateGroups {
  std::vector<double>
      samples;  // per iteration, sorted; at most kMaxCurve, beyond which neighbours share a group
  Eigen::VectorXd residuals;  // robust mean of log(t / f) of each group's runs
  Eigen::VectorXd noise;      // variance of that mean, from the pooled noise and the group's own spread
  std::vector<int> of;        // the group of each row
};

// `residuals`, `weights`: the robust fit's, per row. Where a group has three runs or more its mean is Tukey's
// biweight about their median. A lone run far from the basis may be a peculiar batch size or a bad run, which
// nothing tells apart: its group's variance is as large as the fit's weight of it is small. Runs that agree
// with each other are believed, wherever they lie.
ReplicateGroups replicate_groups(const Observations& rows, const std::vector<double>& residuals,
                                 const std::vector<double>& weights, const Noise& noise);

}  // namespace etad::regression
