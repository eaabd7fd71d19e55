#include "regression/forecast.h"

#include <algorithm>
#include <cmath>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

// The law of the forecast's error, calibrated on replayed logs (docs/remaining.md). All relative.
constexpr double kLeastUsual = 0.005;  // deviation of the steadiest run's forecast
constexpr double kDriftWeight = 0.5;   // of how far the last change of pace moves the forecast
constexpr double kSlowerHazard =
    0.08;  // unforeseen slow-downs and breaks, each time the run's age grows e-fold
constexpr double kFasterHazard = 0.05;  // the same of speed-ups
constexpr double kChangeSize = 0.12;    // mean effect of one on the remaining time

// Runs of one network on one machine differ by some percent even where its model claims less.
constexpr double kLeastModelDeviation = 0.08;
constexpr double kMostModelDeviation = 3;

// Of a model asked about a batch size beyond those it has seen: half or twice as much is no surprise.
constexpr double kExtrapolatedDeviation = 0.7;

// What a single test phase may be off: the first one often reads its data from a cold disk.
constexpr double kOneTest = 0.1;

}  // namespace

// The tails count by their mean, not by their mean square: what is rare should not rule a weighted mean.
double Forecast::variance() const {
  return law.usual * law.usual + (law.slower + law.faster) * law.size * law.size;
}

std::optional<Forecast> model_forecast(const std::optional<Prediction>& p, double confidence) {
  const auto usable = [](double x) { return std::isfinite(x) && x > 0; };
  if (!p || !usable(p->seconds)) return std::nullopt;
  double ratio = 1;
  if (usable(p->upper)) ratio = std::max(ratio, p->upper / p->seconds);
  if (usable(p->lower)) ratio = std::max(ratio, p->seconds / p->lower);
  const double deviation = std::log(ratio) / normal_quantile(0.5 + 0.5 * confidence);
  const auto& beyond = p->extrapolates;
  const bool other_batch = std::find(beyond.begin(), beyond.end(), "batch_size") != beyond.end();
  const double least = other_batch ? kExtrapolatedDeviation : kLeastModelDeviation;
  Forecast out{p->seconds, {}};
  out.law.usual = std::clamp(deviation, least, kMostModelDeviation);
  return out;
}

Forecast pace_forecast(const PaceCourse& course, const PaceOutlook& outlook, double left) {
  Forecast out{outlook.seconds_per_iteration, {}};
  const double ages = std::log1p(left / course.iterations);  // e-foldings of the run's age still to come
  out.law.usual = std::hypot(std::hypot(kLeastUsual, kDriftWeight * outlook.drift),
                             std::hypot(outlook.variation, outlook.scatter));
  out.law.slower = 1 - std::exp(-kSlowerHazard * ages);
  out.law.faster = (1 - out.law.slower) * (1 - std::exp(-kFasterHazard * ages));
  out.law.size = kChangeSize;
  return out;
}

Forecast test_forecast(const TestCost& cost) {
  Forecast out{cost.seconds, {}};
  out.law.usual = std::hypot(kOneTest, cost.scatter) / std::sqrt(std::max(1, cost.phases));
  return out;
}

// In the logarithm. Where the two disagree, the spread covers both: w (1 - w) d^2 is the variance of a choice
// between two values at distance d.
Forecast combine(const Forecast& own, const Forecast& model) {
  const double weight = own.variance() / (own.variance() + model.variance());  // the model's
  const double distance = std::log(model.seconds / own.seconds);
  Forecast out = own;
  out.seconds = own.seconds * std::exp(weight * distance);
  const double shrink = std::sqrt(1 - weight);
  out.law.size *= shrink;
  out.law.usual = std::hypot(own.law.usual * shrink, distance * std::sqrt(weight * (1 - weight)));
  return out;
}

}  // namespace etad::regression
