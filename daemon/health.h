// What the daemon says of its own health: from the state of its threads to the service's Health. Pure.
#pragma once

#include <map>
#include <optional>

#include "daemon/alerts.h"
#include "daemon/ingest_thread.h"
#include "daemon/service/backend.h"

namespace etad {

struct HealthInputs {
  Instant started_at{};
  IngestStatus ingest;
  std::optional<Instant> last_refit;
  std::optional<Error> refit_failure, reload_failure;
  std::int64_t formats = 0;
  std::map<RunEventKind, std::int64_t> run_events;
  std::optional<Alerts::Counters> alerts;  // none: no command is configured
};

service::Health health_of(const HealthInputs& inputs, follow::SteadyTime now);

}  // namespace etad
