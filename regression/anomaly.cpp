#include "regression/anomaly.h"

#include <cmath>

namespace etad::regression {
namespace {

// Fewer windows than this prove nothing: the first are slow, and so is any stall.
constexpr std::size_t kLeastWindows = 8;

// The first block of the intervals of constant step time, counted from the end, that are all too slow; none:
// the number of blocks.
std::size_t slow_since(const StepTimeSegmentation& segmentation, double allowed) {
  std::size_t since = segmentation.blocks.size();
  for (auto change = segmentation.changes.rbegin(); change != segmentation.changes.rend(); ++change) {
    // What most of the windows say, which a few stalls can't.
    if (!(in_one(std::span(segmentation.blocks).subspan(*change, since - *change)).level > allowed)) break;
    since = *change;
  }
  return since;
}

double seconds_before(std::span<const RunInterval> seen, double iteration) {
  double seconds = 0;
  for (const RunInterval& s : seen) {
    if (!s.test && s.first_iteration >= iteration) break;
    if (s.seconds > 0 && std::isfinite(s.seconds)) seconds += s.seconds;
  }
  return seconds;
}

}  // namespace

std::optional<Anomaly> anomaly(const RunSoFar& run, const Prediction& train) {
  if (!(train.seconds > 0) || !std::isfinite(train.seconds) || !(train.upper >= train.seconds))
    return std::nullopt;
  const auto& segmentation = run.step_times;
  if (!segmentation || segmentation->windows < kLeastWindows) return std::nullopt;

  const std::size_t since = slow_since(*segmentation, train.upper);
  if (since == segmentation->blocks.size()) return std::nullopt;
  const StepTimeBlock slow = in_one(std::span(segmentation->blocks).subspan(since));
  Anomaly out;
  out.since_iteration = slow.first_iteration;
  out.since_seconds = seconds_before(run.seen, out.since_iteration);
  out.seconds_per_iteration = slow.seconds / slow.iterations;
  out.slowdown = out.seconds_per_iteration / train.seconds;
  out.lost_seconds = slow.seconds - train.seconds * slow.iterations;
  if (!std::isfinite(out.slowdown) || !std::isfinite(out.lost_seconds) || !std::isfinite(out.since_seconds))
    return std::nullopt;
  return out;
}

}  // namespace etad::regression
