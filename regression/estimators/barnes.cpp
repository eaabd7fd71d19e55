// Barnes et al., "A regression-based approach to scalability prediction", ICS 2008: the logarithm of the time
// is linear in the logarithms of what is varied.
#include <cmath>

#include "regression/estimators/linear.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {

Estimator barnes() {
  return linear(
      {.name = "barnes",
       .source = "Barnes et al., ICS 2008",
       .group = kScaling,
       .varied = kSamples | kDevices,
       .terms = [](const Case& c) { return Eigen::RowVector3d(1, std::log(c.samples), std::log(c.devices)); },
       .solver = Solver::log_squares});
}

}  // namespace etad::estimators
