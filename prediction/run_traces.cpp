#include "prediction/run_traces.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

#include "parsers/base/hash.h"
#include "parsers/base/time.h"
#include "parsers/traces/trace_series.h"
#include "regression/covariates.h"

namespace etad::prediction {
namespace {

// Longer runs are read by the minute: a day of one GPU's samples would be 86,400 of each series.
constexpr std::chrono::hours kLongestRaw{6};
constexpr std::chrono::seconds kMinute{60};
// Neighbours of the interval, so that its edges can be interpolated in traces of up to a sample in ten
// minutes.
constexpr std::chrono::minutes kMargin{10};
// Of a run's segments the newest count, as for its forecast.
constexpr std::int64_t kMostSegments = 4096;

// What may explain that a run became slower, besides the flags of the throttle reasons.
constexpr std::string_view kTelling[] = {series::kUtilization, "gpu.clock_sm",    "gpu.clock_graphics",
                                         "gpu.clock_memory",   series::kPower,    "gpu.power_average",
                                         series::kTemperature, series::kThrottled};

// What a run cost is told by traces of so much of its time, and in no longer steps: a longer one is more of what was before
// and behind. Shares of it.
constexpr double kLeastCovered = 0.5;
constexpr double kLongestStep = 0.1;

// Of so many GPUs' memory, as a host's traces name them, the last sample is looked at: those heard of last.
constexpr std::size_t kMostOfMemory = 64;

bool is_telling(std::string_view name) {
  return std::find(std::begin(kTelling), std::end(kTelling), name) != std::end(kTelling) ||
         (name.starts_with("gpu.throttle_") && name != "gpu.throttle_reasons");
}

// More series of one host's GPUs than this are no machine's (16 GPUs by two tools of 32 values).
constexpr std::size_t kMostAsked = 1024;

const std::string& host_of(const RunRow& row, const GpuSeries& traces) {
  return row.run.host.empty() ? traces.own_host() : row.run.host;
}

// The series of the run's host and of this machine that have something of [from, to). Whether they do is asked only
// where an index was several GPUs', and of no more than a machine has: else its index is nobody's.
Result<std::vector<SeriesRow>> series_between(Reader& reader, const GpuSeries& traces, const RunRow& row,
                                              Instant from, Instant to) {
  auto near = traces.between(host_of(row, traces), from, to);
  if (near.size() > kMostAsked || !names_several(near)) return near;
  SeriesQuery query;
  query.from = from;
  query.to = to;
  query.step = to - from > kLongestRaw ? std::chrono::hours{1} : kMinute;
  for (const SeriesRow& each : near) query.ids.push_back(each.id);
  const auto points = reader.series_points(query);
  if (!points) return tl::unexpected(points.error());
  std::set<std::int64_t> without;
  for (const SeriesPoints& each : *points)
    if (each.points.empty()) without.insert(each.series.id);
  std::erase_if(near, [&](const SeriesRow& each) { return without.contains(each.id); });
  return near;
}

bool is_about(const std::vector<TracedGpu>& gpus, std::int64_t series) {
  return std::ranges::any_of(gpus, [series](const TracedGpu& gpu) { return gpu.has(series); });
}

// Of each GPU the integral of that series over each of the parts of an interval that `bounds` begin and end. Where
// two traces are of the same GPU and value, the one that covers more counts: never their sum.
using Integrals = std::vector<std::vector<std::optional<TimeIntegral>>>;
Result<Integrals> integrals(Reader& reader, const std::vector<SeriesRow>& series, std::string_view name,
                            const std::vector<TracedGpu>& gpus, const std::vector<Instant>& bounds) {
  Integrals out(gpus.size(), Integrals::value_type(bounds.size() - 1));
  SeriesQuery query;
  query.name = std::string(name);
  query.from = bounds.front() - kMargin;
  query.to = bounds.back() + kMargin;
  query.step = bounds.back() - bounds.front() > kLongestRaw ? kMinute : std::chrono::seconds{0};
  for (const SeriesRow& row : series)
    if (query.ids.size() < kMostAsked && row.name == name && is_about(gpus, row.id))
      query.ids.push_back(row.id);
  if (query.ids.empty()) return out;
  const auto points = reader.series_points(query);
  if (!points) return tl::unexpected(points.error());
  for (const SeriesPoints& each : *points)
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
      for (std::size_t i = 0; gpus[gpu].has(each.series.id) && i + 1 < bounds.size(); ++i) {
        auto& value = out[gpu][i];
        const TimeIntegral found = integrate(each.points, each.step, bounds[i], bounds[i + 1]);
        if (found.covered > (value ? value->covered : 0)) value = found;
      }
  return out;
}

Instant end_of(const Run& run, Instant now) {
  return run.state == RunState::running ? now : run.ended_at.value_or(now);
}

GpuChoice undated() {
  return {{}, {}, "its log has no times", {}};
}

// When the first training segment that is too slow began.
Result<std::optional<Instant>> began(Reader& reader, const RunRow& row, double iteration) {
  const std::int64_t count = row.run.train.segments + row.run.test.segments;
  const auto segments =
      reader.segments(row.id, std::max<std::int64_t>(0, count - kMostSegments), kMostSegments);
  if (!segments) return tl::unexpected(segments.error());
  std::optional<Instant> out;
  for (const Segment& each : *segments) {
    if (each.phase != Phase::train || !each.started_at) continue;
    if (static_cast<double>(each.first_iteration) < iteration) continue;
    if (!out || *each.started_at < *out) out = each.started_at;
  }
  return out;
}

// One question's; a refit has them for all its runs.
Result<GpuSeries> gpu_series(Reader& reader, const std::string& own_host) {
  auto all = reader.series();
  if (!all) return tl::unexpected(all.error());
  return GpuSeries(std::move(*all), own_host);
}

Result<Usage> usage_in(Reader& reader, const RunRow& row, const GpuSeries& traces, Instant now) {
  Usage out;
  if (!row.run.started_at) {
    out.choice = undated();
    return out;
  }
  out.from = *row.run.started_at;
  out.to = std::max(end_of(row.run, now), out.from);
  const auto series = series_between(reader, traces, row, out.from, out.to);
  if (!series) return tl::unexpected(series.error());
  out.choice = choose_gpus(row, *series, traces.own_host());
  const auto& gpus = out.choice.gpus;
  for (const TracedGpu& gpu : gpus) out.gpus.push_back({gpu.name, {}, {}, {}});
  for (const auto& [name, member] :
       std::initializer_list<std::pair<std::string_view, std::optional<TimeIntegral> GpuUsage::*>>{
           {series::kUtilization, &GpuUsage::utilization},
           {series::kPower, &GpuUsage::power},
           {"gpu.power_average", &GpuUsage::power},  // where the tool gives only the driver's own mean
           {series::kMemoryUsed, &GpuUsage::memory_used}}) {
    const auto found = integrals(reader, *series, name, gpus, {out.from, out.to});
    if (!found) return tl::unexpected(found.error());
    for (std::size_t i = 0; i < gpus.size(); ++i)
      if (auto& value = out.gpus[i].*member; !value) value = (*found)[i].front();
  }
  return out;
}

}  // namespace

Result<Usage> usage_of(Reader& reader, const RunRow& row, const std::string& own_host, Instant now) {
  const auto traces = gpu_series(reader, own_host);
  if (!traces) return tl::unexpected(traces.error());
  return usage_in(reader, row, *traces, now);
}

Result<AnomalyTraces> traces_of(Reader& reader, const RunRow& row, const regression::Anomaly& anomaly,
                                const std::string& own_host, Instant now) {
  AnomalyTraces out;
  const auto since = began(reader, row, anomaly.since_iteration);
  if (!since) return tl::unexpected(since.error());
  out.since = *since;
  if (!row.run.started_at || !out.since || *out.since < *row.run.started_at) {
    out.choice = undated();
    return out;
  }
  const Instant from = *row.run.started_at, to = std::max(end_of(row.run, now), *out.since);
  const auto traces = gpu_series(reader, own_host);
  if (!traces) return tl::unexpected(traces.error());
  const auto series = series_between(reader, *traces, row, from, to);
  if (!series) return tl::unexpected(series.error());
  out.choice = choose_gpus(row, *series, own_host);
  const auto& gpus = out.choice.gpus;
  for (const TracedGpu& gpu : gpus) out.gpus.push_back({gpu.name, {}});
  std::set<std::string> names;
  for (const SeriesRow& each : *series)
    if (is_telling(each.name) && is_about(gpus, each.id)) names.insert(each.name);
  for (const std::string& name : names) {
    const auto found = integrals(reader, *series, name, gpus, {from, *out.since, to});
    if (!found) return tl::unexpected(found.error());
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const auto& values = (*found)[i];
      if (values[0] || values[1]) out.gpus[i].values.push_back({name, values[0], values[1]});
    }
  }
  return out;
}

