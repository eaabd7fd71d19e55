// The published methods that are linear in their coefficients: what must be equal among the runs of a fit, the terms,
// the solver.
#include <cmath>

#include "regression/estimators/linear.h"

namespace etad::estimators {

// Gianniti, Zhang & Ardagna, "Performance prediction of GPU-based deep learning applications", CLOSER 2019:
// end to end, a run is n iterations of a fixed cost and a cost a sample.
Estimator gianniti() {
  return linear({.name = "gianniti",
                 .source = "Gianniti, Zhang, Ardagna, CLOSER 2019",
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples); }});
}

// The literal reading of a regression on iterations and batch size: a plane b0 + b1 n + b2 B through the runs' times,
// here divided by n.
Estimator gianniti_literal() {
  return linear({.name = "gianniti_literal",
                 .source = "Gianniti, Zhang, Ardagna, CLOSER 2019, read literally",
                 .terms = [](const Case& c) -> Eigen::RowVectorXd {
                   return Eigen::RowVector3d(1, c.iterations, c.samples) / c.iterations;
                 }});
}

// Gupta et al., "An online learning methodology for performance modeling of graphics processors", IEEE
// Transactions on Computers 67(12), 2018, in its smallest form: recursive least squares with forgetting, here on
// t = a + b B of one series. What lies long back weighs less, so that a machine that changes is followed. The whole
// series is at hand at each fit, so what the recursion would come to is computed at once.
Estimator gupta() {
  return linear({.name = "gupta",
                 .source = "Gupta et al., IEEE Trans. Computers 2018",
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples); },
                 .solver = Solver::forgetting_squares});
}

// Barnes et al., "A regression-based approach to scalability prediction", ICS 2008: the logarithm of the time
// is linear in the logarithms of what is varied.
Estimator barnes() {
  return linear(
      {.name = "barnes",
       .source = "Barnes et al., ICS 2008",
       .group = kScaling,
       .terms = [](const Case& c) { return Eigen::RowVector3d(1, std::log(c.samples), std::log(c.devices)); },
       .solver = Solver::log_squares});
}

// Venkataraman et al., "Ernest: efficient performance prediction for large-scale advanced analytics", NSDI
// 2016: a serial part, a parallel part, a tree-like and a linear cost of communication.
Estimator ernest() {
  return linear({.name = "ernest",
                 .source = "Venkataraman et al., NSDI 2016",
                 .group = kScaling,
                 .terms =
                     [](const Case& c) {
                       return Eigen::RowVector4d(1, c.samples_per_device(), std::log(c.devices), c.devices);
                     },
                 .solver = Solver::nnls});
}

// The same where gradients go round in a ring, of which each device sends and receives (k-1)/k twice
// (Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms", JPDC 69, 2009).
Estimator ring() {
  return linear(
      {.name = "ring", .source = "Patarasuk, Yuan, JPDC 2009", .group = kScaling, .terms = [](const Case& c) {
         return Eigen::RowVector3d(1, c.samples_per_device(), (c.devices - 1) / c.devices);
       }});
}

// Lu et al., "Modeling the resource requirements of convolutional neural networks on mobile devices", ACM
// Multimedia 2017: memory is what the weights take and what the activations of each sample take.
Estimator lu() {
  return linear({.name = "lu",
                 .source = "Lu et al., ACM Multimedia 2017",
                 .group = kScaling,
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples_per_device()); },
                 .targets = {Target::peak_bytes}});
}

}  // namespace etad::estimators
