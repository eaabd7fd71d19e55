// The service's backend over a fleet: its models, and no more. What changes a history is done on its host.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/refit.h"
#include "daemon/service/backend.h"
#include "fleet/answers/fleet_models.h"
#include "threads/mutex.h"

namespace etad::fleet {

// Of the database, where somebody waits for an answer: everybody is answered on one thread, and nobody who locks a table
// may keep all of them waiting.
inline constexpr std::chrono::seconds kPatience{10};

class FleetBackend final : public service::Backend {
 public:
  // `look`: seconds after this or another process has looked whether runs have changed, during which nobody looks again
  // and the models are taken as they are.
  FleetBackend(const std::string& database, double look, std::shared_ptr<const FormatSet> formats,
               std::function<Instant()> now);

  // Loads the models that the database has and, unless another process has looked lately or is fitting now, fits those
  // whose runs have changed. Blocks while it fits; waits for another process only where there are no models at all yet.
  Result<prediction::RefitReport> refit() override;

  // How long ago the models that are answered by were up to date.
  double seconds_old() EXCLUDES(mutex_);

  std::shared_ptr<const prediction::ModelSet> models() override { return refit_.models(); }
  std::shared_ptr<const FormatSet> formats() override { return formats_; }
  service::Health health() override;
  std::map<std::string, std::string> source_statuses() override { return {}; }
  Result<std::unique_ptr<Reader>> reader() override {
    return std::make_unique<FleetReader>(database_, std::make_shared<Findings>(), kPatience);
  }
  Result<std::vector<NetworkRow>> networks(const NetworkFilter& filter) override {
    return FleetReader(database_, std::make_shared<Findings>(), kPatience)
        .networks(filter);  // a refit may hold the other
  }
  Result<std::vector<std::string>> reload() override { return elsewhere(); }
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
  // The models in the database: whether this process can use them, whether somebody has looked lately whether they are
  // old, and whether this process may write there.
  struct Kept {
    bool usable = false, is_new = false, may_keep = false;
  };
  Result<prediction::RefitReport> bring_up_to_date() REQUIRES(working_) EXCLUDES(mutex_);
  Result<Kept> take_over() REQUIRES(working_) EXCLUDES(mutex_);

  static tl::unexpected<Error> elsewhere() {
    return fail(ErrorKind::conflict, "this is a fleet's history: it is changed on the host that a run is of",
                "run etactl there, without --fleet");
  }

  const std::string database_;
  std::shared_ptr<const FormatSet> formats_;
  Instant started_at_;
  const std::shared_ptr<Findings> findings_ = std::make_shared<Findings>();
  FleetReader reader_;
  const std::shared_ptr<FleetModels> kept_;
  double look_;
  Mutex working_;  // one refit at a time
  Refit refit_;
  std::optional<std::int64_t> generation_
      GUARDED_BY(working_);                   // of the models that were taken over or fitted here
  bool learnt_ GUARDED_BY(working_) = false;  // what goes with them was kept
  Mutex mutex_;
  std::optional<Error> failure_ GUARDED_BY(mutex_);
  std::size_t damaged_runs_ GUARDED_BY(mutex_) = 0;
  double seconds_old_ GUARDED_BY(mutex_) = 0;
};

}  // namespace etad::fleet
