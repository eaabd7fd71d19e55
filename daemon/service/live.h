// How long the running runs have left: each run's own segments and its network's models, kept between
// requests so that a long run's thousands of segments are read once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/service/backend.h"
#include "regression/anomaly.h"
#include "regression/remaining.h"
#include "storage/history.h"

namespace etad::service {

// What a run still has to do, by its progress and its settings.
regression::Plan plan_of(const Run& run);

// What can be said of a running run now.
struct Outlook {
  std::optional<regression::Remaining> remaining;
  std::optional<regression::Anomaly> anomaly;  // slower than its model allows
};

// Belongs to one thread.
class LiveRuns {
 public:
  explicit LiveRuns(Reader& reader) : reader_(reader) {}

  // Empty where the run is over or nothing can be said (no end known, nothing measured and no model).
  Outlook outlook(const RunRow& row, const std::shared_ptr<const ModelSet>& models);

 private:
  // A run's stretches so far; answers are as old as the stretches and the models they were made from.
  struct Known {
    std::vector<regression::Stretch> stretches;  // in order of time
    std::int64_t segments = 0;                   // of the run, when they were read
    std::int64_t iteration = -1;
    std::uint64_t models = 0;  // which set the answer was made with
    Outlook answer;
    std::uint64_t used = 0;  // the count of requests when last asked for
  };

  void read_stretches(const RunRow& row, Known& known);
  void answer(const Run& run, const ModelSet& models, Known& known);
  Known& known(std::int64_t run_id);

  Reader& reader_;
  std::map<std::int64_t, Known> runs_;
  std::uint64_t requests_ = 0;
  std::shared_ptr<const ModelSet> models_;  // the latest set seen
  std::uint64_t models_number_ = 0;         // and its number in order of appearance
};

}  // namespace etad::service
