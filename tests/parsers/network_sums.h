// Sums over a network's layers, to be held against what is known of the whole.
#pragma once

#include <optional>
#include <span>

#include "parsers/base/record.h"
#include "parsers/network/layer_kinds.h"

namespace etad {

// A sum is absent where it is unknown of a layer.
inline LayerCosts whole_of(std::span<const Layer> layers) {
  if (layers.empty()) return {};
  LayerCosts whole = {0., 0., 0., 0., 0., 0., 0.};
  const auto add = [](std::optional<double>& sum, const std::optional<double>& part) {
    sum = sum && part ? std::optional(*sum + *part) : std::nullopt;
  };
  for (const Layer& layer : layers) {
    add(whole.operations, layer.costs.operations);
    add(whole.backward_operations, layer.costs.backward_operations);
    add(whole.parameters, layer.costs.parameters);
    add(whole.inputs, layer.costs.inputs);
    add(whole.outputs, layer.costs.outputs);
    add(whole.copies, layer.costs.copies);
    add(whole.lowered, layer.costs.lowered);
  }
  return whole;
}

// Multiply-adds of convolutions and inner products, which is what the literature counts.
inline double macs_of(std::span<const Layer> layers) {
  double sum = 0;
  for (const Layer& layer : layers) {
    const LayerKind kind = kind_of(layer.type);
    if (kind == LayerKind::convolution || kind == LayerKind::inner_product)
      sum += layer.costs.operations.value_or(0);
  }
  return sum;
}

}  // namespace etad
