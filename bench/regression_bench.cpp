// The promises on speed: a dirty model of 200 runs in under 2 ms; 1,000 models over 1,000,000 segments in
// under 2 s, on one core.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "regression/model.h"

namespace {

using etad::regression::Dataset;

Dataset make(int runs, int windows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> run_luck(0, 0.03), window_luck(0, 0.05);
  Dataset out;
  for (int i = 0; i < runs; ++i) {
    etad::regression::RunObservation run;
    run.samples = 8 << (i % 5);
    run.started_at = 1e9 + i;
    const double pace = (0.01 + 0.001 * run.samples) * std::exp(run_luck(random));
    for (int w = 0; w < windows; ++w) {
      const double t = 100 * pace * std::exp(window_luck(random));
      run.windows.push_back({100, t});
      run.iterations += 100;
      run.seconds += t;
    }
    out.push_back(std::move(run));
  }
  return out;
}

void one_model(benchmark::State& state) {
  const Dataset data = make(static_cast<int>(state.range(0)), 32, 1);
  for (auto _ : state) benchmark::DoNotOptimize(etad::regression::fit(data));
}
BENCHMARK(one_model)->Arg(1)->Arg(8)->Arg(40)->Arg(200)->Unit(benchmark::kMillisecond);

// As the daemon fits a dirty model in the end: with what the other phase and 63 other networks have to teach.
void one_model_with_siblings(benchmark::State& state) {
  const Dataset data = make(static_cast<int>(state.range(0)), 32, 1);
  std::vector<etad::regression::Model> others;
  for (unsigned i = 2; i < 2 + etad::regression::kMaxSiblings; ++i) {
    others.push_back(*etad::regression::fit(make(20, 8, i)));
  }
  std::vector<const etad::regression::Model*> models;
  for (const auto& model : others) models.push_back(&model);
  const auto prior = etad::regression::prior_of(models, nullptr, models.front());
  for (auto _ : state) benchmark::DoNotOptimize(etad::regression::fit(data, prior));
}
BENCHMARK(one_model_with_siblings)->Arg(8)->Arg(40)->Arg(200)->Unit(benchmark::kMillisecond);

void thousand_models_of_thousand_segments(benchmark::State& state) {
  std::vector<Dataset> data;
  for (unsigned i = 0; i < 1000; ++i) data.push_back(make(32, 32, i));
  for (auto _ : state) {
    for (const Dataset& each : data) benchmark::DoNotOptimize(etad::regression::fit(each));
  }
}
BENCHMARK(thousand_models_of_thousand_segments)->Unit(benchmark::kMillisecond)->Iterations(1);

void one_estimate(benchmark::State& state) {
  const auto model = etad::regression::fit(make(40, 32, 1));
  for (auto _ : state) benchmark::DoNotOptimize(model->predict(1000, 48, 0.9));
}
BENCHMARK(one_estimate)->Unit(benchmark::kMicrosecond);

}  // namespace
