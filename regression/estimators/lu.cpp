// Lu et al., "Modeling the resource requirements of convolutional neural networks on mobile devices", ACM
// Multimedia 2017: memory is what the weights take and what the activations of each sample take.
#include "regression/estimators/linear.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {

Estimator lu() {
  return linear({.name = "lu",
                 .source = "Lu et al., ACM Multimedia 2017",
                 .group = kAllFacts & ~(kSamples | kDevices),
                 .varied = kSamples | kDevices,
                 .terms = {terms::one, terms::share},
                 .targets = {Target::peak_bytes}});
}

}  // namespace etad::estimators
