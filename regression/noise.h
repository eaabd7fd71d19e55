// How much runs of the same thing differ: two variance components. Within a run, iterations differ from each
// other, which averages out over a long run. Between runs, the state of the machine differs (clocks,
// neighbours, memory layout), which does not average out. So variance(n) = run^2 + iteration^2 / n.
#pragma once

#include <vector>

#include "regression/dataset.h"
#include "regression/observations.h"

namespace etad::regression {

struct Noise {
  double run = 0;        // relative standard deviation of a long run
  double iteration = 0;  // of one iteration
  double degrees = 0;    // of freedom, behind `run`

  double variance(double n) const { return run * run + iteration * iteration / n; }
};

// The noise of an iteration is the robust spread of the windows' step time times the root of their iterations.
WithinRun within_run(const std::vector<Window>& windows);

// Of an iteration: the median over the runs. 0 where no run has enough windows.
double within_run_noise(const Dataset& data);

// Both components, of which `iteration` is given. The total variance is that of `residuals`, log(t / f) after `parameters`
// were fitted: the square of their tau-scale times runs / (runs - parameters). iteration^2 times the median of 1 / n is
// subtracted.
//
// The rest is shrunk towards kPriorNoise. That is done in the logarithm, for noise differs between machines by
// factors: d degrees of freedom weigh 2 d x d / (d + 2), the prior 1.25, the inverse variances of the two
// logarithms.
Noise between_run_noise(const Dataset& rows, const std::vector<double>& residuals, int parameters,
                        double iteration);

}  // namespace etad::regression
