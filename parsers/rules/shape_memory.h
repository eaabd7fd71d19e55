// What came of lines that looked the same. A log's lines repeat themselves but for their numbers: one that differs from
// a remembered one in nothing but its digits has its header, its message, its rule's groups and its fields at the same
// places, as far as all who looked at it treat all digits alike (digits_alike.h), or where those few digits that one of
// them told apart would have passed and failed the same tests (distinguished_digits.h). So one comparison takes the
// place of a match against all rules that the line might be of. Which formats a line shows is remembered likewise.
//
// Lines also come in the same order again and again: the one that followed last time is compared first.
//
// Bounded: lines that do not repeat themselves push each other out. Not to be shared between threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "parsers/base/alike.h"
#include "parsers/base/event.h"
#include "parsers/rules/distinguished_digits.h"
#include "parsers/rules/pattern.h"
#include "parsers/rules/place.h"

namespace etad {

class LineFields;

// What is known of a line and of all like it. Places are counted in bytes from the line's beginning.
struct RememberedShape {
  static constexpr std::uint8_t kNoHeader = 0xff;
  std::uint16_t rule = Event::kNoRule;  // of none
  std::uint16_t file = 0;               // that wrote the line (RuleIndex)
  std::uint16_t header = 0, header_end = 0, message = 0;
  std::uint8_t header_form = kNoHeader;  // by its place among the format's
  bool quiet = false;                    // Event::quiet
  bool strips_alike = true;              // what is stripped off a line like it is the same
  bool labelled = false;                 // by a launcher
  bool says_nothing = false;             // but when it was written: no line like it does
  // The first of the rules that may match a line like it, or not, by its digits: those up to `rule` are asked each time.
  std::uint16_t first_undecided = Event::kNoRule;
  // A line like it has the same digits there, or such as make no difference.
  DistinguishedDigits distinguished;

  std::shared_ptr<const LineFields> fields;  // of the message, where rules ask for them

  // Of a line that was asked for the formats that it shows: these.
  static constexpr std::size_t kMostFormats = 4;
  std::uint8_t format_count = 0;
  std::array<std::uint16_t, kMostFormats> formats{};

  // Where the groups of the rule's pattern stand: `count` of them, the whole match among them.
  void keep_groups(std::string_view line, const Pattern::Groups& groups, std::size_t count);
  void groups_of(std::string_view line, Pattern::Groups& groups) const;

 private:
  std::uint8_t groups_ = 0;
  std::array<Place, Pattern::kMaxGroups + 1> places_{};
};

class ShapeMemory {
 public:
  ShapeMemory() = default;
  ShapeMemory(const ShapeMemory&) = delete;
  ShapeMemory& operator=(const ShapeMemory&) = delete;

  static constexpr std::size_t kLongest = 512;  // of longer lines nothing is remembered

  // Where a line's groups are put, for whoever looks at it: making room for them anew for each line costs more than
  // finding them.
  Pattern::Groups groups;

  // A number for those who look at lines in the same way, such as a format's rules; no others have it.
  static std::uint64_t new_list();

  // What is remembered of lines like this one, looked at in the way of that number; nullptr: nothing.
  const RememberedShape* find(std::uint64_t list, std::string_view line) {
    const Entry* const entry = expected_;
    if (!entry || entry->list != list || !entry->is_like(line) || !entry->shape.distinguished.hold(line))
      return look_up(list, line);
    asked_.list = kNoList;
    return found(entry);
  }

  // Of the line that was asked for last, and of all like it.
  void remember(const RememberedShape& shape);

 private:
  static constexpr std::size_t kShapes = 512;
  static constexpr std::uint64_t kNoList = 0;  // new_list() gives none such

  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t list = kNoList;  // then nothing is remembered here
    std::uint16_t size = 0;        // of the line
    std::uint16_t next = 0;        // which entry was found behind this one
    RememberedShape shape;
    std::array<char, kLongest> text{};  // the line, its digits made zeros

    bool is_like(std::string_view line) const {  // but for digits told apart
      return line.size() == size && is_alike(text.data(), line);
    }
  };

  std::uint64_t zero_digits(std::string_view line);  // into asked_, whose hash it gives
  const RememberedShape* look_up(std::uint64_t list, std::string_view line);
  const RememberedShape* found(const Entry* entry) {
    last_ = entry;
    expected_ = entries_.data() + entry->next;
    return &entry->shape;
  }
  const RememberedShape* found_behind_last(std::size_t place);

  Entry asked_;                      // the line asked for last, where it was not the one expected
  std::vector<Entry> entries_;       // by hash, in pairs
  const Entry* last_ = nullptr;      // the one found last
  const Entry* expected_ = nullptr;  // the one that was found behind it the time before
};

}  // namespace etad
