// Where all trace readers put their values: gives rows their time and labels, bounds how many different ones
// there may be, and makes samples of them. Private to the trace readers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/traces/trace.h"

namespace etad {

// "16", "Jun", "2015", "11:06:42".
std::optional<Instant> read_worded_time(std::string_view day, std::string_view month, std::string_view year,
                                        std::string_view clock, TimeContext& time);

class SampleSink {
 public:
  // A source may bring so many different sets of labels; more are rejected. A hostile file, or one whose
  // labels are no labels, would otherwise fill the history with series.
  static constexpr std::size_t kMostLabelSets = 256;

  // So many series are remembered in columns; any more are made anew for each of their samples.
  static constexpr std::size_t kMostKnownSeries = 4096;

  explicit SampleSink(const TraceOptions& options);

  // What a line says of its time.
  struct RowTime {
    std::string_view stamp;        // a whole time: epoch, ISO, nvidia-smi's, "Sat Nov 23 12:23:29 2024"
    std::string_view date;         // "20210102", "2021-01-02", "23-04" (day and month)
    std::string_view clock;        // "19:12:31", "07:12:31 PM"
    std::optional<Instant> at;     // already known
    std::optional<Instant> since;  // the trace began about then: a date without a year goes on from it
  };

  // Begins a row; false (and counted) where it can't have a time or is of one label set too many. `key` tells
  // rows of one scan apart where labels do not.
  bool begin(const RowTime& row, const TraceLabels& labels, std::optional<Instant> arrival, TimeContext& time,
             Records& out, std::string_view key = {});

  // A cell of that row. The column belongs to this sink: its series are remembered there.
  // `number`: what it says, where that has been read already.
  void add(TraceColumn& column, std::string_view cell, Records& out) { add(column, cell, kUnread, out); }
  void add(TraceColumn& column, std::string_view cell, double number, Records& out) {
    if (number >= 0 && set_ < column.known_series.size()) {
      TraceColumn::KnownSeries& known = column.known_series[set_];  // good below 0 where it is not made yet
      if (number < known.good_below) return add_value(column, known, number, out);
    }
    add_judged(column, cell, number, out);
  }

  // The columns that were used are gone, and others come.
  void forget_columns() { known_series_ = column_bytes_ = 0; }
  // About how much label sets take, and series in columns.
  std::size_t kept_bytes() const;

  void reject(std::string why, Records& out);  // counts one, and remembers why
  const std::string& complaint() const { return state_.complaint; }

  const TraceState& state() const { return state_; }  // without a header, which is the reader's
  void restore(const TraceState& state);

 private:
  std::optional<Instant> time_of(const RowTime& row, std::optional<Instant> arrival, TimeContext& time);
  std::optional<Instant> whole_time(const RowTime& row, TimeContext& time);
  std::optional<Instant> clock_time(std::string_view clock, std::optional<Instant> arrival,
                                    TimeContext& time) const;
  std::string whole_date(const RowTime& row, const TimeContext& time) const;
  std::optional<Instant> scan_time(std::uint64_t row);
  bool admit(std::uint64_t labels);
  // What rows say of their devices. A trace's devices take turns, so that a row mostly names the device that came
  // behind its predecessor's the last time: then nothing is written, hashed or looked up.
  struct LabelSet {
    struct Given {
      TraceLabel label{};
      std::string value;       // as the lines have it, or what is kept of a long one
      std::uint64_t hash = 0;  // of a long one, whole
    };
    std::vector<Given> given;
    std::size_t length = 0;  // of these values together, in the lines
    std::string text;
    std::uint64_t hash = 0;
    std::size_t next = 0;  // which one came behind it the last time
  };
  static bool is_same(const LabelSet::Given& given, std::string_view value);
  std::size_t find_set(const TraceLabels& labels);
  void add_judged(TraceColumn& column, std::string_view cell, double number, Records& out);
  void add_value(TraceColumn& column, TraceColumn::KnownSeries& known, double value, Records& out) {
    out.add_sample(known.series, known.place, at_, value);
    if (column.form == ValueForm::mask) add_throttled(known, value, out);
  }
  void add_throttled(TraceColumn::KnownSeries& known, double reasons, Records& out);
  TraceColumn::KnownSeries& series_of(TraceColumn& column);
  std::shared_ptr<const Series> make_series(const TraceColumn& column) const;

  TraceOptions options_;
  TraceState state_;
  std::vector<LabelSet> sets_;                       // those admitted since the reader was made
  std::size_t known_series_ = 0, column_bytes_ = 0;  // remembered in columns
  std::string stamp_, date_, clock_;                 // of the last row that showed a whole time …
  std::optional<Instant> scan_at_;                   // … and what time that was
  // The row at hand.
  std::size_t set_ = 0;  // its labels
  LabelSet new_set_;     // the same, before they are admitted
  TraceColumn::KnownSeries lone_series_;
  Instant at_{};
};

}  // namespace etad
