// A network's architecture as its log shows it, and the fingerprint that tells one architecture from another.
//
// What the fingerprint covers: of each layer that belongs to the network proper its type, where its input comes
// from, its parameters and the shapes of its outputs without the batch dimension; and its name where the log shows
// only a part of the description. Whatever does not change what is computed, or depends on how
// the network is used rather than on what it is, stays out:
//   - the batch size;
//   - how it learns: fillers, learning-rate and decay multipliers, loss weights, dropout ratios, batch
//     normalisation's moving average;
//   - what feeds it and what judges it: data layers, losses, accuracies, layers that are bound to a phase or
//     a stage by a rule, and what only leads to such (the softmax of a test net, the reshaping before a
//     detection output). With these gone, the train net, the test net and the net of a timing run look the
//     same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/record.h"
#include "parsers/network/prototext.h"

namespace etad {

// A layer with what is needed to see where it belongs.
struct NetLayer {
  Layer layer;  // `parameters` is filled in when the layer's description is complete
  std::vector<std::string> bottoms;
  std::vector<std::string> tops;
  bool phase_bound = false;  // has an include or exclude rule
  bool described = false;    // false: known from the log of its set-up only
  std::optional<std::int64_t> batch_size;
};

// A network as described so far.
struct Net {
  static constexpr std::size_t kMaxLayers = 4096;
  static constexpr std::size_t kMaxShapes = 8;

  std::string name;
  std::string phase;    // "TRAIN", "TEST" or empty: as the description states it
  std::string options;  // net-wide settings that change the computation, canonical
  std::vector<NetLayer> layers;
  std::optional<std::int64_t> input_batch;  // of inputs declared outside of any layer
  bool cut = false;                         // the description broke off

  // The batch size as configured: of the first layer that has one.
  std::optional<std::int64_t> batch_size() const;
  // The first dimension of the first shape of the first data layer: the batch as set up.
  std::optional<std::int64_t> batch_set_up;
};

// Builds a Net from the description (as a sink of PrototextReader) and from the set-up lines that follow it. Of a net that
// takes more than `most_bytes` of memory the rest is not kept, as if its description had broken off there.
class NetBuilder : public PrototextReader::Sink {
 public:
  static constexpr std::int64_t kMostBytesOfLog =
      1 << 20;  // of 600 real logs' nets the largest takes a quarter
  NetBuilder() = default;
  explicit NetBuilder(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  // What the builder remembers between two entries; public, so that it can be saved.
  struct State {
    Net net;
    std::vector<std::pair<std::string, std::string>> parameters;  // of the layer being described
    std::int64_t current = -1;                                    // the layer being set up, by index
    std::int64_t next = 0;                                        // where to look for the next one first
    std::int64_t bytes = 0;                                       // of memory, that all of this takes
  };

  void open(const PrototextReader::Path& around, std::string_view key) override;
  void value(const PrototextReader::Path& around, std::string_view key, std::string_view value) override;
  void close(const PrototextReader::Path& around, std::string_view key) override;

  // The description is over; `balanced` as the reader says.
  void end_description(bool balanced);
  // "Setting up conv1"
  void set_up(std::string_view layer);
  // "Top shape: 64 20 24 24": of the layer being set up
  void shape(std::string_view dims);

  State& state() { return state_; }
  const State& state() const { return state_; }
  const Net& net() const { return state_.net; }

 private:
  bool has_room(std::size_t bytes);
  void keep_text(std::string& text, std::string_view value);
  void keep_end(std::vector<std::string>& list, std::string_view text);
  void keep_parameter(std::string key, std::string_view value);
  void layer_value(NetLayer& layer, std::string_view key, std::string_view value);
  void parameter(const PrototextReader::Path& around, std::string_view key, std::string_view value);
  void net_value(const PrototextReader::Path& around, std::string_view key, std::string_view value);

  std::int64_t most_bytes_ = kMostBytesOfLog;
  State state_;
};

// Eight hexadecimal digits; empty where nothing of the network proper is known. Where the description broke
// off (glog cuts messages at 30,000 characters, elsewhere in the train net than in the test net), only names
// and shapes count, which the set-up lines give for every layer.
std::string fingerprint(const Net& net);

// Of each layer whether it is one of the network proper.
std::vector<bool> network_proper(const Net& net);

// All layers, data and losses included, as records. Those of the network proper have what they cost (costs.h); of the
// others only what they write is told: what the fingerprint does not tell apart must not be the one's or the other's
// work.
std::vector<Layer> layers_of(Net net);

// The type as Caffe calls it today: "CONVOLUTION" (2014) is "Convolution". Others are given back unchanged.
std::string_view current_layer_type(std::string_view type);

}  // namespace etad
