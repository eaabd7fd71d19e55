// Eight bytes at once, as one word whose lowest byte is the first of them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace etad {

inline std::uint64_t eight_bytes(const char* from) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, from, sizeof bytes);
  return std::endian::native == std::endian::little ? bytes : __builtin_bswap64(bytes);
}

// A word of eight bytes that are all this one.
constexpr std::uint64_t eight_times(unsigned char byte) {
  return byte * std::uint64_t{0x0101010101010101};
}

// The number that eight digits write, each as the byte of what it stands for: they become pairs, then fours, then all
// eight.
inline std::uint64_t number_of_eight(std::uint64_t digits) {
  constexpr std::uint64_t kPairs = 0x000000ff000000ff;
  digits = digits * 10 + (digits >> 8U);
  return ((digits & kPairs) * (100 + (std::uint64_t{1'000'000} << 32U)) +
          ((digits >> 16U) & kPairs) * (1 + (std::uint64_t{10'000} << 32U))) >>
         32U;
}

}  // namespace etad
