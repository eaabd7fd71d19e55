// Measurements as the accuracy program holds them: series of runs, read from segment tables or from logs.
#pragma once

#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "parsers/rules/format.h"
#include "prediction/knowledge.h"
#include "regression/dataset.h"

namespace etad::accuracy {

// What one model is fitted for.
struct SeriesKey {
  std::string device, network, phase;
  auto operator<=>(const SeriesKey&) const = default;
};

struct History {
  std::map<SeriesKey, regression::Dataset> series;
  prediction::Knowledge::Data runs;  // the same with all their facts, as the daemon's estimators take them
  long segments = 0;
  long left_out = 0;  // segments that cannot be true, runs that diverged, and those the caller left out
};

// What the caller wants left out: runs whose file (or run name), note or solver type this matches.
class Exclusion {
 public:
  explicit Exclusion(const std::string& pattern) : any_(!pattern.empty()), pattern_(pattern) {}
  bool matches(const std::string& text) const { return any_ && std::regex_search(text, pattern_); }

 private:
  bool any_;
  std::regex pattern_;
};

// Adds the segments of a CSV file. Its header names the columns; known are network, device, phase, batch_size
// (samples per iteration), iterations, seconds, run, solver, iter_size,
// precision, workers, note, started_at, and framework, host, devices, setting.NAME. Rows of one run are its windows.
// False: not readable.
bool add_csv(const std::string& path, const Exclusion& exclude, History& history);

// Adds the training runs of a log, plain or gzip, read by the daemon's own rules. Runs with NaN losses are
// left out: a diverged network keeps another step time. False: no log of a known format.
bool add_log(const std::string& path, const FormatSet& formats, const Exclusion& exclude, History& history);

}  // namespace etad::accuracy
