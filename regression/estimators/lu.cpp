// Lu et al., "Modeling the resource requirements of convolutional neural networks on mobile devices", ACM
// Multimedia 2017: memory is what the weights take and what the activations of each sample take.
#include "regression/estimators/linear.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {

Estimator lu() {
  Estimator out = linear({.name = "lu",
                          .source = "Lu et al., ACM Multimedia 2017",
                          .group = kAllFacts & ~(kSamples | kDevices),
                          .varied = kSamples | kDevices,
                          .terms = {terms::one, terms::share}});
  const auto fit = out.fit;
  out.fit = [fit](const History& history, Target target) -> std::unique_ptr<const Fitted> {
    return target == Target::peak_bytes ? fit(history, target) : nullptr;
  };
  return out;
}

}  // namespace etad::estimators
