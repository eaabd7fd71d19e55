// Any text as a network's description, as a question may bring one: it is read or refused with a reason, and the costs
// counted of it are numbers.
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/network/architecture.h"
#include "parsers/network/net_text.h"
#include "tests/fuzz/line_mutator.h"
#include "tests/fuzz/require.h"
#include "tests/places.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace etad;

void check(const NetText& net) {
  require(!net.format.empty() && !net.layers.empty() && net.layers.size() <= Net::kMaxLayers);
  for (const auto& batch : {net.batch_size, net.test_batch_size}) require(!batch || *batch > 0);
  for (const Layer& layer : net.layers) {
    require(layer.shapes.size() <= Net::kMaxShapes);
    const LayerCosts& c = layer.costs;
    for (const std::optional<double>& cost : std::array{c.operations, c.backward_operations, c.parameters,
                                                        c.inputs, c.outputs, c.copies, c.lowered})
      require(!cost || (std::isfinite(*cost) && *cost >= 0));
  }
}

}  // namespace

// One network in each of the forms.
fuzz::KnownLines fuzz::known_lines() {
  KnownLines known;
  known.header = 1;
  for (const std::string form : {"caffe", "keras", "pytorch"}) {
    std::ifstream seed(ETAD_FUZZ_CORPUS "/network/seed_" + form);
    seed.ignore(1);
    for (std::string line; std::getline(seed, line);) known.lines.push_back(line);
  }
  require(!known.lines.empty());
  return known;
}

// The first byte: for which phase.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto net = read_network(text, data[0] % 2 == 0 ? Phase::test : Phase::train);
  require(net || !net.error().message.empty());
  if (net) check(*net);
  return 0;
}
