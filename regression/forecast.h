// A time to expect with the law of its error: from the network's model, from the run's own windows and test
// phases, and both joined. The inside of remaining().
#pragma once

#include <optional>

#include "regression/outlook.h"
#include "regression/pace.h"
#include "regression/test_cost.h"

namespace etad::regression {

struct Forecast {
  double seconds = 0;
  ErrorLaw law;
  double variance() const;  // relative
};

// The model's prediction, whose interval was asked for with `confidence`. nullopt: unusable.
std::optional<Forecast> model_forecast(const std::optional<Prediction>& prediction, double confidence);

// Of one training iteration, over the next `left` of them.
Forecast pace_forecast(const PaceCourse& course, const PaceOutlook& outlook, double left, bool on_cpu);

// Of one test phase; `cost` has seen at least one.
Forecast test_forecast(const TestCost& cost);

// Both, weighted by their precision.
Forecast combine(const Forecast& own, const Forecast& model);

}  // namespace etad::regression
