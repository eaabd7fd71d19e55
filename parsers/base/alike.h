// Lines that differ in nothing but their digits.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "parsers/base/sixteen.h"

namespace etad {

inline char digit_as_zero(char c) {
  return c >= '0' && c <= '9' ? '0' : c;
}

// Whether `line` is like one of the same size whose digits were made zeros. A digit differs from a zero in what it
// stands for, 9 at most, and no other byte does so.
inline bool is_alike(const char* zeroed, std::string_view line) {
  if (line.size() < sizeof(Sixteen))
    return std::equal(line.begin(), line.end(), zeroed,
                      [](char c, char own) { return digit_as_zero(c) == own; });
  Sixteen other{};
  const auto step = [&](std::size_t at) {
    const Sixteen own = sixteen_at(zeroed + at);
    const Sixteen most = static_cast<Sixteen>(own == '0') & 9;
    other |= static_cast<Sixteen>((sixteen_at(line.data() + at) ^ own) > most);
  };
  const std::size_t last = line.size() - sizeof(Sixteen);
  for (std::size_t at = 0; at < last; at += sizeof(Sixteen)) step(at);
  step(last);  // some of these bytes for the second time
  return !any_of(other);
}

}  // namespace etad
