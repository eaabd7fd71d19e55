#include "parsers/traces/trace_reader.h"

#include "parsers/base/text.h"

namespace etad {

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
  sink_.forget_columns();
}

void HeadedReader::add_columns(ColumnNames names) {
  for (const std::string_view cell : cells_) columns_.push_back(column_named(names, cell));
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
  for (const std::string& line : state.header) read(line, std::nullopt, time, none);
  sink_.restore(state);
}

}  // namespace etad
