#include "parsers/traces/row_memory.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "parsers/base/alike.h"
#include "parsers/base/eight.h"
#include "parsers/base/number.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kEight = sizeof(std::uint64_t);

// Of a word, its last bytes: those of the highest value.
std::uint64_t last_bytes(std::size_t count) {
  return count == 0 ? 0 : ~std::uint64_t{0} << 8 * (kEight - count);
}

}  // namespace

void RowMemory::Cell::take_form(std::string_view line) {
  static constexpr std::array<double, kEight> kPowers = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  const std::string_view cell = line.substr(at, size);
  const std::size_t length = std::min(cell.find_first_not_of("0123456789."), cell.size());
  kind = Kind::number;
  if (length > kEight || at + length < kEight) return;
  kind = Kind::short_number;
  end = static_cast<std::uint16_t>(at + length);
  const std::size_t point = cell.substr(0, length).find('.');
  const std::size_t behind = point == std::string_view::npos ? length : length - point - 1;
  decimals = last_bytes(behind);
  if (behind == length) return;
  before = last_bytes(length) & ~last_bytes(behind + 1);
  divisor = kPowers[behind];
}

// What stands before the point moves over it, and all digits are one number: exact, as is the power of ten, so that
// their quotient is rounded once.
double RowMemory::Cell::number_in(std::string_view line) const {
  if (kind == Kind::short_number) {
    const std::uint64_t bytes = eight_bytes(line.data() + end - kEight) ^ eight_times('0');
    const std::uint64_t digits = (bytes & decimals) | (bytes & before) << 8U;
    return static_cast<double>(number_of_eight(digits)) / divisor * scale;
  }
  std::string_view text = line.substr(at, size);
  double value = 0;
  return kind == Kind::number && take_plain_number(text, value) ? value * scale : kUnread;
}

bool RowMemory::is_row(std::size_t i, std::string_view line) const {
  return rows_[i].zeroed.size() == line.size() && is_alike(rows_[i].zeroed.data(), line);
}

std::size_t RowMemory::find(std::string_view line) const {
  std::size_t i = 0;
  while (i < rows_.size() && !is_row(i, line)) ++i;
  return i;
}

void RowMemory::follow(std::size_t row) {
  rows_[last_].next = row;
  last_ = row;
}

bool RowMemory::take(std::string_view line, std::vector<std::string_view>& cells,
                     std::vector<double>& numbers) {
  if (rows_.empty()) return false;
  const std::size_t expected = rows_[last_].next;
  const std::size_t row = is_row(expected, line) ? expected : find(line);
  if (row == rows_.size()) return false;
  follow(row);
  const std::vector<Cell>& known = rows_[row].cells;
  cells.resize(known.size());
  numbers.resize(known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    cells[i] = {line.data() + known[i].at, known[i].size};
    numbers[i] = known[i].number_in(line);
  }
  return true;
}

void RowMemory::remember(std::string_view line, const std::vector<std::string_view>& cells,
                         const std::vector<double>& numbers, const std::vector<TraceColumn>& columns) {
  if (line.size() > kLongest || cells.size() > kMostColumns) return;
  std::size_t place = rows_.size();
  if (place < kMostRows) {
    rows_.emplace_back();
  } else {
    place = oldest_;
    oldest_ = (oldest_ + 1) % kMostRows;
  }
  Row& row = rows_[place];
  row.next = place;
  row.zeroed.assign(line);
  std::transform(line.begin(), line.end(), row.zeroed.begin(), digit_as_zero);
  row.cells.clear();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Cell& cell = row.cells.emplace_back();
    cell.at = static_cast<std::uint16_t>(cells[i].data() - line.data());
    cell.size = static_cast<std::uint16_t>(cells[i].size());
    cell.scale = columns[i].scale;
    if (!std::isnan(numbers[i])) cell.take_form(line);
  }
  follow(place);
}

void RowMemory::forget() {
  *this = {};
}

}  // namespace etad
