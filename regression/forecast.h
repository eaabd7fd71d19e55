// A forecast is an expected time with the distribution of its error. There is one by the network's model, one
// by the run's own windows and test phases, and one of both combined. Used by remaining() only.
#pragma once

#include <optional>

#include "regression/model.h"
#include "regression/step_time.h"
#include "regression/test_cost.h"

namespace etad::regression {

// How far off a forecast may be: the distribution of its relative error. It is mostly small, when the run
// goes on as it did, and sometimes large, when the step time changes without any sign of it in the past.
//
// ln(actual / forecast): with probability `slower` exponential above 0 with mean `slower_size`, with
// probability `faster` exponential below 0 with mean `faster_size`, otherwise normal about 0 with deviation
// `usual`.
struct ErrorLaw {
  double usual = 0;
  double slower = 0, faster = 0;  // probabilities, together < 1
  double slower_size = 0, faster_size = 0;

  double cumulative(double x) const;  // P(error <= x)
  double quantile(double p) const;    // its inverse; p in (0, 1)
};

struct Forecast {
  double seconds = 0;       // expected
  ErrorLaw law;             // of ln(actual / seconds)
  double cold_cache = 0;    // the probability that it rests on a start slowed by a cold cache
  double variance() const;  // relative
};

// The model's prediction, whose interval was asked for with `confidence`. nullopt: unusable.
std::optional<Forecast> model_forecast(const std::optional<Prediction>& prediction, double confidence);

// Of one training iteration: the mean over the next `left` of them. `waits`: how often the log said that the run waited
// for its input.
Forecast training_forecast(const StepTimeSegmentation& segmentation, const StepTimeForecast& expected,
                           double left, double waits);

// Of one test phase; `cost` has seen at least one.
Forecast test_forecast(const TestCost& cost);

// Both combined, weighted by precision. `discount` in [0, 1]: the probability that, if the two contradict
// each other, it is the model that does not hold for this run.
Forecast combine(const Forecast& own, const Forecast& model, double discount);

}  // namespace etad::regression
