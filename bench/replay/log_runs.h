// A log as it grew: its runs with all that was known at each displayed iteration, read as the daemon reads it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/record.h"
#include "parsers/rules/format.h"
#include "regression/remaining.h"

namespace etad::replay {

// What was known when an iteration was displayed.
struct Moment {
  double at = 0;  // seconds since the run's first displayed iteration
  double iteration = 0;
  std::size_t intervals = 0;  // of ReplayRun::intervals, how many were over
  double snapshots = 0, snapshot_seconds = 0, waits = 0;
};

struct ReplayRun {
  std::string file;
  Run run;                     // as its log left it
  double first_iteration = 0;  // of the first moment
  std::vector<regression::RunInterval> intervals;
  std::vector<Moment> moments;    // none where its lines bear no times
  std::vector<Segment> segments;  // the same as intervals, as the history would keep them
  std::vector<Layer> layers;      // of its network, where the log shows them
};

// The shipped or any other rule files of a folder.
tl::expected<FormatSet, std::vector<Error>> load_formats(const std::string& folder);

// All training runs of a log, plain or gzip.
Result<std::vector<ReplayRun>> read_runs(const FormatSet& formats, const std::string& path);

}  // namespace etad::replay
