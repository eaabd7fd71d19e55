#include "prediction/description.h"

#include <map>
#include <string_view>
#include <utility>

#include "parsers/base/time.h"
#include "parsers/network/layer_kinds.h"

namespace etad::prediction {
namespace {

static_assert(kLayerKinds <= static_cast<std::size_t>(estimators::kLayerKinds));

std::string why_unknown(const Layer& layer, LayerKind kind) {
  if (layer.type.empty())
    return "its description broke off before layer \"" + layer.name +
           "\" (glog ends a message at 30,000 characters)";
  if (kind != LayerKind::other && layer.shapes.empty())
    return "the description does not show how large what goes through layer \"" + layer.name + "\" (" +
           layer.type + ") is";
  return "what layer \"" + layer.name + "\" of type " + layer.type + " computes is not known";
}

}  // namespace

tl::expected<std::shared_ptr<const estimators::Costs>, std::string> costs_of(
    std::span<const Layer> layers, std::span<const TimedLayer> timed) {
  if (layers.empty()) return tl::unexpected<std::string>("no log of it showed its layers");
  auto out = std::make_shared<estimators::Costs>();
  std::map<std::string_view, std::int64_t> places;
  for (const Layer& layer : layers) {
    const LayerKind kind = kind_of(layer.type);
    // Samples are fetched beside the computation, and a view computes nothing.
    if (kind == LayerKind::data || kind == LayerKind::view) continue;
    const LayerCosts& costs = layer.costs;
    // It is none of the network proper (layers_of).
    if (costs.operations == 0 && costs.inputs == 0 && costs.parameters == 0) continue;
    if (!costs.operations || !costs.backward_operations || !costs.parameters || !costs.outputs)
      return tl::unexpected(why_unknown(layer, kind));
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
  if (out->layers.empty()) return tl::unexpected<std::string>("its description shows no layer that computes");
  for (const auto& [samples, time] : timed)
    if (const auto place = places.find(time.layer); place != places.end())
      out->timings.push_back({place->second, samples, to_seconds(time.forward), to_seconds(time.backward)});
  return out;
}

Description described(NetText net) {
  Description out;
  out.framework = net.format;
  out.name = std::move(net.name);
  out.architecture = std::move(net.architecture);
  out.batch_size = net.batch_size;
  out.test_batch_size = net.test_batch_size;
  auto costs = costs_of(net.layers);
  if (costs)
    out.costs = std::move(*costs);
  else
    out.unknown = std::move(costs.error());
  return out;
}

}  // namespace etad::prediction
