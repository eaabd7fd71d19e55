#include "parsers/lines/named_rows.h"

#include "parsers/base/cells.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kMostNames = 512;
constexpr std::size_t kLongestHeader = 16 * 1024;

// A delimiter that stands in a name in quotes is not the table's: the one that parts most cells is.
char delimiter_of(std::string_view header, std::vector<std::string_view>& cells) {
  char best = ',';
  std::size_t most = 0;
  for (const char delimiter : {',', ';', '\t'}) {
    split_cells(header, delimiter, kMostNames + 1, cells);
    if (cells.size() <= most) continue;
    most = cells.size();
    best = delimiter;
  }
  return best;
}

// "Time (s)" is written "time_s": small letters, digits and slashes, and one underscore for all else between them.
std::string name_of_column(std::string_view written) {
  std::string name;
  for (const char c : lower_case(written)) {
    if (is_letter(c) || is_digit(c) || c == '/') {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  if (name.ends_with('_')) name.pop_back();
  return name;
}

}  // namespace

bool NamedRows::may_be_header(std::string_view line) {
  line = trim(line, " \"");
  return !line.empty() && (is_letter(line.front()) || line.front() == '_');
}

void NamedRows::take_header(std::string_view line) {
  if (line.size() > kLongestHeader) return;
  const char delimiter = delimiter_of(line, cells_);
  split_cells(line, delimiter, kMostNames + 1, cells_);
  if (cells_.size() > kMostNames) return;
  header_ = line;
  delimiter_ = delimiter;
  names_.clear();
  for (const std::string_view cell : cells_) names_.push_back(name_of_column(cell));
}

std::string_view NamedRows::line_of(std::string_view row) {
  line_.clear();
  if (names_.empty()) return {};
  split_cells(row, delimiter_, kMostNames + 1, cells_);
  if (cells_.size() != names_.size()) return {};
  for (std::size_t i = 0; i < cells_.size(); ++i)
    line_.append(i > 0 ? ", " : "").append(names_[i]).append("=").append(cells_[i]);
  return line_;
}

}  // namespace etad
