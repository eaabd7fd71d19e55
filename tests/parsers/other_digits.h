// The same text with other digits in it, for the tests.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace etad::test {

inline std::string with_other_digits(std::string_view text, std::mt19937& random) {
  std::string out(text);
  for (char& c : out)
    if (c >= '0' && c <= '9') c = static_cast<char>('0' + random() % 10);
  return out;
}

}  // namespace etad::test
