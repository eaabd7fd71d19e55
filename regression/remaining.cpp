#include "regression/remaining.h"

#include <algorithm>
#include <cmath>

#include "regression/compose.h"
#include "regression/forecast.h"

namespace etad::regression {
namespace {

// Without a test seen and without a model of it: forward is about a third of forward and backward, a test's
// batch is about half a training one's where it is not known, and half or twice as much is no surprise.
constexpr double kForwardShare = 1.0 / 3;
constexpr double kUsualTestLoad = 0.5;
constexpr double kForwardDeviation = 0.7;

// A snapshot adds at most this many windows' time, or this share of the training between two: more was an
// accident, as with windows.
constexpr double kMostSnapshotWindows = 2;
constexpr double kMostSnapshotShare = 0.01;

// An interval's second promise: the chance to be off by more than twice its width is this share of the chance
// to be outside at all.
constexpr double kFarShare = 0.2;

constexpr double kMostSeconds = 1e15;  // keeps all arithmetic finite
constexpr double kMostLog = 20;        // an upper bound half a billion times the estimate says it all

bool usable(double x) {
  return x > 0 && x < kMostSeconds;
}

// How often something that happens every `interval` iterations still will, after `from`, up to `to`.
double times_left(double from, double to, double interval, bool at_end) {
  if (!(interval > 0)) return 0;
  double times = std::floor(to / interval) - std::floor(from / interval);
  if (!at_end && std::fmod(to, interval) == 0) times -= 1;
  return std::max(0.0, times);
}

double snapshot_cost(const Plan& plan, const PaceCourse& course, double pace) {
  if (!(plan.snapshots >= 1) || !(plan.snapshot_interval > 0) || !usable(plan.snapshot_seconds)) return 0;
  const double extra = plan.snapshot_seconds / plan.snapshots - pace * course.window_iterations;
  return std::clamp(extra, 0.0,
                    pace * std::max(kMostSnapshotWindows * course.window_iterations,
                                    kMostSnapshotShare * plan.snapshot_interval));
}

// Time since the last stretch is part of the rest, as far as the run can be thought to have gone on
// meanwhile. A silence beyond that is a stall: it shortens nothing, and may last as long again.
void take_off_idle(Remaining& out, double idle, double expected_silence) {
  if (!(idle > 0)) return;
  idle = std::min(idle, kMostSeconds);
  const double progressed = std::min({idle, expected_silence, out.seconds});
  out.seconds -= progressed;
  out.lower = std::max(0.0, out.lower - std::min(idle, expected_silence));
  out.upper = std::max(out.seconds, out.upper - progressed) + std::max(0.0, idle - expected_silence);
}

double clean(double x) {
  return usable(x) ? x : 0;
}

double iteration_reached(const std::vector<Stretch>& seen, double stated) {
  double reached = clean(stated);
  for (auto s = seen.rbegin(); s != seen.rend(); ++s) {
    if (s->test) continue;
    if (std::isfinite(s->first_iteration) && s->iterations > 0)
      reached = std::max(reached, clean(s->first_iteration + s->iterations));
    break;
  }
  return reached;
}

// One iteration's training, from what there is; nullopt from nothing.
std::optional<Forecast> training(const std::optional<PaceCourse>& course,
                                 const std::optional<Forecast>& model, const Plan& plan, double left,
                                 Remaining& out) {
  if (!course) {
    out.from_model_only = true;
    return model;
  }
  const PaceOutlook outlook = pace_outlook(*course, left);
  out.pace_since = outlook.since;
  const Forecast own = pace_forecast(*course, outlook, left, plan.on_cpu);
  return model ? combine(own, *model) : own;
}

// One test phase, from what there is.
Forecast testing(const TestCost& cost, const Plan& plan, const std::optional<Forecast>& model,
                 const Forecast& pace) {
  if (cost.phases > 0) return model ? combine(test_forecast(cost), *model) : test_forecast(cost);
  if (model) return *model;
  const double iterations = clean(plan.test_iterations);
  const double load = plan.test_load > 0 ? clean(plan.test_load) : kUsualTestLoad;
  Forecast guess{kForwardShare * load * pace.seconds * iterations, {}};
  guess.law.usual = kForwardDeviation;
  return guess;
}

// The model's forecast of one test phase.
std::optional<Forecast> model_of_tests(const std::optional<Prediction>& test, double confidence,
                                       const TestCost& cost, const Plan& plan) {
  auto model = model_forecast(test, confidence);
  if (!model) return std::nullopt;
  model->seconds *= cost.iterations > 0 ? cost.iterations : clean(plan.test_iterations);
  return usable(model->seconds) ? model : std::nullopt;
}

// The bounds of the sum: the tests' own uncertainty joins that of the pace, by their share of the time. A
// slow machine slows both.
void add_interval(Remaining& out, const Forecast& pace, const Forecast& test, double confidence) {
  if (!(out.seconds > 0)) return;
  const double share = out.test_seconds / out.seconds;
  ErrorLaw law = pace.law;
  const double a = (1 - share) * pace.law.usual, b = share * test.law.usual;
  law.usual = std::sqrt(a * a + b * b + 2 * kPartsCorrelation * a * b);
  const double tail = 0.5 * (1 - confidence), far = kFarShare * tail;
  const auto off = [&](double p) { return std::expm1(std::clamp(law.quantile(p), -kMostLog, kMostLog)); };
  out.lower = out.seconds * (1 + std::min({0.0, off(tail), 0.5 * off(far)}));
  out.upper = out.seconds * (1 + std::max({0.0, off(1 - tail), 0.5 * off(1 - far)}));
}

}  // namespace

std::optional<Remaining> remaining(const std::vector<Stretch>& seen, const Plan& plan,
                                   const std::optional<Prediction>& train,
                                   const std::optional<Prediction>& test, double confidence) {
  if (!usable(plan.max_iterations)) return std::nullopt;
  confidence = confidence > 0 ? std::min(confidence, 0.9999) : 0.9;
  const double end = plan.max_iterations;
  const double reached = iteration_reached(seen, plan.iteration);
  const double left = std::max(0.0, end - reached);

  Remaining out;
  out.pace_since = reached;
  const auto course = pace_course(seen);
  const TestCost cost = test_cost(seen);
  const auto pace = training(course, model_forecast(train, confidence), plan, left, out);
  if (!pace) return std::nullopt;
  const double interval = plan.test_interval > 0 ? clean(plan.test_interval) : cost.interval;
  const double tests = times_left(std::max(reached, cost.last_iteration), end, interval, plan.test_at_end);
  const Forecast one_test = testing(cost, plan, model_of_tests(test, confidence, cost, plan), *pace);

  out.seconds_per_iteration = pace->seconds;
  out.train_seconds = pace->seconds * left;
  out.test_seconds = one_test.seconds * tests;
  if (course)
    out.snapshot_seconds =
        snapshot_cost(plan, *course, pace->seconds) * times_left(reached, end, plan.snapshot_interval, false);
  out.seconds = out.train_seconds + out.test_seconds + out.snapshot_seconds;
  if (!(out.seconds < kMostSeconds)) return std::nullopt;
  add_interval(out, *pace, one_test, confidence);
  const double window = course ? course->window_iterations * pace->seconds : 0;
  take_off_idle(out, plan.idle, window + (tests > 0 ? one_test.seconds : 0));
  return out;
}

}  // namespace etad::regression
