// What the bodies of packed rows are made of: variable-length integers (LEB128, 7 bits a byte, low first), signed ones
// zigzag-folded, and little-endian floats. Reading is bounds-checked: after the first read past the end every
// further one gives 0 and ok() is false.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "parsers/base/time.h"

namespace etad {

inline std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
inline std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

// Differences wrap instead of overflowing, so that every pair of values has one and adding it gives back
// the second.
inline std::int64_t wrapping_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// Instants as rows hold them: microseconds since 1970, UTC.
inline std::int64_t microseconds(Instant at) {
  return at.time_since_epoch().count();
}
inline Instant instant(std::int64_t microseconds) {
  return Instant(Instant::duration(microseconds));
}

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  void byte(std::uint8_t v) { out_.push_back(static_cast<char>(v)); }
  void unsigned_int(std::uint64_t v) {
    char buffer[10];
    std::size_t size = 0;
    for (; v >= 0x80; v >>= 7) buffer[size++] = static_cast<char>(v | 0x80);
    buffer[size++] = static_cast<char>(v);
    out_.append(buffer, size);
  }
  void bytes(std::string_view all) { out_.append(all); }
  void signed_int(std::int64_t v) { unsigned_int(zigzag(v)); }
  void float32(float v) { fixed(std::bit_cast<std::uint32_t>(v), 4); }
  void fixed(std::uint64_t v, std::size_t size) {  // the low `size` bytes
    for (std::size_t i = 0; i < size; ++i) byte(static_cast<std::uint8_t>(v >> (8 * i)));
  }

 private:
  std::string& out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : in_(in) {}

  bool ok() const { return ok_; }
  void refuse() { ok_ = false; }  // what was read makes no sense
  bool at_end() const { return position_ == in_.size(); }

  std::uint8_t byte() {
    if (position_ == in_.size()) {
      ok_ = false;
      return 0;
    }
    return static_cast<std::uint8_t>(in_[position_++]);
  }
  std::uint64_t unsigned_int() {
    // Most are a byte long.
    if (position_ < in_.size() && static_cast<std::uint8_t>(in_[position_]) < 0x80)
      return static_cast<std::uint8_t>(in_[position_++]);
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    ok_ = false;  // an eleventh byte
    return 0;
  }
  std::int64_t signed_int() { return unzigzag(unsigned_int()); }
  float float32() { return std::bit_cast<float>(static_cast<std::uint32_t>(fixed(4))); }
  std::uint64_t fixed(std::size_t size) {
    if (in_.size() - position_ < size) {
      position_ = in_.size();
      ok_ = false;
      return 0;
    }
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < size; ++i)
      v |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(in_[position_ + i])) << (8 * i);
    position_ += size;
    return v;
  }

 private:
  std::string_view in_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace etad
