// A dataset as rows of the regression: runs without a usable time are left out, the others are given the
// folds that cross-validation leaves out one after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "regression/dataset.h"

namespace etad::regression {

// One run as a row of the regression.
struct Observation {
  double n = 0;  // iterations, > 0
  double b = 0;  // samples per iteration; 0: unknown
  double t = 0;  // seconds, > 0
  double started_at = 0;
  std::size_t run = 0;     // its index in the dataset
  std::int64_t owner = 0;  // uid of its log's owner
};

using Observations = std::vector<Observation>;

// Runs with positive, finite iterations and seconds, at most `kMaxRuns` of them, the newest by `started_at`.
inline constexpr std::size_t kMaxRuns = 200;
Observations observe(const Dataset& data);

std::vector<double> batch_sizes(const Observations& rows);  // sorted, each once

// The newest row's batch size: used where all rows have the same.
inline double only_size(const Observations& rows) {
  return rows.back().b;
}

// Fold of each row: by batch size where there are three or more, so that the error says what a new batch size
// would meet; otherwise by run. The only run of a batch size is never left out then: what is left has no slope to
// foretell it by. At most `kMaxFolds`; rows beyond that share folds.
inline constexpr int kMaxFolds = 10;
inline constexpr int kNeverLeftOut = -1;
struct Folds {
  std::vector<int> of;  // per row; kNeverLeftOut: of none
  int count = 0;
  bool by_batch_size = false;
};
Folds fold(const Observations& rows);

}  // namespace etad::regression
