#include "prediction/net_costs.h"

#include "parsers/network/layer_kinds.h"

namespace etad::prediction {

static_assert(kLayerKinds <= static_cast<std::size_t>(estimators::kLayerKinds));

std::shared_ptr<const estimators::Costs> costs_of(std::span<const Layer> layers) {
  auto out = std::make_shared<estimators::Costs>();
  for (const Layer& layer : layers) {
    const LayerKind kind = kind_of(layer.type);
    // Samples are fetched beside the computation, and a view computes nothing.
    if (kind == LayerKind::data || kind == LayerKind::view) continue;
    const LayerCosts& costs = layer.costs;
    if (!costs.operations || !costs.backward_operations || !costs.parameters || !costs.outputs)
      return nullptr;
    estimators::LayerCosts& to = out->layers.emplace_back();
    to.kind = static_cast<int>(kind);
    to.matrix = kind == LayerKind::convolution || kind == LayerKind::inner_product;
    to.operations = *costs.operations;
    to.backward_operations = *costs.backward_operations;
    to.lowered = costs.lowered.value_or(0);
    // Of a layer whose input no description shows: as much as it writes.
    to.elements = costs.inputs.value_or(*costs.outputs) + *costs.outputs + 2 * costs.copies.value_or(0);
    to.weights = *costs.parameters;
    to.outputs = *costs.outputs;
  }
  if (out->layers.empty()) return nullptr;
  return out;
}

}  // namespace etad::prediction
