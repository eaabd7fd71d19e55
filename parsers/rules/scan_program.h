// A small, fast matcher for the plain patterns that rule files are full of: literals, character classes with
// repetition, groups, alternatives and optional parts, anchored at the beginning.
//
// RE2 is linear whatever the pattern, and pays for it: 100 to 200 ns a line with captures, and more (and
// heap) with more than four of them. A log line's pattern hardly ever needs that. So a pattern within the
// subset is also compiled to this: a backtracking matcher with RE2's (leftmost-first) semantics, a stack of
// fixed size and a budget of steps. Where it runs out of either it says so, and the caller asks RE2: linear
// again.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/rules/distinguished_digits.h"

namespace etad {

class ScanProgram {
 public:
  using ByteSet = std::bitset<256>;

  static constexpr std::size_t kMaxGroups = 16;

  enum class Outcome : std::uint8_t { no, yes, undecided };

  // None where the pattern leaves the subset. Groups are numbered as RE2 numbers them.
  static std::optional<ScanProgram> compile(std::string_view pattern);

  // Fills groups[0] (the whole match) to groups[n]; a group that took no part has a null data().
  // `groups` must have room for group_count() + 1.
  Outcome match(std::string_view text, std::span<std::string_view> groups) const;

  // The same of a text that stands at `place` in its line. Notes which digits of the line were told apart; undecided also
  // where there are more of them than can be noted.
  Outcome match(std::string_view text, std::span<std::string_view> groups, std::size_t place,
                DistinguishedDigits& distinguished) const;

  std::size_t group_count() const { return group_count_; }
  const ByteSet& first_bytes() const {
    return first_bytes_;
  }  // a match that is not empty begins with one of these

 private:
  class Compiler;
  template <class Watch>
  class Run;

  enum class Op : std::uint8_t { literal, repeat, capture, open, close, split, jump, end, match };

  struct Instruction {
    Op op = Op::match;
    bool possessive = false;  // repeat: what follows cannot begin with a byte of the set: never give any back
    std::uint16_t set = 0;    // repeat, capture: index into sets_
    std::uint32_t a = 0;      // literal: offset; repeat: least; open, close: group; split, jump: target
    std::uint32_t b = 0;      // literal: length; repeat: most
    std::uint32_t group = 0;  // capture: open, a possessive repeat and close in one, for speed
  };

  void find_first_bytes();
  void mark_possessive();
  void join_captures();
  // Adds the bytes that can come next at code_[from]; true where the pattern may also end there.
  bool first_of(std::size_t from, ByteSet& bytes) const;

  std::vector<Instruction> code_;
  std::vector<ByteSet> sets_;  // each once
  std::string literals_;
  std::size_t group_count_ = 0;
  ByteSet first_bytes_;
};

}  // namespace etad
