// Several questions about one running run: what it has done so far is segmented once for all of them.
#pragma once

#include <optional>
#include <vector>

#include "regression/anomaly.h"
#include "regression/remaining.h"
#include "regression/step_time.h"

namespace etad::regression {

struct RunSoFar {
  explicit RunSoFar(const std::vector<RunInterval>& intervals)
      : seen(intervals), step_times(segment_step_times(intervals)) {}

  const std::vector<RunInterval>& seen;  // must outlive this
  std::optional<StepTimeSegmentation> step_times;
};

// As the functions of the same names that are given the intervals themselves.
std::optional<Remaining> remaining(const RunSoFar& run, const Plan& plan,
                                   const std::optional<Prediction>& train,
                                   const std::optional<Prediction>& test, double confidence);
std::optional<StepTime> expected_step_time(const RunSoFar& run, const Plan& plan,
                                           const std::optional<Prediction>& train, double confidence);
std::optional<Anomaly> anomaly(const RunSoFar& run, const Prediction& train);

}  // namespace etad::regression
