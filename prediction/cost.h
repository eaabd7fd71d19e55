// What a run costs beside time: energy and memory, of the same deployment and the same parts that its
// estimate in time has. Pure.
#pragma once

#include <optional>

#include "prediction/estimate.h"

namespace etad::prediction {

struct CostEstimate {
  // Joules of all of it by all devices, whose bounds come of its parts' as a total time's do; peak bytes of a device.
  double value = 0, lower = 0, upper = 0;
  Said said;  // of the part that had to reach farthest
};

// nullopt: the history can't say it of every part.
std::optional<CostEstimate> cost_of(const Estimate& estimate, estimators::Target cost);

}  // namespace etad::prediction
