// Any text as a log, read as the daemon reads one: by whichever of the shipped formats it shows, with restarts in
// between. Whatever it says, the records are sound, the state stays small and goes on where it was, and lines that are
// remembered by their shapes say what they say when matched anew, as does all of the log.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "parsers/log/log_parser.h"
#include "parsers/rules/rule_file.h"
#include "parsers/rules/shape_memory.h"
#include "tests/fuzz/line_mutator.h"
#include "tests/fuzz/require.h"
#include "tests/parsers/shipped_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace etad;

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

// The same line again, and once more with other digits.
void check_alike(const Format& format, std::string line, const TimeContext& context, ShapeMemory& shapes) {
  for (int i = 0; i < 2; ++i) {
    TimeContext remembered = context, anew = context;
    const Event by_shape = format.match(line, remembered, &shapes), event = format.match(line, anew);
    require(by_shape.rule == event.rule && by_shape.time == event.time && by_shape.message == event.message);
    require(by_shape.speaker == event.speaker && by_shape.headed == event.headed &&
            remembered.last == anew.last);
    require(by_shape.values().size() == event.values().size());
    for (std::size_t v = 0; v < event.values().size(); ++v)
      require(by_shape.values()[v].text == event.values()[v].text);
    for (char& c : line)
      if (c >= '0' && c <= '9') c = static_cast<char>('0' + (c - '0' + 7) % 10);
  }
}

void restart_parser(LogParser& parser, const LogOptions& options, std::size_t read) {
  const std::string state = parser.save();
  require(state.size() <= 64 * read + 200'000);
  auto restored = LogParser::restore(options, state);
  require(restored.has_value() && restored->save() == state);
  parser = std::move(*restored);
}

}  // namespace

// The samples of the shipped rule files: lines as the frameworks write them.
fuzz::KnownLines fuzz::known_lines() {
  KnownLines words;
  words.header = 1;
  for (const auto& format : test::shipped_formats().all())
    for (const SampleSpec& sample : format->file().samples) words.lines.push_back(sample.text);
  return words;
}

// The first byte says after how many lines the daemon restarts (0: never) and whether the log is followed live.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t restart = data[0] % 32;
  const bool live = (data[0] & 32U) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  ShapeMemory shapes, other_shapes;
  TimeContext context;
  context.reference = Instant(std::chrono::seconds(1'800'000'000));
  LogOptions options;
  options.formats = &test::shipped_formats();
  options.host = "host";
  options.labels = {{"batch_size", "4"}};
  options.shapes = &shapes;
  LogOptions without = options;
  without.shapes = nullptr;
  LogParser parser(options), anew(without);
  Instant now(std::chrono::seconds(1'800'000'000));
  Records records, records_anew;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (const auto format = options.formats->find(parser.format()))
      check_alike(*format, std::string(text.substr(at, end - at)), context, other_shapes);
    const std::optional<Instant> arrival = live ? std::optional(now) : std::nullopt;
    parser.feed(text.substr(at, end - at), arrival, now, records);
    anew.feed(text.substr(at, end - at), arrival, now, records_anew);
    now += std::chrono::seconds(1);
    at = end + 1;
    if (restart == 0 || lines % restart != 0) continue;
    restart_parser(parser, options, text.size());
    restart_parser(anew, without, text.size());
  }
  const auto end = [](LogParser& log, Records& out) {
    log.settle(out);
    log.close(out);
    log.flush(out);
  };
  end(parser, records);
  end(anew, records_anew);
  check(records);
  require(parser.save() == anew.save() && records.segments.size() == records_anew.segments.size());
  return 0;
}
