// What has changed in a history since a place in its list of changes, for whoever carries it elsewhere. Each run,
// architecture and hour stands in the list once, at the place of its last change, and comes with its present content, read
// in one transaction.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parsers/base/error.h"
#include "storage/rows.h"
#include "storage/starts.h"

namespace etad {

// A run that was added, changed or removed.
struct ChangedRun {
  std::int64_t id = 0;
  std::optional<RunRow> now;  // nullopt: it is gone
  // The bounded samples of its segments, packed as in run_windows (docs/schema.md).
  struct Windows {
    Phase phase = Phase::train;
    std::int64_t count = 0;
    std::string packed;
  };
  std::vector<Windows> windows;
  std::map<Phase, std::int64_t> places;  // its owner's among those of the phase's dataset (dataset_owners)
  std::vector<PredictionRow> predictions;
};

struct ChangedArchitecture {
  std::string architecture;
  std::vector<Layer> layers;
};

// One hour of one series by the minute.
struct ChangedMinutes {
  std::int64_t seq = 0;  // its place in the list
  SeriesRow series;
  Instant hour{};
  std::vector<SeriesPoint> points;
};

struct Changes {
  std::int64_t up_to = 0;                 // the last one's place: where to go on
  std::int64_t waiting = 0;               // those behind it
  std::int64_t newest = 0;                // the place of the last change there ever was; 0: there was none
  std::vector<HistoryStart> starts;       // in order
  std::optional<Instant> oldest_minutes;  // of those that have not expired; nullopt: there are none
  std::vector<ChangedRun> runs;
  std::vector<ChangedArchitecture> architectures;
  std::vector<ChangedMinutes> minutes;

  std::size_t size() const { return runs.size() + architectures.size() + minutes.size(); }
};

// Belongs to one thread. A query-only connection; each call is one short read transaction.
class ChangeReader {
 public:
  static Result<std::unique_ptr<ChangeReader>> open(const std::string& path);
  virtual ~ChangeReader() = default;

  // At most `most` of those behind `after`. Runs of imports that are not complete count as removed.
  virtual Result<Changes> after(std::int64_t after, std::int64_t most) = 0;
};

}  // namespace etad
