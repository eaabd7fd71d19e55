// The step time of a running run, in seconds per iteration: its segmentation so far, and the forecast for the
// iterations to come. Used by remaining() and anomaly() only.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace etad::regression {

// A part of a running run's time that is over: a training window between two displays, without the tests and
// snapshots in it, or a test phase. Passed in order of time. Windows that held a snapshot may be missing; the
// gap that they leave in `first_iteration` is filled at the run's step time.
struct RunInterval {
  bool test = false;      // a test phase; otherwise training
  double iterations = 0;  // of a test phase: test iterations, 0 where unknown
  double seconds = 0;
  double first_iteration = 0;  // of training; of a test phase: when it took place
  double at =
      std::numeric_limits<double>::quiet_NaN();  // when it began, in seconds of any clock; NaN: unknown
};

// What takes longer than so many windows may be an outlier (statistics.h: winsorised_at).
inline constexpr double kOutlierWindows = 3;

// Consecutive windows put together, so that work stays bounded however long the run is.
struct StepTimeBlock {
  double first_iteration = 0;
  double iterations = 0;
  double level = 0;    // seconds per iteration, the median of its windows: blind to stalls
  double seconds = 0;  // that its windows took, stalls at no more than their cap
};

// All of these, one at least, in one; its level is the median of theirs.
StepTimeBlock in_one(std::span<const StepTimeBlock> blocks);

// The step times of a run so far, segmented.
struct StepTimeSegmentation {
  std::vector<StepTimeBlock> blocks;  // in order, at most kMaxBlocks
  std::vector<std::size_t> changes;   // blocks at which the step time changed; the first is 0
  double stall_factor = 1;  // the windows' time over that by their blocks' levels: what stalls add on average
  double iterations = 0;    // of all windows
  double noise = 0;         // relative standard deviation of a window from its block's level
  double jitter = 0;  // of windows of the present interval from their neighbours, likewise; blind to stalls
  double window_iterations = 0;  // the median window's
  std::size_t windows = 0;

  // The present interval's.
  std::span<const StepTimeBlock> present() const { return std::span(blocks).subspan(changes.back()); }

  static constexpr std::size_t kMaxBlocks = 128;
};

// Of the training intervals of `seen`; test phases and what can't be a window (no iterations, no or no finite
// time) are passed over. nullopt: no window.
std::optional<StepTimeSegmentation> segment_step_times(std::span<const RunInterval> seen);

// What a running run has shown so far, segmented once for all that is asked of it.
struct RunSoFar {
  RunSoFar() = default;
  RunSoFar(const std::vector<RunInterval>& intervals)
      : seen(intervals), step_times(segment_step_times(intervals)) {}

  std::span<const RunInterval> seen;  // must outlive this
  std::optional<StepTimeSegmentation> step_times;
};

struct StepTimeForecast {
  double seconds_per_iteration = 0;  // the mean to expect over the rest
  double drift = 0;                  // relative: how far the last change of step time would take the forecast
  double variation = 0;  // relative standard deviation between parts of the run as long as the rest
  double scatter = 0;    // relative standard error of past and future mean, as windows differ by chance
};

// The mean step time over the next `iterations`. For as long as the present interval may be expected to last,
// it is that interval's; beyond, that of the run's recent half. Stalls count at their average cost.
StepTimeForecast forecast_step_time(const StepTimeSegmentation& segmentation, double iterations);

}  // namespace etad::regression
