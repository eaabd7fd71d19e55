// Whether a deployment has changed: a new driver, a card of the same name, clocks that throttle for good.
#pragma once

#include <optional>
#include <vector>

#include "regression/observations.h"

namespace etad::regression {

// Sets the weight of runs from before the last change to 0 and returns when the first run after it started.
// `rows` are in order of time; runs without a time are never dropped. `residuals`: log(t / f) of a robust
// fit.
//
// Two tests must agree. The runs test asks whether the signs of the residuals about their median alternate
// as often as chance would have them (Wald & Wolfowitz 1940; chrony drops old samples by it); the change
// point is where the medians before and after differ most, measured in their standard error, which must
// exceed what the best of all places reaches by chance.
std::optional<double> drop_before_change(Observations& rows, const std::vector<double>& residuals);

// Standard score of the number of runs of equal sign: far below 0 where neighbours resemble each other.
double runs_score(const std::vector<double>& residuals_in_order);

}  // namespace etad::regression
