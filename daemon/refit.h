// Fitting again what new measurements have made old: dirty keys -> datasets -> models -> the history, and a
// new immutable set of models for the service, swapped in whole.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "daemon/service/backend.h"
#include "daemon/shared_writer.h"
#include "regression/dataset.h"
#include "storage/history.h"

namespace etad {

// What a key's runs are to the regression. Diverged runs (NaN losses) are left out as long as there are
// others: denormals and NaNs change a network's pace.
regression::Dataset dataset_of(const std::vector<RunData>& runs, Phase phase);

// Median and central 90 % range of the runs' start-up times; of their times per snapshot.
std::optional<service::Spread> startup_of(const std::vector<RunData>& runs);
std::optional<service::Spread> snapshot_of(const std::vector<RunData>& runs);

class Refit {
 public:
  // Bounds the work on one model whatever the length of the history: the newest runs count.
  static constexpr int kMaxRuns = 200;
  static constexpr int kMaxWindows = 32;        // of each run
  static constexpr std::size_t kLastRuns = 24;  // of each model, for the machine's mood
  static constexpr int kAtOnce = 2000;  // dirty models held in memory together; the rest wait their turn

  // `alive` is called between any two models: a long refit is at work, not stuck.
  Refit(
      std::unique_ptr<Reader> reader, SharedWriter& writer, std::function<Instant()> now,
      std::function<void()> alive = [] {});

  // The models the history holds, so that a restarted daemon answers at once.
  Result<void> load();

  // Fits what changed since the last run. Thread-safe; two at once are one after the other.
  Result<service::RefitReport> run();

  std::shared_ptr<const service::ModelSet> models() const;  // never nullptr; thread-safe
  std::optional<Instant> last() const;

 private:
  // A key whose runs have changed: what it is fitted from and what came of it.
  struct Dirty {
    ModelKey key;
    regression::Dataset data;
    std::optional<service::Spread> startup, snapshot;
    std::optional<regression::Model> model;
  };

  Result<std::vector<Dirty>> read(const std::vector<ModelKey>& keys);
  void fit(std::vector<Dirty>& dirty) const;
  Result<std::vector<service::FittedModel>> keep(std::vector<Dirty>& dirty);
  void swap_in(std::vector<service::FittedModel> fitted, const std::vector<ModelKey>& dirty);
  void tell_moods(service::ModelSet& models, const std::set<ModelKey>& changed) const;

  std::mutex running_;
  std::unique_ptr<Reader> reader_;
  SharedWriter& writer_;
  std::function<Instant()> now_;
  std::function<void()> alive_;
  std::int64_t generation_ = 0;  // of the history, up to which the models are up to date

  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const service::ModelSet> models_ = std::make_shared<service::ModelSet>();
  std::optional<Instant> last_;
};

}  // namespace etad
