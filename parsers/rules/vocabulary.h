// The words by which logs call their numbers: a rule file's [words], each list of which is a role that a number can
// play. Rules ask for roles (line_fields.h finds them), so that a word more is one more word in a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/rules/words.h"

namespace etad {

struct WordList;

class Vocabulary {
 public:
  using Role = std::uint8_t;
  static constexpr std::size_t kMostRoles = 48;      // lists of a file
  static constexpr std::size_t kMostPhrases = 8192;  // all of them, written out
  static constexpr std::size_t kMostWords = 5;       // of a phrase
  static constexpr std::size_t kLongest = 48;        // bytes of a phrase

  // Roles that no word gives. A count out of a total, without a name or with one that no list holds; a date with its
  // time, or a time of day at the line's end; what was found to be no training's: the list `validation`; and, no
  // number but said by the line, a progress bar.
  static constexpr Role kNone = 0xff, kUnnamed = 0, kUnknown = 1, kTime = 2, kValidation = 3, kBar = 4;

  // Appends what is wrong to `errors`, each at its line of the file `where`.
  static Vocabulary make(const std::vector<WordList>& lists, const std::string& where,
                         std::vector<Error>& errors);

  static constexpr std::uint64_t bit(Role role) { return std::uint64_t{1} << role; }

  bool empty() const { return measured_.empty() && counted_.empty(); }
  std::optional<Role> role(std::string_view name) const;
  std::vector<std::string_view> role_names() const;
  std::size_t roles() const { return names_.size(); }
  const std::string& name(Role role) const { return names_[role]; }

  struct Found {
    Role role = kNone;
    bool counts = false;             // a whole number, which may be glued to the word
    std::size_t begin = 0, end = 0;  // which of the words
    explicit operator bool() const { return role != kNone; }
  };

  // What a number of that name is. Other words may stand before and behind a phrase where it says so; those from
  // `clause` on are a name by themselves. A whole number is rather what is counted ("batch 40"), and no other is
  // ("batch 0.25").
  Found find(const Words& name, std::size_t clause, bool is_whole = false) const;

  // Whether a word with digits in it may be known, or another one that differs from it in nothing but these.
  bool may_tell_digits(std::string_view word) const;

  // The lists that hold this very word: a bit for each.
  std::uint64_t mentions(std::string_view word) const;

 private:
  struct Phrase {
    Role role = kNone;
    bool after_others = false, before_others = false;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Phrases = std::unordered_map<std::string, Phrase, Hash, std::equal_to<>>;
  const Phrase* measured(std::string_view text) const;
  const Phrase* counted(std::string_view text) const;
  void note_digits(std::string_view phrase);

  std::vector<std::string> names_;
  Phrases measured_, counted_;
  std::set<std::string, std::less<>> with_digits_;  // words of phrases that have digits, which are zeros here
  bool any_before_others_ = false;
};

}  // namespace etad
