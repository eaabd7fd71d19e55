// The track record: what was predicted of runs, scored when they end. Nothing else ever changes it.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad {

class TrackRecord {
 public:
  explicit TrackRecord(sqlite::Connection& connection);

  void put(const PredictionRow& prediction);  // unless there is one of that run, kind and fraction
  void score(std::int64_t run_id, Duration total);
  void hand_over(std::int64_t before, std::int64_t after);  // what is on record of one run is of the other

 private:
  sqlite::Statement put_, score_, hand_over_;
};

// The reader's side.
std::vector<PredictionRow> predictions_of(sqlite::Connection& connection, std::int64_t run_id);
std::vector<ScoredPrediction> scored_predictions_of(sqlite::Connection& connection, std::int64_t most_runs);
std::vector<std::int64_t> unscored_runs_of(sqlite::Connection& connection, std::int64_t most);
std::vector<AccuracyRow> accuracy_of(sqlite::Connection& connection);

}  // namespace etad
