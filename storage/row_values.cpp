#include "storage/row_values.h"

#include <algorithm>
#include <cstddef>

#include "storage/chunks.h"
#include "storage/thin.h"

namespace etad {

ModelKey key_of(const Run& run, Phase phase) {
  return {run.network, run.architecture, run.framework, run.host, run.device, run.devices, phase};
}

bool take_windows(RunData& data, std::int64_t count, std::string_view packed, int most) {
  SegmentCodec codec;
  if (!unpack_chunk(packed, count, codec, data.windows)) return false;
  thin(data.windows, static_cast<std::size_t>(std::max(most, 0)));
  for (Segment& window : data.windows)
    if (window.samples_per_iteration == 0) window.samples_per_iteration = data.samples_per_iteration;
  return true;
}

}  // namespace etad
