#include "regression/forecast.h"

#include <algorithm>
#include <cmath>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

// The law of the forecast's error, calibrated on replayed logs (docs/remaining.md). All relative.
constexpr double kLeastUsual = 0.003;  // deviation of the steadiest run's forecast
constexpr double kDriftWeight = 0.5;   // of how far the last change of step time moves the forecast

// What nobody can foresee: chances for each e-fold that the run's age still grows by, and mean effects.
constexpr double kBreakHazard = 0.04;   // interruptions and slow-downs of any run
constexpr double kUnrestHazard = 0.06;  // besides, of one whose windows are not steady
constexpr double kSlowerSize = 0.10;
constexpr double kFasterHazard = 0.04;  // speed-ups
constexpr double kFasterSize = 0.04;
constexpr double kUnrestFasterSize = 0.02;
constexpr double kSteadyJitter = 0.003, kRestlessJitter = 0.01;  // of windows: an accelerator's own, and not

// A run that says with about every window that it waits for its data leaves its accelerator idle, as a rule
// before a cold disk. Once the data are in memory, if they fit, it goes at its own step time: an even chance
// of taking half the time.
constexpr double kColdCacheSeconds = 3600;              // within about so long all data have been read once
constexpr double kRareWaits = 0.3, kConstantWaits = 1;  // for each window
constexpr double kFewWindows = 4;                       // added to them: one wait at the start is usual
constexpr double kFedShift = 0.35;                      // log 2 / 2

// Runs of one network on one machine differ by some percent even where its model claims less.
constexpr double kLeastModelDeviation = 0.12;
constexpr double kMostModelDeviation = 3;
// What it is off by is there for the whole run, while the windows' noise goes: its variance counts as so much
// more once there are windows.
constexpr double kModelDoubt = 3;

// Of a model asked about a batch size beyond those it has seen: half or twice as much is no surprise.
constexpr double kExtrapolatedDeviation = 0.7;
// Of one asked about another covariate (a solver type, say) it has not seen: such things cost a quarter or
// so.
constexpr double kUnseenCovariateDeviation = 0.25;

// What a single test phase may be off: the first one often reads its data from a cold disk.
constexpr double kOneTest = 0.1;

double ramp(double x, double from, double to) {
  return std::clamp((x - from) / (to - from), 0.0, 1.0);
}

// How much the run says that it waits for its data. Once its step time has changed, what it said may be of another time.
double says_it_waits(const StepTimeSegmentation& segmentation, double waits) {
  if (segmentation.changes.back() > 0) return 0;
  return ramp(waits / (static_cast<double>(segmentation.windows) + kFewWindows), kRareWaits, kConstantWaits);
}

// How likely it is that data which come slowly are being read for the first time.
double still_cold_cache(const StepTimeSegmentation& segmentation) {
  const double x = in_one(segmentation.blocks).seconds / kColdCacheSeconds;
  return 1 / (1 + x * x);
}

double least_deviation(const Prediction& p) {
  double least = kLeastModelDeviation;
  for (const std::string& beyond : p.extrapolates) {
    if (beyond == "batch_size") return kExtrapolatedDeviation;
    if (beyond != "iterations") least = kUnseenCovariateDeviation;
  }
  return least;
}

}  // namespace

double ErrorLaw::cumulative(double x) const {
  const auto tail = [&](double size) { return size > 0 ? std::exp(-std::abs(x) / size) : 0.0; };
  const double normal = usual > 0 ? 0.5 * std::erfc(-x / (usual * std::sqrt(2.0))) : (x < 0 ? 0.0 : 1.0);
  const double up = x >= 0 ? 1 - tail(slower_size) : 0;  // of the exponential above 0
  const double down = x >= 0 ? 1 : tail(faster_size);    // of the one below
  return (1 - slower - faster) * normal + slower * up + faster * down;
}

