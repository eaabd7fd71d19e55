// Runs of one batch size are replicates of each other, whatever curve lies beneath: how far they differ is
// the noise of the runs alone, without the misfit of a basis.
#pragma once

#include <vector>

#include "regression/observations.h"

namespace etad::regression {

struct PureError {
  double scale = 0;    // standard deviation that a normal sample would have
  double degrees = 0;  // runs less batch sizes; 0: nothing is repeated
};

// From `residuals` (log(t / f), per row): 1.0483 x the median distance of two runs of one batch size (Shamos,
// "Geometry and statistics", 1976). It needs no centre, so a stalled run spoils its own pairs only. Each run
// is compared with at most the four before it, so that a change of the deployment is not taken for noise.
PureError pure_error(const Observations& rows, const std::vector<double>& residuals);

}  // namespace etad::regression
