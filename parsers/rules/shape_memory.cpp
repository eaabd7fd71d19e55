#include "parsers/rules/shape_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace etad {
namespace {

// Sixteen bytes side by side: the vector extension that GCC and Clang share, on any processor.
using Sixteen [[gnu::vector_size(16)]] = unsigned char;

std::uint64_t mixed(std::uint64_t hash, const Sixteen& bytes) {
  std::uint64_t halves[2];
  std::memcpy(halves, &bytes, sizeof halves);
  hash = (hash ^ halves[0]) * 0x9e3779b97f4a7c15U;
  return (hash ^ (hash >> 29U) ^ halves[1]) * 0xbf58476d1ce4e5b9U;
}

}  // namespace

void ShapeMemory::Shape::groups_of(std::string_view message, Pattern::Groups& groups) const {
  for (std::size_t i = 0; i < groups_; ++i) {
    const Place& place = places_[i];
    groups[i] = place.at == kAbsent ? std::string_view{} : message.substr(place.at, place.length);
  }
}

std::uint64_t ShapeMemory::new_list() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// The last sixteen bytes are looked at together, some of them twice where the message is no multiple of sixteen.
std::uint64_t ShapeMemory::zero_digits(std::string_view message) {
  std::uint64_t hash = message.size();
  const auto step = [&](std::size_t at) {
    Sixteen bytes{};
    std::memcpy(&bytes, message.data() + at, std::min(message.size(), sizeof bytes));
    const Sixteen is_digit = static_cast<Sixteen>(static_cast<Sixteen>(bytes - '0') < 10);
    bytes ^= (bytes ^ '0') & is_digit;
    std::memcpy(asked_.text_.data() + at, &bytes, sizeof bytes);
    hash = mixed(hash, bytes);
  };
  const std::size_t last = message.size() - std::min(message.size(), sizeof(Sixteen));
  for (std::size_t at = 0; at < last; at += sizeof(Sixteen)) step(at);
  step(last);
  return hash ^ (hash >> 32U);
}

const ShapeMemory::Shape* ShapeMemory::find(std::uint64_t list, std::string_view message) {
  static_assert(kShortest > 0 && kLongest >= sizeof(Sixteen) && kLongest < Shape::kAbsent);
  asked_.size_ = 0;
  if (message.size() < kShortest || message.size() > kLongest) return nullptr;
  asked_.hash_ = zero_digits(message);
  asked_.list_ = list;
  asked_.size_ = static_cast<std::uint16_t>(message.size());
  if (shapes_.empty()) return nullptr;
  const std::size_t at = asked_.hash_ % kShapes;
  for (const std::size_t place : {at, at ^ 1U}) {
    const Shape& shape = shapes_[place];
    if (shape.hash_ == asked_.hash_ && shape.list_ == list && shape.size_ == asked_.size_ &&
        std::memcmp(shape.text_.data(), asked_.text_.data(), asked_.size_) == 0)
      return &shape;
  }
  return nullptr;
}

void ShapeMemory::remember(std::string_view message, std::uint16_t rule, const Pattern::Groups& found,
                           std::size_t groups) {
  if (asked_.size_ == 0) return;
  if (shapes_.empty()) shapes_.resize(kShapes);
  asked_.rule_ = rule;
  asked_.groups_ = static_cast<std::uint8_t>(groups);
  for (std::size_t i = 0; i < groups; ++i) {
    const std::string_view group = found[i];
    asked_.places_[i] = group.data() == nullptr
                            ? Shape::Place{Shape::kAbsent, 0}
                            : Shape::Place{static_cast<std::uint16_t>(group.data() - message.data()),
                                           static_cast<std::uint16_t>(group.size())};
  }
  const std::size_t at = asked_.hash_ % kShapes;
  shapes_[at ^ 1U] = shapes_[at];
  shapes_[at] = asked_;
}

}  // namespace etad
