// Runs of one batch size, taken together: what the shape over batch sizes is inferred from.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "regression/noise.h"
#include "regression/observations.h"

namespace etad::regression {

struct Cells {
  std::vector<double> samples;  // sorted; at most kMaxCurve, beyond which neighbours share a cell
  Eigen::VectorXd residuals;    // robust mean of log(t / f) of each cell's runs
  Eigen::VectorXd noise;        // its variance: the pooled noise, moved by the cell's own spread
  std::vector<int> of;          // the cell of each row
};

// `weights`: the robust fit's. A lone run far from the basis may be a peculiar batch size or a bad run; its
// cell counts for little. Runs that agree with each other are believed, wherever they lie.
Cells gather(const Observations& rows, const std::vector<double>& residuals,
             const std::vector<double>& weights, const Noise& noise);

}  // namespace etad::regression
