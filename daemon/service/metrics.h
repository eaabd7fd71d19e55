// GET /metrics: what a Prometheus-compatible scraper reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/service/backend.h"
#include "regression/remaining.h"
#include "storage/history.h"

namespace etad::service {

inline constexpr const char* kOpenMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

// What the service counts of itself.
struct ServiceCounters {
  std::int64_t requests = 0;             // answered, whatever the answer
  std::int64_t failed_requests = 0;      // of these, with a status of 400 or more
  std::int64_t connections = 0;          // open now
  std::int64_t refused_connections = 0;  // one too many
  std::int64_t timeouts = 0;             // clients that were too slow
  std::int64_t imports = 0;              // completed
};

struct RunningRun {
  const Run* run = nullptr;
  std::optional<regression::Remaining> remaining;
};

// OpenMetrics 1.0 text. Families come sorted, each with its HELP, TYPE and UNIT; labels name networks,
// devices and the like, of which there are few, and never a run or a file.
std::string open_metrics(const Health& health, const std::optional<HistorySize>& size, const ModelSet& models,
                         const std::vector<RunningRun>& running, const ServiceCounters& service,
                         const std::string& version, Instant now);

}  // namespace etad::service
