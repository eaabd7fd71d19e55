#include "prediction/run_traces.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "parsers/traces/trace_series.h"

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

bool is_telling(std::string_view name) {
  return std::find(std::begin(kTelling), std::end(kTelling), name) != std::end(kTelling) ||
         (name.starts_with("gpu.throttle_") && name != "gpu.throttle_reasons");
}

bool overlaps(const SeriesRow& row, Instant from, Instant to) {
  return row.first_at && row.last_at && *row.first_at < to && *row.last_at >= from;
}

// The series that have something of [from, to), by id.
Result<std::vector<SeriesRow>> series_between(Reader& reader, Instant from, Instant to) {
  auto all = reader.series();
  if (all) std::erase_if(*all, [&](const SeriesRow& row) { return !overlaps(row, from, to); });
  return all;
}

// An interval of time, and the traces' points in and around it.
class TracedInterval {
 public:
  TracedInterval(Reader& reader, const std::vector<SeriesRow>& series, Instant from, Instant to)
      : reader_(reader), series_(series), from_(from), to_(to) {}

  // Of each GPU the integral of that series over each of the parts of the interval that `parts` bound. Where
  // two traces are of the same GPU and value, the one that covers more counts: never their sum.
  Result<std::vector<std::vector<std::optional<TimeIntegral>>>> integrals(std::string_view name,
                                                                          const std::vector<TracedGpu>& gpus,
                                                                          const std::vector<Instant>& parts) {
    const auto points = read(name, gpus);
    if (!points) return tl::unexpected(points.error());
    std::vector<std::vector<std::optional<TimeIntegral>>> out;
    for (const TracedGpu& gpu : gpus) {
      auto& values = out.emplace_back(parts.size() - 1);
      for (const SeriesPoints& each : *points) {
        if (!has(gpu, each.series.id)) continue;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
          const TimeIntegral found = integrate(each.points, each.step, parts[i], parts[i + 1]);
          if (found.covered > (values[i] ? values[i]->covered : 0)) values[i] = found;
        }
      }
    }
    return out;
  }

  // The names of series that are about one of the GPUs and pass `wanted`, in alphabetical order.
  template <class Wanted>
  std::vector<std::string> names(const std::vector<TracedGpu>& gpus, Wanted wanted) const {
    std::vector<std::string> out;
    for (const SeriesRow& row : series_) {
      if (is_about(gpus, row.id) && wanted(row.name)) out.push_back(row.name);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  static bool has(const TracedGpu& gpu, std::int64_t id) {
    return std::find(gpu.series.begin(), gpu.series.end(), id) != gpu.series.end();
  }
  static bool is_about(const std::vector<TracedGpu>& gpus, std::int64_t id) {
    return std::any_of(gpus.begin(), gpus.end(), [id](const TracedGpu& gpu) { return has(gpu, id); });
  }

  Result<std::vector<SeriesPoints>> read(std::string_view name, const std::vector<TracedGpu>& gpus) {
    SeriesQuery query;
    query.name = std::string(name);
    query.from = from_ - kMargin;
    query.to = to_ + kMargin;
    query.step = to_ - from_ > kLongestRaw ? kMinute : std::chrono::seconds{0};
    for (const SeriesRow& row : series_) {
      if (row.name == name && is_about(gpus, row.id)) query.ids.push_back(row.id);
    }
    if (query.ids.empty()) return std::vector<SeriesPoints>{};
    return reader_.series_points(query);
  }

  Reader& reader_;
  const std::vector<SeriesRow>& series_;
  Instant from_, to_;
};

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

}  // namespace

Result<Usage> usage_of(Reader& reader, const RunRow& row, const std::string& own_host, Instant now) {
  Usage out;
  if (!row.run.started_at) {
    out.choice = undated();
    return out;
  }
  out.from = *row.run.started_at;
  out.to = std::max(end_of(row.run, now), out.from);
  const auto series = series_between(reader, out.from, out.to);
  if (!series) return tl::unexpected(series.error());
  out.choice = choose_gpus(row, *series, own_host);
  const auto& gpus = out.choice.gpus;
  for (const TracedGpu& gpu : gpus) out.gpus.push_back({gpu.name, {}, {}, {}});
  TracedInterval interval(reader, *series, out.from, out.to);
  const auto fill = [&](std::string_view name, auto member) -> Result<void> {
    const auto found = interval.integrals(name, gpus, {out.from, out.to});
    if (!found) return tl::unexpected(found.error());
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (auto& value = out.gpus[i].*member; !value) value = (*found)[i].front();
    }
    return {};
  };
  for (const auto& [name, member] :
       std::initializer_list<std::pair<std::string_view, std::optional<TimeIntegral> GpuUsage::*>>{
           {series::kUtilization, &GpuUsage::utilization},
           {series::kPower, &GpuUsage::power},
           {"gpu.power_average", &GpuUsage::power},  // where the tool gives only the driver's own mean
           {series::kMemoryUsed, &GpuUsage::memory_used}}) {
    if (const auto done = fill(name, member); !done) return tl::unexpected(done.error());
  }
  return out;
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
  const auto series = series_between(reader, from, to);
  if (!series) return tl::unexpected(series.error());
  out.choice = choose_gpus(row, *series, own_host);
  const auto& gpus = out.choice.gpus;
  for (const TracedGpu& gpu : gpus) out.gpus.push_back({gpu.name, {}});
  TracedInterval interval(reader, *series, from, to);
  for (const std::string& name : interval.names(gpus, is_telling)) {
    const auto found = interval.integrals(name, gpus, {from, *out.since, to});
    if (!found) return tl::unexpected(found.error());
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const auto& values = (*found)[i];
      if (values[0] || values[1]) out.gpus[i].values.push_back({name, values[0], values[1]});
    }
  }
  return out;
}

}  // namespace etad::prediction
