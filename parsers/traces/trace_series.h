// The vocabulary of monitoring traces: what each series is called, in which unit, and what it says. Every
// reader writes these names, whatever its tool calls them; docs/formats.md shows the tools' own names beside
// them.
//
// Units are base units: W, J, B, B/s, Hz, s, C (degrees Celsius), 1/s; shares of time or capacity are in %
// (0 to 100), counts, flags (0 or 1) and masks have none. A flag's mean over some time is the share of it.
//
// Labels, "name=value" in the order of their names, joined by commas (Sample::labels):
//   gpu      the device's index as its tool counts it: 0, 1, …
//   uuid     GPU-…, where the trace says it
//   mig      the instance on a partitioned device, where the trace says it
//   pci      the bus id, where the trace names the device by nothing else
//   host     where the trace or the source's labels say it; absent: the machine the daemon runs on
//   command  a process' program, of the process.* series
//   cpu, disk, net   which one, of the host.* series; absent: all of them together
// A trace that names no device has neither gpu nor uuid, unless the source's labels give it one.
#pragma once

#include <span>
#include <string_view>

namespace etad {

struct TraceSeries {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
};

// What others than the readers ask for by name.
namespace series {
inline constexpr std::string_view kUtilization = "gpu.utilization";
inline constexpr std::string_view kPower = "gpu.power";
inline constexpr std::string_view kEnergy = "gpu.energy";
inline constexpr std::string_view kMemoryUsed = "gpu.memory_used";
inline constexpr std::string_view kTemperature = "gpu.temperature";
inline constexpr std::string_view kThrottled = "gpu.throttled";
}  // namespace series

// All of them, in the order of their names.
std::span<const TraceSeries> trace_series();

// nullptr: not a series of the vocabulary.
const TraceSeries* find_trace_series(std::string_view name);

}  // namespace etad
