// Is a running run slower than its model allows? Pure; the daemon adds what the monitoring traces show.
#pragma once

#include <optional>

#include "regression/model.h"
#include "regression/step_time.h"

namespace etad::regression {

// The run is slower than its model by more than the model's interval, and still is.
struct Anomaly {
  double since_iteration = 0;        // first iteration of the interval that is too slow
  double since_seconds = 0;          // seconds into the intervals seen, tests included, when it began
  double slowdown = 1;               // seconds per iteration since then over the model's: 1.3 is 30 % slower
  double lost_seconds = 0;           // beyond what the model expected, since then
  double seconds_per_iteration = 0;  // since then
};

// `train`: the model's prediction for ONE training iteration of this run. nullopt: nothing wrong (any more),
// too little seen, or no usable prediction. A stall of a few windows is no anomaly; one that goes on is.
std::optional<Anomaly> anomaly(const RunSoFar& run, const Prediction& train);

}  // namespace etad::regression
