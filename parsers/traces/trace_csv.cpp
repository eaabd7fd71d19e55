// CSV with a header that names its columns, or with columns named in the configuration: nvidia-smi's
// --query-gpu, DCGM's, anybody's.
#include <algorithm>
#include <optional>

#include "parsers/base/cells.h"
#include "parsers/base/number.h"
#include "parsers/base/text.h"
#include "parsers/traces/trace_reader.h"

namespace etad {
namespace {

constexpr char kDelimiters[] = {',', ';', '\t'};

// "memory.used [MiB]", "GPUId": no value looks like that.
bool name_like(std::string_view cell) {
  if (cell.ends_with(']')) {
    const std::size_t open = cell.rfind(" [");
    if (open != std::string_view::npos) cell = cell.substr(0, open);
  }
  return !cell.empty() && is_letter(cell.front()) && std::all_of(cell.begin(), cell.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '_';
  });
}

// A cell with one of nvidia-smi's units.
bool with_unit(std::string_view cell) {
  const std::size_t blank = cell.find(' ');
  if (blank == std::string_view::npos || !parse_number<double>(cell.substr(0, blank))) return false;
  const std::string_view unit = cell.substr(blank + 1);
  return unit == "%" || unit == "MiB" || unit == "W" || unit == "MHz";
}

class CsvReader final : public HeadedReader {
 public:
  CsvReader(ColumnNames names, const TraceOptions& options)
      : HeadedReader(options), names_(names), fixed_(names == ColumnNames::any) {
    columns_ = options.columns;
    use_columns();
  }

 private:
  TraceLine read_line(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                      Records& out) override {
    if (take_cells(line, delimiter_)) {
      if (!has_numbers())
        if (const auto delimiter = delimiter_of_header(line)) return take_header(line, *delimiter, out);
      take_row(arrival, time, out);
      return TraceLine::samples;
    }
    split(line);
    numbers_.assign(columns_.size(), kUnread);
    if (const auto delimiter = delimiter_of_header(line)) return take_header(line, *delimiter, out);
    const char first = cells_.front().empty() ? '\0' : cells_.front().front();
    const bool data = (first >= '0' && first <= '9') || first == '-' || first == '[' || is_row();
    if (columns_.empty()) {
      if (!data) return TraceLine::other;
      sink_.reject("no header: name its columns in the configuration (columns = [...])", out);
      return TraceLine::samples;
    }
    if (!is_row()) {
      if (!data) return TraceLine::other;
      return reject_width(cells_.size(), "cells", "columns", out);
    }
    take_row(arrival, time, out);
    return TraceLine::samples;
  }

  // By the delimiter that gives as many cells as there are columns; else the first that gives several.
  void split(std::string_view line) {
    for (const char delimiter : kDelimiters) {
      split_cells(line, delimiter, kMostColumns + 1, cells_);
      if (is_row()) return;
    }
    split_alone(line);
  }

  // Nothing: the line is no header. One is a header whatever columns were known before: after a restart it is read when
  // none are.
  std::optional<char> delimiter_of_header(std::string_view line) {
    if (!is_header()) return {};
    const auto cells = cells_;
    const char delimiter = split_alone(line);
    if (is_header()) return delimiter;
    cells_ = cells;
    return {};
  }

  char split_alone(std::string_view line) {
    for (const char delimiter : kDelimiters) {
      split_cells(line, delimiter, kMostColumns + 1, cells_);
      if (cells_.size() > 1) return delimiter;
    }
    split_cells(line, ',', kMostColumns + 1, cells_);
    return ',';
  }

  // A line may end with a delimiter.
  bool is_row() const {
    return !columns_.empty() && (cells_.size() == columns_.size() ||
                                 (cells_.size() == columns_.size() + 1 && cells_.back().empty()));
  }

  bool is_header() const {
    const auto end = cells_.size() > kMostColumns ? cells_.end() - 1 : cells_.end();
    if (!std::all_of(cells_.begin(), end, [](std::string_view c) { return c.empty() || name_like(c); }))
      return false;
    if (fixed_) return true;
    return std::any_of(cells_.begin(), cells_.end(), [&](std::string_view cell) {
      return column_of_header(names_, cell).role != ColumnRole::unknown;
    });
  }

  TraceLine take_header(std::string_view line, char delimiter, Records& out) {
    if (fixed_) return TraceLine::structure;  // the configuration knows better
    if (cells_.size() > kMostColumns) {
      sink_.reject("a header of more than " + std::to_string(kMostColumns) + " columns", out);
      drop_header();
      return TraceLine::structure;
    }
    if (!begin_header(line, out)) return TraceLine::structure;
    delimiter_ = delimiter;
    for (const std::string_view cell : cells_) columns_.push_back(column_of_header(names_, cell));
    use_columns();
    return TraceLine::structure;
  }

