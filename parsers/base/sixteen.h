// Sixteen bytes side by side: the vector extension that GCC and Clang share, on any processor.
#pragma once

#include <cstdint>
#include <cstring>

namespace etad {

using Sixteen [[gnu::vector_size(16)]] = unsigned char;

inline Sixteen sixteen_at(const char* from) {
  Sixteen bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

// Whether any bit is set.
inline bool any_of(const Sixteen& bytes) {
  std::uint64_t halves[2];
  std::memcpy(halves, &bytes, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

}  // namespace etad
