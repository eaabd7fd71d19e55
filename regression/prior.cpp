#include <algorithm>
#include <vector>

#include "regression/model.h"
#include "regression/statistics.h"

namespace etad::regression {

Prior prior_of(const std::vector<const Model*>& models, const Model* self, const Model* same_network) {
  constexpr double kLeastDegrees = 4;  // below, a model's noise is mostly its own prior
  Prior prior;
  std::vector<double> noises;
  const auto add = [&](const Model& model) {
    if (model.curve.size() >= 3 && prior.related_models.size() < kMaxRelatedModels) {
      prior.related_models.push_back({&model == same_network, model.curve});
    }
    if (model.degrees >= kLeastDegrees) noises.push_back(model.noise);
  };
  if (same_network) add(*same_network);
  for (const Model* model : models) {
    if (model != self && model != same_network) add(*model);
  }
  prior.noise = median(std::move(noises));
  return prior;
}

}  // namespace etad::regression
