// One log's way from lines to records: finds out which format explains it, matches, tracks runs, counts what
// it could not use. No I/O; its whole state can be saved and restored.
//
// The first format that a line shows reads the log at once, so that a run is seen from its beginning. It is
// not believed at once: until it has measured a few times, and whenever it falls silent, every other format
// that a line shows reads along (Rivals), and the one that measures what the first could not takes over. So a
// launcher's line before a trainer's does no harm, and in a file that several programs write in turn each
// run is read by the format of its own. A generic format, of no framework, is believed at the end of a batch
// of lines, where none of them has shown another.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/record.h"
#include "parsers/log/held_lines.h"
#include "parsers/log/log_state.h"
#include "parsers/log/reading.h"
#include "parsers/log/rivals.h"
#include "parsers/rules/format.h"
#include "parsers/traces/trace_trial.h"

namespace etad {

// What a log's reading rests on beside its lines.
struct LogOptions {
  const FormatSet* formats = nullptr;         // outlives the parser
  std::string format = "auto";                // a format's name, or "auto": by content
  std::string host;                           // filed under, where the log does not say
  std::map<std::string, std::string> labels;  // values the log may lack; the log wins
  ZoneOffset zone = utc_offset;               // of the machine that wrote the log
  std::vector<std::string> columns{};         // of a monitoring trace without a header
  TextBeside beside{};                        // what lies in its folder
  ShapeMemory* shapes = nullptr;              // of whoever parses logs one after another; outlives the parser
  bool saves_told = false;                    // format and labels, with the state: nobody says them again
};

class LogParser {
 public:
  explicit LogParser(LogOptions options);
  LogParser(LogParser&&) = default;  // not noexcept: a moved-from std::deque is given memory
  LogParser& operator=(LogParser&&) = default;

  // `line` is complete and clean. `arrival`: when it was seen, if it was followed live. `modified`: the
  // file's modification time, from which timestamps without a year take theirs.
  void feed(std::string_view line, const std::optional<Instant>& arrival, Instant modified, Records& out);

  void flush(Records& out);  // the runs that changed since the last flush; once per batch of lines
  void close(Records& out);  // nothing more will come (for now): an open run is lost

  // There is no more of the log than what was fed: what it shows so far decides.
  void settle(Records& out);

  bool running() const { return own_ && own_->running(); }
  bool plan_done() const { return own_ && own_->plan_done(); }  // by the run going on
  const std::string& format() const { return format_name_; }    // empty: not recognised (yet)
  std::int64_t matched() const { return matched_; }             // since construction or restore
  std::int64_t unmatched() const { return unmatched_; }
  // What a trace's reader keeps beside what is saved, in bytes.
  std::size_t kept_bytes() const { return trace_ ? trace_->kept_bytes() : 0; }
  std::string complaint() const;  // why measurements were rejected, if it can be said
  // As a source's last_error, unless that has worse to tell: a file that can't be read.
  void complain(std::string& last_error) const;
  static bool is_complaint(std::string_view last_error);

  std::string save() const;
  static StatedOptions stated_options(std::string_view state);  // what was saved of the options
  static Result<LogParser> restore(LogOptions options, std::string_view state);

 private:
  struct Line {
    std::string_view text;
    const std::optional<Instant>& arrival;
    Instant modified;
  };

  void take_training(const Line& line, Records& out);
  void take_trace(const Line& line, Records& out);
  bool read_own(const Line& line, Records& out);
  bool is_sure() const;
  bool is_looking() const;
  bool may_be_generic() const;
  bool is_of_framework(std::string_view line, bool known) const;
  void look(const Line& line, bool known, Records& out);
  void adopt_or_admit(const Line& line, bool known, Records& out);
  bool measures_held(const std::shared_ptr<const Format>& format, const Line& line) const;
  void elect(std::int64_t segments, Records& out);
  void elect_generic(std::int64_t against, Records& out);
  std::int64_t first_of(const Rival& winner) const;
  void take_over(Rival winner, Records& out);
  void consider_trace(const Line& line, Records& out);
  void hold(const Line& line);
  void stop_looking();
  void adopt(std::shared_ptr<const Format> format);
  void adopt_trace(std::string_view format);
  void replay(Instant modified, Records& out);
  TraceOptions trace_settings();
  ReadingContext context() const;
  void restore_search(const SearchState& search);
  bool restore_trace(const LogState& state);

  LogOptions options_;
  std::string format_name_;
  std::optional<Reading> own_;  // the one that counts
  Rivals rivals_;
  std::int64_t silent_ = 0;             // lines since it measured last
  std::unique_ptr<TraceReader> trace_;  // of a monitoring trace
  std::int64_t traced_ = 0;             // lines with samples
  std::optional<TraceTrial> trial_;     // while it is neither
  TimeContext time_;                    // of the trace
  HeldLines held_;
  std::int64_t looked_at_ = 0;  // bytes, since there was something to see; fewer of lines alike
  std::int64_t matched_ = 0;
  std::int64_t unmatched_ = 0;
};

}  // namespace etad
