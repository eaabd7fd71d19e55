// Where all trace readers put their values: gives rows their time and labels, bounds how many different ones
// there may be, and makes samples of them. Private to the trace readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

  // A cell of that row.
  void add(const TraceColumn& column, std::string_view cell, Records& out);

  void reject(std::string why, Records& out);  // counts one, and remembers why
  const std::string& complaint() const { return state_.complaint; }

  const TraceState& state() const { return state_; }  // without a header, which is the reader's
  void restore(const TraceState& state);

 private:
  std::optional<Instant> time_of(const RowTime& row, std::optional<Instant> arrival, TimeContext& time);
  std::optional<Instant> clock_time(std::string_view clock, std::optional<Instant> arrival,
                                    TimeContext& time) const;
  std::string whole_date(const RowTime& row, const TimeContext& time) const;
  std::optional<Instant> scan_time(std::uint64_t row);
  bool admit(std::uint64_t labels);
  const std::string& labels_with(const TraceColumn& column);

  TraceOptions options_;
  TraceState state_;
  // The row at hand.
  TraceLabels row_labels_;
  std::string labels_;
  std::string column_labels_;
  Instant at_{};
};

}  // namespace etad
