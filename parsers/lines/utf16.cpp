#include "parsers/lines/utf16.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "parsers/base/printable.h"

namespace etad {
namespace {

// The bytes of characters, in pairs of which the first is the lower one, or with `big` the higher one.
struct Pairs {
  std::span<char> bytes;
  bool big = false;

  char32_t at(std::size_t place) const {
    const auto first = static_cast<unsigned char>(bytes[place]);
    const auto second = static_cast<unsigned char>(bytes[place + 1]);
    return static_cast<char32_t>(big ? first << 8U | second : second << 8U | first);
  }
};

bool is_ascii_text(char32_t c) {
  return (c >= ' ' && c <= '~') || c == '\t' || c == '\r';
}

// How much of it is ASCII: 0 where it is no text. Two NULs side by side are what a crash left.
std::size_t ascii_in(const Pairs& pairs) {
  if (pairs.bytes.size() % 2 != 0) return 0;
  std::size_t latin = 0, ascii = 0;
  for (std::size_t at = 0; at < pairs.bytes.size(); at += 2) {
    const char32_t c = pairs.at(at);
    if (c == 0) return 0;
    if (c < 0x100) ++latin;
    if (is_ascii_text(c)) ++ascii;
  }
  return 4 * latin > pairs.bytes.size() ? ascii : 0;  // more than half of them
}

// The pairs of a line that is UTF-16; empty for any other. A line that does not begin with the file's mark reads alike
// in both orders, but for what stands beside characters that are not Latin: the right order has more ASCII, mostly.
Pairs pairs_of(std::span<char> line) {
  const bool marked = line.size() >= 2 &&
                      ((line[0] == '\xFF' && line[1] == '\xFE') || (line[0] == '\xFE' && line[1] == '\xFF'));
  const bool odd = line.size() % 2 != 0;
  const Pairs little{line.subspan(marked ? 2 : odd ? 1 : 0), false};
  const Pairs big{line.subspan(marked ? 2 : 0, line.size() - (marked ? 2 : 0) - (odd ? 1 : 0)), true};
  if (marked) {
    const Pairs& said = line[0] == '\xFF' ? little : big;
    return ascii_in(said) > 0 ? said : Pairs{};
  }
  const std::size_t if_little = ascii_in(little), if_big = odd && line.back() == '\0' ? ascii_in(big) : 0;
  if (if_big > if_little) return big;
  return if_little > 0 ? little : Pairs{};
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
  if (std::memchr(line.data(), '\0', line.size()) == nullptr) return line;
  const Pairs units = pairs_of(line);
  const std::span<char> pairs = units.bytes;
  if (pairs.empty()) return line;
  std::size_t written = 0;
  for (std::size_t at = 0; at < pairs.size();) {
    char32_t c = units.at(at);
    at += 2;
    if (is_high_surrogate(c) && at < pairs.size() && is_low_surrogate(units.at(at))) {
      c = 0x10000 + ((c - 0xD800) << 10U) + (units.at(at) - 0xDC00);
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
