// Whether a deployment has changed: a new driver, a card of the same name, clocks that throttle for good.
#pragma once

#include <optional>
#include <vector>

#include "regression/observations.h"

namespace etad::regression {

// Takes out the runs from before the last change and returns when the first run after it started.
// `rows` are in order of time; runs without a time are never dropped. `residuals`: log(t / f) of a robust
// fit.
//
// Two tests must agree. First, the change point is where one median before and one after leave the least
// absolute deviations. The two medians must differ by more standard errors than the best place in a series
// without any change would show by chance. Second, the runs test (Wald & Wolfowitz 1940; chrony drops old
// samples by it): residuals above and below the middle between the two medians must alternate less often than
// by chance. It keeps runs that were slow now and then from being taken for a change.
std::optional<double> drop_before_change(Observations& rows, const std::vector<double>& residuals);

// The runs test's statistic, in standard deviations: how many times the residuals cross `middle`, against
// what independent ones would do. Far below 0 where neighbours resemble each other.
double runs_statistic(const std::vector<double>& residuals_in_order, double middle);

}  // namespace etad::regression
