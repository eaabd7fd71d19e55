// Where a part of a line stands. A line that differs from another one in nothing but its digits has its parts at the same
// places.
#pragma once

#include <cstdint>
#include <string_view>

namespace etad {

struct Place {
  static constexpr std::uint16_t kAbsent = 0xffff;

  std::uint16_t at = kAbsent, length = 0;  // bytes from the line's beginning, which is shorter than kAbsent

  explicit operator bool() const { return at != kAbsent; }

  // Of a part of that line; absent where its data() is null.
  static Place of(std::string_view part, std::string_view line) {
    if (!part.data()) return {};
    return {static_cast<std::uint16_t>(part.data() - line.data()), static_cast<std::uint16_t>(part.size())};
  }
  std::string_view in(std::string_view line) const {
    return at == kAbsent ? std::string_view{} : std::string_view(line.data() + at, length);
  }
};

}  // namespace etad
