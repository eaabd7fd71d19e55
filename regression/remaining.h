// How long a running run has left: the network's model as prior, moved by the run's own windows.
#pragma once

#include <optional>
#include <vector>

#include "regression/model.h"

namespace etad::regression {

// A stretch of a run that is over, in order of time.
struct Stretch {
  bool test = false;         // a test phase; otherwise training
  double iterations = 0;
  double seconds = 0;
  double first_iteration = 0;
};

// What the run still has to do, as far as its log and settings say.
struct Plan {
  double iteration = 0;        // reached
  double max_iterations = 0;   // to reach
  double test_interval = 0;    // 0: no tests
  double test_iterations = 0;  // per test phase
  double snapshot_interval = 0;
  bool test_at_end = true;
};

struct Remaining {
  double seconds = 0, lower = 0, upper = 0;
};

// `train`, `test`: predictions of the model for ONE iteration, where there is a model. nullopt: nothing known.
std::optional<Remaining> remaining(const std::vector<Stretch>& seen, const Plan& plan,
                                   const std::optional<Prediction>& train, const std::optional<Prediction>& test,
                                   double confidence);

}  // namespace etad::regression
