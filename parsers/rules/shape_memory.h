// What came of lines that looked the same. A log's lines repeat themselves but for their numbers: a message that
// differs from a remembered one in nothing but its digits is of the same rule, and its groups stand at the same
// places, as far as the rules treat all digits alike (digits_alike.h). So one comparison takes the place of a
// match against all rules that the line might be of. Which format a line shows is remembered likewise, as its rule.
//
// Bounded: lines that do not repeat themselves push each other out. Not to be shared between threads.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "parsers/rules/pattern.h"

namespace etad {

class ShapeMemory {
 public:
  // Of messages of other lengths nothing is remembered.
  static constexpr std::size_t kShortest = 1, kLongest = 512;

  class Shape {
   public:
    std::uint16_t rule() const { return rule_; }  // Event::kNoRule: of none
    // Where that rule's groups stand in a message of this shape.
    void groups_of(std::string_view message, Pattern::Groups& groups) const;

   private:
    friend class ShapeMemory;
    struct Place {
      std::uint16_t at, length;
    };
    static constexpr std::uint16_t kAbsent = 0xffff;

    std::uint64_t hash_ = 0;
    std::uint64_t list_ = 0;
    std::uint16_t rule_ = 0;
    std::uint16_t size_ = 0;  // of the message; 0: nothing is remembered here
    std::uint8_t groups_ = 0;
    std::array<Place, Pattern::kMaxGroups + 1> places_{};
    std::array<char, kLongest> text_{};  // the message, its digits made zeros
  };

  // A number for a list of patterns that messages are matched against; no other list has it.
  static std::uint64_t new_list();

  // What is remembered of messages like this one, matched against the list of that number; nullptr: nothing.
  const Shape* find(std::uint64_t list, std::string_view message);

  // Of the message that was asked for last, and of all like it: which rule it is of. `groups`: of how many groups of
  // that rule, the whole match among them, the places are kept.
  void remember(std::string_view message, std::uint16_t rule, const Pattern::Groups& found,
                std::size_t groups);

 private:
  static constexpr std::size_t kShapes = 512;

  std::uint64_t zero_digits(std::string_view message);  // into asked_, whose hash it gives

  Shape asked_;                // the message asked for last
  std::vector<Shape> shapes_;  // by hash, in pairs
};

}  // namespace etad