  void take_row(std::optional<Instant> arrival, TimeContext& time, Records& out) {
    TraceLabels labels;
    SampleSink::RowTime row;
    std::string_view field;
    for (const std::size_t i : texts_) {
      const std::string_view cell = cells_[i];
      switch (columns_[i].role) {
        case ColumnRole::label:
          if (std::string_view& label = labels[columns_[i].label];
              label.empty() && !cell.starts_with('[') && cell != "N/A")
            label = cell;
          break;
        case ColumnRole::time:
          row.stamp = cell;
          break;
        case ColumnRole::date:
          row.date = cell;
          break;
        case ColumnRole::clock:
          row.clock = cell;
          break;
        default:
          field = cell;
          break;
      }
    }
    lone_date(row);
    if (!sink_.begin(row, labels, arrival, time, out)) return;
    for (const std::size_t i : values_) {
      if (columns_[i].role == ColumnRole::value) {
        sink_.add(columns_[i], cells_[i], numbers_[i], out);
      } else {
        TraceColumn named = column_named(names_, field);
        if (named.role == ColumnRole::value) sink_.add(named, cells_[i], out);
      }
    }
  }

  // The columns are known: which of them say what a row's values are of, and which are its values.
  void use_columns() {
    settle_columns(columns_);
    forget_rows();
    texts_.clear();
    values_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const ColumnRole role = columns_[i].role;
      if (role == ColumnRole::unknown || role == ColumnRole::ignored) continue;
      const bool is_value = role == ColumnRole::value || role == ColumnRole::field_value;
      (is_value ? values_ : texts_).push_back(i);
    }
  }

  // "date,time,…": two columns; "date,…" or "time,…" alone may hold a whole time.
  static void lone_date(SampleSink::RowTime& row) {
    const bool clock_only = row.stamp.size() <= 11 && row.stamp.find(':') != std::string_view::npos &&
                            row.stamp.find('-') == std::string_view::npos;
    if (clock_only) row.clock = std::exchange(row.stamp, {});
    if (row.stamp.empty() && row.clock.empty() && !row.date.empty()) row.stamp = row.date;
  }

  const ColumnNames names_;
  const bool fixed_;                         // the columns are from the configuration
  char delimiter_ = ',';                     // the header's
  std::vector<std::size_t> texts_, values_;  // columns by their places
};

}  // namespace

std::unique_ptr<TraceReader> make_csv_reader(ColumnNames names, const TraceOptions& options) {
  return std::make_unique<CsvReader>(names, options);
}

// More values that we know than names that we don't: a table of something else may have a column of one of
// our names too. nvidia-smi has many more columns than we keep; most have dots in their names.
bool is_csv_header(ColumnNames names, std::string_view line) {
  std::vector<std::string_view> cells;
  split_cells(line, ',', kMostColumns + 1, cells);
  if (!std::all_of(cells.begin(), cells.end(), name_like)) return false;
  int values = 0, unknown = 0;
  bool field = false;
  bool of_a_device = names != ColumnNames::dcgm;  // "power" is a word that many use
  for (const std::string_view cell : cells) {
    const TraceColumn column = column_of_header(names, cell);
    if (column.role == ColumnRole::value || (column.role == ColumnRole::field_value && field)) ++values;
    if (column.role == ColumnRole::field) field = names == ColumnNames::dcgm;
    if (column.label == TraceLabel::gpu || column.label == TraceLabel::uuid || cell.starts_with("DCGM_FI_"))
      of_a_device = true;
    const bool dotted = names == ColumnNames::nvidia_smi && cell.find('.') != std::string_view::npos;
    if (column.role == ColumnRole::unknown && !dotted) ++unknown;
  }
  const bool lone_word = cells.size() == 1 && cells.front().find('[') == std::string_view::npos;
  return values > unknown && !lone_word && of_a_device;
}

// nvidia-smi with `noheader`: several cells, each a number or with one of its units, and at least two (or one
// beside its timestamp) with a unit.
bool is_headless_smi(std::string_view line) {
  std::vector<std::string_view> cells;
  split_cells(line, ',', kMostColumns + 1, cells);
  if (cells.size() < 2) return false;
  const std::string_view first = cells.front();
  const bool stamped = first.size() == 23 && first[4] == '/' && first[7] == '/' && first[19] == '.';
  const auto units = std::count_if(cells.begin(), cells.end(), with_unit);
  if (stamped) return units >= 1;
  return units >= 2 && std::all_of(cells.begin(), cells.end(), [](std::string_view c) {
           return with_unit(c) || parse_number<double>(c) || c.starts_with('[');
         });
}

}  // namespace etad
