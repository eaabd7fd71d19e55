#include "parsers/rules/shape_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "parsers/base/sixteen.h"

namespace etad {
namespace {

std::uint64_t mixed(std::uint64_t hash, const Sixteen& bytes) {
  std::uint64_t halves[2];
  std::memcpy(halves, &bytes, sizeof halves);
  hash = (hash ^ halves[0]) * 0x9e3779b97f4a7c15U;
  return (hash ^ (hash >> 29U) ^ halves[1]) * 0xbf58476d1ce4e5b9U;
}

}  // namespace

void RememberedShape::keep_groups(std::string_view line, const Pattern::Groups& groups, std::size_t count) {
  groups_ = static_cast<std::uint8_t>(count);
  for (std::size_t i = 0; i < count; ++i) places_[i] = Place::of(groups[i], line);
}

void RememberedShape::groups_of(std::string_view line, Pattern::Groups& groups) const {
  for (std::size_t i = 0; i < groups_; ++i) groups[i] = places_[i].in(line);
}

std::uint64_t ShapeMemory::new_list() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// The last sixteen bytes are looked at together, some of them twice where the line is no multiple of sixteen.
std::uint64_t ShapeMemory::zero_digits(std::string_view line) {
  std::uint64_t hash = line.size();
  const auto step = [&](std::size_t at) {
    Sixteen bytes{};
    std::memcpy(&bytes, line.data() + at, std::min(line.size(), sizeof bytes));
    const Sixteen is_digit = static_cast<Sixteen>(static_cast<Sixteen>(bytes - '0') < 10);
    bytes ^= (bytes ^ '0') & is_digit;
    std::memcpy(asked_.text.data() + at, &bytes, sizeof bytes);
    hash = mixed(hash, bytes);
  };
  const std::size_t last = line.size() - std::min(line.size(), sizeof(Sixteen));
  for (std::size_t at = 0; at < last; at += sizeof(Sixteen)) step(at);
  step(last);
  return hash ^ (hash >> 32U);
}

const RememberedShape* ShapeMemory::found_behind_last(std::size_t place) {
  if (last_)
    entries_[static_cast<std::size_t>(last_ - entries_.data())].next = static_cast<std::uint16_t>(place);
  return found(&entries_[place]);
}

const RememberedShape* ShapeMemory::look_up(std::uint64_t list, std::string_view line) {
  static_assert(kLongest >= sizeof(Sixteen) && kLongest <= 0xffff);
  asked_.list = kNoList;
  if (line.size() > kLongest) return nullptr;
  // Several look at the same line, and shall not push each other out.
  asked_.hash = zero_digits(line) ^ (list * 0x9e3779b97f4a7c15U >> 32U);
  asked_.list = list;
  asked_.size = static_cast<std::uint16_t>(line.size());
  if (entries_.empty()) return nullptr;
  const std::size_t at = asked_.hash % kShapes;
  for (const std::size_t place : {at, at ^ 1U}) {
    const Entry& entry = entries_[place];
    if (entry.hash == asked_.hash && entry.list == list && entry.size == asked_.size &&
        std::memcmp(entry.text.data(), asked_.text.data(), asked_.size) == 0 &&
        entry.shape.distinguished.hold(line))
      return found_behind_last(place);
  }
  return nullptr;
}

void ShapeMemory::remember(const RememberedShape& shape) {
  if (asked_.list == kNoList) return;
  if (entries_.empty()) entries_.resize(kShapes);
  const std::size_t at = asked_.hash % kShapes;
  entries_[at ^ 1U] = std::move(entries_[at]);
  entries_[at] = asked_;
  entries_[at].shape = shape;
  static_cast<void>(found_behind_last(at));
}

}  // namespace etad
