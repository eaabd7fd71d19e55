#include "parsers/lines/utf16.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "parsers/base/printable.h"

namespace etad {
namespace {

char32_t unit_at(std::span<const char> bytes, std::size_t at) {
  const auto low = static_cast<unsigned char>(bytes[at]), high = static_cast<unsigned char>(bytes[at + 1]);
  return static_cast<char32_t>(low | high << 8U);
}

// The pairs of a line that is UTF-16; empty for any other. Two NULs side by side are what a crash left.
std::span<char> pairs_of(std::span<char> line) {
  const bool marked = line.size() >= 2 && line[0] == '\xFF' && line[1] == '\xFE';
  const std::span<char> pairs = line.subspan(marked ? 2 : line.size() % 2);
  if (pairs.size() % 2 != 0) return {};
  std::size_t latin = 0;
  for (std::size_t at = 0; at < pairs.size(); at += 2) {
    if (pairs[at + 1] != '\0') continue;
    if (pairs[at] == '\0') return {};
    ++latin;
  }
  return 4 * latin > pairs.size() ? pairs : std::span<char>();  // more than half of them
}

bool is_high_surrogate(char32_t c) {
  return c >= 0xD800 && c < 0xDC00;
}

bool is_low_surrogate(char32_t c) {
  return c >= 0xDC00 && c < 0xE000;
}

}  // namespace

std::span<char> narrow_utf16(std::span<char> line) {
  const bool behind_last_newline = line.size() == 1 && line[0] == '\0';
  if (behind_last_newline) return line.first(0);
  const std::span<char> pairs = pairs_of(line);
  if (pairs.empty()) return line;
  std::size_t written = 0;
  for (std::size_t at = 0; at < pairs.size();) {
    char32_t c = unit_at(pairs, at);
    at += 2;
    if (is_high_surrogate(c) && at < pairs.size() && is_low_surrogate(unit_at(pairs, at))) {
      c = 0x10000 + ((c - 0xD800) << 10U) + (unit_at(pairs, at) - 0xDC00);
      at += 2;
    } else if (is_high_surrogate(c) || is_low_surrogate(c)) {
      c = '?';
    }
    std::array<char, 4> encoded{};
    std::size_t length = put_utf8(c, encoded.data());
    if (written + length > at) length = put_utf8('?', encoded.data());
    std::copy_n(encoded.begin(), length, pairs.begin() + static_cast<std::ptrdiff_t>(written));
    written += length;
  }
  const bool returns = written > 0 && pairs[written - 1] == '\r';  // of CR LF
  return pairs.first(returns ? written - 1 : written);
}

}  // namespace etad
