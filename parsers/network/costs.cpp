#include "parsers/network/costs.h"

#include <algorithm>
#include <unordered_map>

#include "parsers/network/layer_kinds.h"
#include "parsers/network/layer_settings.h"

namespace etad {
namespace {

using Shape = std::vector<std::int64_t>;

double product(Shape::const_iterator from, Shape::const_iterator to) {
  double n = 1;
  for (; from != to; ++from) n *= static_cast<double>(std::max<std::int64_t>(*from, 1));
  return n;
}
double product(const Shape& shape) {
  return product(shape.begin(), shape.end());
}

// A blob while the layers go by: blobs have names, and a layer in place writes the name that it reads.
struct Blob {
  const Shape* shape = nullptr;
  bool learns = false;  // something at or below its writer has weights
  std::size_t writer = 0;
  std::int64_t readers = 0;
};

// Taps of a window: rows times columns of its kernel.
double window(const LayerSettings& said, std::size_t axes) {
  double taps = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const bool old = said.text("kernelsize").has_value();
    taps *= static_cast<double>(
        said.along(old ? "kernelsize" : "kernel_size", i == 0 ? "kernel_h" : "kernel_w", i, 1));
  }
  return std::max(taps, 1.0);
}

struct Work {
  double operations = 0, weights = 0;
  double lowered = 0;
};

Work convolution(const LayerSettings& said, const Shape& in, const Shape& out, bool transposed,
                 bool depthwise) {
  const auto from = static_cast<double>(in.front()), to = static_cast<double>(out.front());
  const double groups =
      depthwise ? from : static_cast<double>(std::max<std::int64_t>(said.number("group", 1), 1));
  const double kernel = from * to / groups * window(said, in.size() - 1);
  const double positions = product((transposed ? in : out).begin() + 1, (transposed ? in : out).end());
  // Every input under every tap; a window of one tap is the input itself.
  const double taps = window(said, in.size() - 1);
  const double lowered = taps > 1 ? (transposed ? to : from) * taps * positions : 0;
  return {kernel * positions, kernel + (said.is("bias_term", "false") ? 0 : to), lowered};
}

Work inner_product(const LayerSettings& said, const Shape& in, const Shape& out) {
  const double to = static_cast<double>(out.empty() ? 1 : out.back());
  const double rows = out.empty() ? 1 : product(out.begin(), out.end() - 1);
  const double from = product(in) / std::max(rows, 1.0);
  return {from * to * rows, from * to + (said.is("bias_term", "false") ? 0 : to)};
}

// Of a layer of known kind with known shapes; nothing where the type does not say what it computes.
std::optional<Work> work(const NetLayer& layer, const Shape& in, double read) {
  const LayerSettings said(layer.layer.parameters);
  const std::string& type = layer.layer.type;
  const auto channels = static_cast<double>(in.empty() ? 1 : in.front());
  const Shape* const out = layer.layer.shapes.empty() ? nullptr : &layer.layer.shapes.front();
  switch (kind_of(type)) {
    case LayerKind::convolution:
      if (!out || out->empty() || in.empty()) return {};
      return convolution(said, in, *out, type == "Deconvolution", type.find("epthwise") != std::string::npos);
    case LayerKind::inner_product: {
      if (!out) return {};
      if (type != "Embed") return inner_product(said, in, *out);
      const auto width = static_cast<double>(said.number("num_output", 0));
      const auto rows = static_cast<double>(said.number("input_dim", 0));
      return Work{product(*out), rows * width + (said.is("bias_term", "false") ? 0 : width)};
    }
    case LayerKind::pooling:
      if (!out || in.empty()) return {};
      return Work{said.is("global_pooling", "true") ? read : product(*out) * window(said, in.size() - 1), 0};
    case LayerKind::normalization: {
      const bool lrn = type == "LRN";
      const auto size = static_cast<double>(std::max<std::int64_t>(said.number("local_size", 5), 1));
      const double neighbours = !lrn ? 1 : said.is("norm_region", "WITHIN_CHANNEL") ? size * size : size;
      const bool scaled = type == "Scale" || type == "Bias" || type == "BN";
      // What is written out in full is kept no longer ("bias_term: true" is most layers' default), and a
      // scale without a shift is seldom.
      const bool both = type == "BN" || type == "Scale";
      return Work{read * neighbours, scaled ? channels * (both ? 2 : 1) : 0};
    }
    case LayerKind::activation:
      return Work{read, type == "PReLU" ? (said.is("channel_shared", "true") ? 1 : channels) : 0};
    case LayerKind::elementwise:
    case LayerKind::loss:
      return Work{read, 0};
    case LayerKind::copy:
    case LayerKind::view:
    case LayerKind::data:
      return Work{};
    case LayerKind::other:
      return {};
  }
  return {};
}

// Gradients of the weights, and of the inputs where something below learns.
double backward(const NetLayer& layer, const Work& work, bool below) {
  if (layer.layer.type.ends_with("Accuracy")) return 0;
  const bool maximum = layer.layer.type == "Pooling" && !LayerSettings(layer.layer.parameters).text("pool");
  if (maximum) return below ? layer.layer.costs.outputs.value_or(0) : 0;
  const bool weighs = work.weights > 0 && kind_of(layer.layer.type) != LayerKind::activation;
  return work.operations * ((weighs ? 1 : 0) + (below ? 1 : 0));
}

void count(NetLayer& layer, const std::vector<const Blob*>& bottoms, bool below) {
  LayerCosts& costs = layer.layer.costs;
  costs = {};
  if (!layer.described) return;
  const bool feeds = layer.bottoms.empty();
  if (!layer.layer.shapes.empty() || layer.tops.empty()) {
    costs.outputs = 0;
    for (const Shape& shape : layer.layer.shapes) *costs.outputs += product(shape);
    costs.copies = 0;
  }
  if (bottoms.size() < layer.bottoms.size()) return;
  costs.inputs = 0;
  for (const Blob* bottom : bottoms) *costs.inputs += product(*bottom->shape);
  if (feeds) {
    costs.operations = costs.backward_operations = costs.parameters = costs.lowered = 0;
    if (layer.layer.type == "Parameter" && costs.outputs) costs.parameters = costs.outputs;
    return;
  }
  const auto done = work(layer, *bottoms.front()->shape, *costs.inputs);
  if (!done) return;
  costs.operations = done->operations;
  costs.parameters = done->weights;
  costs.lowered = done->lowered;
  costs.backward_operations = backward(layer, *done, below);
}

}  // namespace

