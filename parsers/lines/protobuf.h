// Protobuf's wire format (protobuf.dev, "Encoding"), as far as the records of TensorBoard and W&B need it: the fields of a
// message one after the other, without its description. Any bytes may come.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace etad {

template <class T>
T little_endian(std::string_view bytes) {
  T out = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i));
  return out;
}

// A message, field by field: `for (ProtobufFields f{message}; f.next();)`.
struct ProtobufFields {
  std::string_view rest;
  std::uint64_t number = 0;  // of the field
  int type = 0;              // 0: varint, 1: 8 bytes, 2: bytes, 5: 4 bytes
  std::uint64_t value = 0;
  std::string_view bytes = {};

  std::optional<std::uint64_t> varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      out |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return out;
    }
    return std::nullopt;
  }

  bool take(std::uint64_t count) {
    if (count > rest.size()) return false;
    bytes = rest.substr(0, count);
    rest.remove_prefix(count);
    return true;
  }

  // False at the end, and where the bytes are no message.
  bool next() {
    const auto key = varint();
    if (!key) return false;
    number = *key >> 3;
    type = static_cast<int>(*key & 7);
    switch (type) {
      case 0: {
        const auto n = varint();
        value = n.value_or(0);
        return n.has_value();
      }
      case 1:
        if (!take(8)) return false;
        value = little_endian<std::uint64_t>(bytes);
        return true;
      case 2: {
        const auto n = varint();
        return n && take(*n);
      }
      case 5:
        if (!take(4)) return false;
        value = little_endian<std::uint32_t>(bytes);
        return true;
      default:
        return false;
    }
  }

  bool is(std::uint64_t field, int wire_type) const { return number == field && type == wire_type; }
  double as_double() const { return std::bit_cast<double>(value); }
  double as_float() const {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
  }
};

}  // namespace etad
