// Writes TensorBoard's event files, from the published form: TFRecord frames (length, masked CRC32C of it,
// payload, masked CRC32C of that) around protobuf Events. Independent of what reads them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace etad::test {

inline std::string varint(std::uint64_t n) {
  std::string out;
  for (; n >= 0x80; n >>= 7) out += static_cast<char>(static_cast<unsigned char>(n | 0x80));
  return out += static_cast<char>(n);
}

inline std::string little(std::uint64_t n, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(static_cast<unsigned char>(n >> (8 * i)));
  return out;
}

inline std::string key(std::uint64_t field, std::uint64_t type) {
  return varint(field << 3 | type);
}
inline std::string number(std::uint64_t field, std::uint64_t n) {
  return key(field, 0) + varint(n);
}
inline std::string real(std::uint64_t field, double x) {
  return key(field, 1) + little(std::bit_cast<std::uint64_t>(x), 8);
}
inline std::string small_real(std::uint64_t field, float x) {
  return key(field, 5) + little(std::bit_cast<std::uint32_t>(x), 4);
}
inline std::string bytes(std::uint64_t field, std::string_view content) {
  return key(field, 2) + varint(content.size()) + std::string(content);
}

// Bit by bit, where what is tested goes by a table.
inline std::string masked_crc(std::string_view content) {
  std::uint32_t c = ~0U;
  for (const char byte : content) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? (c >> 1) ^ 0x82f63b78U : c >> 1;
  }
  c = ~c;
  return little(((c >> 15) | (c << 17)) + 0xa282ead8U, 4);
}

inline std::string record(std::string_view payload) {
  const std::string length = little(payload.size(), 8);
  return length + masked_crc(length) + std::string(payload) + masked_crc(payload);
}

inline std::string version_record(double time) {
  return record(real(1, time) + bytes(3, "brain.Event:2"));
}

// A value in a Summary, in an Event.
inline std::string event_record(double time, std::int64_t step, const std::string& value) {
  return record(real(1, time) + number(2, static_cast<std::uint64_t>(step)) + bytes(5, bytes(1, value)));
}
inline std::string scalar_record(double time, std::int64_t step, std::string_view tag, float x) {
  return event_record(time, step, bytes(1, tag) + small_real(2, x));
}

}  // namespace etad::test
