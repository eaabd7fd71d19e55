#include "regression/estimators/qilin.h"

#include <algorithm>
#include <numeric>

namespace etad::estimators {

SplitBatch split_batch(const std::vector<DeviceLine>& devices, double samples) {
  SplitBatch out;
  out.samples.resize(devices.size());
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return devices[i].fixed; });
  // With the first devices alone the time is (samples + sum a/b) / sum 1/b; the next one takes part only where
  // it would be ready to begin by then.
  double rate = 0, owed = samples;
  for (const std::size_t i : order) {
    const DeviceLine& device = devices[i];
    if (rate > 0 && device.fixed >= owed / rate) break;
    rate += 1 / device.each;
    owed += device.fixed / device.each;
  }
  if (rate > 0) out.seconds = owed / rate;
  for (std::size_t i = 0; i < devices.size(); ++i)
    out.samples[i] = std::max(0.0, out.seconds - devices[i].fixed) / devices[i].each;
  return out;
}

}  // namespace etad::estimators
