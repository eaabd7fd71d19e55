// Which formats a line shows: all that their `recognise` and `strip` patterns say, asked in one pass over the
// line instead of one a pattern. Lines of no known format are asked about for as long as a log may still show
// one, so this is what such logs cost. Of lines that differ in nothing but their digits only the first is asked
// about, as far as no pattern that tells digits apart might match one of them.
#pragma once

#include <re2/set.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "parsers/rules/distinguished_digits.h"
#include "parsers/rules/pattern.h"

namespace etad {

class Format;
class ShapeMemory;

// Many patterns, each of one format.
class PatternSet {
 public:
  explicit PatternSet(Pattern::Anchor anchor);
  void add(const Pattern& pattern, std::uint16_t format);
  void compile();

  // The formats one of whose patterns matches, each once, in rising order.
  std::vector<std::uint16_t> match(std::string_view text) const;

 private:
  re2::RE2::Set set_;
  std::vector<Pattern> patterns_;  // asked one by one should the set ever run out of its memory
  std::vector<std::uint16_t> formats_;
  bool compiled_ = false;
};

class Recogniser {
 public:
  explicit Recogniser(const std::vector<std::shared_ptr<const Format>>& formats);

  // The formats that the line shows, by their place in the list. Where it shows none as it stands, or generic
  // ones only, those count as well that it shows without what launchers, environments and loggers write before it.
  // `shapes` changes nothing but the time it takes. Without `generic` the generic formats are not asked.
  std::vector<std::uint16_t> formats_of(std::string_view line, ShapeMemory* shapes = nullptr,
                                        bool generic = true) const;

 private:
  // Stands among the formats for any that the line might show if its digits were others.
  std::uint16_t with_other_digits() const { return static_cast<std::uint16_t>(formats_.size()); }
  bool is_generic(std::uint16_t id) const;
  // What a line shows, and what is needed to know it of all lines like it.
  struct Shown {
    std::vector<std::uint16_t> formats;
    DistinguishedDigits distinguished;
    bool are_all_known = true;  // `distinguished` holds all digits that make a difference
  };
  void ask_by_fields(std::string_view line, std::string_view rest, bool generic, Shown& shown) const;
  void ask_behind_labels(std::string_view line, bool generic, Shown& shown) const;
  void ask_behind(std::string_view line, std::size_t length, bool generic, Shown& shown) const;
  void remember(const Shown& shown, ShapeMemory& shapes) const;

  std::vector<std::shared_ptr<const Format>> formats_;
  std::uint64_t lists_[2];  // ShapeMemory::new_list(): without the generic formats, and with them
  PatternSet recognise_{Pattern::Anchor::anywhere};
  PatternSet strip_{Pattern::Anchor::beginning};
  std::vector<std::uint16_t> by_fields_;    // formats whose rules recognise lines by their fields
  std::vector<std::uint16_t> strip_kinds_;  // of each format: the same number where the patterns are the same
};

}  // namespace etad
