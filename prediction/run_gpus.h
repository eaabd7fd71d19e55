// Which GPUs a run ran on, among those that the monitoring traces know. Pure. Nothing is guessed: where
// neither the user, the configuration nor the log says it, only a single GPU is taken for the run's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/rows.h"

namespace etad::prediction {

// One GPU of a host, with all the series that are about it.
struct TracedGpu {
  std::string name;  // its index as the traces count, or else its UUID or bus id; empty: the trace has none
  std::vector<std::int64_t> series;  // sorted

  bool has(std::int64_t id) const { return std::ranges::binary_search(series, id); }
};

struct GpuChoice {
  std::vector<TracedGpu> gpus;  // in the order they were named; one without series: no trace knows it
  std::string chosen_by;        // "label", "log", "only_gpu"; empty: none were chosen
  std::string absent;           // why none were, for people
  std::string hint;             // what would help; may be empty
};

// `series`: those that have samples of the run's time. `own_host`: what a series without a host is about.
// A label `gpus` wins over the log, because the two count differently: the log by what CUDA_VISIBLE_DEVICES
// left visible to the process, the trace by what is in the machine.
GpuChoice choose_gpus(const RunRow& row, const std::vector<SeriesRow>& series, const std::string& own_host);

// Whether an index of these is that of several GPUs, as where they were renumbered while the machine was off.
bool names_several(const std::vector<SeriesRow>& series);

// Hosts are named with and without their domain.
bool same_host(std::string_view a, std::string_view b);

// Whether a series is about a whole GPU; a share of a partitioned one is none.
bool is_about_a_gpu(const SeriesRow& row);
// And of that host.
bool is_gpu_of(const SeriesRow& row, std::string_view host, const std::string& own_host);

}  // namespace etad::prediction
