#include "parsers/network/architecture.h"

#include <algorithm>
#include <charconv>

#include "parsers/base/number.h"
#include "parsers/base/text.h"
#include "parsers/network/architecture_layers.h"
#include "parsers/network/costs.h"

namespace etad {
namespace {

constexpr std::size_t kMaxParameters = 64;  // of one layer
constexpr std::size_t kMaxEnds = 256;       // bottoms, and tops, of one layer
constexpr std::size_t kMaxText = 256;       // of one name or value
constexpr std::size_t kMaxDims = 8;
constexpr std::int64_t kMaxDim = 1'000'000'000;

std::optional<std::int64_t> positive(std::string_view text) {
  return parse_number<std::int64_t>(text, 1, 1'000'000'000);
}

std::string bounded(std::string_view text) {
  return kept_text(text, kMaxText);
}

bool is_layer(std::string_view key) {
  return key == "layer" || key == "layers";
}

// "key=value;key=value", sorted, repeated keys in their order.
std::string canonical(std::vector<std::pair<std::string, std::string>>& parameters) {
  std::stable_sort(parameters.begin(), parameters.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [key, value] : parameters) {
    if (!out.empty()) out += ';';
    out.append(key).append("=").append(value);
  }
  return out;
}

}  // namespace

std::optional<std::int64_t> Net::batch_size() const {
  for (const NetLayer& layer : layers)
    if (layer.batch_size) return layer.batch_size;
  return input_batch;
}

bool NetBuilder::has_room(std::size_t bytes) {
  const std::int64_t with_these = state_.bytes + static_cast<std::int64_t>(bytes);
  if (with_these > most_bytes_) {
    state_.net.cut = true;
    return false;
  }
  state_.bytes = with_these;
  return true;
}

void NetBuilder::keep_text(std::string& text, std::string_view value) {
  std::string kept = bounded(value);
  if (has_room(kept.size())) text = std::move(kept);
}

void NetBuilder::keep_end(std::vector<std::string>& list, std::string_view text) {
  if (list.size() >= kMaxEnds) return;
  std::string kept = bounded(text);
  if (has_room(sizeof kept + kept.size())) list.push_back(std::move(kept));
}

void NetBuilder::keep_parameter(std::string key, std::string_view value) {
  if (state_.parameters.size() >= kMaxParameters) return;
  std::string kept = bounded(value);
  if (has_room(2 * sizeof kept + key.size() + kept.size()))
    state_.parameters.emplace_back(std::move(key), std::move(kept));
}

void NetBuilder::open(const PrototextReader::Path& around, std::string_view key) {
  Net& net = state_.net;
  if (around.empty() && is_layer(key)) {
    state_.parameters.clear();
    if (net.layers.size() < Net::kMaxLayers && has_room(sizeof(NetLayer))) {
      net.layers.emplace_back().described = true;
    } else {
      net.cut = true;
    }
  } else if (around.size() == 1 && is_layer(around[0]) && !net.cut && !net.layers.empty()) {
    if (key == "include" || key == "exclude") net.layers.back().phase_bound = true;
  }
}

void NetBuilder::value(const PrototextReader::Path& around, std::string_view key, std::string_view value) {
  if (around.empty() || !is_layer(around[0])) return net_value(around, key, value);
  if (state_.net.cut || state_.net.layers.empty()) return;
  if (around.size() == 1) {
    layer_value(state_.net.layers.back(), key, value);
  } else {
    parameter(around, key, value);
  }
}

void NetBuilder::close(const PrototextReader::Path& around, std::string_view key) {
  if (!around.empty() || !is_layer(key) || state_.net.cut || state_.net.layers.empty()) return;
  state_.net.layers.back().layer.parameters = canonical(state_.parameters);
  state_.parameters.clear();
}

void NetBuilder::net_value(const PrototextReader::Path& around, std::string_view key,
                           std::string_view value) {
  Net& net = state_.net;
  const bool first_dim = (around.empty() && key == "input_dim") ||
                         (around.size() == 1 && around[0] == "input_shape" && key == "dim");
  if (first_dim) {
    if (!net.input_batch) net.input_batch = positive(value);
  } else if (around.size() == 1 && around[0] == "state" && key == "phase") {
    net.phase = bounded(value);
  } else if (around.empty() && key == "name") {
    net.name = bounded(value);
  } else if (around.empty() && key.starts_with("default_") && net.options.size() < kMaxText) {
    net.options.append(key)
        .append("=")
        .append(bounded(value))
        .append(";");  // NVCaffe: default_forward_type: FLOAT16
  }
}

void NetBuilder::layer_value(NetLayer& layer, std::string_view key, std::string_view value) {
  if (key == "name") {
    keep_text(layer.layer.name, value);
  } else if (key == "type") {
    keep_text(layer.layer.type, current_layer_type(value));
  } else if (key == "bottom") {
    keep_end(layer.bottoms, value);
  } else if (key == "top") {
    keep_end(layer.tops, value);
  } else if (!is_learning_key(key)) {
    keep_parameter(std::string(key), value);
  }
}

void NetBuilder::parameter(const PrototextReader::Path& around, std::string_view key,
                           std::string_view value) {
  NetLayer& layer = state_.net.layers.back();
  const bool shape_dim = around.size() == 3 && around[2] == "shape" && key == "dim";
  const bool shape_of_input = shape_dim && (around[1] == "dummy_data_param" || around[1] == "input_param");
  if (!layer.batch_size && (key == "batch_size" || key == "batchsize" || shape_of_input ||
                            (key == "num" && around[1] == "dummy_data_param")))
    layer.batch_size = positive(value);
  if (std::any_of(around.begin() + 1, around.end(), [](const std::string& k) { return is_learning_key(k); }))
    return;
  if (is_learning_key(key) || is_default(key, value)) return;
  std::string path;  // of what lies below the layer's own parameter message
  for (std::size_t i = 2; i < around.size(); ++i) path += around[i] + ".";
  keep_parameter(path.append(key), value);
}

void NetBuilder::end_description(bool balanced) {
  if (balanced) return;
  state_.net.cut = true;
  state_.parameters.clear();
  if (!state_.net.layers.empty()) state_.net.layers.back().described = false;  // not to its end
}

void NetBuilder::set_up(std::string_view name) {
  std::vector<NetLayer>& layers = state_.net.layers;
  if (state_.current >= 0 && state_.current < static_cast<std::int64_t>(layers.size()) &&
      layers[static_cast<std::size_t>(state_.current)].layer.name == name)
    return;  // said when it is created, and again when it is set up
  // Layers are set up in the order of their description, but for those the net puts in between.
  const auto described = static_cast<std::int64_t>(layers.size());
  for (std::int64_t step = 0; step < described; ++step) {
    const std::int64_t i = (state_.next + step) % described;
    if (layers[static_cast<std::size_t>(i)].layer.name != name) continue;
    state_.current = i;
    state_.next = i + 1;
    return;
  }
  state_.current = -1;
  // Not described: the net's own copies of a blob with several readers, or what the description lost.
  if (name.ends_with("_split") || layers.size() >= Net::kMaxLayers || !has_room(sizeof(NetLayer) + kMaxText))
    return;
  state_.net.cut = true;  // between two layers, then, which is no less cut
  layers.emplace_back().layer.name = bounded(name);
  state_.current = static_cast<std::int64_t>(layers.size()) - 1;
  state_.next = state_.current + 1;
}

void NetBuilder::shape(std::string_view text) {
  if (state_.current < 0 || state_.current >= static_cast<std::int64_t>(state_.net.layers.size())) return;
  NetLayer& layer = state_.net.layers[static_cast<std::size_t>(state_.current)];
  std::vector<std::int64_t> dims;
  for (const char* p = text.data(); p != text.data() + text.size() && dims.size() < kMaxDims;) {
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(p, text.data() + text.size(), n);
    if (error == std::errc{} && (n < 0 || n > kMaxDim)) return;  // which no net has
    if (error == std::errc{}) dims.push_back(n);
    p = error == std::errc{} ? end : p + 1;
  }
  const bool feeds = layer.described ? layer.bottoms.empty() : state_.current == 0;
  if (feeds && !state_.net.batch_set_up && !dims.empty() && dims.front() > 0)
    state_.net.batch_set_up = dims.front();
  if (!dims.empty()) dims.erase(dims.begin());
  if (layer.layer.shapes.size() < Net::kMaxShapes &&
      has_room(sizeof dims + dims.size() * sizeof(std::int64_t)))
    layer.layer.shapes.push_back(std::move(dims));
}

std::vector<Layer> layers_of(Net net) {
  count_costs(net);
  const std::vector<bool> proper = network_proper(net);
  std::vector<Layer> out;
  out.reserve(net.layers.size());
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    Layer& layer = out.emplace_back(std::move(net.layers[i].layer));
    if (!proper[i]) layer.costs = {0., 0., 0., 0., layer.costs.outputs, layer.costs.copies, 0.};
  }
  return out;
}

}  // namespace etad
