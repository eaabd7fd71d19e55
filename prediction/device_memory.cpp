#include "prediction/device_memory.h"

#include <algorithm>
#include <chrono>

#include "prediction/run_gpus.h"

namespace etad::prediction {

Result<std::optional<double>> device_memory(Reader& reader, const std::string& host,
                                            const std::string& own_host) {
  std::optional<double> out;
  if (host.empty()) return out;
  const auto series = reader.series("gpu.memory_total");
  if (!series) return tl::unexpected(series.error());
  for (const SeriesRow& row : *series) {
    if (!row.last_at || !is_gpu_of(row, host, own_host)) continue;
    SeriesQuery query;
    query.name = row.name;
    query.ids = {row.id};
    query.from = *row.last_at - std::chrono::hours{1};  // where only sums of hours are left, they have it too
    query.to = *row.last_at + std::chrono::seconds{1};
    const auto points = reader.series_points(query);
    if (!points) return tl::unexpected(points.error());
    for (const SeriesPoints& each : *points)
      if (!each.points.empty()) out = std::max(out.value_or(0), each.points.back().max);
  }
  return out;
}

}  // namespace etad::prediction
