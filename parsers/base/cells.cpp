#include "parsers/base/cells.h"

#include <algorithm>
#include <cstring>

#include "parsers/base/text.h"

namespace etad {

void split_cells(std::string_view line, char delimiter, std::size_t most,
                 std::vector<std::string_view>& out) {
  out.clear();
  const char* const end = line.data() + line.size();
  const auto find = [end](const char* from, char c) {
    const void* const at = from == end ? nullptr : std::memchr(from, c, static_cast<std::size_t>(end - from));
    return at == nullptr ? end : static_cast<const char*>(at);
  };
  for (const char* begin = line.data();; ++begin) {
    while (begin != end && *begin == ' ') ++begin;
    const char* stop = begin;
    if (begin != end && *begin == '"') {
      if (const char* const close = find(begin + 1, '"'); close != end) stop = close;
    }
    stop = out.size() + 1 == most ? end : find(stop, delimiter);
    std::string_view cell = trim({begin, static_cast<std::size_t>(stop - begin)});
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    out.push_back(cell);
    if (stop == end) return;
    begin = stop;
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
