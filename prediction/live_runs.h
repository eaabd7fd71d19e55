// How long the running runs have left: each run's own segments and its network's models, kept between
// requests so that a long run's thousands of segments are read once. One for the whole process: whoever asks
// finds what another's question has read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "prediction/model_set.h"
#include "regression/anomaly.h"
#include "regression/remaining.h"
#include "storage/history.h"
#include "threads/mutex.h"

namespace etad::prediction {

// What can be said of a running run now.
struct RunForecast {
  std::optional<regression::Remaining> remaining;  // none where no end is known
  std::optional<regression::StepTime> step_time;
  std::optional<regression::Anomaly> anomaly;  // slower than its model allows
  std::optional<std::int64_t> model_id;        // of the training model it rests on
  double silence = 0;                          // seconds since its last line
  bool stalled = false;                        // silent for far longer than it ever should be
};

// Asked from any thread. Its reader is touched only here, one question at a time.
class LiveRuns {
 public:
  explicit LiveRuns(Reader& reader) : reader_(reader) {}

  // As of `now` or, without it, of the run's last line. Empty where the run is over or nothing can be said
  // (nothing measured and no model).
  RunForecast forecast(const RunRow& row, const std::shared_ptr<const ModelSet>& models,
                       std::optional<Instant> now = {}) EXCLUDES(mutex_);

  // What could be said of the run at its start: by models that were fitted before it, without any of its own
  // windows. Empty where there are no such models.
  static RunForecast at_start(const RunRow& row, const ModelSet& models);

 private:
  // Which fit of which model; none: there is no model.
  using Fit = std::optional<std::pair<std::int64_t, Instant>>;

  // A run as it was last looked at; the answer is as old as the rest of it.
  struct Known {
    std::vector<regression::RunInterval> intervals;  // in order of time; none: to be read again
    std::int64_t segments = 0;                       // of the run, up to the last of these
    regression::Plan plan;
    Fit train, test;                    // that the answer was made with
    std::optional<RunForecast> answer;  // as of the last line
    std::uint64_t used = 0;             // the count of requests when last asked for
  };

  Known& known(std::int64_t run_id) REQUIRES(mutex_);
  void read_intervals(const RunRow& row, Known& known) REQUIRES(mutex_);
  void make_room(std::int64_t except) REQUIRES(mutex_);
  static void answer(const Run& run, const FittedModel* train, const FittedModel* test,
                     const Knowledge* knowledge, Known& known);

  Mutex mutex_;
  Reader& reader_ GUARDED_BY(mutex_);
  std::map<std::int64_t, Known> runs_ GUARDED_BY(mutex_);
  std::uint64_t requests_ GUARDED_BY(mutex_) = 0;
};

}  // namespace etad::prediction
