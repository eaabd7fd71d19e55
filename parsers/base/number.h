// Numbers out of text.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace etad {

// All of `text` as a number of that type, an integer's digits to that base. Nothing where it is none, or does not fit.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}
template <std::floating_point T>
std::optional<T> parse_number(std::string_view text) {
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
