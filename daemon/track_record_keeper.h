// The track record: what we said of each run at its start and at 5, 25 and 50 % of its time, written down
// while it runs and scored when it ends. Never rewritten: what a later model would have said does not count.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "daemon/run_watch.h"
#include "daemon/shared_writer.h"
#include "prediction/live_runs.h"
#include "storage/fair_share.h"
#include "storage/history.h"

namespace etad {

// Belongs to one thread.
class TrackRecordKeeper {
 public:
  // `live` and, where there is one, `watch`, which is told of the runs at each look, outlive the keeper.
  TrackRecordKeeper(std::unique_ptr<Reader> reader, SharedWriter& writer, prediction::LiveRuns& live,
                    RunWatch* watch = nullptr);

  // Takes note of the runs that are running as the history has it, before anything is read from their logs,
  // so that those which end right then are scored too; and of those that ended without being scored.
  Result<void> begin();

  // Writes down a prediction for each running run that has reached a checkpoint, and scores
  // those that have ended.
  Result<void> look(const std::shared_ptr<const prediction::ModelSet>& models, Instant now);

 private:
  struct Seen {
    std::optional<double> checkpoint;  // the latest on record
    std::optional<double> fraction;    // of its time, when last looked at
    std::int64_t iteration = -1;       // when last looked at: a run that stands still has nothing new to say
    bool begun = false;                // it is known whether there is a prediction of its start
    bool anything = false;             // there is a prediction to be scored
    bool told_over = false;            // the watch knows that it no longer runs; a lost one may come back
  };

  Result<void> note(const RunRow& row);
  Result<void> note_unscored();
  Result<void> predict(const RunRow& row, Seen& seen,
                       const std::shared_ptr<const prediction::ModelSet>& models, Instant now);
  Result<void> predict_start(const RunRow& row, Seen& seen, const prediction::ModelSet& models, Instant now);
  Result<void> record(const RunRow& row, Seen& seen, PredictionRow prediction,
                      const prediction::RunForecast& forecast);
  Result<void> score_ended(const std::set<std::int64_t>& running, Instant now);
  void let_go_of_all_but(std::size_t most, const std::vector<Evidence>& awaited);
  Result<std::vector<RunRow>> newer_runs();

  std::unique_ptr<Reader> reader_;
  SharedWriter& writer_;
  RunWatch* watch_;
  prediction::LiveRuns& live_;
  std::map<std::int64_t, Seen> runs_;   // that were running when last looked at, by id
  std::optional<std::int64_t> newest_;  // the highest id of a run when last looked at
};

}  // namespace etad