double ErrorLaw::quantile(double p) const {
  double low = -1, high = 1;
  constexpr double kFarthest = 64;  // e^64: any interval is wide enough by then
  while (low > -kFarthest && cumulative(low) > p) low *= 2;
  while (high < kFarthest && cumulative(high) < p) high *= 2;
  for (int i = 0; i < 50; ++i) {
    const double x = 0.5 * (low + high);
    (cumulative(x) < p ? low : high) = x;
  }
  return 0.5 * (low + high);
}

// The tails count by the square of their mean size, half their mean square: what is rare should not rule.
double Forecast::variance() const {
  return law.usual * law.usual + law.slower * law.slower_size * law.slower_size +
         law.faster * law.faster_size * law.faster_size;
}

std::optional<Forecast> model_forecast(const std::optional<Prediction>& p, double confidence) {
  const auto usable = [](double x) { return std::isfinite(x) && x > 0; };
  if (!p || !usable(p->seconds)) return std::nullopt;
  double ratio = 1;
  if (usable(p->upper)) ratio = std::max(ratio, p->upper / p->seconds);
  if (usable(p->lower)) ratio = std::max(ratio, p->seconds / p->lower);
  const double deviation = std::log(ratio) / normal_quantile(0.5 + 0.5 * confidence);
  Forecast out{p->seconds, {}, 0};
  out.law.usual = std::clamp(deviation, least_deviation(*p), kMostModelDeviation);
  return out;
}

Forecast training_forecast(const StepTimeSegmentation& segmentation, const StepTimeForecast& expected,
                           double left, double waits) {
  const double ages =
      std::log1p(left / segmentation.iterations);  // e-foldings of the run's age still to come
  const double unrest = ramp(segmentation.jitter, kSteadyJitter, kRestlessJitter);
  const double fed_later = says_it_waits(segmentation, waits) * still_cold_cache(segmentation);

  Forecast out;
  ErrorLaw& law = out.law;
  law.usual = std::hypot(std::hypot(kLeastUsual, kDriftWeight * expected.drift),
                         std::hypot(expected.variation, expected.scatter));
  law.slower = 1 - std::exp(-(kBreakHazard + kUnrestHazard * unrest) * ages);
  law.slower_size = kSlowerSize;
  law.faster = (1 - law.slower) * (1 - std::exp(-kFasterHazard * ages));
  law.faster_size = kFasterSize + kUnrestFasterSize * unrest;
  out.cold_cache = fed_later;
  const double shift = kFedShift * fed_later * (1 - std::exp(-ages));
  law.usual = std::hypot(law.usual, shift);
  out.seconds = expected.seconds_per_iteration * std::exp(-shift);
  return out;
}

Forecast test_forecast(const TestCost& cost) {
  Forecast out{cost.seconds, {}, 0};
  out.law.usual = std::hypot(kOneTest, cost.scatter) / std::sqrt(std::max(1, cost.phases));
  return out;
}

// An average in the logarithm, weighted by precision. With d the distance of the two, d^2 beyond the sum of
// their variances is more than their errors explain: one of them does not hold for this run. That excess is
// added to the model's variance with probability `discount`, to the windows' with 1 - `discount`. The spread
// of the average covers both values: taking the one with probability w and the other with 1 - w has the
// variance w (1 - w) d^2, of which the part is left out that says the model does not hold.
Forecast combine(const Forecast& own, const Forecast& model, double discount) {
  discount *= 1 - own.cold_cache;
  const double distance = std::log(model.seconds / own.seconds);
  const double variance = kModelDoubt * model.variance();
  const double excess = std::max(0.0, distance * distance - own.variance() - variance);
  const double own_variance = own.variance() + (1 - discount) * excess;
  const double weight = own_variance / (own_variance + variance + discount * excess);  // the model's
  Forecast out = own;
  out.seconds = own.seconds * std::exp(weight * distance);
  const double shrink = std::sqrt(1 - weight);
  out.law.slower_size *= shrink;
  out.law.faster_size *= shrink;
  const double between = distance * distance - discount * excess;
  out.law.usual = std::hypot(own.law.usual * shrink, std::sqrt(weight * (1 - weight) * between));
  return out;
}

}  // namespace etad::regression
