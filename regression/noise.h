// How much runs of the same thing differ. Two sources: each iteration has luck of its own, which evens out
// over a long run, and each run meets a machine in a state of its own (clocks, neighbours, memory layout),
// which does not: variance(n) = run^2 + iteration^2 / n.
#pragma once

#include "regression/dataset.h"
#include "regression/observations.h"

namespace etad::regression {

struct Noise {
  double run = 0;        // relative standard deviation of a long run
  double iteration = 0;  // of one iteration
  double degrees = 0;    // of freedom, behind `run`

  double variance(double n) const { return run * run + iteration * iteration / n; }
};

// From the windows of the runs: the robust spread of their step time within a run times the root of their
// iterations, the median over the runs. 0 where no run has enough windows.
double within_run_noise(const Dataset& data);

// What is left for the runs: the robust spread of `residuals` (log(t / f); `parameters` were fitted), about
// each other where batch sizes are repeated (regression/pure_error.h), less what the iterations explain,
// shrunk towards `typical` (0: kPriorNoise) in the logarithm, as noise differs between machines by factors. d
// degrees of freedom weigh d / (d + 2) x 2 d against the prior's 1.25 (the inverse variances of the
// logarithms).
Noise between_run_noise(const Observations& rows, const std::vector<double>& residuals, int parameters,
                        double iteration, double typical);

}  // namespace etad::regression
