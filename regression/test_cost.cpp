#include "regression/test_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

// A phase that took longer than this many times the usual counts as that.
constexpr double kOutlier = 2;

// Enough to average over, and bounds the work.
constexpr std::size_t kMostPhases = 64;

struct TestPhase {
  double at = 0, iterations = 0, seconds = 0;
};

std::vector<TestPhase> phases_of(std::span<const RunInterval> seen) {
  std::vector<TestPhase> phases;
  for (const RunInterval& s : seen) {
    if (!s.test || !(s.seconds > 0) || !std::isfinite(s.seconds) || !std::isfinite(s.first_iteration))
      continue;
    const double iterations = s.iterations > 0 && std::isfinite(s.iterations) ? s.iterations : 0;
    if (!phases.empty() && phases.back().at == s.first_iteration) {
      phases.back().seconds += s.seconds;
      phases.back().iterations += iterations;
    } else {
      phases.push_back({s.first_iteration, iterations, s.seconds});
    }
  }
  return phases;
}

double interval_of(const std::vector<TestPhase>& phases) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < phases.size(); ++i)
    if (phases[i].at > phases[i - 1].at) intervals.push_back(phases[i].at - phases[i - 1].at);
  return intervals.empty() ? 0 : median(std::move(intervals));
}

}  // namespace

TestCost test_cost(std::span<const RunInterval> seen) {
  const auto phases = phases_of(seen);
  TestCost cost;
  if (phases.empty()) return cost;
  cost.phases = static_cast<int>(std::min<std::size_t>(phases.size(), 1'000'000));
  cost.iterations = phases.back().iterations;
  cost.last_iteration = std::max(0.0, phases.back().at);
  cost.interval = interval_of(phases);

  const std::size_t recent = std::min(kMostPhases, (phases.size() + 1) / 2);
  std::vector<double> seconds;
  for (std::size_t i = phases.size() - recent; i < phases.size(); ++i) seconds.push_back(phases[i].seconds);
  const double usual = median(seconds);
  double sum = 0, squares = 0;
  for (const double s : seconds) {
    const double cut = std::min(s, kOutlier * usual);
    sum += cut;
    squares += (cut / usual - 1) * (cut / usual - 1);
  }
  cost.seconds = sum / static_cast<double>(recent);
  cost.scatter = std::sqrt(squares / static_cast<double>(recent));
  return cost;
}

}  // namespace etad::regression
