#include "regression/observations.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace etad::regression {
namespace {

bool measurable(double v) {
  return std::isfinite(v) && v > 0;
}

Folds fold_by_run(const Observations& rows) {
  Folds folds;
  int asked = 0;
  for (const Observation& row : rows) {
    const bool alone = std::ranges::count(rows, row.b, &Observation::b) < 2;
    folds.of.push_back(alone ? kNeverLeftOut : asked++ % kMaxFolds);
  }
  folds.count = std::min(asked, kMaxFolds);
  return folds;
}

}  // namespace

Observations observe(const Dataset& data) {
  Observations rows;
  rows.reserve(std::min(data.size(), kMaxRuns));
  for (std::size_t i = 0; i < data.size(); ++i) {
    const RunObservation& run = data[i];
    if (!measurable(run.iterations) || !measurable(run.seconds)) continue;
    const double b = measurable(run.samples) ? run.samples : 0;
    rows.push_back({run.iterations, b, run.seconds, run.started_at, i, run.owner});
  }
  std::ranges::stable_sort(rows, {}, &Observation::started_at);
  if (rows.size() > kMaxRuns) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(kMaxRuns));
  return rows;
}

std::vector<double> batch_sizes(const Observations& rows) {
  std::vector<double> out;
  for (const Observation& row : rows) out.push_back(row.b);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Folds fold(const Observations& rows) {
  const std::vector<double> sizes = batch_sizes(rows);
  if (sizes.size() < 3) return fold_by_run(rows);
  Folds folds;
  folds.by_batch_size = true;
  folds.count = static_cast<int>(std::min<std::size_t>(sizes.size(), kMaxFolds));
  for (const Observation& row : rows) {
    const auto rank = std::ranges::lower_bound(sizes, row.b) - sizes.begin();
    folds.of.push_back(static_cast<int>(rank) % folds.count);
  }
  return folds;
}

}  // namespace etad::regression
