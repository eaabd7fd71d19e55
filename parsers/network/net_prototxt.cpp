// A net from its prototxt. A log's set-up lines state all shapes; here the input's shape is to be found in
// the description, and the rest follows.
#include <algorithm>

#include "parsers/base/number.h"
#include "parsers/base/text.h"
#include "parsers/network/architecture.h"
#include "parsers/network/costs.h"
#include "parsers/network/layer_kinds.h"
#include "parsers/network/net_text.h"

namespace etad {
namespace {

constexpr std::size_t kMaxDimsKept = 8;

// What a description says of a data layer beside what an architecture consists of.
struct Feed {
  std::vector<std::vector<std::int64_t>> shapes;  // of Input and DummyData, the batch first
  std::vector<std::int64_t> old_dims;             // num, channels, height, width
  std::int64_t crop = 0, height = 0, width = 0, channels = 0;
  std::size_t means = 0;  // values given, one a channel
  bool gray = false;
};

std::int64_t number(std::string_view text) {
  return parse_number<std::int64_t>(text, 1, 1'000'000'000).value_or(0);
}

// In which phases a layer is: in those of one of its `include`, if it has any, but for those of an `exclude`. A rule
// without a phase asks for what a file does not tell; it says nothing.
struct PhaseRules {
  bool includes = false, included = false, excluded = false;

  void add(std::string_view key, std::string_view of, std::string_view phase) {
    const bool met = of == phase;
    if (key == "exclude") excluded = excluded || met;
    if (key == "include") includes = true, included = included || met || of.empty();
  }
  bool leave_out() const { return excluded || (includes && !included); }
};

// Builds the net of one phase, with the shapes that its data layers tell.
class FileBuilder final : public NetBuilder {
 public:
  // A file is read by itself and nothing of it kept, so that larger nets than in logs are.
  explicit FileBuilder(Phase phase)
      : NetBuilder(16 << 20), phase_(phase == Phase::train ? "TRAIN" : "TEST") {}

  void open(const PrototextReader::Path& around, std::string_view key) override {
    if (around.empty() && (key == "layer" || key == "layers")) feed_ = {}, rules_ = {};
    if (around.size() == 1 && (key == "include" || key == "exclude")) rule_phase_.clear();
    if ((key == "shape" || key == "input_shape") && feed_.shapes.size() < Net::kMaxShapes)
      feed_.shapes.emplace_back();
    NetBuilder::open(around, key);
  }

  void value(const PrototextReader::Path& around, std::string_view key, std::string_view value) override {
    if (around.empty() && key == "input") inputs_.emplace_back(value.substr(0, 256));
    if (around.empty() && key == "input_dim" && dims_.size() < kMaxDimsKept * 4)
      dims_.push_back(number(value));
    if (key == "dim" && !around.empty() && (around.back() == "shape" || around.back() == "input_shape") &&
        !feed_.shapes.empty() && feed_.shapes.back().size() < kMaxDimsKept)
      feed_.shapes.back().push_back(number(value));
    if (key == "phase" && around.size() == 2) rule_phase_ = value;
    note(key, value);
    NetBuilder::value(around, key, value);
  }

  void close(const PrototextReader::Path& around, std::string_view key) override {
    NetBuilder::close(around, key);
    std::vector<NetLayer>& layers = state().net.layers;
    if (around.empty() && key == "input_shape") input_shapes_.push_back(std::move(feed_.shapes.back()));
    if (around.size() == 1 && (key == "include" || key == "exclude")) rules_.add(key, rule_phase_, phase_);
    if (!around.empty() || (key != "layer" && key != "layers") || layers.empty()) return;
    if (rules_.leave_out()) {
      layers.pop_back();
    } else if (layers.back().bottoms.empty()) {
      layers.back().layer.shapes = shapes_of_feed(layers.back());
    }
  }

  // Inputs declared outside of any layer become one.
  void finish() {
    Net& net = state().net;
    const std::size_t most = std::min(Net::kMaxShapes, Net::kMaxLayers - net.layers.size());
    for (std::size_t i = 0; i < inputs_.size() && i < most; ++i) {
      std::vector<std::int64_t> dims;
      if (i < input_shapes_.size()) {
        dims = input_shapes_[i];
      } else if (dims_.size() >= 4 * (i + 1)) {
        const auto from = dims_.begin() + static_cast<std::ptrdiff_t>(4 * i);
        dims.assign(from, from + 4);
      }
      NetLayer input;
      input.described = true;
      input.layer.name = inputs_[i];
      input.layer.type = "Input";
      input.tops = {inputs_[i]};
      if (!dims.empty()) input.layer.shapes = {{dims.begin() + 1, dims.end()}};
      net.layers.insert(net.layers.begin() + static_cast<std::ptrdiff_t>(i), std::move(input));
    }
  }

 private:
  void note(std::string_view key, std::string_view value) {
    if (key == "crop_size") feed_.crop = number(value);
    if (key == "new_height" || key == "height") feed_.height = number(value);
    if (key == "new_width" || key == "width") feed_.width = number(value);
    if (key == "channels") feed_.channels = number(value);
    if (key == "mean_value") ++feed_.means;
    if (key == "force_gray" || key == "is_color") feed_.gray = (key == "force_gray") == (value == "true");
  }

  std::vector<std::vector<std::int64_t>> shapes_of_feed(const NetLayer& layer) const {
    std::vector<std::vector<std::int64_t>> out;
    const std::size_t tops = std::min(layer.tops.size(), Net::kMaxShapes);
    for (const auto& dims : feed_.shapes)
      if (!dims.empty()) out.emplace_back(dims.begin() + 1, dims.end());
    if (!out.empty()) {
      while (out.size() < tops) out.push_back(out.front());  // one shape for all tops
      return out;
    }
    const std::int64_t rows = feed_.crop > 0 ? feed_.crop : feed_.height;
    const std::int64_t columns = feed_.crop > 0 ? feed_.crop : feed_.width;
    if (rows == 0 || columns == 0) return {};
    // Colour is what crops of pictures have, unless grey or another number of means is said.
    const std::int64_t channels = feed_.channels > 0               ? feed_.channels
                                  : feed_.gray || feed_.means == 1 ? 1
                                                                   : 3;
    out.push_back({channels, rows, columns});
    while (out.size() < tops) out.emplace_back();  // labels
    return out;
  }

  std::string phase_, rule_phase_;
  Feed feed_;
  PhaseRules rules_;
  std::vector<std::string> inputs_;
  std::vector<std::int64_t> dims_;
  std::vector<std::vector<std::int64_t>> input_shapes_;
};

}  // namespace

Result<NetText> read_prototxt(std::string_view text, Phase phase) {
  FileBuilder builder(phase);
  PrototextReader reader;
  while (!text.empty()) reader.feed(take_until(text, '\n'), builder);
  builder.finish();
  builder.end_description(reader.balanced());
  Net net = builder.net();
  if (net.layers.empty())
    return fail("this shows no layers", "a net's prototxt consists of layer { … } entries");
  if (net.cut)
    return fail("the net's description breaks off", reader.balanced()
                                                        ? "it has more layers or settings than etad reads"
                                                        : "its braces don't balance");
  infer_shapes(net);
  NetText out;
  out.format = "caffe";
  out.name = net.name;
  out.architecture = fingerprint(net);
  out.batch_size = net.batch_size();
  out.layers = layers_of(std::move(net));
  const auto feeds = std::find_if(out.layers.begin(), out.layers.end(),
                                  [](const Layer& layer) { return kind_of(layer.type) == LayerKind::data; });
  if (feeds == out.layers.end() || feeds->shapes.empty())
    return fail(
        "the net does not say what its samples look like",
        "a deploy.prototxt with an input shape does, and so does the beginning of a log, which states "
        "all shapes");
  return out;
}

}  // namespace etad
