// Fitting again what new measurements have made old: dirty keys -> datasets -> models -> the history, where the
// service finds them (prediction/stored_models.h); and what all runs say together, swapped in whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prediction/datasets.h"
#include "prediction/gpu_series.h"
#include "prediction/knowledge.h"
#include "prediction/learnt.h"
#include "prediction/make_model.h"
#include "prediction/model_set.h"
#include "storage/history.h"
#include "threads/mutex.h"

namespace etad {

class Refit {
 public:
  static constexpr std::size_t kAtOnce =
      200;  // dirty models held in memory together; the rest wait their turn
  // That are told, of all owners their fair share; the rest have no model either.
  static constexpr std::size_t kMostContradictions = 1000;

  // `keep` writes into the history (Writer::put_costs) what a run's phase cost by the traces of its GPUs: joules of all
  // devices, peak bytes of one. Empty: nothing is kept. `own_host`: the machine whose traces are about runs that name
  // no host.
  struct Measuring {
    std::function<Result<void>(std::int64_t run, Phase phase, const std::optional<double>& joules,
                               const std::optional<double>& peak_bytes)>
        keep;
    std::string own_host;
    // What the measuring of runs that come to nothing may take of one refit, in time of the thread (kInVain). The rest
    // is looked at by the next: traces of any number of names keep nobody's models waiting.
    std::optional<std::chrono::nanoseconds> most_in_vain;
  };

  static constexpr std::chrono::seconds kInVain{2};

  // What `alive` throws to end a run between any two steps, however deep in it: the daemon is to stop.
  struct Interrupted {};

  // `models`: where they are kept; a restarted daemon answers at once from them. `alive` is called between any two
  // models: a long refit is at work, not stuck.
  Refit(
      std::unique_ptr<Reader> reader, std::shared_ptr<prediction::KeptModels> models,
      std::function<Instant()> now, std::function<void()> alive = [] {}, Measuring measuring = {});

  // What is known of all runs together, to be kept.
  prediction::Learnt learnt() EXCLUDES(running_);

  // Another process has fitted the models (a fleet's): the next run reads anew how far they are up to date. `learnt`: what
  // that process kept of all runs together, so that it need not be worked out again; nullopt: nothing. `whole`: all of
  // its models could be read; else the next run fits all anew.
  void take_over(bool whole, std::optional<prediction::Learnt> learnt) EXCLUDES(running_);

  using Judging = prediction::Knowledge::Judging;

  // Fits what changed since the last run. Thread-safe; two at once are one after the other. `judging`: put off, it is
  // done by the next run that may. One that is interrupted is an error of the kind `unavailable`; the next goes on.
  Result<prediction::RefitReport> run(Judging judging = Judging::when_outgrown) EXCLUDES(running_);

  std::shared_ptr<const prediction::ModelSet> models() const EXCLUDES(mutex_);  // never nullptr; thread-safe
  std::optional<Instant> last() const EXCLUDES(mutex_);

 private:
  Result<prediction::RefitReport> run_whole(Judging judging) REQUIRES(running_);
  Result<bool> begin() REQUIRES(running_);
  Result<void> fit_all(const std::vector<ModelKey>& keys, const RefitProgress& reached,
                       prediction::RefitReport& report) REQUIRES(running_);
  Result<std::vector<std::optional<prediction::FittedModel>>> make(std::span<const ModelKey> keys)
      REQUIRES(running_);
  Result<std::int64_t> keep(std::span<const ModelKey> keys,
                            std::vector<std::optional<prediction::FittedModel>> models,
                            const std::optional<RefitProgress>& reached) REQUIRES(running_);
  Result<void> gather(const ModelRow& row, const std::vector<RunData>& evidence, std::size_t most)
      REQUIRES(running_);
  Result<void> measure(std::vector<RunData>& runs, const ModelKey& key, const prediction::GpuSeries& traces)
      REQUIRES(running_);
  Result<void> measure(RunData& data, Phase phase, const prediction::GpuSeries& traces) REQUIRES(running_);
  std::vector<ModelKey> take_put_off() REQUIRES(running_);
  Result<void> gather_all() REQUIRES(running_);
  Result<void> learn(prediction::Learnt& known, Judging judging) REQUIRES(running_);
  prediction::AllRecords records_kept() REQUIRES(running_);
  void share_out_contradictions() REQUIRES(running_);
  void swap_in(prediction::Learnt known) REQUIRES(running_) EXCLUDES(mutex_);

  Mutex running_;  // one refit at a time
  std::unique_ptr<Reader> reader_ PT_GUARDED_BY(running_);
  const std::shared_ptr<prediction::KeptModels> kept_;
  std::function<Instant()> now_;
  std::function<void()> alive_;
  Measuring measuring_;
  prediction::Knowledge::Data runs_ GUARDED_BY(running_);  // the data gathered, by key
  std::set<ModelKey> without_data_ GUARDED_BY(running_);   // keys whose runs give none
  std::map<ModelKey, prediction::Contradiction> contradictions_ GUARDED_BY(running_);
  bool gathered_ GUARDED_BY(running_) = false;  // runs_ are those behind the models as they are now
  // Runs whose traces told nothing: what that rests on (prediction::costs_rest_on).
  static constexpr std::size_t kMostInVain = 100'000;
  std::map<std::pair<std::int64_t, Phase>, std::uint64_t> in_vain_ GUARDED_BY(running_);
  std::chrono::nanoseconds spent_in_vain_ GUARDED_BY(running_){};  // of this refit
  static constexpr std::size_t kMostPutOff = 10'000;
  std::set<ModelKey> put_off_ GUARDED_BY(running_);  // with runs that are to be measured by the next refit
  ModelKey last_put_off_ GUARDED_BY(running_);       // that was taken of them
  // Of the history, up to which the models are up to date.
  std::optional<std::int64_t> generation_ GUARDED_BY(running_);

  mutable Mutex mutex_;
  std::shared_ptr<const prediction::ModelSet> models_ GUARDED_BY(mutex_);
  std::optional<Instant> last_ GUARDED_BY(mutex_);
};

}  // namespace etad
