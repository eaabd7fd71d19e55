// Any text as a Caffe log, with restarts in between: whatever it says, the records are sound, the state stays
// small and goes on where it was.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "parsers/rules/format.h"
#include "parsers/training/tracker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace etad;

std::shared_ptr<const Format> caffe() {
  std::ifstream in(ETAD_RULES "/caffe.toml", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return Format::load("caffe.toml", text.str()).value();
}

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Records& records) {
  for (const auto& [run, s] : records.segments) {
    require(run >= 0 && s.iterations > 0 && s.duration > Duration::zero() && s.samples_per_iteration >= 0);
    require(to_seconds(s.duration) < 1e9);
  }
  for (const Run& run : records.runs) {
    require(run.settings.size() <= 256 && run.message.size() <= 1024 && run.architecture.size() <= 8);
    require(run.train.duration >= Duration::zero() && run.snapshot_time >= Duration::zero());
  }
  for (const auto& [run, layers] : records.layers) require(layers.size() <= 4096);
  for (const auto& [run, times] : records.layer_times)
    for (const LayerTime& t : times) require(t.forward >= Duration::zero() && t.backward >= Duration::zero());
}

}  // namespace

// The first byte says after how many lines the daemon restarts; 0: never.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::shared_ptr<const Format> format = caffe();
  if (size == 0) return 0;
  const std::size_t restart = data[0] % 32;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const SourceContext source{"caffe", "host", "prototext", {{"batch_size", "4"}}};
  Tracker tracker(source);
  TimeContext context;
  context.reference = Instant(std::chrono::seconds(1'800'000'000));
  Records records;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    tracker.feed(line, format->match(line, context), {}, records);
    at = end + 1;
    if (restart == 0 || lines % restart != 0) continue;
    const std::string state = tracker.save();
    require(state.size() <= 64 * text.size() + 100'000);
    auto restored = Tracker::restore(source, state);
    require(restored.has_value() && restored->save() == state);
    tracker = std::move(*restored);
  }
  tracker.close(records);
  tracker.flush(records);
  check(records);
  return 0;
}
