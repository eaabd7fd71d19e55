// How far off the forecasts were, summed up over runs.
#pragma once

#include <string>
#include <vector>

#include "bench/replay/forecasters.h"

namespace etad::replay {

struct Options {
  std::vector<double> fractions{0.05, 0.25,
                                0.5};  // of the time from the first to the last displayed iteration
  std::size_t min_windows = 500;
  History history = History::none;
  bool details = false;  // a line for each run
  bool breaks = true;    // as they are; false: a log's long silences are taken out of the time
};

// The errors of one forecaster at one fraction; all in percent.
struct Accuracy {
  std::vector<double> errors;  // signed
  std::size_t covered = 0;     // the actual time was within the interval
  std::size_t misleading = 0;  // or further off than twice as far as it reached on that side
  double widths = 0;           // sum of the intervals' half-widths
  double mean() const;
  double median() const;
};

// accuracies[forecaster][fraction], over the runs that have enough windows.
struct Result {
  std::size_t runs = 0;
  std::size_t breaks = 0;  // that were taken out
  std::vector<std::vector<Accuracy>> accuracies;
};

Result replay(std::vector<ReplayRun> runs, const Options& options);

std::string table(const Result& result, const Options& options);

}  // namespace etad::replay
