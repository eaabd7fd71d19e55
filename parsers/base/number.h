// Numbers out of text.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace etad {

// The "1234" or "12.34" at the head of `text`, as nearly all numbers are written, which moves on behind it: several
// times faster than the general way and to the same bit, since both the digits and the power of ten are doubles
// without loss, so that their quotient is rounded once. Anything else (a sign, an exponent, too many digits): false,
// and `text` as it was. (An optional would be handed on through memory, which costs more than the digits do.)
inline bool take_plain_number(std::string_view& text, double& value) {
  static constexpr std::array<double, 16> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const std::size_t most = std::min(text.size(), kPowers.size());  // characters, the point among them
  std::uint64_t digits = 0;
  std::size_t end = 0;
  const auto take_digits = [&] {
    for (unsigned digit; end < most && (digit = static_cast<unsigned>(text[end] - '0')) <= 9; ++end)
      digits = digits * 10 + digit;
  };
  take_digits();
  const std::size_t point = end;
  if (end < most && text[end] == '.') {
    ++end;
    take_digits();
  }
  if (end < text.size()) {
    const char next = text[end];
    if ((next >= '0' && next <= '9') || next == 'e' || next == 'E' || next == '.') return false;
  }
  const std::size_t decimals = point < end ? end - point - 1 : 0;
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (point == 0 || digits > kExact || point + 1 == end) return false;
  text.remove_prefix(end);
  value = decimals == 0 ? static_cast<double>(digits) : static_cast<double>(digits) / kPowers[decimals];
  return true;
}

// All of `text` so.
inline std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  return take_plain_number(text, value) && text.empty() ? std::optional(value) : std::nullopt;
}

// All of `text` as digits, not so many that they might not fit.
inline bool read_digits(std::string_view text, std::int64_t& value) {
  constexpr std::size_t kMost = 18;
  if (text.empty() || text.size() > kMost) return false;
  std::int64_t read = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return false;
    read = read * 10 + digit;
  }
  value = read;
  return true;
}

// All of `text` as a number of that type, an integer's digits to that base. Nothing where it is none, or does not fit.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}
template <std::same_as<double> T>
std::optional<T> parse_number(std::string_view text) {
  if (const auto plain = plain_number(text)) return plain;
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The same where it is at least `least` and at most `most`.
template <class T>
std::optional<T> parse_number(std::string_view text, T least, T most) {
  const auto value = parse_number<T>(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

}  // namespace etad
