// A network shown as text, recognised by what it says: a prototxt of Caffe (to train, to test, to deploy),
// Keras' model.summary(), PyTorch's print(model).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/record.h"

namespace etad {

struct NetText {
  std::string_view format;   // "caffe", "keras", "pytorch"
  std::string name;          // empty: not said
  std::string architecture;  // fingerprint; empty where the form has none (Keras, PyTorch)
  std::optional<std::int64_t> batch_size, test_batch_size;  // the latter only of what shows both phases
  std::vector<Layer> layers;                                // with their costs, as far as the text tells
};

// Whether the text looks like one of them at all; else it may be a log.
bool shows_network(std::string_view text);

// The net that `phase` would run (a train_val.prototxt holds two). Errors: the text shows no network; it
// breaks off; or, with a hint at what is missing, too little is said to count anything. Of at most
// Net::kMaxLayers layers.
Result<NetText> read_network(std::string_view text, Phase phase);

// The forms one by one; for read_network and tests.
Result<NetText> read_prototxt(std::string_view text, Phase phase);
Result<NetText> read_keras_summary(std::string_view text);
Result<NetText> read_pytorch_modules(std::string_view text);

}  // namespace etad
