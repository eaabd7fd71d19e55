// The one writing connection to the history, shared by the threads that have something to write.
//
// SQLite allows one writer at a time anyway; one connection behind a mutex makes the wait explicit, keeps
// checkpoints and writes on the same connection, and leaves no busy error to handle.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/raised.h"
#include "storage/history.h"
#include "threads/mutex.h"

namespace etad {

class SharedWriter {
 public:
  explicit SharedWriter(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}

  // Calls use(Writer&) while no other thread writes.
  template <class Use>
  auto with(Use use) EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    const Raised busy(busy_);
    return use(*writer_);
  }

  // Whether somebody writes now, for whom others may have to wait. Waits for nobody itself.
  bool is_busy() const { return busy_; }

  // Of it. Waits for nobody, as the main thread must not, which answers the watchdog (what else it asks, health and
  // status, holds no lock that a writer holds): what it asks of stays as it was when the history was opened.
  bool wants_to_be_opened_anew() const UNCHECKED { return writer_->wants_to_be_opened_anew(); }

 private:
  Mutex mutex_;
  std::atomic<bool> busy_{false};
  std::unique_ptr<Writer> writer_ PT_GUARDED_BY(mutex_);
};

// Writer::put_models() of it.
inline auto put_models_with(SharedWriter& shared) {
  return [&shared](std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                   const std::optional<RefitProgress>& reached) {
    return shared.with([&](Writer& writer) { return writer.put_models(models, gone, reached); });
  };
}

// Writer::put_estimator_records() of it.
inline auto put_records_with(SharedWriter& shared) {
  return [&shared](const std::string& records) {
    return shared.with([&](Writer& writer) { return writer.put_estimator_records(records); });
  };
}

// Writer::put_costs() of it.
inline auto put_costs_with(SharedWriter& shared) {
  return [&shared](std::int64_t run, Phase phase, const std::optional<double>& joules,
                   const std::optional<double>& peak_bytes) {
    return shared.with([&](Writer& writer) { return writer.put_costs(run, phase, joules, peak_bytes); });
  };
}

}  // namespace etad
