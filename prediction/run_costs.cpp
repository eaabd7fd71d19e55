#include "prediction/run_costs.h"

#include <algorithm>

#include "parsers/base/time.h"
#include "parsers/traces/trace_series.h"
#include "prediction/run_traces.h"

namespace etad::prediction {
namespace {

constexpr double kLeastCovered = 0.5;  // share of the run's time
constexpr double kLongestStep = 0.1;   // likewise: a longer one is more of what was before and behind

}  // namespace

bool tells_watts(std::string_view name) {
  return name == series::kPower || name == "gpu.power_average";
}

bool tells_peak_bytes(std::string_view name) {
  return name == series::kMemoryUsed;
}

Result<RunCosts> costs_of_run(Reader& reader, const RunRow& row, const std::string& own_host) {
  RunCosts out;
  if (!wall_time(row.run)) return out;
  const auto usage = usage_of(reader, row, own_host, *row.run.ended_at);
  if (!usage) return tl::unexpected(usage.error());
  const auto& gpus = usage->gpus;
  if (gpus.empty() || (row.run.devices > 0 && static_cast<std::int64_t>(gpus.size()) != row.run.devices))
    return out;
  const double seconds = to_seconds(usage->to - usage->from);
  const auto seen = [&](const std::optional<TimeIntegral>& each) {
    return each && each->covered > 0 && each->covered >= kLeastCovered * seconds &&
           each->step <= kLongestStep * seconds;
  };
  if (std::ranges::all_of(gpus, seen, &GpuUsage::power)) {
    out.watts = 0;
    for (const GpuUsage& gpu : gpus) *out.watts += gpu.power->mean();
  }
  if (std::ranges::all_of(gpus, seen, &GpuUsage::memory_used)) {
    out.peak_bytes = 0;
    for (const GpuUsage& gpu : gpus) out.peak_bytes = std::max(*out.peak_bytes, gpu.memory_used->max);
  }
  return out;
}

}  // namespace etad::prediction
