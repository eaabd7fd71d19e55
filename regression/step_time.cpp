#include "regression/step_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "regression/changes.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

// From this size on a block's median is blind to lone stalls; smaller ones are smoothed by their neighbours.
constexpr std::size_t kRobustBlock = 5;

// How much longer than so far a change of step time may be expected to last. 1 is Lindy's law, which knows
// nothing but the age; changes of clocks, caches and neighbours on the machine last longer.
// docs/remaining.md.
constexpr double kPersistence = 12;

// A few windows say little about how noisy windows are. Before the first one, this much is taken for it, and
// it weighs as much as this many.
constexpr double kPriorWindowNoise = 0.06;
constexpr double kPriorWindows = 2;

// Fewer windows do not tell their jitter.
constexpr std::size_t kJitterWindows = 8;

// From so many windows on the first one does not count: it holds what starting up costs.
constexpr std::size_t kEnoughWindows = 2;

double step_time(const RunInterval& window) {
  return window.seconds / window.iterations;
}

double usable_iteration(double first) {
  return first > 0 && first < 1e15 ? first : 0;
}

std::vector<RunInterval> windows_of(std::span<const RunInterval> seen) {
  std::vector<RunInterval> windows;
  windows.reserve(seen.size());
  for (const RunInterval& s : seen) {
    if (s.test || !(s.iterations > 0 && s.iterations < 1e15) || !(s.seconds > 0) ||
        !std::isnormal(step_time(s)))
      continue;
    windows.push_back(s);
    windows.back().first_iteration = usable_iteration(s.first_iteration);
  }
  return windows;
}

StepTimeBlock block_of(std::span<const RunInterval> windows) {
  StepTimeBlock block{windows.front().first_iteration, 0, 0, 0};
  std::vector<double> step_times;
  step_times.reserve(windows.size());
  for (const RunInterval& w : windows) {
    block.iterations += w.iterations;
    step_times.push_back(step_time(w));
  }
  block.level = median(std::move(step_times));
  return block;
}

std::size_t block_size(std::size_t windows) {
  return (windows + StepTimeSegmentation::kMaxBlocks - 1) / StepTimeSegmentation::kMaxBlocks;
}

template <typename Segmentation>
auto& block_at(Segmentation& segmentation, std::size_t window, std::size_t size) {
  return segmentation.blocks[std::min(window / size, segmentation.blocks.size() - 1)];
}

// Running median over five, shorter at the ends.
void smooth(std::vector<StepTimeBlock>& blocks) {
  std::vector<double> levels;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t begin = i < 2 ? 0 : i - 2, end = std::min(blocks.size(), i + 3);
    std::vector<double> around;
    for (std::size_t j = begin; j < end; ++j) around.push_back(blocks[j].level);
    levels.push_back(median(std::move(around)));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].level = levels[i];
}

// Of their levels, by iterations.
double mean_level(std::span<const StepTimeBlock> blocks) {
  double iterations = 0, seconds = 0;
  for (const StepTimeBlock& block : blocks) {
    iterations += block.iterations;
    seconds += block.iterations * block.level;
  }
  return iterations > 0 ? seconds / iterations : 0;
}

// How many times its level's time a window may count as.
double stall_cap(const StepTimeSegmentation& segmentation, std::span<const RunInterval> windows,
                 std::size_t size) {
  std::vector<double> times;
  times.reserve(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i)
    times.push_back(step_time(windows[i]) / block_at(segmentation, i, size).level);
  return winsorised_at(std::move(times), kOutlierWindows);
}

// Fills in the blocks' seconds, what stalls add to the time their levels account for, and the windows' noise.
void count_stalls(StepTimeSegmentation& segmentation, std::span<const RunInterval> windows,
                  std::size_t size) {
  const double cap = stall_cap(segmentation, windows, size);
  double seconds = 0, accounted = 0, squares = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    StepTimeBlock& block = block_at(segmentation, i, size);
    const double usual = block.level * windows[i].iterations;
    const double counted = std::min(windows[i].seconds, cap * usual);
    block.seconds += counted;
    seconds += counted;
    accounted += usual;
    squares += (counted / usual - 1) * (counted / usual - 1);
  }
  const auto n = static_cast<double>(windows.size());
  if (accounted > 0) segmentation.stall_factor = seconds / accounted;
  segmentation.noise =
      std::sqrt((kPriorWindows * kPriorWindowNoise * kPriorWindowNoise + squares) / (kPriorWindows + n));
}

