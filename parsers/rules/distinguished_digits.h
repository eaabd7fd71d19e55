// Which digits of a line a match told apart: where they stand, and which other digits would have passed and failed the
// same tests. A match takes the same course through every line that differs from the one it was seen on in nothing but
// its digits, as long as those that it told apart are of the ones noted here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parsers/base/text.h"

namespace etad {

// A bit each, from that of 0 on.
using DigitSet = std::uint16_t;
inline constexpr DigitSet kAllDigits = 0x3ff;

constexpr DigitSet digit_set(char digit) {
  return static_cast<DigitSet>(1U << static_cast<unsigned>(digit - '0'));
}

class DistinguishedDigits {
 public:
  // The byte `c` at that place was tested for being one of these. False: it is one place more than can be noted.
  bool note(std::size_t place, char c, DigitSet tested) {
    if (!is_digit(c)) return true;
    const auto alike = static_cast<DigitSet>((digit_set(c) & tested) != 0 ? tested : ~tested & kAllDigits);
    return alike == kAllDigits || note_alike(place, alike);
  }

  // Those noted of a part of the line, which begins at that place. False: they are more than can be noted.
  bool note(std::size_t place, const DistinguishedDigits& part) {
    for (std::size_t i = 0; i < part.count_; ++i)
      if (!note_alike(place + part.noted_[i].place, part.noted_[i].alike)) return false;
    return true;
  }

  // Of a line that differs from the one noted in digits only: whether those told apart pass.
  bool hold(std::string_view line) const {
    for (std::size_t i = 0; i < count_; ++i)
      if ((noted_[i].alike & digit_set(line[noted_[i].place])) == 0) return false;
    return true;
  }

 private:
  bool note_alike(std::size_t place, DigitSet alike) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (noted_[i].place != place) continue;
      noted_[i].alike &= alike;
      return true;
    }
    if (count_ == noted_.size() || place > 0xffff) return false;
    noted_[count_++] = {static_cast<std::uint16_t>(place), alike};
    return true;
  }

  struct Noted {
    std::uint16_t place;
    DigitSet alike;
  };
  std::uint8_t count_ = 0;
  std::array<Noted, 8> noted_{};
};

}  // namespace etad
