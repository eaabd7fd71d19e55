// The service's backend over a fleet: its models, and no more. What changes a history is done on its host.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemon/refit.h"
#include "daemon/service/backend.h"
#include "fleet/answers/fleet_models.h"
#include "threads/mutex.h"

namespace etad::fleet {

class FleetBackend final : public service::Backend {
 public:
  FleetBackend(const std::string& database, std::shared_ptr<const FormatSet> formats, std::function<Instant()> now);

  // Takes over the models there are, and fits those whose runs have changed. Blocks.
  Result<prediction::RefitReport> refit() override;

  std::shared_ptr<const prediction::ModelSet> models() override { return refit_.models(); }
  std::shared_ptr<const FormatSet> formats() override { return formats_; }
  service::Health health() override;
  std::map<std::string, std::string> source_statuses() override { return {}; }
  Result<void> reload() override { return elsewhere(); }
  Result<void> label(std::int64_t, const std::map<std::string, std::string>&) override { return elsewhere(); }
  Result<void> reread(std::int64_t) override { return elsewhere(); }
  Result<void> forget_source(std::int64_t) override { return elsewhere(); }
  Result<void> forget_run(std::int64_t) override { return elsewhere(); }
  Result<Forgotten> forget_owner(std::int64_t) override { return elsewhere(); }
  Result<std::string> backup() override { return elsewhere(); }
  Result<std::unique_ptr<service::ImportSession>> begin_import(const service::ImportRequest&) override {
    return elsewhere();
  }

 private:
  static tl::unexpected<Error> elsewhere() {
    return fail(ErrorKind::conflict, "this is a fleet's history: it is changed on the host that a run is of",
                "run etactl there, without --fleet");
  }

  std::shared_ptr<const FormatSet> formats_;
  Instant started_at_;
  std::shared_ptr<Digests> digests_ = std::make_shared<Digests>();
  FleetModels kept_;
  Refit refit_;
  Mutex mutex_;
  std::optional<Error> failure_ GUARDED_BY(mutex_);
};

}  // namespace etad::fleet
