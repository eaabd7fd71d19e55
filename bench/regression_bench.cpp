// The promises on speed: a dirty model of 200 runs in under 2 ms; 1,000 models over 1,000,000 segments in
// under 2 s, on one core.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "regression/model.h"
#include "regression/noise.h"

namespace {

using etad::regression::Dataset;

// `sizes` batch sizes: 8, 16, 32… where there are few, 4, 8, 12… where there are many.
Dataset make(int runs, int windows, unsigned seed, int sizes = 5) {
  std::mt19937 random(seed);
  std::normal_distribution<double> run_luck(0, 0.03), window_luck(0, 0.05);
  Dataset out;
  for (int i = 0; i < runs; ++i) {
    etad::regression::RunObservation run;
    run.samples = sizes <= 8 ? 8 << (i % sizes) : 4 * (1 + i % sizes);
    run.started_at = 1e9 + i;
    const double step_time = (0.01 + 0.001 * run.samples) * std::exp(run_luck(random));
    std::vector<etad::regression::Window> seen;
    for (int w = 0; w < windows; ++w) {
      const double t = 100 * step_time * std::exp(window_luck(random));
      seen.push_back({100, t});
      run.iterations += 100;
      run.seconds += t;
    }
    run.within = etad::regression::within_run(seen);
    out.push_back(std::move(run));
  }
  return out;
}

void one_model(benchmark::State& state) {
  const Dataset data = make(static_cast<int>(state.range(0)), 32, 1);
  for (auto _ : state) benchmark::DoNotOptimize(etad::regression::fit(data));
}
BENCHMARK(one_model)->Arg(1)->Arg(8)->Arg(40)->Arg(200)->Unit(benchmark::kMillisecond);

void dirty_model(benchmark::State& state) {
  const auto sizes = static_cast<int>(state.range(1));
  const Dataset data = make(static_cast<int>(state.range(0)), 32, 1, sizes);
  for (auto _ : state) benchmark::DoNotOptimize(etad::regression::fit(data));
}
BENCHMARK(dirty_model)
    ->ArgNames({"runs", "sizes"})
    ->Args({8, 5})
    ->Args({40, 5})
    ->Args({200, 5})
    ->Args({200, 8})
    ->Args({200, 24})
    ->Unit(benchmark::kMillisecond);

// 1,000 models of one deployment, each of 1,000 segments, all dirty: training and testing of 500 networks.
void thousand_dirty_models(benchmark::State& state) {
  std::vector<Dataset> data;
  for (unsigned i = 0; i < 1000; ++i) data.push_back(make(32, 32, i));
  for (auto _ : state) {
    for (const Dataset& each : data) benchmark::DoNotOptimize(etad::regression::fit(each));
  }
}
BENCHMARK(thousand_dirty_models)->Unit(benchmark::kMillisecond)->Iterations(1);

void one_estimate(benchmark::State& state) {
  const auto model = etad::regression::fit(make(40, 32, 1));
  for (auto _ : state) benchmark::DoNotOptimize(model->predict(1000, 48, 0.9));
}
BENCHMARK(one_estimate)->Unit(benchmark::kMicrosecond);

}  // namespace
