// What the daemon says of its own health: from the state of its threads to the service's Health. Pure.
#pragma once

#include <optional>

#include "daemon/ingest_thread.h"
#include "daemon/service/backend.h"

namespace etad {

struct HealthInputs {
  Instant started_at{};
  IngestStatus ingest;
  std::optional<Instant> last_refit;
  std::optional<Error> refit_failure, reload_failure;
  std::int64_t formats = 0;
};

service::Health health_of(const HealthInputs& inputs, follow::SteadyTime now);

}  // namespace etad
