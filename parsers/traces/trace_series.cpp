#include "parsers/traces/trace_series.h"

#include <algorithm>

namespace etad {
namespace {

// Ordered by name: find_trace_series() searches it so.
constexpr TraceSeries kSeries[] = {
    {"gpu.bar1_used", "B", "of the window through which the CPU sees the device's memory"},
    {"gpu.clock_graphics", "Hz", "of the graphics (shader) domain"},
    {"gpu.clock_memory", "Hz", "of the memory"},
    {"gpu.clock_sm", "Hz", "of the multiprocessors"},
    {"gpu.clock_video", "Hz", "of the encoder and decoder"},
    {"gpu.decoder_utilization", "%", "share of time the video decoder worked"},
    {"gpu.dram_active", "%", "share of cycles the memory interface moved data"},
    {"gpu.ecc_corrected", "", "corrected memory errors since the driver was loaded"},
    {"gpu.ecc_uncorrected", "", "uncorrected memory errors since the driver was loaded"},
    {"gpu.encoder_utilization", "%", "share of time the video encoder worked"},
    {"gpu.energy", "J", "drawn since the driver was loaded: a counter that only grows"},
    {"gpu.fan", "%", "of the fan's intended speed"},
    {"gpu.fp16_active", "%", "share of cycles the half-precision pipe worked"},
    {"gpu.fp32_active", "%", "share of cycles the single-precision pipe worked"},
    {"gpu.fp64_active", "%", "share of cycles the double-precision pipe worked"},
    {"gpu.graphics_active", "%", "share of time the graphics or compute engine worked"},
    {"gpu.jpeg_utilization", "%", "share of time the JPEG engine worked"},
    {"gpu.memory_free", "B", "of the device's memory"},
    {"gpu.memory_reserved", "B", "of the device's memory, by driver and firmware"},
    {"gpu.memory_temperature", "C", "of the memory"},
    {"gpu.memory_total", "B", "of the device's memory"},
    {"gpu.memory_used", "B", "of the device's memory"},
    {"gpu.memory_utilization", "%", "share of time the memory was read or written"},
    {"gpu.nvlink_receive", "B/s", "over all links"},
    {"gpu.nvlink_send", "B/s", "over all links"},
    {"gpu.ofa_utilization", "%", "share of time the optical-flow engine worked"},
    {"gpu.pcie_generation", "", "of the link as it runs now"},
    {"gpu.pcie_receive", "B/s", "by the device"},
    {"gpu.pcie_replays", "", "since the driver was loaded"},
    {"gpu.pcie_send", "B/s", "by the device"},
    {"gpu.pcie_width", "", "lanes of the link as it runs now"},
    {"gpu.power", "W", "drawn by the whole board"},
    {"gpu.power_average", "W", "drawn by the whole board, the driver's mean over a second"},
    {"gpu.power_instant", "W", "drawn by the whole board, as measured last"},
    {"gpu.power_limit", "W", "the limit in force"},
    {"gpu.power_violation", "%", "share of time clocks were held down by the power limit"},
    {"gpu.pstate", "", "performance state: 0 (P0, fastest) to 15"},
    {"gpu.sm_active", "%", "share of cycles a multiprocessor had work, over all of them"},
    {"gpu.sm_occupancy", "%", "resident warps, of the most that there can be"},
    {"gpu.temperature", "C", "of the device"},
    {"gpu.tensor_active", "%", "share of cycles the tensor pipe worked"},
    {"gpu.thermal_violation", "", "flag: clocks were held down by heat"},
    {"gpu.throttle_applications_clocks", "", "flag: clocks limited by the applications' clocks setting"},
    {"gpu.throttle_display_clock", "", "flag: clocks limited by the display's clock setting"},
    {"gpu.throttle_hw_power_brake", "", "flag: slowed down by an external power brake"},
    {"gpu.throttle_hw_slowdown", "", "flag: slowed down by hardware (heat, power brake, draw too high)"},
    {"gpu.throttle_hw_thermal", "", "flag: slowed down by hardware, by heat"},
    {"gpu.throttle_idle", "", "flag: clocks low since nothing runs"},
    {"gpu.throttle_reasons", "", "NVML's mask of reasons; a mean of it says nothing"},
    {"gpu.throttle_sw_power_cap", "", "flag: clocks held down by the power limit"},
    {"gpu.throttle_sw_thermal", "", "flag: clocks held down by software, by heat"},
    {"gpu.throttle_sync_boost", "", "flag: clocks held down to those of other devices"},
    {"gpu.throttled", "", "flag: the mask has a reason of power or heat"},
    {"gpu.utilization", "%", "share of time at least one kernel ran"},
    {"gpu.xid", "", "number of the last XID error; 0: none"},
    {"host.context_switches", "1/s", ""},
    {"host.cpu_idle", "%", "share of time, nothing to do"},
    {"host.cpu_iowait", "%", "share of time, waiting for a disk"},
    {"host.cpu_irq", "%", "share of time, in hardware interrupts"},
    {"host.cpu_nice", "%", "share of time, user programs of low priority"},
    {"host.cpu_softirq", "%", "share of time, in software interrupts"},
    {"host.cpu_steal", "%", "share of time taken by the hypervisor"},
    {"host.cpu_system", "%", "share of time, in the kernel"},
    {"host.cpu_user", "%", "share of time, in user programs"},
    {"host.disk_read", "B/s", ""},
    {"host.disk_utilization", "%", "share of time the disk was busy"},
    {"host.disk_write", "B/s", ""},
    {"host.interrupts", "1/s", ""},
    {"host.load_15m", "", "mean number of runnable processes over 15 minutes"},
    {"host.load_1m", "", "mean number of runnable processes over a minute"},
    {"host.load_5m", "", "mean number of runnable processes over 5 minutes"},
    {"host.memory_buffers", "B", ""},
    {"host.memory_cached", "B", ""},
    {"host.memory_free", "B", ""},
    {"host.memory_used", "B", ""},
    {"host.network_receive", "B/s", ""},
    {"host.network_send", "B/s", ""},
    {"host.page_in", "B/s", ""},
    {"host.page_out", "B/s", ""},
    {"host.swap_free", "B", ""},
    {"host.swap_used", "B", ""},
    {"process.decoder_utilization", "%", "share of time, by processes of that program"},
    {"process.encoder_utilization", "%", "share of time, by processes of that program"},
    {"process.memory_used", "B", "of the device's memory, by processes of that program"},
    {"process.memory_utilization", "%", "share of time the memory was read or written by them"},
    {"process.sm_utilization", "%", "share of time kernels of that program ran"},
};

static_assert(std::is_sorted(std::begin(kSeries), std::end(kSeries),
                             [](const TraceSeries& a, const TraceSeries& b) { return a.name < b.name; }));

}  // namespace

std::span<const TraceSeries> trace_series() {
  return kSeries;
}

const TraceSeries* find_trace_series(std::string_view name) {
  const auto* found = std::lower_bound(std::begin(kSeries), std::end(kSeries), name,
                                       [](const TraceSeries& s, std::string_view n) { return s.name < n; });
  return found != std::end(kSeries) && found->name == name ? found : nullptr;
}

}  // namespace etad
