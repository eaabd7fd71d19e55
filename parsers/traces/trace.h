// Monitoring traces: from the lines that nvidia-smi, DCGM, Prometheus exporters, dstat and sar write to the
// samples of named series (parsers/traces/trace_series.h). A reader is to a trace what rules and tracker are
// to a training log. Pure: no I/O, no clock; its state can be saved and restored.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/record.h"
#include "parsers/base/timestamp.h"
#include "parsers/traces/trace_column.h"

namespace etad {

// What is known of a trace beside its lines.
struct TraceOptions {
  std::map<std::string, std::string> labels;  // gpu, uuid, host, … of all samples; the line's own win
  std::string own_host;                       // a trace of this machine needs no label host
  std::vector<TraceColumn> columns;           // of a CSV without a header; empty: the header says
  // For lines that show no time (or, `start` alone, the time of day only): the first scan's, and how far
  // apart scans are.
  std::optional<Instant> start;
  std::optional<std::chrono::microseconds> interval;
};

// From a source's labels (gpu, uuid, mig, pci, host, start, interval; others are not ours) and columns.
Result<TraceOptions> trace_options(const std::map<std::string, std::string>& labels,
                                   const std::vector<std::string>& columns, const ZoneOffset& zone);

// "time,gpu.temperature{gpu=0,host=a},gpu.power": the columns, apart by the commas outside the braces.
std::vector<std::string> split_columns(std::string_view text);

// What a reader remembers between two lines, so that a restarted daemon goes on where it was.
struct TraceState {
  std::vector<std::string> header;     // the lines that made the columns what they are
  std::set<std::uint64_t> label_sets;  // those seen, hashed
  std::optional<Instant> last;         // the row before
  std::int64_t scan = -1;              // how many scans there were, of a trace without times
  std::uint64_t first_row = 0;         // what a scan begins with
  std::string complaint;               // why lines were rejected, the last time that some were
};

// What a line was.
enum class TraceLine : std::uint8_t {
  samples,    // values; or what should have been values and was rejected
  structure,  // a header, a comment, an empty line
  ignored,    // well-formed, but about nothing that we keep
  other,      // nothing that belongs into this format
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // One clean line. `arrival`: when it was seen, if it was followed live. Samples and rejections are added to
  // `out`.
  virtual TraceLine read(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                         Records& out) = 0;

  // About how much it keeps of the lines read so far, in bytes: more than what is saved of it.
  virtual std::size_t kept_bytes() const = 0;

  // Why lines were rejected, the last time that some were; empty: none. For people.
  virtual const std::string& complaint() const = 0;

  virtual TraceState save() const = 0;
  virtual void restore(const TraceState& state, TimeContext& time) = 0;
};

// The formats' names, for `format = "…"`.
std::span<const std::string_view> trace_formats();
bool is_trace_format(std::string_view name);

// nullptr: no such format. `csv` needs columns.
Result<std::unique_ptr<TraceReader>> make_trace_reader(std::string_view format, const TraceOptions& options);

// The format that a file shows itself to be of by this line; empty: none.
std::string_view recognise_trace(std::string_view line);

}  // namespace etad
