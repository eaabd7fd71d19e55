#include "regression/anomaly.h"

#include <cmath>

#include "regression/run_so_far.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

// Fewer windows than this prove nothing: the first are slow, and so is any stall.
constexpr std::size_t kLeastWindows = 8;

struct Span {
  double iterations = 0, seconds = 0;
  double step_time() const { return seconds / iterations; }
};

Span span_of(const StepTimeSegmentation& segmentation, std::size_t begin, std::size_t end) {
  Span span;
  for (std::size_t i = begin; i < end; ++i) {
    span.iterations += segmentation.blocks[i].iterations;
    span.seconds += segmentation.blocks[i].seconds;
  }
  return span;
}

// What most of the windows say, which a few stalls can't.
double usual_step_time(const StepTimeSegmentation& segmentation, std::size_t begin, std::size_t end) {
  std::vector<double> levels;
  for (std::size_t i = begin; i < end; ++i) levels.push_back(segmentation.blocks[i].level);
  return median(std::move(levels));
}

// The first block of the intervals of constant step time, counted from the end, that are all too slow; none:
// the number of blocks.
std::size_t slow_since(const StepTimeSegmentation& segmentation, double allowed) {
  std::size_t since = segmentation.blocks.size();
  for (auto change = segmentation.changes.rbegin(); change != segmentation.changes.rend(); ++change) {
    if (!(usual_step_time(segmentation, *change, since) > allowed)) break;
    since = *change;
  }
  return since;
}

double seconds_before(const std::vector<RunInterval>& seen, double iteration) {
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
  const Span slow = span_of(*segmentation, since, segmentation->blocks.size());
  Anomaly out;
  out.since_iteration = segmentation->blocks[since].first_iteration;
  out.since_seconds = seconds_before(run.seen, out.since_iteration);
  out.seconds_per_iteration = slow.step_time();
  out.slowdown = slow.step_time() / train.seconds;
  out.lost_seconds = slow.seconds - train.seconds * slow.iterations;
  if (!std::isfinite(out.slowdown) || !std::isfinite(out.lost_seconds) || !std::isfinite(out.since_seconds))
    return std::nullopt;
  return out;
}

std::optional<Anomaly> anomaly(const std::vector<RunInterval>& seen, const Prediction& train) {
  return anomaly(RunSoFar(seen), train);
}

}  // namespace etad::regression
