#include "parsers/network/layer_kinds.h"

#include <array>
#include <utility>

#include "parsers/base/text.h"
#include "parsers/network/architecture.h"
#include "parsers/network/architecture_layers.h"

namespace etad {
namespace {

// Types in lower case without their "_", so that one entry serves all who write it their way.
namespace types {
using Entry = std::pair<std::string_view, LayerKind>;
using enum LayerKind;
constexpr std::array kKnown = std::to_array<Entry>({
    {"convolution", convolution},
    {"deconvolution", convolution},
    {"depthwiseconvolution", convolution},
    {"convolutiondepthwise", convolution},
    {"conv1d", convolution},
    {"conv2d", convolution},
    {"conv3d", convolution},
    {"depthwiseconv2d", convolution},
    {"conv1dtranspose", convolution},
    {"conv2dtranspose", convolution},
    {"conv3dtranspose", convolution},
    {"convtranspose1d", convolution},
    {"convtranspose2d", convolution},
    {"convtranspose3d", convolution},
    {"innerproduct", inner_product},
    {"embed", inner_product},
    {"dense", inner_product},
    {"linear", inner_product},
    {"embedding", inner_product},
    {"pooling", pooling},
    {"lrn", normalization},
    {"batchnorm", normalization},
    {"bn", normalization},
    {"scale", normalization},
    {"bias", normalization},
    {"mvn", normalization},
    {"normalize", normalization},
    {"localresponsenorm", normalization},
    {"groupnorm", normalization},
    {"relu", activation},
    {"relu6", activation},
    {"prelu", activation},
    {"elu", activation},
    {"selu", activation},
    {"gelu", activation},
    {"silu", activation},
    {"mish", activation},
    {"leakyrelu", activation},
    {"sigmoid", activation},
    {"tanh", activation},
    {"hardswish", activation},
    {"hardsigmoid", activation},
    {"swish", activation},
    {"activation", activation},
    {"bnll", activation},
    {"absval", activation},
    {"power", activation},
    {"exp", activation},
    {"log", activation},
    {"threshold", activation},
    {"clip", activation},
    {"dropout", activation},
    {"dropout2d", activation},
    {"spatialdropout1d", activation},
    {"spatialdropout2d", activation},
    {"gaussiannoise", activation},
    {"rescaling", activation},
    {"eltwise", elementwise},
    {"add", elementwise},
    {"multiply", elementwise},
    {"subtract", elementwise},
    {"average", elementwise},
    {"maximum", elementwise},
    {"concat", copy},
    {"concatenate", copy},
    {"slice", copy},
    {"split", copy},
    {"permute", copy},
    {"crop", copy},
    {"cropping2d", copy},
    {"tile", copy},
    {"zeropadding2d", copy},
    {"zeropad2d", copy},
    {"reshape", view},
    {"flatten", view},
    {"identity", view},
    {"silence", view},
    {"softmax", loss},
    {"logsoftmax", loss},
    {"argmax", loss},
    {"input", data},
    {"inputlayer", data},
    {"data", data},
    {"dummydata", data},
    {"imagedata", data},
    {"memorydata", data},
    {"hdf5data", data},
    {"windowdata", data},
});
}  // namespace types

}  // namespace

LayerKind kind_of(std::string_view type) {
  using enum LayerKind;
  std::string key = lower_case(current_layer_type(type));
  std::erase(key, '_');
  for (const auto& [name, kind] : types::kKnown)
    if (name == key) return kind;
  if (is_loss(key) || key.ends_with("accuracy")) return loss;
  if (key.find("pool") != std::string::npos) return pooling;  // MaxPooling2D, AdaptiveAvgPool2d, …
  if (key.find("normalization") != std::string::npos || key.find("norm1d") != std::string::npos ||
      key.find("norm2d") != std::string::npos || key.ends_with("layernorm"))
    return normalization;
  return other;
}

}  // namespace etad
