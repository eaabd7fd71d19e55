// What an estimate of the remaining time costs: it is asked for every running run at every tick.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "regression/anomaly.h"
#include "regression/remaining.h"

namespace {

using namespace etad::regression;

std::vector<RunInterval> windows(std::size_t intervals) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  std::vector<RunInterval> seen;
  double iteration = 0;
  while (seen.size() < intervals) {
    if (seen.size() % 51 == 50) {
      seen.push_back({true, 100, 30 * std::exp(noise(random)), iteration});
      continue;
    }
    const double step_time = seen.size() % 3000 < 2000 ? 0.5 : 0.6;
    seen.push_back({false, 20, 20 * step_time * std::exp(noise(random)), iteration});
    iteration += 20;
  }
  return seen;
}

Plan plan_of(const std::vector<RunInterval>& seen) {
  Plan plan;
  plan.max_iterations = 40.0 * static_cast<double>(seen.size());
  plan.test_interval = 1000;
  plan.test_iterations = 100;
  return plan;
}

void remaining_time(benchmark::State& state) {
  const auto seen = windows(static_cast<std::size_t>(state.range(0)));
  const Plan plan = plan_of(seen);
  const Prediction train{0.52, 0.48, 0.56, {}}, test{0.3, 0.28, 0.32, {}};
  for (auto _ : state) benchmark::DoNotOptimize(remaining(seen, plan, train, test, 0.9));
}
BENCHMARK(remaining_time)->Arg(10)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

void is_anomalous(benchmark::State& state) {
  const auto seen = windows(10000);
  const Prediction train{0.45, 0.42, 0.48, {}};
  for (auto _ : state) benchmark::DoNotOptimize(anomaly(seen, train));
}
BENCHMARK(is_anomalous)->Unit(benchmark::kMicrosecond);

}  // namespace
