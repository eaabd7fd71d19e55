// One format's reading of a log: what its rules make of the lines, and how much of the log that explains.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/record.h"
#include "parsers/lines/named_rows.h"
#include "parsers/log/log_state.h"
#include "parsers/log/unclear_times.h"
#include "parsers/rules/format.h"
#include "parsers/training/segment_table.h"
#include "parsers/training/tracker.h"

namespace etad {

// The text of a file in the log's folder, by its name; empty: there is none that may speak for the log.
using TextBeside = std::function<std::string(const std::string& name)>;

// What is known of a log beside its lines and their format.
struct ReadingContext {
  std::string host;                           // filed under, where the log does not say
  std::map<std::string, std::string> labels;  // values the log may lack; the log wins
  ZoneOffset zone = utc_offset;               // of the machine that wrote the log
  TextBeside beside{};                        // asked where a run begins
  ShapeMemory* shapes = nullptr;              // outlives the reading; nullptr: every line is matched anew
};

class Reading {
 public:
  Reading(std::shared_ptr<const Format> format, const ReadingContext& context);

  // Takes one line; appends what it completes to `out`. True: a rule knows the line.
  bool take(std::string_view line, const std::optional<Instant>& arrival, Instant modified, Records& out);

  void flush(Records& out) { tracker_.flush(out); }
  void close(Records& out) { tracker_.close(out); }

  const std::string& name() const { return format_->name(); }
  const Format& format() const { return *format_; }
  bool is_table() const { return table_.has_value(); }
  bool running() const { return tracker_.running(); }
  bool plan_done() const { return tracker_.plan_done(); }
  bool is_in_first_epoch() const { return tracker_.is_in_first_epoch(); }
  std::string complaint() const { return table_ ? table_->complaint() : std::string(); }

  // The evidence: segments since the reading began.
  std::int64_t measured() const { return measured_; }

  // Whether a line has said what the format needs (Format::meets_needs).
  bool needs_are_met() const { return needs_are_met_; }

  // The ordinals that its runs have: from `first` on. A run under way is told anew, under its new one; those of `told` have
  // been told of, by the number beside theirs.
  void number_from(std::int64_t first, const std::map<std::int64_t, std::int64_t>& told);
  std::int64_t first_ordinal() const { return first_ordinal_; }
  // How many lines ago its last run began; 0: none is known to have. And the first of its runs that began no longer ago.
  std::int64_t lines_of_run() const { return begun_.empty() ? 0 : lines_ - begun_.back(); }
  std::int64_t first_run_within(std::int64_t lines) const;
  void count_unread(std::int64_t lines) { lines_ += lines; }  // that were read by others
  std::int64_t next_ordinal() const { return tracker_.next_ordinal(); }

  ReadingState save() const;
  static Result<Reading> restore(std::shared_ptr<const Format> format, const ReadingContext& context,
                                 const ReadingState& state);

 private:
  void note_begun();
  bool is_of_chosen_process(const Event& event);
  bool is_of_series_that_goes_on(const Event& event);
  bool has_met(std::uint64_t speaker) const;
  bool may_have_met(std::uint64_t speaker) const;
  void note_met(std::uint64_t speaker);
  bool take_event(std::string_view line, const RememberedShape* shape, const std::optional<Instant>& arrival,
                  Records& out);
  bool pass_over(std::string_view line, const RememberedShape& known, const std::optional<Instant>& arrival,
                 Records& out);
  void hear_surroundings(std::string_view line, Event& event);
  Event match_row(std::string_view line, Records& out);
  std::string_view take_behind_stamp(std::string_view line, Event& event, std::optional<Instant>& came);
  void learn_zone(Instant& stamp, Instant seen);
  void write_in(std::int64_t offset);
  void place_in_time(Instant& stamp, const std::optional<Instant>& arrival);
  void take_beside(Records& out);

  std::shared_ptr<const Format> format_;
  TextBeside beside_;
  ShapeMemory* shapes_;
  TimeContext time_;
  Tracker tracker_;
  std::optional<SegmentTable> table_;  // where its lines are the rows of one
  std::optional<NamedRows> rows_;      // where rules read them by their names
  std::int64_t measured_ = 0;
  bool needs_are_met_ = false;
  bool comes_late_ = false;                  // by their stamps, lines are seen long after they are written
  std::optional<Duration> zone_;             // added to stamps (by older states); none: nothing has told it
  std::optional<std::int64_t> offset_;       // of the zone that the log is written in, where that is another
  std::optional<std::int64_t> other_phase_;  // is_of_other_phase()
  std::int64_t first_ordinal_ = 0;
  std::int64_t lines_ = 0;
  std::vector<std::int64_t> begun_;  // behind how many of them the last runs began
  ChosenProcess chosen_;
  UnclearTimes unclear_;
};

}  // namespace etad
