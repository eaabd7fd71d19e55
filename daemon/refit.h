// Fitting again what new measurements have made old: dirty keys -> datasets -> models -> the history, and a
// new immutable set of models for the service, swapped in whole.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "daemon/shared_writer.h"
#include "prediction/evidence.h"
#include "prediction/knowledge.h"
#include "prediction/learnt.h"
#include "prediction/observations.h"
#include "storage/history.h"
#include "threads/mutex.h"

namespace etad {

class Refit {
 public:
  static constexpr std::size_t kLastRuns = 24;  // of each model, for the machine's shared effect
  static constexpr std::size_t kMostDissenters =
      16;                               // owners with a model of their own beside a disputed one
  static constexpr int kAtOnce = 2000;  // dirty models held in memory together; the rest wait their turn

  // Where fitted models are kept; fills in their ids (Writer::put_models).
  using Keep = std::function<Result<void>(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                                          const std::optional<RefitProgress>& reached)>;

  // `alive` is called between any two models: a long refit is at work, not stuck. `own_host`: whose traces
  // are about the runs that name no host.
  Refit(
      std::unique_ptr<Reader> reader, SharedWriter& writer, std::function<Instant()> now,
      std::function<void()> alive = [] {}, std::string own_host = {});
  Refit(
      std::unique_ptr<Reader> reader, Keep keep, std::function<Instant()> now,
      std::function<void()> alive = [] {});

  // The models the history holds, so that a restarted daemon answers at once and refits nothing.
  Result<void> load() EXCLUDES(running_);

  // What is known of all runs together, to be kept; and as it was kept, of the models that load() takes over, so that
  // run() need not read and judge their runs again. nullopt: nothing was, and what is known may be old: it does.
  prediction::Learnt learnt() EXCLUDES(running_);
  void take_over(std::optional<prediction::Learnt> learnt) EXCLUDES(running_);

  // Fits what changed since the last run. Thread-safe; two at once are one after the other.
  Result<prediction::RefitReport> run() EXCLUDES(running_);

  std::shared_ptr<const prediction::ModelSet> models() const EXCLUDES(mutex_);  // never nullptr; thread-safe
  std::optional<Instant> last() const EXCLUDES(mutex_);

 private:
  // A key whose runs have changed: what it is fitted from and what came of it.
  struct Dirty {
    ModelKey key;
    prediction::Evidenced evidence;
    regression::Dataset data;
    std::vector<std::pair<std::int64_t, std::vector<RunData>>> own;  // of owners whom the evidence leaves out
    std::optional<prediction::FittedModel> model;
  };

  Result<std::vector<Dirty>> read(const std::vector<ModelKey>& keys) REQUIRES(running_);
  void fit(std::vector<Dirty>& dirty) const REQUIRES(running_);
  Result<std::vector<prediction::FittedModel>> keep(std::vector<Dirty>& dirty,
                                                    const std::optional<RefitProgress>& reached)
      REQUIRES(running_);
  Result<void> measure(std::vector<RunData>& runs, Phase phase, const std::vector<SeriesRow>& series)
      REQUIRES(running_);
  Result<void> listen(const ModelKey& key, const std::vector<RunData>& evidence) REQUIRES(running_);
  Result<void> listen_to_models() REQUIRES(running_);
  Result<void> add_unnamed(std::vector<ModelKey>& keys) REQUIRES(running_);
  void forget_owners() REQUIRES(running_);
  void join() REQUIRES(running_);
  void note_contradiction(Dirty& dirty) REQUIRES(running_);
  void swap_in(std::vector<prediction::FittedModel> fitted, const std::vector<ModelKey>& dirty)
      REQUIRES(running_);
  void tell_shared_effects(prediction::ModelSet& models, const std::set<ModelKey>& changed) const;

  Mutex running_;  // one refit at a time
  std::unique_ptr<Reader> reader_ PT_GUARDED_BY(running_);
  Keep keep_;
  std::function<Instant()> now_;
  std::function<void()> alive_;
  // Keeps what a run's phase cost by its GPUs' traces (Writer::put_costs); empty: there are none to tell.
  std::function<Result<void>(std::int64_t run, Phase phase, const std::optional<double>& joules,
                             const std::optional<double>& peak_bytes)>
      keep_costs_;
  std::string own_host_;
  prediction::Knowledge::Data runs_ GUARDED_BY(running_);  // of all keys, as far as read since the start
  std::map<ModelKey, std::int64_t> owners_ GUARDED_BY(running_);  // whose each of them is
  std::map<ModelKey, prediction::Contradiction> contradictions_ GUARDED_BY(running_);
  bool listening_ GUARDED_BY(running_) = false;  // to the runs behind the models that were there at the start
  // Of the history, up to which the models are up to date.
  std::int64_t generation_ GUARDED_BY(running_) = 0;

  mutable Mutex mutex_;
  std::shared_ptr<const prediction::ModelSet> models_ GUARDED_BY(mutex_) =
      std::make_shared<prediction::ModelSet>();
  std::optional<Instant> last_ GUARDED_BY(mutex_);
};

}  // namespace etad
