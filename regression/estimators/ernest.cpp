// Venkataraman et al., "Ernest: efficient performance prediction for large-scale advanced analytics", NSDI
// 2016: a serial part, a parallel part, a tree-like and a linear cost of communication.
#include <cmath>

#include "regression/estimators/linear.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {

Estimator ernest() {
  return linear({.name = "ernest",
                 .source = "Venkataraman et al., NSDI 2016",
                 .group = kScaling,
                 .varied = kSamples | kDevices,
                 .terms =
                     [](const Case& c) {
                       return Eigen::RowVector4d(1, c.samples_per_device(), std::log(c.devices), c.devices);
                     },
                 .solver = Solver::nnls});
}

// The same where gradients go round in a ring, of which each device sends and receives (k-1)/k twice
// (Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms", JPDC 69, 2009).
Estimator ring() {
  return linear({.name = "ring",
                 .source = "Patarasuk, Yuan, JPDC 2009",
                 .group = kScaling,
                 .varied = kSamples | kDevices,
                 .terms = [](const Case& c) {
                   return Eigen::RowVector3d(1, c.samples_per_device(), (c.devices - 1) / c.devices);
                 }});
}

}  // namespace etad::estimators
