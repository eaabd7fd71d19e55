// A line taken apart into fields: numbers, with what they are called, what they are out of, and their unit. In one
// pass over its bytes and without allocating; what is beyond the bounds is left out.
//
//   Step 40/20000 | train loss 4.1 | 0.52s/it      step = 40 of 20000, loss = 4.1, seconds = 0.52s
//
// What a number is, its name says by the rule file's vocabulary, or the unit behind it. So lines that differ in nothing
// but the digits of their numbers have the same fields, at the same places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/rules/distinguished_digits.h"
#include "parsers/rules/place.h"
#include "parsers/rules/vocabulary.h"

namespace etad {

struct LineField {
  Vocabulary::Role role = Vocabulary::kNone;
  double scale = 1;  // a unit in the name, "step_time_ms", in seconds
  // In the message that was read.
  Place value{};  // as it is written, with the unit of a duration
  Place total{};  // "40/500", "40 of 500"
  Place mean{};   // "0.41 (0.43)"
  bool is_plain =
      false;  // its name is the phrase, with no other words: "loss", where "cls loss" is a loss as well
};

// A number as the line names it, whatever it is by any vocabulary.
struct NamedNumber {
  std::string name;  // in small letters, at most Vocabulary::kMostWords of them
  std::string unit;  // "s per it", "s", "tok per s"
  bool is_count = false, has_total = false, lasts = false;
};
std::vector<NamedNumber> named_numbers(std::string_view message);

class LineFields {
 public:
  static constexpr std::size_t kMost = 32;           // fields of a line with a role
  static constexpr std::size_t kLongestLine = 4096;  // bytes of it that are read

  void read(std::string_view message, const Vocabulary& words);

  // The first one of that role that has this part, rather one with a plain name; nullptr: none.
  enum class Part { value, total, mean };
  const LineField* find(Vocabulary::Role role, Part part = Part::value) const;

  std::size_t size() const { return count_; }
  const LineField& operator[](std::size_t i) const { return fields_[i]; }

  // A bit for each list of which there is a number, or a word before the first number; and how many numbers there
  // are, of whatever role.
  std::uint64_t present() const { return present_; }
  std::uint64_t mentioned() const { return mentioned_; }
  std::size_t numbers() const { return numbers_; }

  // Digits that are part of a word that the vocabulary may know ("f1"): another line has the same fields only if these
  // are the same. None: there are more of them than can be noted.
  const std::optional<DistinguishedDigits>& distinguished() const { return distinguished_; }

 private:
  friend class LineScan;
  void add(const LineField& field);

  std::size_t count_ = 0, numbers_ = 0;
  std::uint64_t present_ = 0, mentioned_ = 0;
  std::optional<DistinguishedDigits> distinguished_;
  std::array<LineField, kMost> fields_;
};

}  // namespace etad
