#include "fleet/answers/fleet_backend.h"

#include <utility>

#include "prediction/model_json.h"

namespace etad::fleet {

FleetBackend::FleetBackend(const std::string& database, double look, std::shared_ptr<const FormatSet> formats,
                           std::function<Instant()> now)
    : formats_(std::move(formats)),
      started_at_(now()),
      kept_(database, digests_),
      look_(look),
      refit_(
          std::make_unique<FleetReader>(database, digests_),
          [this](auto& models, const auto& gone, const auto& reached) { return kept_.put(models, gone, reached); },
          std::move(now)) {}

Result<prediction::RefitReport> FleetBackend::refit() {
  const Lock working(working_);
  const auto report = bring_up_to_date();
  const Lock lock(mutex_);
  failure_ = report ? std::nullopt : std::optional(report.error());
  return report;
}

// What is in the database, where it is not what is here. True: it is new enough.
Result<bool> FleetBackend::take_over() {
  const auto state = kept_.state();
  if (!state) return tl::unexpected(state.error());
  if (generation_ != state->progress.generation) {
    if (auto loaded = refit_.load(); !loaded) return tl::unexpected(loaded.error());
    auto learnt = kept_.learnt(state->progress.generation);
    if (!learnt) return tl::unexpected(learnt.error());
    learnt_ = learnt->has_value();
    refit_.take_over(std::move(*learnt));
    generation_ = state->progress.generation;
  }
  return learnt_ && state->progress.version == prediction::kModelVersion && state->seconds_ago < look_;
}

Result<prediction::RefitReport> FleetBackend::bring_up_to_date() {
  prediction::RefitReport unchanged;
  auto is_new = take_over();
  if (!is_new) return tl::unexpected(is_new.error());
  if (*is_new) return unchanged;
  const auto turn = kept_.turn();
  is_new = take_over();  // another may have worked meanwhile
  if (!is_new) return tl::unexpected(is_new.error());
  if (*is_new) return unchanged;
  const auto report = refit_.run();
  if (!report) return report;
  const auto state = kept_.state();
  if (!state) return tl::unexpected(state.error());
  const bool changed = !learnt_ || report->fitted + report->failed > 0;
  generation_ = state->progress.generation;
  const auto kept = kept_.looked(*generation_, changed ? std::optional(refit_.learnt()) : std::nullopt);
  if (!kept) return tl::unexpected(kept.error());
  learnt_ = true;
  return report;
}

service::Health FleetBackend::health() {
  service::Health out;
  out.started_at = started_at_;
  out.last_refit = refit_.last();
  const Lock lock(mutex_);
  if (failure_) out.failures.push_back({"history", failure_->message, failure_->hint});
  return out;
}

}  // namespace etad::fleet