void count_costs(Net& net) {
  infer_shapes(net);
  std::unordered_map<std::string_view, Blob> blobs;
  const auto copied = [&](const Blob& blob) {  // with several readers, one copy for each
    auto& copies = net.layers[blob.writer].layer.costs.copies;
    if (blob.readers > 1 && copies) *copies += static_cast<double>(blob.readers) * product(*blob.shape);
  };
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    NetLayer& layer = net.layers[i];
    std::vector<const Blob*> bottoms;
    bool below = false;
    for (const std::string& name : layer.bottoms) {
      const auto at = blobs.find(name);
      if (at == blobs.end()) continue;
      below = below || at->second.learns;
      ++at->second.readers;
      bottoms.push_back(&at->second);
    }
    count(layer, bottoms, below);
    const bool learns = below || layer.layer.costs.parameters.value_or(1) > 0;
    for (std::size_t top = 0; top < layer.tops.size(); ++top) {
      const auto old = blobs.find(layer.tops[top]);
      if (old != blobs.end()) {
        copied(old->second);
        blobs.erase(old);
      }
      if (top < layer.layer.shapes.size()) blobs[layer.tops[top]] = {&layer.layer.shapes[top], learns, i, 0};
    }
  }
  for (const auto& [name, blob] : blobs) copied(blob);
}

}  // namespace etad
