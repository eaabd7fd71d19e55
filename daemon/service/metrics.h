// GET /metrics: what a Prometheus-compatible scraper reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/service/backend.h"
#include "prediction/live_runs.h"
#include "storage/history.h"

namespace etad::service {

// The two forms differ in how a counter is introduced: OpenMetrics names the family ("etad_lines"), the older
// text format the point ("etad_lines_total"), without which its readers miss the help. Prometheus asks for
// OpenMetrics; curl, the node exporter's textfile collector and promtool read the older one.
enum class MetricsForm : std::uint8_t { prometheus, open_metrics };

MetricsForm metrics_form(std::string_view accept);  // by the request's Accept header
const char* content_type(MetricsForm form);

// What the service counts of itself.
struct ServiceCounters {
  std::int64_t requests = 0;             // answered, whatever the answer
  std::int64_t failed_requests = 0;      // of these, with a status of 400 or more
  std::int64_t connections = 0;          // open now
  std::int64_t refused_connections = 0;  // one too many
  std::int64_t held_bytes = 0;           // of bodies at work and answers not yet read, now
  std::int64_t refused_requests = 0;     // of users for whom too much was held
  std::int64_t timeouts = 0;             // clients that were too slow
  std::int64_t imports = 0;              // completed
};

struct RunningRun {
  const Run* run = nullptr;
  prediction::RunForecast forecast;
};

// The runs under way: how many there are of each network, and those that are looked at one by one, kMostSets of them at
// most.
struct RunningView {
  std::vector<RunningCount> counts;
  std::vector<RunningRun> shown;
};

// The fitted models: how many there are, and those that are shown one by one, kMostSets of them at most.
struct ModelsView {
  std::int64_t count = 0;
  std::vector<ModelRow> shown;
};
// The distinct label sets that one family may have.
inline constexpr std::size_t kMostSets = 500;

// What /metrics shows of the daemon at one moment.
struct MetricsView {
  const Health& health;
  const std::optional<HistorySize>& size;
  const ModelsView& models;
  const RunningView& running;
  const ServiceCounters& service;
  const std::string& version;
  Instant now;
};

// Families come sorted, each with its HELP, TYPE and UNIT, and "# EOF" at the end (to the older format a
// comment); labels name networks, devices and the like, of which there are few, and never a run or a file.
std::string metrics_text(const MetricsView& view, MetricsForm form);

}  // namespace etad::service
