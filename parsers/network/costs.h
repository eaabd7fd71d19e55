// What a network costs, counted from its description: operations, weights and elements moved, for one sample.
//
// Conventions. One operation is one multiply-add of a convolution or an inner product (the "MACs" of the
// literature: AlexNet 0.724e9, VGG-16 15.5e9, ResNet-50 3.9 to 4.1e9), and one step per element read (per
// window and output for pooling, per neighbour for LRN) of any other layer. Backward, a layer with weights
// does its forward operations once for the gradient of its weights and once more for that of its inputs,
// where anything below it learns; other layers do theirs once. Bytes follow from elements and the precision:
// see regression's Case. Weights shared between layers count in each of them.
#pragma once

#include "parsers/network/architecture.h"

namespace etad {

// Gives every layer the output shapes that its description implies where the log of the set-up has not stated
// them; a layer of a type we do not know ends the chain: what lies behind it stays without.
void infer_shapes(Net& net);

// Fills in `costs` of every layer that has shapes and whose type says what it does.
void count_costs(Net& net);

}  // namespace etad
