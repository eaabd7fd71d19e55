#include "prediction/net_costs.h"

#include <map>
#include <string_view>

#include "parsers/base/time.h"
#include "parsers/network/layer_kinds.h"

namespace etad::prediction {

static_assert(kLayerKinds <= static_cast<std::size_t>(estimators::kLayerKinds));

std::shared_ptr<const estimators::Costs> costs_of(std::span<const Layer> layers,
                                                  std::span<const TimedLayer> timed) {
  auto out = std::make_shared<estimators::Costs>();
  std::map<std::string_view, std::int64_t> places;
  for (const Layer& layer : layers) {
    const LayerKind kind = kind_of(layer.type);
    // Samples are fetched beside the computation, and a view computes nothing.
    if (kind == LayerKind::data || kind == LayerKind::view) continue;
    const LayerCosts& costs = layer.costs;
    if (!costs.operations || !costs.backward_operations || !costs.parameters || !costs.outputs)
      return nullptr;
    places[layer.name] = static_cast<std::int64_t>(out->layers.size());
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
  for (const auto& [samples, time] : timed)
    if (const auto place = places.find(time.layer); place != places.end())
      out->timings.push_back({place->second, samples, to_seconds(time.forward), to_seconds(time.backward)});
  return out;
}

}  // namespace etad::prediction
