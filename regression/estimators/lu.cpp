// Lu et al., "Modeling the resource requirements of convolutional neural networks on mobile devices", ACM
// Multimedia 2017: memory is what the weights take and what the activations of each sample take.
#include "regression/estimators/linear.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {

Estimator lu() {
  return linear({.name = "lu",
                 .source = "Lu et al., ACM Multimedia 2017",
                 .group = kScaling,
                 .varied = kSamples | kDevices,
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples_per_device()); },
                 .targets = {Target::peak_bytes}});
}

}  // namespace etad::estimators
