// Barnes et al., "A regression-based approach to scalability prediction", ICS 2008: the logarithm of the time
// is linear in the logarithms of what is varied.
#include "regression/estimators/linear.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {

Estimator barnes() {
  return linear({.name = "barnes",
                 .source = "Barnes et al., ICS 2008",
                 .group = kAllFacts & ~(kSamples | kDevices),
                 .varied = kSamples | kDevices,
                 .terms = {terms::one, terms::log_samples, terms::log_devices},
                 .solver = Solver::log_squares});
}

}  // namespace etad::estimators
