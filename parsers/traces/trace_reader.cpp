#include "parsers/traces/trace_reader.h"

#include <algorithm>

#include "parsers/base/number.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

// A number as most are, with the column's unit or none: where it ends, with the blanks behind it. `begin`, and `value`
// of no meaning: anything else.
const char* take_number_of(const TraceColumn& column, const char* begin, const char* end, double& value) {
  std::string_view rest(begin, static_cast<std::size_t>(end - begin));
  double number = 0;
  if (column.form != ValueForm::number || !take_plain_number(rest, number)) return begin;
  value = number * column.scale;
  const char* at = rest.data();
  while (at != end && *at == ' ') ++at;
  const char* behind = at;  // the unit
  for (const char c : column.cell_unit) {
    if (behind == end || *behind != c) break;
    ++behind;
  }
  if (behind == at + column.cell_unit.size()) at = behind;
  while (at != end && *at == ' ') ++at;
  return at;
}

}  // namespace

TraceLine HeadedReader::read(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                             Records& out) {
  return trim(line).empty() ? TraceLine::structure : read_line(line, arrival, time, out);
}

bool HeadedReader::keep_header(std::string_view line, Records& out) {
  std::size_t kept = line.size();
  for (const std::string& known : header_) kept += known.size();
  if (kept > kLongestHeader) {
    sink_.reject("a header of more than " + std::to_string(kLongestHeader) + " bytes", out);
    return false;
  }
  header_.emplace_back(line);
  return true;
}

bool HeadedReader::begin_header(std::string_view line, Records& out) {
  if (header_.size() == 1 && header_.front() == line) return false;
  drop_header();
  return keep_header(line, out);
}

void HeadedReader::drop_header() {
  header_.clear();
  columns_.clear();
  rows_.forget();
  sink_.forget_columns();
}

void HeadedReader::add_columns(ColumnNames names) {
  for (const std::string_view cell : cells_) columns_.push_back(column_named(names, cell));
}

bool HeadedReader::take_cells(std::string_view line, char delimiter) {
  has_numbers_ = rows_.take(line, cells_, numbers_);
  if (has_numbers_) return true;
  if (!find_cells(line, delimiter)) return false;
  if (has_numbers_) rows_.remember(line, cells_, numbers_, columns_);
  return true;
}

bool HeadedReader::find_cells(std::string_view line, char delimiter) {
  cells_.resize(columns_.size());
  numbers_.resize(columns_.size());
  const char* at = line.data();
  const char* const end = at + line.size();
  const std::size_t width = columns_.size();
  for (std::size_t i = 0; i < width; ++i) {
    const TraceColumn& column = columns_[i];
    while (at != end && *at == ' ') ++at;
    if (at != end && *at == '"') return false;
    const char* const begin = at;
    if (column.role == ColumnRole::value) at = take_number_of(column, begin, end, numbers_[i]);
    if (at != begin && (at == end || *at == delimiter)) {
      has_numbers_ = true;
      cells_[i] = {begin,
                   static_cast<std::size_t>(at - begin)};  // with its blanks: the number is what counts
    } else {
      numbers_[i] = kUnread;
      const std::string_view rest(begin, static_cast<std::size_t>(end - begin));
      at = begin + std::min(rest.find(delimiter), rest.size());
      cells_[i] = trim(rest.substr(0, static_cast<std::size_t>(at - begin)));
    }
    if (at == end) return i + 1 == width;
    ++at;
  }
  return false;
}

TraceLine HeadedReader::reject_width(std::size_t width, std::string_view cells, std::string_view columns,
                                     Records& out) {
  std::string why = "a line of " + std::to_string(width) + ' ';
  why.append(cells).append(" under ").append(std::to_string(columns_.size()));
  if (!columns.empty()) why.append(" ").append(columns);
  sink_.reject(std::move(why), out);
  return TraceLine::samples;
}

void HeadedReader::add_values(Records& out, std::size_t first_cell) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].role == ColumnRole::value) sink_.add(columns_[i], cells_[first_cell + i], out);
  }
}

TraceState HeadedReader::save() const {
  TraceState state = sink_.state();
  state.header = header_;
  return state;
}

void HeadedReader::restore(const TraceState& state, TimeContext& time) {
  Records none;
  if (!state.header.empty()) drop_header();  // a header took the place of the configuration's columns
  for (const std::string& line : state.header) read(line, std::nullopt, time, none);
  sink_.restore(state);
}

}  // namespace etad
