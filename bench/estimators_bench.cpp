// What the estimators of all history cost: to learn it anew, to bring up to date what has changed, to ask.
#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "regression/estimators/combined.h"

namespace {

using namespace etad::estimators;

std::shared_ptr<const Costs> costs_of(int network) {
  auto out = std::make_shared<Costs>();
  for (int i = 0; i < 20 + 5 * network; ++i) {
    LayerCosts layer;
    layer.kind = i % 4;
    layer.matrix = i % 4 == 0;
    layer.operations = 1e7 * (1 + i % 5) * (layer.matrix ? 1 : 0.01);
    layer.backward_operations = 2 * layer.operations;
    layer.elements = 1e5 * (1 + i % 3);
    layer.weights = 1e4;
    out->layers.push_back(layer);
  }
  return out;
}

// `networks` on four machines, in both phases, at five batch sizes each: 40 runs a network.
History history_of(int networks) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  History out;
  for (int network = 0; network < networks; ++network) {
    const auto costs = costs_of(network % 16);
    for (int machine = 0; machine < 4; ++machine) {
      for (const char* phase : {"train", "test"}) {
        for (const double b : {8., 16., 32., 64., 128.}) {
          Datum datum;
          datum.what.network = "net" + std::to_string(network);
          datum.what.phase = phase;
          datum.what.samples = b;
          datum.what.device = "device" + std::to_string(machine);
          datum.what.host = "host" + std::to_string(machine);
          datum.what.framework = "caffe";
          datum.what.costs = costs;
          datum.what.iterations = 100;
          datum.value = (1 + machine) * (2 + network % 16) * (4 + b) * 1e-3 * std::exp(noise(random));
          datum.run = static_cast<std::int64_t>(out.size());
          out.push_back(std::move(datum));
        }
      }
    }
  }
  return out;
}

const Estimator& named(const char* name) {
  return *find_estimator(name);
}

void learn(benchmark::State& state, const char* name) {
  const History history = history_of(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(named(name).learn(history, Target::seconds).fitted);
  state.SetLabel(std::to_string(history.size()) + " runs");
}

void bring_effects_up_to_date(benchmark::State& state) {
  const History history = history_of(static_cast<int>(state.range(0)));
  const auto before = named("effects").learn(history, Target::seconds).fitted;
  for (auto _ : state)
    benchmark::DoNotOptimize(named("effects").learn(history, Target::seconds, before.get()).fitted);
  state.SetLabel(std::to_string(history.size()) + " runs");
}

// Of a long history each question about another series is the first of its kind: the groups it listens to are
// chosen and their covariance is factored.
void ask(benchmark::State& state, bool first) {
  const History history = history_of(static_cast<int>(state.range(0)));
  const auto fitted = named("effects").learn(history, Target::seconds).fitted;
  std::size_t i = 0;
  for (auto _ : state) {
    Case what = history[first ? i : 0].what;
    what.samples = 48;
    benchmark::DoNotOptimize(fitted->predict(what));
    i = (i + 5) % history.size();
  }
}

// All estimators and their records in hidden questions, as a refit has them.
class All {
 public:
  explicit All(int networks) : history(history_of(networks)), records(compare(history, Target::seconds)) {
    for (const Estimator& each : estimators()) fitted.push_back(each.learn(history, Target::seconds).fitted);
  }

  std::vector<std::unique_ptr<const Fitted>> brought_up_to_date(const History& now) const {
    std::vector<std::unique_ptr<const Fitted>> out;
    for (std::size_t i = 0; i < fitted.size(); ++i)
      out.push_back(estimators()[i].learn(now, Target::seconds, fitted[i].get()).fitted);
    return out;
  }

  Reply ask_together(const Case& what, Kind kind) const {
    return reply_of(fitted.size() - 1, records.in(kind),
                    [&](std::size_t i) { return fitted[i] ? fitted[i]->predict(what) : Reply{}; });
  }

  const History history;
  const Records records;
  std::vector<std::unique_ptr<const Fitted>> fitted;
};

const All& all_of(int networks) {
  static std::map<int, std::unique_ptr<const All>> made;
  auto& out = made[networks];
  if (!out) out = std::make_unique<const All>(networks);
  return *out;
}

void judge(benchmark::State& state) {
  const History history = history_of(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(compare(history, Target::seconds));
  state.SetLabel(std::to_string(history.size()) + " runs");
}

void bring_all_up_to_date(benchmark::State& state) {
  const All& all = all_of(static_cast<int>(state.range(0)));
  History now = all.history;  // and a run more of one of the models
  now.push_back(now.front());
  now.back().run = static_cast<std::int64_t>(now.size());
  for (auto _ : state) benchmark::DoNotOptimize(all.brought_up_to_date(now));
  state.SetLabel(std::to_string(all.history.size()) + " runs");
}

// A batch size between others of a known series; or a machine that the network never ran on.
void ask_combined(benchmark::State& state, Kind kind, bool first) {
  const All& all = all_of(static_cast<int>(state.range(0)));
  std::size_t i = 0;
  for (auto _ : state) {
    Case what = all.history[first ? i : 0].what;
    what.samples = 48;
    if (kind == Kind::device) what.host = "another", what.device = "another";
    benchmark::DoNotOptimize(all.ask_together(what, kind));
    i = (i + 5) % all.history.size();
  }
}

BENCHMARK(judge)->Arg(8)->Arg(100)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bring_all_up_to_date)->Arg(8)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ask_combined, batch_size_first_of_a_series, Kind::batch_size, true)
    ->Arg(8)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ask_combined, batch_size_again, Kind::batch_size, false)
    ->Arg(8)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ask_combined, device_again, Kind::device, false)
    ->Arg(8)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(learn, effects, "effects")->Arg(8)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(learn, roofline, "roofline")->Arg(8)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(bring_effects_up_to_date)->Arg(8)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ask, first_of_a_series, true)->Arg(8)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ask, again, false)->Arg(8)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
