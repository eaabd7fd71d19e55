// What a network costs, counted from its description: operations, weights and elements moved, for one sample.
//
// Conventions. One operation is one multiply-add of a convolution or an inner product (the "MACs" of the
// literature: AlexNet 0.724e9, VGG-16 15.5e9, ResNet-50 3.9 to 4.1e9), and one step per element read (per
// window and output for pooling, per neighbour for LRN) of any other layer. Backward, a layer with weights
// does its forward operations once for the gradient of its weights and once more for that of its inputs,
// where anything below it learns; other layers do theirs once. Bytes follow from elements and the precision:
// see regression's Case. Weights shared between layers count in each of them.
#pragma once

#include <array>
#include <span>

#include "parsers/base/record.h"
#include "parsers/network/architecture.h"
#include "parsers/network/layer_kinds.h"

namespace etad {

// Gives every layer the output shapes that its description implies where the log of the set-up has not stated
// them; a layer of a type we do not know ends the chain: what lies behind it stays without.
void infer_shapes(Net& net);

// Fills in `costs` of every layer that has shapes and whose type says what it does.
void count_costs(Net& net);

// Sums over layers. A sum is absent where a layer that matters to it is unknown: part of a network is no
// bound of anything that a reader could use.
struct NetworkCosts {
  LayerCosts whole;
  std::array<double, kLayerKinds> operations{};  // by kind, forward; of the layers where it is known
  std::array<std::int64_t, kLayerKinds> layers{};
  std::int64_t unknown = 0;  // layers whose operations are unknown
};
NetworkCosts sum_of(std::span<const Layer> layers);

// Bytes that a training or testing job takes for its numbers, in four bytes each. The weights once for
// testing; for training their gradients and the solver's `history` copies (1: momentum; 2: Adam) besides. The
// data (Caffe's "Memory required for data") twice for training: values and gradients. Absent where the costs
// are.
struct MemoryNeed {
  double weights = 0, data = 0;  // bytes
  double bytes() const { return weights + data; }
};
std::optional<MemoryNeed> memory_need(const LayerCosts& whole, std::int64_t batch, Phase phase,
                                      int history = 1);

}  // namespace etad
