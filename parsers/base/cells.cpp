#include "parsers/base/cells.h"

#include <algorithm>

#include "parsers/base/text.h"

namespace etad {

std::string_view without_mark(std::string_view line) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  return line.starts_with(kUtf8Mark) ? line.substr(kUtf8Mark.size()) : line;
}

void split_cells(std::string_view line, char delimiter, std::size_t most,
                 std::vector<std::string_view>& out) {
  out.clear();
  while (true) {
    std::size_t from = 0;
    while (from < line.size() && line[from] == ' ') ++from;
    if (from < line.size() && line[from] == '"') {
      if (const std::size_t close = line.find('"', from + 1); close != std::string_view::npos) from = close;
    }
    const std::size_t end =
        out.size() + 1 == most ? line.size() : std::min(line.find(delimiter, from), line.size());
    std::string_view cell = trim(line.substr(0, end));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    out.push_back(cell);
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
  }
}

void split_words(std::string_view line, std::size_t most, std::vector<std::string_view>& out) {
  out.clear();
  static constexpr std::string_view kBetween = " \t,";
  while (out.size() < most) {
    const std::size_t begin = line.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    const std::size_t end =
        out.size() + 1 == most ? line.size() : std::min(line.find_first_of(kBetween), line.size());
    out.push_back(trim(line.substr(0, end)));
    line.remove_prefix(end);
  }
}

}  // namespace etad
