// What the trace readers have in common: the sink, columns that header lines name, and those lines, read
// again after a restart. Private to the trace readers.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/traces/row_memory.h"
#include "parsers/traces/trace.h"
#include "parsers/traces/trace_sink.h"

namespace etad {

inline constexpr std::size_t kMostColumns = 512;          // of one line
inline constexpr std::size_t kLongestHeader = 16 * 1024;  // bytes: it is part of the saved state

class HeadedReader : public TraceReader {
 public:
  explicit HeadedReader(const TraceOptions& options) : sink_(options) {}

  TraceLine read(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                 Records& out) final;
  std::size_t kept_bytes() const override { return sink_.kept_bytes(); }
  const std::string& complaint() const override { return sink_.complaint(); }
  TraceState save() const override;
  void restore(const TraceState& state, TimeContext& time) override;

 protected:
  // What read() does of a line that is not blank.
  virtual TraceLine read_line(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                              Records& out) = 0;

  // The lines that made the columns what they are. False (and counted): too long to be kept.
  bool keep_header(std::string_view line, Records& out);
  // The same for the first line of a new header: what the one before named is gone either way. False also where it is
  // the same header again, as some tools write it every few lines: its columns stay.
  bool begin_header(std::string_view line, Records& out);
  void drop_header();
  std::size_t kept_lines() const { return header_.size(); }
  void keep_first(std::size_t lines) { header_.resize(std::min(lines, header_.size())); }

  // A column for each of the header's cells.
  void add_columns(ColumnNames names);

  // The cells of a row as nearly all are: one a column, none of them in quotes. Numbers are read on the way. False
  // where the line is anything else.
  bool take_cells(std::string_view line, char delimiter);
  // Whether that read any: then the line is no header.
  bool has_numbers() const { return has_numbers_; }
  // Before it, where the columns or their delimiter have changed.
  void forget_rows() { rows_.forget(); }

  // "a line of 3 cells under 4 columns"
  TraceLine reject_width(std::size_t width, std::string_view cells, std::string_view columns, Records& out);

  // The row's values, once it has begun: its columns' cells begin with the one of that index.
  void add_values(Records& out, std::size_t first_cell = 0);

  SampleSink sink_;
  std::vector<TraceColumn> columns_;     // none: no header yet
  std::vector<std::string_view> cells_;  // of the line that is being read
  std::vector<double> numbers_;          // theirs, where take_cells() found them; kUnread: another cell's
  bool has_numbers_ = false;             // whether it found any

 private:
  bool find_cells(std::string_view line, char delimiter);

  std::vector<std::string> header_;
  RowMemory rows_;
};

// Each in its own file.
std::unique_ptr<TraceReader> make_csv_reader(ColumnNames names, const TraceOptions& options);
std::unique_ptr<TraceReader> make_dmon_reader(const TraceOptions& options);
std::unique_ptr<TraceReader> make_dcgmi_reader(const TraceOptions& options);
std::unique_ptr<TraceReader> make_prometheus_reader(const TraceOptions& options);
std::unique_ptr<TraceReader> make_dstat_reader(const TraceOptions& options);
std::unique_ptr<TraceReader> make_sadf_reader(const TraceOptions& options);

// Whether the line shows a file to be of that form.
bool is_csv_header(ColumnNames names, std::string_view line);
bool is_headless_smi(std::string_view line);
bool is_dmon_header(std::string_view line);  // of pmon too
bool is_pmon_header(std::string_view line);
bool is_dcgmi_header(std::string_view line);
bool is_known_metric(std::string_view line);  // or a comment on one
bool is_dstat_header(std::string_view line);
bool is_sadf_header(std::string_view line);

}  // namespace etad
