#include "fleet/answers/fleet_backend.h"

#include <cmath>
#include <utility>

#include "prediction/model_json.h"

namespace etad::fleet {

FleetBackend::FleetBackend(const std::string& database, double look, std::shared_ptr<const FormatSet> formats,
                           std::function<Instant()> now)
    : database_(database),
      formats_(std::move(formats)),
      started_at_(now()),
      reader_(database, findings_),
      kept_(std::make_shared<FleetModels>(database, findings_)),
      look_(look),
      refit_(std::make_unique<FleetReader>(database, findings_), kept_, std::move(now)) {}

Result<prediction::RefitReport> FleetBackend::refit() {
  const Lock working(working_);
  const auto report = bring_up_to_date();
  const Lock lock(mutex_);
  failure_ = report ? std::nullopt : std::optional(report.error());
  return report;
}

// What is in the database, where it is not what is here.
Result<FleetBackend::Kept> FleetBackend::take_over() {
  const auto state = kept_->state();
  if (!state) return tl::unexpected(state.error());
  if (generation_ != state->progress.generation) {
    const auto whole = kept_->load(reader_);
    if (!whole) return tl::unexpected(whole.error());
    auto learnt = kept_->learnt(state->progress.generation);
    if (!learnt) return tl::unexpected(learnt.error());
    learnt_ = learnt->has_value();
    refit_.take_over(*whole, std::move(*learnt));
    generation_ = state->progress.generation;
  }
  Kept out;
  out.usable = learnt_ && state->progress.version == prediction::kModelVersion;
  out.is_new = out.usable && state->seconds_ago < look_;
  out.may_keep = state->may_keep;
  const Lock lock(mutex_);
  if (out.usable) seconds_old_ = std::isfinite(state->seconds_ago) ? state->seconds_ago : 0;
  return out;
}

// Who finds them old fits them, one at a time; the others answer by what there is, where there is something.
Result<prediction::RefitReport> FleetBackend::bring_up_to_date() {
  prediction::RefitReport unchanged;
  auto kept = take_over();
  if (!kept) return tl::unexpected(kept.error());
  if (kept->is_new) return unchanged;
  // What is not kept spares nobody the work, so nobody need wait for it.
  const auto turn = kept->may_keep ? kept_->turn(!kept->usable) : FleetModels::Turn();
  if (turn.others) return unchanged;
  kept = take_over();  // another may have worked meanwhile
  if (!kept) return tl::unexpected(kept.error());
  if (kept->is_new) return unchanged;
  const auto report = refit_.run();
  if (!report) return report;
  {
    const Lock lock(mutex_);
    damaged_runs_ = 0;
    for (const auto& [key, runs] : findings_->damaged) damaged_runs_ += runs;
  }
  const bool changed = !learnt_ || report->fitted + report->failed > 0;
  const auto generation = kept_->looked(changed ? std::optional(refit_.learnt()) : std::nullopt);
  if (!generation) return tl::unexpected(generation.error());
  generation_ = *generation;
  learnt_ = true;
  const Lock lock(mutex_);
  seconds_old_ = 0;
  return report;
}

double FleetBackend::seconds_old() {
  const Lock lock(mutex_);
  return seconds_old_;
}

service::Health FleetBackend::health() {
  service::Health out;
  out.started_at = started_at_;
  out.last_refit = refit_.last();
  const Lock lock(mutex_);
  if (failure_) out.failures.push_back({"history", failure_->message, failure_->hint});
  if (damaged_runs_ > 0)
    out.failures.push_back({"history",
                            "of " + std::to_string(damaged_runs_) + (damaged_runs_ == 1 ? " run" : " runs") +
                                " the windows can't be unpacked: no model is made of them",
                            "forget them on their hosts, or label them: they are written again"});
  return out;
}

}  // namespace etad::fleet
