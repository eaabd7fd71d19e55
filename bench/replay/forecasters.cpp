#include "bench/replay/forecasters.h"

#include <algorithm>
#include <cmath>

#include "prediction/datasets.h"
#include "prediction/plan.h"
#include "regression/model.h"
#include "regression/statistics.h"
#include "storage/row_values.h"

namespace etad::replay {
namespace {

using regression::Remaining;
using regression::RunInterval;

constexpr double kConfidence = 0.9;
constexpr double kTqdmSmoothing = 0.3;  // the default of the tqdm progress bar

Remaining certain(double seconds) {
  Remaining out;
  out.seconds = out.lower = out.upper = seconds;
  return out;
}

std::optional<Remaining> etad_estimate(const Situation& s) {
  const std::vector<RunInterval> seen(
      s.run->intervals.begin(), s.run->intervals.begin() + static_cast<std::ptrdiff_t>(s.now().intervals));
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
  for (std::size_t i = 0; i < s.now().intervals; ++i) {
    const RunInterval& each = s.run->intervals[i];
    const bool before_test = i > 0 && s.run->intervals[i - 1].test;
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

bool same_model(const Run& a, const Run& b) {
  return key_of(a, Phase::train) == key_of(b, Phase::train);
}

bool counts(const ReplayRun& other, const ReplayRun& run, History history) {
  if (&other == &run || !same_model(other.run, run.run) || run.run.network.empty()) return false;
  if (other.run.loss_is_nan) return false;
  return history == History::others ||
         (other.run.ended_at && run.run.started_at && *other.run.ended_at <= *run.run.started_at);
}

std::optional<regression::Prediction> model_says(const ReplayRun& run, const std::vector<ReplayRun>& runs,
                                                 History history, Phase phase, double done, double left) {
  std::vector<RunData> others;
  for (const ReplayRun& other : runs) {
    if (!counts(other, run, history)) continue;
    others.push_back(prediction::run_data_of(other.run, other.segments, phase));
    others.back().run_id = static_cast<std::int64_t>(others.size());
  }
  const auto model = regression::fit(prediction::dataset_of(others, phase));
  if (!model) return std::nullopt;
  return prediction::per_iteration(*model, run.run, phase, done, left, kConfidence);
}

}  // namespace

regression::Plan plan_at(const ReplayRun& run, std::size_t moment) {
  const Moment& now = run.moments[moment];
  regression::Plan plan = prediction::plan_of(run.run);
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
  const double done = s.plan.iteration - static_cast<double>(s.run->run.first_iteration.value_or(0));
  const double left = std::max(1.0, s.plan.max_iterations - s.plan.iteration);
  s.train = model_says(*s.run, runs, history, Phase::train, done, left);
  if (!(s.plan.test_interval > 0) || !(s.plan.test_iterations > 0)) return;
  const auto tests = [&](double iterations) {
    return std::floor(iterations / s.plan.test_interval) * s.plan.test_iterations;
  };
  s.test = model_says(*s.run, runs, history, Phase::test, tests(done), tests(left) + s.plan.test_iterations);
}

}  // namespace etad::replay
