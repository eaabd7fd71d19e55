#include "regression/observations.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace etad::regression {
namespace {

bool measurable(double v) {
  return std::isfinite(v) && v > 0;
}

Folds fold_by_run(const Dataset& rows) {
  Folds folds;
  int asked = 0;
  for (const RunObservation& row : rows) {
    const bool alone = std::ranges::count(rows, row.samples, &RunObservation::samples) < 2;
    folds.of.push_back(alone ? kNeverLeftOut : asked++ % kMaxFolds);
  }
  folds.count = std::min(asked, kMaxFolds);
  return folds;
}

}  // namespace

Dataset rows_of(Dataset data) {
  std::erase_if(data, [](const RunObservation& run) {
    return !measurable(run.iterations) || !measurable(run.seconds);
  });
  for (RunObservation& run : data)
    if (!measurable(run.samples)) run.samples = 0;
  std::ranges::stable_sort(data, {}, &RunObservation::started_at);
  if (data.size() > kMaxRuns) data.erase(data.begin(), data.end() - static_cast<std::ptrdiff_t>(kMaxRuns));
  return data;
}

std::vector<double> batch_sizes(const Dataset& rows) {
  std::vector<double> out;
  for (const RunObservation& row : rows) out.push_back(row.samples);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Folds fold(const Dataset& rows) {
  const std::vector<double> sizes = batch_sizes(rows);
  if (sizes.size() < 3) return fold_by_run(rows);
  Folds folds;
  folds.by_batch_size = true;
  folds.count = static_cast<int>(std::min<std::size_t>(sizes.size(), kMaxFolds));
  for (const RunObservation& row : rows) {
    const auto rank = std::ranges::lower_bound(sizes, row.samples) - sizes.begin();
    folds.of.push_back(static_cast<int>(rank) % folds.count);
  }
  return folds;
}

}  // namespace etad::regression
