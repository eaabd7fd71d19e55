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
// Two tests must agree. The change point is where a median before and one after leave the least absolute
// deviations; these medians must differ by more of their standard errors than the best of all places reaches
// by chance. And the runs test asks whether residuals above and below the middle between the two alternate as
// often as chance would have them (Wald & Wolfowitz 1940; chrony drops old samples by it): runs that were
// slow now and then are no change.
std::optional<double> drop_before_change(Observations& rows, const std::vector<double>& residuals);

// Standard score of the number of runs above and below the middle: far below 0 where neighbours resemble each
// other.
double runs_statistic(const std::vector<double>& residuals_in_order, double middle);

}  // namespace etad::regression
