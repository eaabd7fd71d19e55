// One regular expression of a rule file: anchored at the beginning of what it is matched against, Latin-1 (a
// log is bytes, and an invalid UTF-8 byte must not hide a match).
#pragma once

#include <re2/re2.h>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/rules/scan_program.h"

namespace etad {

class Pattern {
 public:
  static constexpr std::size_t kMaxGroups = 16;
  // What the groups held; a null data() where a group took no part. Index 0 is the whole match. Entries
  // beyond the pattern's groups are left as they were.
  using Groups = std::array<std::string_view, kMaxGroups + 1>;

  enum class Anchor { beginning, anywhere };

  // An error names the mistake; the caller says where it stands.
  static Result<Pattern> compile(std::string text, Anchor anchor = Anchor::beginning);

  bool match(std::string_view text, Groups& groups) const;
  bool matches(std::string_view text) const;

  // The same as match() of a text that stands at `place` in its line, noting which digits of the line it told apart.
  // None where it can't say which.
  std::optional<bool> match(std::string_view text, Groups& groups, std::size_t place,
                            DistinguishedDigits& distinguished) const;

  // Gives back the memory of RE2's program and automata; the next match that needs them makes them anew. While nobody
  // matches.
  void release() const;

  const std::string& text() const { return text_; }
  // Whether a text that begins with this byte can match at all.
  bool can_begin_with(unsigned char byte) const { return first_bytes_[byte]; }
  const std::vector<std::string>& group_names() const { return names_; }  // names_[i] is group i + 1's

  // How far a text that does not match came: the longest beginning of the pattern that does match it, and how
  // much of the text that takes. Slow; for error messages.
  struct Reach {
    std::size_t text = 0;
    std::size_t pattern = 0;
  };
  Reach reach(std::string_view text) const;

 private:
  std::string text_;
  std::vector<std::string> names_;
  ScanProgram::ByteSet first_bytes_;
  std::shared_ptr<const ScanProgram> scan_;  // the fast way, where the pattern is simple enough
  struct Compiled;
  const re2::RE2& regexp() const;
  std::shared_ptr<Compiled> compiled_;  // one for all copies
  re2::RE2::Anchor anchor_ = re2::RE2::ANCHOR_START;
};

// Patterns of one rule file, compiled once for all places that write the same text.
class PatternPool {
 public:
  Result<Pattern> compile(const std::string& text, Pattern::Anchor anchor = Pattern::Anchor::beginning);

 private:
  std::map<std::pair<std::string, Pattern::Anchor>, Pattern> known_;
};

}  // namespace etad
