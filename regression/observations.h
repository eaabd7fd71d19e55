// The rows of the regression: of a dataset's runs those with a usable time, given the folds that cross-validation leaves
// out one after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "regression/dataset.h"

namespace etad::regression {

// Runs with positive, finite iterations and seconds in order of time, the newest kMaxRuns of them. A number of samples that
// is no such number is unknown: 0.
inline constexpr std::size_t kMaxRuns = 200;
Dataset rows_of(Dataset data);

std::vector<double> batch_sizes(const Dataset& rows);  // sorted, each once

// The newest row's batch size: read only by the basis for where all have the same.
inline double reference_size(const Dataset& rows) {
  return rows.back().samples;
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
Folds fold(const Dataset& rows);

}  // namespace etad::regression
