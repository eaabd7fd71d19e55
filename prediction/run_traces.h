// Runs and monitoring traces meet: what a run's GPUs did over its time, and what was different since it
// became slower than its model allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"
#include "prediction/gpu_series.h"
#include "prediction/run_gpus.h"
#include "regression/anomaly.h"
#include "storage/history.h"
#include "storage/time_integral.h"

namespace etad::prediction {

// One GPU over a run's time. Absent: its traces have no such series, or nothing of it in that time.
struct GpuUsage {
  std::string gpu;
  std::optional<TimeIntegral> utilization;  // %
  std::optional<TimeIntegral> power;        // W; its integral is J
  std::optional<TimeIntegral> memory_used;  // B
};

struct Usage {
  Instant from{}, to{};  // the run's time; of a running run until now
  GpuChoice choice;
  std::vector<GpuUsage> gpus;  // as in the choice
};

// Reads the samples themselves of a run of at most six hours, where they are still there, and else the finest
// roll-up that is: their sums are the samples' own, only a run's first and last minute is taken by its share.
Result<Usage> usage_of(Reader& reader, const RunRow& row, const std::string& own_host, Instant now);

// One value of one GPU before an anomaly began and since.
struct Compared {
  std::string series;
  std::optional<TimeIntegral> before, since;
};

struct GpuComparison {
  std::string gpu;
  std::vector<Compared> values;
};

struct AnomalyTraces {
  std::optional<Instant> since;  // when the slow interval began; none: the log has no times
  GpuChoice choice;
  std::vector<GpuComparison> gpus;
};

Result<AnomalyTraces> traces_of(Reader& reader, const RunRow& row, const regression::Anomaly& anomaly,
                                const std::string& own_host, Instant now);

// What a run cost beside time.
struct RunCosts {
  std::optional<double> watts;       // mean over the run, of all its GPUs together
  std::optional<double> peak_bytes;  // the largest sample of any one of them
};

// Whether a series of that name tells the one or the other.
bool tells_watts(std::string_view name);
bool tells_peak_bytes(std::string_view name);

// Of a run that is over. Absent where the traces tell of less than half its time, of not all its GPUs, or in steps
// longer than a tenth of it: what they did not see may be anything.
Result<RunCosts> costs_of_run(Reader& reader, const RunRow& row, const GpuSeries& traces);

// What that answer rests on, as a number that is another where any of it is: while it stays, so does what is absent. None:
// the run has no times.
std::optional<std::uint64_t> costs_rest_on(const RunRow& row, const GpuSeries& traces);

// Total memory in bytes of the host's largest GPU, by its traces' last samples: what does not fit there fits
// nowhere on that host. Nothing where they don't say it, or `host` is not known (empty). `own_host`: what
// traces without a host are about.
Result<std::optional<double>> device_memory(Reader& reader, const std::string& host,
                                            const std::string& own_host);

}  // namespace etad::prediction
