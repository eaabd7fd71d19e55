#include "regression/remaining.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "regression/outlook.h"
#include "regression/pace.h"
#include "regression/statistics.h"
#include "regression/test_cost.h"

namespace etad::regression {
namespace {

// The law of the forecast's error, calibrated on replayed logs (docs/remaining.md). All relative.
constexpr double kLeastUsual = 0.004;     // deviation of the steadiest run's forecast
constexpr double kDriftWeight = 0.5;      // of how far the last change of pace moves the forecast
constexpr double kVariationWeight = 1.0;  // of what parts of the run differ by
constexpr double kScatterWeight = 1.0;    // of the level's standard error
constexpr double kSlowerHazard =
    0.06;  // unforeseen slow-downs and breaks, each time the run's age grows e-fold
constexpr double kFasterHazard = 0.03;  // the same of speed-ups
constexpr double kChangeSize = 0.10;    // mean effect of one on the remaining time

// Runs of one network on one machine differ by some percent even where its model claims less.
constexpr double kLeastPriorDeviation = 0.03;
constexpr double kMostPriorDeviation = 3;

// Of a model asked about a batch size beyond those it has seen: half or twice as much is no surprise.
constexpr double kExtrapolatedDeviation = 0.7;

// Without a test seen and without a model of it: forward is about a third of forward and backward.
constexpr double kForwardShare = 1.0 / 3;

// A snapshot adds at most this many windows' time, or this share of the training between two: more was an
// accident, as with windows.
constexpr double kMostSnapshotWindows = 2;
constexpr double kMostSnapshotShare = 0.01;

constexpr double kMostSeconds = 1e15;  // keeps all arithmetic finite

bool usable(double x) {
  return x > 0 && x < kMostSeconds;
}

// Seconds (of an iteration, of the rest, …) and the law of its relative error.
struct Forecast {
  double seconds = 0;
  ErrorLaw law;
  double variance() const {  // of an exponential about its end: twice its mean squared
    return law.usual * law.usual + 2 * (law.slower + law.faster) * law.size * law.size;
  }
};

std::optional<Forecast> prior_forecast(const std::optional<Prediction>& p, double confidence) {
  if (!p || !usable(p->seconds)) return std::nullopt;
  double ratio = 1;
  if (usable(p->upper)) ratio = std::max(ratio, p->upper / p->seconds);
  if (usable(p->lower)) ratio = std::max(ratio, p->seconds / p->lower);
  const double deviation = std::log(ratio) / normal_quantile(0.5 + 0.5 * confidence);
  const auto& beyond = p->extrapolates;
  const bool other_batch = std::find(beyond.begin(), beyond.end(), "batch_size") != beyond.end();
  const double least = other_batch ? kExtrapolatedDeviation : kLeastPriorDeviation;
  Forecast out{p->seconds, {}};
  out.law.usual = std::clamp(deviation, least, kMostPriorDeviation);
  return out;
}

// Precision-weighted in the logarithm. Where the two disagree, the spread covers both: w (1 - w) d^2 is the
// variance of a choice between two values at distance d.
Forecast combine(const Forecast& own, const Forecast& prior) {
  const double weight = own.variance() / (own.variance() + prior.variance());  // the prior's
  const double distance = std::log(prior.seconds / own.seconds);
  Forecast out = own;
  out.seconds = own.seconds * std::exp(weight * distance);
  const double shrink = std::sqrt(1 - weight);
  out.law.size *= shrink;
  out.law.usual = std::hypot(own.law.usual * shrink, distance * std::sqrt(weight * (1 - weight)));
  return out;
}

Forecast own_forecast(const PaceCourse& course, const PaceOutlook& outlook, double left) {
  Forecast out{outlook.seconds_per_iteration, {}};
  const double ages = std::log1p(left / course.iterations);  // e-foldings of the run's age still to come
  out.law.usual =
      std::hypot(std::hypot(kLeastUsual, kDriftWeight * outlook.drift),
                 std::hypot(kVariationWeight * outlook.variation, kScatterWeight * outlook.scatter));
  out.law.slower = 1 - std::exp(-kSlowerHazard * ages);
  out.law.faster = (1 - out.law.slower) * (1 - std::exp(-kFasterHazard * ages));
  out.law.size = kChangeSize;
  return out;
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

}  // namespace

std::optional<Remaining> remaining(const std::vector<Stretch>& seen, const Plan& plan,
                                   const std::optional<Prediction>& train,
                                   const std::optional<Prediction>& test, double confidence) {
  if (!usable(plan.max_iterations)) return std::nullopt;
  confidence = confidence > 0 ? std::min(confidence, 0.9999) : 0.9;
  const double reached = iteration_reached(seen, plan.iteration);
  const double left = std::max(0.0, plan.max_iterations - reached);

  const auto course = pace_course(seen);
  const auto prior = prior_forecast(train, confidence);
  Remaining out;
  Forecast pace;
  if (course) {
    const PaceOutlook outlook = pace_outlook(*course, left);
    pace = own_forecast(*course, outlook, left);
    out.pace_since = outlook.since;
    if (prior) pace = combine(pace, *prior);
  } else if (prior) {
    pace = *prior;
    out.from_model_only = true;
    out.pace_since = reached;
  } else {
    return std::nullopt;
  }

  const TestCost tests = test_cost(seen);
  const double interval = plan.test_interval > 0 ? clean(plan.test_interval) : tests.interval;
  const double times =
      times_left(std::max(reached, tests.last_iteration), plan.max_iterations, interval, plan.test_at_end);
  const auto test_prior = prior_forecast(test, confidence);
  const double test_iterations = plan.test_iterations > 0 ? clean(plan.test_iterations) : tests.iterations;
  double per_test = tests.seconds;
  if (tests.phases == 0)
    per_test = test_iterations * (test_prior ? test_prior->seconds : kForwardShare * pace.seconds);

  out.seconds_per_iteration = pace.seconds;
  out.train_seconds = pace.seconds * left;
  out.test_seconds = per_test * times;
  if (course)
    out.snapshot_seconds = snapshot_cost(plan, *course, pace.seconds) *
                           times_left(reached, plan.max_iterations, plan.snapshot_interval, false);
  out.seconds = out.train_seconds + out.test_seconds + out.snapshot_seconds;
  if (!(out.seconds < kMostSeconds)) return std::nullopt;
  const double tail = 0.5 * (1 - confidence);
  out.lower = std::min(out.seconds, out.seconds * std::exp(pace.law.quantile(tail)));
  out.upper = std::max(out.seconds, out.seconds * std::exp(std::min(20.0, pace.law.quantile(1 - tail))));
  const double window = course ? course->window_iterations * pace.seconds : 0;
  take_off_idle(out, plan.idle, window + (times > 0 ? per_test : 0));
  return out;
}

}  // namespace etad::regression
