#include "prediction/description.h"

#include <algorithm>
#include <utility>

#include "parsers/network/layer_kinds.h"
#include "prediction/net_costs.h"

namespace etad::prediction {
namespace {

// Why `costs_of` found no costs in these layers.
std::string unknown_of(std::span<const Layer> layers) {
  if (layers.empty()) return "no log of it showed its layers";
  for (const Layer& layer : layers) {
    const LayerKind kind = kind_of(layer.type);
    if (kind == LayerKind::data || kind == LayerKind::view || layer.costs.operations) continue;
    if (layer.type.empty())
      return "its description broke off before layer \"" + layer.name +
             "\" (glog ends a message at 30,000 characters)";
    if (kind != LayerKind::other && layer.shapes.empty())
      return "the description does not show how large what goes through layer \"" + layer.name + "\" (" +
             layer.type + ") is";
    return "what layer \"" + layer.name + "\" of type " + layer.type + " computes is not known";
  }
  return "its description shows no layer that computes";
}

}  // namespace

Description described(NetText net) {
  Description out;
  out.framework = net.format;
  out.name = std::move(net.name);
  out.architecture = std::move(net.architecture);
  out.batch_size = net.batch_size;
  out.test_batch_size = net.test_batch_size;
  out.costs = costs_of(net.layers);
  if (!out.costs) out.unknown = unknown_of(net.layers);
  return out;
}

}  // namespace etad::prediction
