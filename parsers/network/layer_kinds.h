// The kinds of layers that costs tell apart: layers of a kind spend their time alike, whatever a framework
// calls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace etad {

enum class LayerKind : std::uint8_t {
  convolution,    // transposed and depthwise ones, too
  inner_product,  // fully connected; an embedding's look-up
  pooling,
  normalization,  // LRN, batch and layer normalization, scale and shift
  activation,     // one element in, one out: ReLU, sigmoid, dropout, power
  elementwise,    // several blobs in, one of their size out: sums of residual branches
  copy,           // moves elements and computes nothing: concat, slice, permute
  view,           // the same elements under other dimensions: neither moved nor computed
  loss,           // softmax, losses, accuracies
  data,           // where samples come in
  other,          // anything else: nothing is known of its operations
};
inline constexpr std::size_t kLayerKinds = 11;

// Of a layer's type as Caffe, Keras or PyTorch calls it: "Convolution", "Conv2D", "Conv2d".
LayerKind kind_of(std::string_view type);

}  // namespace etad
