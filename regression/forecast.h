// A time to expect with the law of its error: from the network's model, from the run's own windows and test
// phases, and both joined. The inside of remaining().
#pragma once

#include <optional>

#include "regression/error_law.h"
#include "regression/step_time.h"
#include "regression/test_cost.h"

namespace etad::regression {

struct Forecast {
  double seconds = 0;
  ErrorLaw law;
  double cold_cache = 0;    // the probability that it rests on a start slowed by a cold cache
  double variance() const;  // relative
};

// The model's prediction, whose interval was asked for with `confidence`. nullopt: unusable.
std::optional<Forecast> model_forecast(const std::optional<Prediction>& prediction, double confidence);

// How the run comes by its data, beside what its windows show.
struct Feed {
  bool on_cpu = false;
  double waits = 0;  // how often its log said that it waited for them
};

// Of one training iteration, over the next `left` of them.
Forecast training_forecast(const StepTimeSegmentation& segmentation, const StepTimeForecast& expected,
                           double left, const Feed& feed);

// Of one test phase; `cost` has seen at least one.
Forecast test_forecast(const TestCost& cost);

// Both, weighted by their precision. `discount` in [0, 1]: how likely it is, where the two contradict each
// other, that the model is the one that does not hold.
Forecast combine(const Forecast& own, const Forecast& model, double discount);

}  // namespace etad::regression
