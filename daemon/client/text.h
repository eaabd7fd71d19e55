// Numbers, times and names as people read them on a terminal. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/printable.h"

namespace etad::client {

// "0.42 s", "42.3 s", "8 min 32 s", "3 h 12 min", "2 d 5 h"; below a second "51.2 ms", "3.1 us".
std::string duration_text(double seconds);
std::string bytes_text(double bytes);                            // "12.3 MiB"
std::string count_text(std::int64_t count);                      // "1,234,567"
std::string counted(std::int64_t count, std::string_view noun);  // "1 run", "1,234 runs"
std::string metric_text(double value, std::string_view unit);    // "15.0 kJ", "1.38 GHz": SI prefixes
std::string number_text(double value, int digits = 3);  // significant digits: "51.2", "1250", "0.00312"
// How to unpack a file that `program` unpacks (parsers/lines/packed.h): a command that the file's name follows.
std::string unpack_first(std::string_view program);
std::string trimmed(std::string number);   // without zeros at the end of its fraction: "90.0" -> "90"
std::string percent_text(double percent);  // "1.4 %"
// "2026-11-20T12:00:00.25Z" -> "2026-11-20 12:00", in the time zone of this machine; unchanged where it is
// no such time.
std::string time_text(const std::string& rfc3339);

std::size_t width_of(std::string_view text);                     // columns: code points
std::string cut(std::string_view text, std::size_t width);       // "a long na…"
std::string cut_head(std::string_view text, std::size_t width);  // "…e end of it"
std::string padded(std::string_view text, std::size_t width, bool right = false);

// "[######------]" of exactly that width (at least 3), filled to that fraction.
std::string bar(double fraction, std::size_t width);

enum class Colour { none, bold, dim, red, green, yellow };
// With its escape sequences, where `on`.
std::string coloured(std::string_view text, Colour colour, bool on);

// Columns padded to their widest cell, two blanks between them. Cells hold no escape sequences. A very long cell widens no
// column: on a screen it is shortened where its column would take more than half of that, in a file (width 0) it alone
// stands out.
class Table {
 public:
  // `columns` as headings, each behind any of these: '>' aligned to the right; '?' left out where the screen
  // is too narrow, the last such column first; '<' shortened there, to its end ("…/runs/lenet.log").
  explicit Table(std::vector<std::string> columns);
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // One line each, heading first; at most `width` columns where that is not 0. The heading dim, if `colours`.
  std::string text(std::size_t width, bool colours) const;

 private:
  struct Column {
    std::string heading;
    bool right = false, optional = false, shrinks = false;
  };
  // How wide each column becomes; nothing: it is left out.
  std::vector<std::optional<std::size_t>> widths(std::size_t screen) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace etad::client
