// How to split one batch over devices that differ so that all of them are ready at once: Luk, Hong, Kim,
// "Qilin: exploiting parallelism on heterogeneous multiprocessors with adaptive mapping", MICRO 2009, in
// closed form.
#pragma once

#include <vector>

namespace etad::estimators {

// What a device takes for its share: fixed + each * samples, in seconds.
struct DeviceLine {
  double fixed = 0;  // >= 0
  double each = 0;   // > 0
};

struct SplitBatch {
  std::vector<double> samples;  // of each device; 0: it is too slow to begin with
  double seconds = 0;           // until all are ready
};

// Fills T as water fills vessels: device i takes (T - fixed_i)+ / each_i, and together they take the batch.
SplitBatch split_batch(const std::vector<DeviceLine>& devices, double samples);

}  // namespace etad::estimators
