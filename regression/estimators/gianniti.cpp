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
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples); }});
}

// The literal reading of a regression on iterations and batch size: a plane b0 + b1 n + b2 B through the runs' times,
// here divided by n.
Estimator gianniti_literal() {
  return linear({.name = "gianniti_literal",
                 .source = "Gianniti, Zhang, Ardagna, CLOSER 2019, read literally",
                 .group = kSeries,
                 .varied = kSamples,
                 .terms = [](const Case& c) -> Eigen::RowVectorXd {
                   return Eigen::RowVector3d(1, c.iterations, c.samples) / c.iterations;
                 }});
}

}  // namespace etad::estimators
