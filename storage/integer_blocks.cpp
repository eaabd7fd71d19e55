#include "storage/integer_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>

namespace etad {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::uint8_t kDifferences = 0x80;  // in a block's first byte

// How a block would be written.
struct Form {
  std::int64_t least = 0;
  std::uint64_t divisor = 0;  // 0: all are the least
  unsigned width = 0;         // bits
};

std::uint64_t above(std::int64_t number, std::int64_t least) {
  return static_cast<std::uint64_t>(wrapping_sub(number, least));
}

Form form_of(std::span<const std::int64_t> numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  Form form{*least, 0, 0};
  for (const std::int64_t number : numbers) {
    const std::uint64_t rest = above(number, *least);
    if (rest == 0) continue;
    if (form.divisor == 1) break;
    if (form.divisor == 0 || rest % form.divisor != 0) form.divisor = std::gcd(form.divisor, rest);
  }
  if (form.divisor > 0)
    form.width = static_cast<unsigned>(std::bit_width(above(*most, *least) / form.divisor));
  return form;
}

void write_bits(ByteWriter& out, std::span<const std::int64_t> numbers, const Form& form) {
  std::array<char, 8 * (kBlock + 1)> bytes;
  std::size_t size = 0;
  std::uint64_t waiting = 0;
  unsigned bits = 0;  // that wait: fewer than 64 between two numbers
  const auto write_waiting = [&] {
    for (unsigned i = 0; i < 8; ++i) bytes[size + i] = static_cast<char>(waiting >> (8 * i));
  };
  for (const std::int64_t number : numbers) {
    std::uint64_t value = above(number, form.least);
    if (form.divisor != 1) value /= form.divisor;  // a division costs more than all the rest
    waiting |= value << bits;
    bits += form.width;
    if (bits < 64) continue;
    write_waiting();
    size += 8;
    bits -= 64;
    waiting = bits > 0 ? value >> (form.width - bits) : 0;
  }
  write_waiting();
  out.bytes({bytes.data(), size + (bits + 7) / 8});
}

class BitReader {
 public:
  explicit BitReader(ByteReader& in) : in_(in) {}

  std::uint64_t take(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned have = 0; have < width;) {
      if (bits_ == 0) {
        waiting_ = in_.byte();
        bits_ = 8;
      }
      const unsigned taken = std::min(width - have, bits_);
      value |= static_cast<std::uint64_t>(waiting_ & ((1U << taken) - 1)) << have;
      waiting_ >>= taken;
      bits_ -= taken;
      have += taken;
    }
    return value;
  }

 private:
  ByteReader& in_;
  unsigned waiting_ = 0, bits_ = 0;
};

}  // namespace

void write_integers(ByteWriter& out, const std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return;
  out.signed_int(numbers.front());
  std::vector<std::int64_t> differences;
  for (std::size_t from = 1; from < numbers.size(); from += kBlock) {
    const std::span<const std::int64_t> block =
        std::span(numbers).subspan(from, std::min(kBlock, numbers.size() - from));
    differences.clear();
    for (std::size_t i = from; i < from + block.size(); ++i)
      differences.push_back(wrapping_sub(numbers[i], numbers[i - 1]));
    const Form plain = form_of(block), stepped = form_of(differences);
    const bool by_steps = stepped.width < plain.width;
    const Form& form = by_steps ? stepped : plain;
    out.byte(static_cast<std::uint8_t>(form.width | (by_steps ? kDifferences : 0)));
    out.signed_int(by_steps ? form.least : wrapping_sub(form.least, numbers.front()));
    if (form.width == 0) continue;
    out.unsigned_int(form.divisor);
    write_bits(out, by_steps ? std::span<const std::int64_t>(differences) : block, form);
  }
}

void read_integers(ByteReader& in, std::size_t count, std::vector<std::int64_t>& numbers) {
  numbers.clear();
  if (count == 0) return;
  numbers.push_back(in.signed_int());
  while (numbers.size() < count && in.ok()) {
    const std::uint8_t head = in.byte();
    const unsigned width = head & (kDifferences - 1);
    if (width > 64) return in.refuse();
    const bool by_steps = (head & kDifferences) != 0;
    const std::int64_t least = wrapping_add(by_steps ? 0 : numbers.front(), in.signed_int());
    const std::uint64_t divisor = width > 0 ? in.unsigned_int() : 0;
    BitReader bits(in);
    for (std::size_t left = std::min(kBlock, count - numbers.size()); left > 0 && in.ok(); --left) {
      const auto number = wrapping_add(least, static_cast<std::int64_t>(bits.take(width) * divisor));
      numbers.push_back(by_steps ? wrapping_add(numbers.back(), number) : number);
    }
  }
}

}  // namespace etad
