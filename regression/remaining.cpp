#include "regression/remaining.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "regression/compose.h"
#include "regression/forecast.h"
#include "regression/lost_time.h"
#include "regression/test_cost.h"

namespace etad::regression {
namespace {

// Without a test seen and without a model of it: forward is about a third of forward and backward, a test's
// batch is about half a training one's where it is not known, and half or twice as much is no surprise.
constexpr double kForwardShare = 1.0 / 3;
constexpr double kUsualTestLoad = 0.5;
constexpr double kForwardDeviation = 0.7;

// A snapshot adds at most this many windows' time, or this share of the training between two: more was an
// outlier, as with windows.
constexpr double kMostSnapshotWindows = 2;
constexpr double kMostSnapshotShare = 0.01;

// An interval's second promise: the chance to be off by more than twice its width is this share of the chance
// to be outside at all.
constexpr double kFarShare = 0.2;

// So many windows or tests of a run weigh as much as its model, where the two contradict each other.
constexpr double kFewSeen = 2;

// What starting up takes beside what it usually takes.
constexpr double kStartupDeviation = 0.5;

// Stalled: silent for so many times what was due, and at least for so many seconds.
constexpr double kStalledTimes = 10;
constexpr double kStalledSeconds = 60;

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

struct Snapshots {
  double left = 0;      // how many
  double interval = 0;  // iterations between two
};

// By the plan or, where it does not say, as often as so far.
Snapshots snapshots_left(const Plan& plan, const StepTimeSegmentation& segmentation, double reached,
                         double end) {
  if (plan.snapshot_interval > 0)
    return {times_left(reached, end, plan.snapshot_interval, false), plan.snapshot_interval};
  if (!(plan.snapshots >= 1)) return {};
  const double interval =
      std::max(1.0, reached - segmentation.blocks.front().first_iteration) / plan.snapshots;
  return {std::max(0.0, end - reached) / interval, interval};
}

// What a snapshot adds: what was lost around the windows that are missing because they held one or, where
// none are, what the log shows of it, outliers winsorised.
double snapshot_cost(const LostTime& missing, const Plan& plan, const StepTimeSegmentation& segmentation,
                     double step_time, double interval) {
  if (!(plan.snapshots >= 1)) return 0;
  if (missing.times > 0) return missing.seconds / plan.snapshots;
  if (!usable(plan.snapshot_seconds)) return 0;
  return std::clamp(plan.snapshot_seconds / plan.snapshots, 0.0,
                    step_time * std::max(kMostSnapshotWindows * segmentation.window_iterations,
                                         kMostSnapshotShare * interval));
}

// What an iteration costs beside training, tests and snapshots. Those taken out of windows that are there
// passed between the windows too; of a run without snapshots, windows are missing for something else.
double other_cost(const LostTime& lost, const LostTime& missing, const Plan& plan) {
  const bool saves = plan.snapshots >= 1;
  const double snapshots = missing.times == 0 && usable(plan.snapshot_seconds) ? plan.snapshot_seconds : 0;
  const double seconds = lost.seconds + (saves ? 0 : missing.seconds);
  return lost.iterations > 0 ? std::max(0.0, seconds - snapshots) / lost.iterations : 0;
}

// A run that has shown no such time by a tenth of its way is not like those before.
constexpr double kOtherShowsBy = 0.1;

double clean(double x) {
  return usable(x) ? x : 0;
}

double iteration_reached(std::span<const RunInterval> seen, double stated) {
  double reached = clean(stated);
  for (auto s = seen.rbegin(); s != seen.rend(); ++s) {
    if (s->test) continue;
    if (std::isfinite(s->first_iteration) && s->iterations > 0)
      reached = std::max(reached, clean(s->first_iteration + s->iterations));
    break;
  }
  return reached;
}

// The probability that, where they contradict each other, the model is wrong about this run and not the `seen`
// windows or tests that the run began with.
double discount_of(double seen) {
  return seen / (seen + kFewSeen);
}

// One iteration's training over the next `left`, from what there is; nullopt from nothing.
std::optional<Forecast> training(const std::optional<StepTimeSegmentation>& segmentation,
                                 const std::optional<Forecast>& model, const Plan& plan, double left) {
  if (!segmentation) return model;
  const Forecast own =
      training_forecast(*segmentation, forecast_step_time(*segmentation, left), left, clean(plan.waits));
  return model ? combine(own, *model, discount_of(static_cast<double>(segmentation->windows))) : own;
}

// One test phase, from what there is.
Forecast testing(const TestCost& cost, const Plan& plan, const std::optional<Forecast>& model,
                 const Forecast& step_time) {
  if (cost.phases > 0)
    return model ? combine(test_forecast(cost), *model, discount_of(cost.phases)) : test_forecast(cost);
  if (model) return *model;
  const double iterations = clean(plan.test_iterations);
  const double load = plan.test_load > 0 ? clean(plan.test_load) : kUsualTestLoad;
  Forecast guess{kForwardShare * load * step_time.seconds * iterations, {}, 0};
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

// How far below and above the forecast the interval reaches, relative to it: -1 <= first <= 0 <= second.
std::pair<double, double> reach(const ErrorLaw& law, double confidence) {
  const double tail = 0.5 * (1 - confidence), far = kFarShare * tail;
  const auto off = [&](double p) { return std::expm1(std::clamp(law.quantile(p), -kMostLog, kMostLog)); };
  return {std::min({0.0, off(tail), 0.5 * off(far)}), std::max({0.0, off(1 - tail), 0.5 * off(1 - far)})};
}

// The bounds of the sum: the tests' own uncertainty joins that of the step time, by their share of the time.
// A slow machine slows both. What starting up takes is a matter of its own.
void add_interval(Remaining& out, const Forecast& step_time, const Forecast& test, const LostTime& lost,
                  double confidence) {
  if (!(out.seconds > 0)) return;
  const double share = out.test_seconds / out.seconds, startup = out.startup_seconds / out.seconds;
  const double other = out.other_seconds / out.seconds / std::sqrt(std::max(1, lost.times));
  ErrorLaw law = step_time.law;
  const double a = (1 - share - startup) * step_time.law.usual, b = share * test.law.usual;
  law.usual = std::hypot(std::sqrt(a * a + b * b + 2 * kPartsCorrelation * a * b),
                         startup * kStartupDeviation, other);
  const auto [below, above] = reach(law, confidence);
  out.lower = out.seconds * (1 + below);
  out.upper = out.seconds * (1 + above);
}

double asked(double confidence) {
  return confidence > 0 ? std::min(confidence, 0.9999) : 0.9;
}

// From a window's display to the next line: its training, and a test phase where there are any.
double due_after(const std::optional<StepTimeSegmentation>& segmentation, double step_time, double test) {
  return segmentation ? segmentation->window_iterations * step_time + test : 0;
}

}  // namespace

std::optional<Remaining> remaining(const RunSoFar& run, const Plan& plan,
                                   const std::optional<Prediction>& train,
                                   const std::optional<Prediction>& test, double confidence) {
  if (!usable(plan.max_iterations)) return std::nullopt;
  confidence = asked(confidence);
  const auto& seen = run.seen;
  const double end = plan.max_iterations;
  const double reached = iteration_reached(seen, plan.iteration);
  const double left = std::max(0.0, end - reached);

  const auto& segmentation = run.step_times;
  const auto step_time = training(segmentation, model_forecast(train, confidence), plan, left);
  if (!step_time) return std::nullopt;
  const TestCost cost = test_cost(seen);
  const double interval = plan.test_interval > 0 ? clean(plan.test_interval) : cost.interval;
  const double tests = times_left(std::max(reached, cost.last_iteration), end, interval, plan.test_at_end);
  const Forecast one_test = testing(cost, plan, model_of_tests(test, confidence, cost, plan), *step_time);

  Remaining out;
  LostTime lost;
  out.train_seconds = step_time->seconds * left;
  out.test_seconds = one_test.seconds * tests;
  bool as_before = !segmentation;  // in what it loses beside all that is measured
  if (segmentation) {
    const Snapshots snapshots = snapshots_left(plan, *segmentation, reached, end);
    const LostTime missing = lost_time(seen, Gap::around_missing);
    out.snapshot_seconds =
        snapshot_cost(missing, plan, *segmentation, step_time->seconds, snapshots.interval) * snapshots.left;
    lost = lost_time(seen, Gap::between_neighbours);
    out.other_seconds = other_cost(lost, missing, plan) * left;
    as_before = lost.times + missing.times == 0 && reached < kOtherShowsBy * end;
  } else {
    out.startup_seconds = clean(plan.startup);
  }
  if (as_before) out.other_seconds = clean(plan.other_share) * out.train_seconds;
  out.seconds =
      out.train_seconds + out.test_seconds + out.snapshot_seconds + out.startup_seconds + out.other_seconds;
  if (!(out.seconds < kMostSeconds)) return std::nullopt;
  out.due = due_after(segmentation, step_time->seconds, tests > 0 ? one_test.seconds : 0);
  add_interval(out, *step_time, one_test, lost, confidence);
  return out;
}

std::optional<StepTime> expected_step_time(const RunSoFar& run, const Plan& plan,
                                           const std::optional<Prediction>& train, double confidence) {
  confidence = asked(confidence);
  const auto& seen = run.seen;
  const auto& segmentation = run.step_times;
  const double reached = iteration_reached(seen, plan.iteration);
  double left = clean(plan.max_iterations) - reached;
  if (!(left >= 1)) left = segmentation ? segmentation->iterations : 1;
  const auto step_time = training(segmentation, model_forecast(train, confidence), plan, left);
  if (!step_time || !usable(step_time->seconds)) return std::nullopt;
  const auto [below, above] = reach(step_time->law, confidence);
  const double due = due_after(segmentation, step_time->seconds, test_cost(seen).seconds);
  if (!(due < kMostSeconds)) return std::nullopt;
  return StepTime{step_time->seconds,
                  step_time->seconds * (1 + below),
                  step_time->seconds * (1 + above),
                  segmentation ? segmentation->present().front().first_iteration : reached,
                  due,
                  !segmentation};
}

Remaining after_silence(Remaining r, double silence) {
  if (!(silence > 0)) return r;
  silence = std::min(silence, kMostSeconds);
  const double over = std::min(silence, r.due), progressed = std::min(over, r.seconds);
  r.seconds -= progressed;
  r.lower = std::max(0.0, r.lower - over);
  r.upper = std::max(r.seconds, r.upper - progressed) + (silence - over);
  return r;
}

bool stalled(double due, double silence) {
  return due > 0 && silence >= kStalledSeconds && silence >= kStalledTimes * due;
}

}  // namespace etad::regression
