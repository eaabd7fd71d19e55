// One log's way from lines to records: recognises the format, matches, tracks runs, counts what it could
// not use. The same for a followed file and for an import. No I/O; its whole state can be saved and restored.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/rules/format.h"
#include "parsers/base/record.h"
#include "parsers/training/segment_table.h"
#include "parsers/traces/trace_trial.h"
#include "parsers/training/tracker.h"

namespace etad {

// What a log's reading rests on beside its lines.
struct LogOptions {
  const FormatSet* formats = nullptr;         // outlives the parser
  std::string format = "auto";                // a format's name, or "auto": by content
  std::string host;                           // filed under, where the log does not say
  std::map<std::string, std::string> labels;  // values the log may lack; the log wins
  ZoneOffset zone = utc_offset;               // of the machine that wrote the log
  std::vector<std::string> columns{};         // of a monitoring trace without a header
};

class LogParser {
 public:
  explicit LogParser(LogOptions options);
  LogParser(LogParser&&) noexcept = default;
  LogParser& operator=(LogParser&&) noexcept = default;

  // `line` is complete and clean. `arrival`: when it was seen, if it was followed live. `modified`: the
  // file's modification time, from which timestamps without a year take theirs.
  void feed(std::string_view line, std::optional<Instant> arrival, Instant modified, Records& out);

  void flush(Records& out);  // the runs that changed since the last flush; once per batch of lines
  void close(Records& out);  // nothing more will come (for now): an open run is lost

  // There is no more of the log than what was fed: a trace too short to be sure of is one.
  void settle(Records& out);

  bool running() const { return tracker_ && tracker_->running(); }
  const std::string& format() const { return format_name_; }  // empty: not recognised (yet)
  std::int64_t matched() const { return matched_; }           // since construction or restore
  std::int64_t unmatched() const { return unmatched_; }
  std::string complaint() const;  // why measurements were rejected, if it can be said
  // As a source's last_error, unless that has worse to tell: a file that can't be read.
  void complain(std::string& last_error) const;
  static bool is_complaint(std::string_view last_error);

  std::string save() const;
  static Result<LogParser> restore(LogOptions options, std::string_view state);

 private:
  struct Pending {  // a line that came before the format was known
    std::string text;
    std::optional<Instant> arrival;
  };

  void recognise(std::string_view line, std::optional<Instant> arrival, Records& out);
  void take(std::string_view line, std::optional<Instant> arrival, Records& out);
  void adopt(std::shared_ptr<const Format> format);
  void take_trace(std::string_view line, std::optional<Instant> arrival, Records& out);
  void adopt_trace(std::string_view format);
  void replay(Records& out);
  TraceOptions trace_settings();
  SourceContext context() const;
  void restore_pending(const boost::json::object& state);
  bool restore_trace(const boost::json::object& state);
  void restore_table(const boost::json::object& state);

  LogOptions options_;
  std::shared_ptr<const Format> format_;
  std::string format_name_;
  std::optional<Tracker> tracker_;      // of a training log
  std::optional<SegmentTable> table_;   // where its lines are the rows of one
  std::unique_ptr<TraceReader> trace_;  // of a monitoring trace
  std::int64_t traced_ = 0;             // lines with samples
  std::optional<TraceTrial> trial_;     // while it is neither
  TimeContext time_;
  std::deque<Pending> pending_;
  std::size_t pending_bytes_ = 0;
  std::int64_t looked_at_ = 0;  // bytes that showed no format
  std::int64_t matched_ = 0;
  std::int64_t unmatched_ = 0;
};

}  // namespace etad
