// Rows of a trace repeat themselves but for their numbers: one that differs from a remembered one in nothing but its
// digits has its cells at the same places, and its numbers have their points there. So one comparison takes the place of
// looking for them. Rows also come in the same order again and again: what followed the last one is compared first.
//
// Bounded: rows that do not repeat themselves push each other out. Private to the trace readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/traces/trace_column.h"

namespace etad {

class RowMemory {
 public:
  // Of longer lines and of more columns nothing is remembered.
  static constexpr std::size_t kLongest = 512, kMostColumns = 64;
  static constexpr std::size_t kMostRows = 32;

  // The cells of a line like a remembered one, and their numbers; false: it is like none.
  bool take(std::string_view line, std::vector<std::string_view>& cells, std::vector<double>& numbers);

  // Of all lines like this one: its columns' cells, and the numbers at the beginning of those that have any (others are
  // kUnread). The columns are the same until forget().
  void remember(std::string_view line, const std::vector<std::string_view>& cells,
                const std::vector<double>& numbers, const std::vector<TraceColumn>& columns);

  void forget();

 private:
  struct Cell {
    enum class Kind : std::uint8_t {
      text,
      number,        // wherever it stands, and of how many digits
      short_number,  // of eight bytes at most, with as many of the line before its end
    } kind = Kind::text;
    std::uint16_t at = 0, size = 0;
    // Of a short number.
    std::uint16_t end = 0;                   // behind it
    std::uint64_t decimals = 0, before = 0;  // where its digits are in the eight bytes before its end
    double divisor = 1;                      // ten to the number of decimals
    double scale = 1;                        // the column's

    void take_form(std::string_view line);  // of a number
    double number_in(std::string_view line) const;
  };
  struct Row {
    std::string zeroed;  // the line, its digits made zeros
    std::vector<Cell> cells;
    std::size_t next = 0;  // which row came behind it the last time
  };

  bool is_row(std::size_t i, std::string_view line) const;
  std::size_t find(std::string_view line) const;  // rows_.size(): none
  void follow(std::size_t row);

  std::vector<Row> rows_;
  std::size_t last_ = 0;    // the row taken or remembered last
  std::size_t oldest_ = 0;  // the one that the next new one takes the place of, once there are kMostRows
};

}  // namespace etad
