// Gupta et al., "An online learning methodology for performance modeling of graphics processors", IEEE
// Transactions on Computers 67(12), 2018, in its smallest form: recursive least squares with forgetting, here on
// t = a + b B of one series. What lies long back weighs less, so that a machine that changes is followed. The whole
// series is at hand at each fit, so what the recursion would come to is computed at once.
#include "regression/estimators/linear.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {

Estimator gupta() {
  return linear({.name = "gupta",
                 .source = "Gupta et al., IEEE Trans. Computers 2018",
                 .group = kSeries,
                 .varied = kSamples,
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples); },
                 .solver = Solver::forgetting_squares});
}

}  // namespace etad::estimators
