#include "bench/replay/forecasters.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "daemon/service/live.h"
#include "regression/model.h"
#include "regression/statistics.h"
#include "regression/traits.h"

namespace etad::replay {
namespace {

using regression::Remaining;
using regression::Stretch;

constexpr double kConfidence = 0.9;
constexpr double kTqdmSmoothing = 0.3;    // the default of the tqdm progress bar
constexpr std::size_t kMostWindows = 32;  // of a run that enter a model, as in the daemon

Remaining certain(double seconds) {
  Remaining out;
  out.seconds = out.lower = out.upper = seconds;
  return out;
}

std::optional<Remaining> etad_estimate(const Situation& s) {
  const std::vector<Stretch> seen(s.run->stretches.begin(),
                                  s.run->stretches.begin() + static_cast<std::ptrdiff_t>(s.now().stretches));
  return regression::remaining(seen, s.plan, s.train, s.test, kConfidence);
}

std::optional<Remaining> mean_rate(const Situation& s) {
  const double done = s.now().iteration - s.run->first_iteration;
  if (!(done > 0)) return std::nullopt;
  return certain(s.now().at / done * (s.plan.max_iterations - s.now().iteration));
}

// Exponential averages of the windows' times and iterations, bias-corrected by their quotient.
std::optional<Remaining> moving_average(const Situation& s) {
  double seconds = 0, iterations = 0;
  for (std::size_t i = 1; i <= s.moment; ++i) {
    const Moment &from = s.run->moments[i - 1], &to = s.run->moments[i];
    seconds += kTqdmSmoothing * (to.at - from.at - seconds);
    iterations += kTqdmSmoothing * (to.iteration - from.iteration - iterations);
  }
  if (!(iterations > 0)) return std::nullopt;
  return certain(seconds / iterations * (s.plan.max_iterations - s.now().iteration));
}

std::optional<Remaining> median_step(const Situation& s) {
  std::vector<double> steps, tests;
  for (std::size_t i = 0; i < s.now().stretches; ++i) {
    const Stretch& each = s.run->stretches[i];
    const bool before_test = i > 0 && s.run->stretches[i - 1].test;
    if (each.test)
      tests.push_back(each.seconds);
    else if (!before_test && each.iterations > 0)
      steps.push_back(each.seconds / each.iterations);
  }
  if (steps.empty()) return std::nullopt;
  double seconds = regression::median(steps) * (s.plan.max_iterations - s.now().iteration);
  if (s.plan.test_interval > 0) {
    const double end = s.plan.test_at_end ? s.plan.max_iterations : s.plan.max_iterations - 1;
    seconds += regression::median(tests) * (std::floor(end / s.plan.test_interval) -
                                            std::floor(s.now().iteration / s.plan.test_interval));
  }
  return certain(seconds);
}

auto key_of(const Run& run) {
  return std::tie(run.network, run.architecture, run.framework, run.host, run.device, run.devices);
}

std::optional<double> samples_of(const Run& run, Phase phase) {
  const auto& summary = phase == Phase::train ? run.train : run.test;
  if (!summary.samples_per_iteration) return std::nullopt;
  return static_cast<double>(*summary.samples_per_iteration);
}

regression::RunObservation observation(const ReplayRun& run, Phase phase, std::int64_t id) {
  regression::RunObservation out;
  out.run = id;
  out.samples = samples_of(run.run, phase).value_or(0);
  out.traits = regression::traits_of(run.run.settings, phase == Phase::train);
  if (run.run.started_at)
    out.started_at = std::chrono::duration<double>(run.run.started_at->time_since_epoch()).count();
  std::vector<regression::Window> windows;
  for (const Segment& each : run.segments) {
    if (each.phase != phase) continue;
    windows.push_back({static_cast<double>(each.iterations), to_seconds(each.duration)});
    out.iterations += windows.back().iterations;
    out.seconds += windows.back().seconds;
  }
  const std::size_t step = std::max<std::size_t>(1, windows.size() / kMostWindows);
  for (std::size_t i = 0; i < windows.size(); i += step) out.windows.push_back(windows[i]);
  return out;
}

bool counts(const ReplayRun& other, const ReplayRun& run, History history) {
  if (&other == &run || key_of(other.run) != key_of(run.run) || run.run.network.empty()) return false;
  if (other.run.loss_is_nan) return false;
  return history == History::others ||
         (other.run.ended_at && run.run.started_at && *other.run.ended_at <= *run.run.started_at);
}

std::optional<regression::Prediction> model_says(const ReplayRun& run, const std::vector<ReplayRun>& runs,
                                                 History history, Phase phase, double iterations) {
  regression::Dataset data;
  for (const ReplayRun& other : runs) {
    if (!counts(other, run, history)) continue;
    auto observed = observation(other, phase, static_cast<std::int64_t>(data.size()));
    if (observed.iterations > 0 && observed.seconds > 0) data.push_back(std::move(observed));
  }
  const auto model = regression::fit(data);
  if (!model || !(iterations >= 1)) return std::nullopt;
  auto out = model->predict(iterations, samples_of(run.run, phase), kConfidence,
                            regression::traits_of(run.run.settings, phase == Phase::train));
  if (!out) return std::nullopt;
  out->seconds /= iterations;
  out->lower /= iterations;
  out->upper /= iterations;
  return out;
}

}  // namespace

regression::Plan plan_at(const ReplayRun& run, std::size_t moment) {
  const Moment& now = run.moments[moment];
  regression::Plan plan = service::plan_of(run.run);
  plan.iteration = now.iteration;
  plan.max_iterations = run.moments.back().iteration;
  // The last display of a run that got to its end comes before the test at its end.
  plan.test_at_end =
      !run.run.max_iterations || static_cast<double>(*run.run.max_iterations) > plan.max_iterations;
  plan.snapshots = now.snapshots;
  plan.snapshot_seconds = now.snapshot_seconds;
  plan.waits = now.waits;
  return plan;
}

const std::vector<Forecaster>& forecasters() {
  static const std::vector<Forecaster> all{
      {"etad", etad_estimate, true},
      {"median step + median test", median_step, false},
      {"mean rate", mean_rate, false},
      {"EMA 0.3", moving_average, false},
  };
  return all;
}

void add_history(Situation& s, const std::vector<ReplayRun>& runs, History history) {
  if (history == History::none) return;
  const double left = std::max(1.0, s.plan.max_iterations - s.plan.iteration);
  s.train = model_says(*s.run, runs, history, Phase::train, left);
  const double tests = s.plan.test_interval > 0 ? std::floor(left / s.plan.test_interval) + 1 : 0;
  s.test = model_says(*s.run, runs, history, Phase::test, tests * s.plan.test_iterations);
}

}  // namespace etad::replay