bool tells_watts(std::string_view name) {
  return name == series::kPower || name == "gpu.power_average";
}

bool tells_peak_bytes(std::string_view name) {
  return name == series::kMemoryUsed;
}

std::optional<std::uint64_t> costs_rest_on(const RunRow& row, const GpuSeries& traces) {
  const Run& run = row.run;
  if (!run.started_at || !run.ended_at) return std::nullopt;
  const std::string& host = host_of(row, traces);
  const Instant from = *run.started_at - kMargin, to = *run.ended_at + kMargin;
  const auto labelled = row.labels.find("gpus");
  std::uint64_t out = traces.version(host, from, to);
  for (const std::string_view text :
       {std::string_view(host), std::string_view(run.device),
        labelled == row.labels.end() ? std::string_view() : std::string_view(labelled->second),
        std::string_view(regression::setting_of(run.settings, "gpus")),
        std::string_view(regression::setting_of(run.settings, "device_index"))})
    out = fnv1a("\n", fnv1a(text, out));
  const auto number = [&](std::int64_t it) { out = fnv1a(std::to_string(it) + "\n", out); };
  number(run.devices);
  number(run.started_at->time_since_epoch().count());
  number(run.ended_at->time_since_epoch().count());
  return out;
}

Result<RunCosts> costs_of_run(Reader& reader, const RunRow& row, const GpuSeries& traces) {
  RunCosts out;
  if (!wall_time(row.run)) return out;
  const auto usage = usage_in(reader, row, traces, *row.run.ended_at);
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

Result<std::optional<double>> device_memory(Reader& reader, const std::string& host,
                                            const std::string& own_host) {
  std::optional<double> out;
  if (host.empty()) return out;
  const auto series = reader.series("gpu.memory_total");
  if (!series) return tl::unexpected(series.error());
  std::vector<SeriesRow> newest;
  for (const SeriesRow& row : *series)
    if (row.last_at && is_gpu_of(row, host, own_host)) newest.push_back(row);
  std::ranges::stable_sort(newest, std::ranges::greater(), [](const SeriesRow& row) { return *row.last_at; });
  if (newest.size() > kMostOfMemory) newest.resize(kMostOfMemory);
  for (const SeriesRow& row : newest) {
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