// From the median absolute difference of neighbours, which neither lone stalls nor changes of step time move
// much.
double jitter_of(std::span<const RunInterval> windows) {
  if (windows.size() < kJitterWindows) return kPriorWindowNoise;
  std::vector<double> steps;
  steps.reserve(windows.size());
  for (std::size_t i = 1; i < windows.size(); ++i)
    steps.push_back(std::log(step_time(windows[i]) / step_time(windows[i - 1])));
  return robust_scale(steps) / std::sqrt(2.0);  // a difference has twice the variance
}

// How much parts of the run as long as what is ahead differ: the standard deviation of the logarithms of
// their step times. A run that has less behind it than ahead is cut in two.
double variation(const std::vector<StepTimeBlock>& blocks, double done, double ahead) {
  const auto parts = static_cast<std::size_t>(std::clamp(done / std::max(ahead, 1.0), 2.0, 8.0));
  if (blocks.size() < parts) return 0;
  double sum = 0, squares = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part * blocks.size() / parts, end = (part + 1) * blocks.size() / parts;
    const StepTimeBlock all = in_one(std::span(blocks).subspan(begin, end - begin));
    const double step_time = std::log(all.seconds / all.iterations);
    sum += step_time;
    squares += step_time * step_time;
  }
  const auto n = static_cast<double>(parts);
  return std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)));
}

// The expected share of the next `ahead` iterations that an interval of `age` iterations will last for: its
// total length is Pareto distributed beyond its age, P(length > x) = scale / x, so that the share is
// (scale/ahead) ln(1 + ahead/scale).
double lasting_share(double age, double ahead) {
  if (!(ahead > 0) || !(age > 0)) return 1;
  const double x = ahead / (kPersistence * age);
  return x < 1e-9 ? 1 : std::log1p(x) / x;
}

// The windows' noise, as much larger as an interval from a few of them must be (Student).
double noise_bound(const StepTimeSegmentation& segmentation) {
  constexpr double kTail = 0.95;
  const double degrees = static_cast<double>(segmentation.windows) + kPriorWindows - 1;
  return segmentation.noise * student_quantile(kTail, degrees) / normal_quantile(kTail);
}

}  // namespace

StepTimeBlock in_one(std::span<const StepTimeBlock> blocks) {
  StepTimeBlock out{blocks.front().first_iteration, 0, 0, 0};
  std::vector<double> levels;
  for (const StepTimeBlock& block : blocks) {
    out.iterations += block.iterations;
    out.seconds += block.seconds;
    levels.push_back(block.level);
  }
  out.level = median(std::move(levels));
  return out;
}

std::optional<StepTimeSegmentation> segment_step_times(std::span<const RunInterval> seen) {
  auto windows = windows_of(seen);
  if (windows.empty()) return std::nullopt;
  if (windows.size() >= kEnoughWindows) windows.erase(windows.begin());

  StepTimeSegmentation segmentation;
  segmentation.windows = windows.size();
  const std::size_t size = block_size(windows.size());
  std::vector<double> lengths;
  for (const RunInterval& w : windows) {
    segmentation.iterations += w.iterations;
    lengths.push_back(w.iterations);
  }
  segmentation.window_iterations = median(std::move(lengths));

  const std::span<const RunInterval> all(windows);
  for (std::size_t i = 0; i < all.size(); i += size)
    segmentation.blocks.push_back(block_of(all.subspan(i, std::min(size, all.size() - i))));
  if (size < kRobustBlock) smooth(segmentation.blocks);
  count_stalls(segmentation, all, size);

  std::vector<double> logs;
  for (const StepTimeBlock& block : segmentation.blocks) logs.push_back(std::log(block.level));
  segmentation.changes = size < kRobustBlock
                             ? level_changes(logs, kRobustBlock + 3)  // more than the smoothing can feign
                             : level_changes(logs);
  segmentation.jitter = jitter_of(all.subspan(segmentation.changes.back() * size));
  return segmentation;
}

StepTimeForecast forecast_step_time(const StepTimeSegmentation& segmentation, double iterations) {
  const auto& blocks = segmentation.blocks;
  const double recent = mean_level(std::span(blocks).subspan(blocks.size() / 2));

  StepTimeForecast forecast;
  double level = segmentation.stall_factor * recent;
  if (segmentation.changes.back() > 0) {
    const StepTimeBlock present = in_one(segmentation.present());
    const double share = lasting_share(present.iterations, iterations);
    level = share * segmentation.stall_factor * present.level + (1 - share) * level;
  }
  forecast.seconds_per_iteration = level;

  forecast.drift = std::abs(std::log(level / (segmentation.stall_factor * recent)));
  forecast.variation = variation(blocks, segmentation.iterations, iterations);
  const double ahead = std::max(1.0, iterations / segmentation.window_iterations);
  forecast.scatter =
      noise_bound(segmentation) * std::sqrt(2 / static_cast<double>(segmentation.windows) + 1 / ahead);
  return forecast;
}

}  // namespace etad::regression
