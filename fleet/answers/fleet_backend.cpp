#include "fleet/answers/fleet_backend.h"

#include <utility>

namespace etad::fleet {

FleetBackend::FleetBackend(const std::string& database, std::shared_ptr<const FormatSet> formats,
                           std::function<Instant()> now)
    : formats_(std::move(formats)),
      started_at_(now()),
      kept_(database, digests_),
      refit_(
          std::make_unique<FleetReader>(database, digests_),
          [this](auto& models, const auto& gone, const auto& reached) { return kept_.put(models, gone, reached); },
          std::move(now)) {}

Result<prediction::RefitReport> FleetBackend::refit() {
  const auto turn = kept_.turn();
  Result<prediction::RefitReport> report = prediction::RefitReport{};
  if (auto loaded = refit_.load(); loaded) {
    report = refit_.run();
  } else {
    report = tl::unexpected(loaded.error());
  }
  const Lock lock(mutex_);
  failure_ = report ? std::nullopt : std::optional(report.error());
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
