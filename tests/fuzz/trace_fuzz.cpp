// Any text as a monitoring trace of any format, with restarts in between: samples are sound, their series few
// and their labels plain, the saved state stays small and goes on where it was, and a reader that remembers rows says
// what one says that was made anew for the line.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>

#include "parsers/traces/trace_trial.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace etad;

void check(const Records& records, std::set<std::string>& labels) {
  for (const auto& [of, samples] : records.sampled) {
    const Series& series = *of;
    require(!series.name.empty() && series.name.size() <= 64);
    require(
        std::all_of(samples.begin(), samples.end(), [](const Sample& s) { return std::isfinite(s.value); }));
    require(series.labels.size() <= 1024 && series.labels.find('\n') == std::string::npos);
    labels.insert(series.labels);
  }
  require(records.rejected >= 0);
}

// A reader as it would be after a restart: what is configured, and what was saved.
std::unique_ptr<TraceReader> restored(std::string_view format, const TraceOptions& options,
                                      const TraceReader& from, TimeContext& time) {
  const TraceState saved = from.save();
  std::size_t bytes = saved.label_sets.size() * 20 + saved.complaint.size();
  for (const std::string& line : saved.header) bytes += line.size();
  require(bytes <= 256 * 1024);
  auto reader = make_trace_reader(format, options).value();
  reader->restore(saved, time);
  require(reader->complaint() == from.complaint());
  return reader;
}

bool same(const Records& a, const Records& b) {
  const auto same_series = [](const SampledSeries& of, const SampledSeries& other) {
    return of.series->name == other.series->name && of.series->labels == other.series->labels &&
           std::equal(of.samples.begin(), of.samples.end(), other.samples.begin(), other.samples.end(),
                      [](const Sample& s, const Sample& t) { return s.at == t.at && s.value == t.value; });
  };
  return a.rejected == b.rejected &&
         std::equal(a.sampled.begin(), a.sampled.end(), b.sampled.begin(), b.sampled.end(), same_series);
}

}  // namespace

// The first byte: the format, and with its highest bit whether lines are seen as they come. The second: after
// how many lines the daemon restarts; 0: never. The first line: columns of a CSV.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view format = trace_formats()[data[0] % trace_formats().size()];
  const bool live = (data[0] & 0x80) != 0;
  const std::size_t restart = data[1] % 8;
  std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string_view first = text.substr(0, text.find('\n'));
  auto options =
      trace_options({{"start", "2024-05-06"}, {"interval", "2"}}, split_columns(first), utc_offset);
  if (!options) options = trace_options({}, {"time", "gpu", "gpu.power"}, utc_offset);
  TimeContext time;
  time.reference = Instant(std::chrono::seconds(1'800'000'000));
  auto reader = make_trace_reader(format, *options).value();
  TraceTrial trial(*options);
  std::set<std::string> labels;
  for (std::size_t lines = 0; !text.empty(); ++lines) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Records records;
    trial.consider(line, time);
    const auto arrival = live ? std::optional(time.reference) : std::nullopt;
    std::optional<Records> alone;
    if (format == "nvidia-smi" || format == "dcgm-csv" || format == "csv") {  // what remembers rows
      TimeContext of_header = time, other = time;
      restored(format, *options, *reader, of_header)->read(line, arrival, other, alone.emplace());
    }
    reader->read(line, arrival, time, records);
    require(!alone || same(records, *alone));
    check(records, labels);
    if (restart != 0 && lines % restart == 0) reader = restored(format, *options, *reader, time);
  }
  require(labels.size() <= 256 * 512 && reader->complaint().size() <= 512);
  return 0;
}
