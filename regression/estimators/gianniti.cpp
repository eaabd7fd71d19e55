// Gianniti, Zhang & Ardagna, "Performance prediction of GPU-based deep learning applications", CLOSER 2019:
// end to end, a run is n iterations of a fixed cost and a cost a sample.
#include "regression/estimators/linear.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {

Estimator gianniti() {
  return linear({.name = "gianniti",
                 .source = "Gianniti, Zhang, Ardagna, CLOSER 2019",
                 .group = kSeries,
                 .varied = kSamples,
                 .terms = {terms::one, terms::samples}});
}

// The literal reading of a regression on iterations and batch size: a plane through the runs' times.
Estimator gianniti_literal() {
  static const Term iterations{"n", [](const Case& c) { return c.iterations; }};
  return linear({.name = "gianniti_literal",
                 .source = "Gianniti, Zhang, Ardagna, CLOSER 2019, read literally",
                 .group = kSeries,
                 .varied = kSamples,
                 .terms = {terms::one, iterations, terms::samples},
                 .whole_run = true});
}

}  // namespace etad::estimators
