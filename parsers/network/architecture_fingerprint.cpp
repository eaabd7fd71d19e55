#include <algorithm>
#include <array>
#include <unordered_map>

#include "parsers/base/hash.h"
#include "parsers/network/architecture.h"
#include "parsers/network/architecture_layers.h"

namespace etad {
namespace {

class Hash {
 public:
  void add(std::string_view text) {
    value_ = fnv1a("\x1f", fnv1a(text, value_));  // "ab","c" is not "a","bc"
  }
  std::string digits() const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    auto folded = static_cast<std::uint32_t>(value_ ^ (value_ >> 32));
    std::string out(8, '0');
    for (std::size_t i = out.size(); i-- > 0; folded >>= 4) out[i] = kDigits[folded & 0xf];
    return out;
  }

 private:
  std::uint64_t value_ = fnv1a({});
};

// Who reads whose output: blobs have names, and a layer that works in place writes under the name it reads.
struct Graph {
  static constexpr std::size_t kInput = static_cast<std::size_t>(-1);  // declared outside of any layer
  std::vector<std::vector<std::size_t>> sources;                       // of each layer's bottoms, in order
  std::vector<std::vector<std::size_t>> readers;

  explicit Graph(const std::vector<NetLayer>& layers) : sources(layers.size()), readers(layers.size()) {
    std::unordered_map<std::string_view, std::size_t> writer;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      for (const std::string& bottom : layers[i].bottoms) {
        const auto at = writer.find(bottom);
        sources[i].push_back(at == writer.end() ? kInput : at->second);
        if (at != writer.end()) readers[at->second].push_back(i);
      }
      for (const std::string& top : layers[i].tops) writer[top] = i;
    }
  }
};

bool feeds_or_judges(const NetLayer& layer) {
  const std::string& type = layer.layer.type;
  const bool data = layer.bottoms.empty() && type != "Parameter";
  return layer.phase_bound || data || is_loss(type) || is_judge(type);
}

std::vector<bool> kept_layers(const std::vector<NetLayer>& layers, const Graph& graph) {
  std::vector<bool> kept(layers.size());
  for (std::size_t i = layers.size(); i-- > 0;) {  // readers come after what they read
    const bool read = std::any_of(graph.readers[i].begin(), graph.readers[i].end(),
                                  [&](std::size_t reader) { return kept[reader]; });
    kept[i] = !feeds_or_judges(layers[i]) && (read || !only_reshapes(layers[i].layer.type));
  }
  return kept;
}

// Until 2014 every blob had four dimensions: "500 1 1" was what "500" is now.
void add_shapes(Hash& hash, const Layer& layer) {
  for (const auto& dims : layer.shapes) {
    const auto end = std::find_if(dims.rbegin(), dims.rend(), [](std::int64_t n) { return n != 1; }).base();
    std::string text;
    for (auto n = dims.begin(); n != end; ++n) text += std::to_string(*n) + " ";
    hash.add(text);
  }
}

std::string of_whole(const Net& net) {
  const Graph graph(net.layers);
  const std::vector<bool> kept = kept_layers(net.layers, graph);
  if (std::find(kept.begin(), kept.end(), true) == kept.end()) return {};
  Hash hash;
  hash.add(net.options);
  std::vector<std::string> number(net.layers.size());  // of a kept layer among the kept ones
  std::size_t count = 0;
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    if (!kept[i]) continue;
    number[i] = std::to_string(++count);
    const Layer& layer = net.layers[i].layer;
    hash.add(layer.type);
    for (const std::size_t source : graph.sources[i]) hash.add(source == Graph::kInput ? "" : number[source]);
    hash.add(layer.parameters);
    add_shapes(hash, layer);
  }
  return hash.digits();
}

// Losses and accuracies have scalars for outputs, which is all that can be known of them here.
bool is_scalar(const Layer& layer) {
  const auto one = [](std::int64_t n) { return n == 1; };
  return std::all_of(layer.shapes.begin(), layer.shapes.end(),
                     [&](const auto& dims) { return std::all_of(dims.begin(), dims.end(), one); });
}

std::string of_cut(const Net& net) {
  Hash hash;
  bool any = false;
  for (const NetLayer& layer : net.layers) {
    if (layer.layer.shapes.empty() || is_scalar(layer.layer)) continue;
    if (layer.described && feeds_or_judges(layer)) continue;
    any = true;
    hash.add(layer.layer.name);
    add_shapes(hash, layer.layer);
  }
  return any ? hash.digits() : std::string{};
}

}  // namespace

std::vector<bool> network_proper(const Net& net) {
  if (!net.cut) return kept_layers(net.layers, Graph(net.layers));
  std::vector<bool> out;
  for (const NetLayer& layer : net.layers) out.push_back(!layer.described || !feeds_or_judges(layer));
  return out;
}

std::string fingerprint(const Net& net) {
  return net.cut ? of_cut(net) : of_whole(net);
}

}  // namespace etad
