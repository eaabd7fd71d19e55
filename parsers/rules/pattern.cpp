#include "parsers/rules/pattern.h"

#include <atomic>
#include <utility>

namespace etad {
namespace {

re2::RE2::Options options() {
  re2::RE2::Options o(re2::RE2::Latin1);
  o.set_log_errors(false);
  o.set_max_mem(4 << 20);
  return o;
}

re2::StringPiece piece(std::string_view s) {
  return {s.data(), s.size()};
}

// Whether it may match nothing at all before a word ("(?:INFO )?\b"), of which RE2 says no first bytes.
bool may_match_nothing(const std::string& pattern, const re2::RE2& anchored) {
  const bool asks = pattern.find("\\b") != pattern.npos || pattern.find("\\B") != pattern.npos;
  return asks && (re2::RE2::PartialMatch("_", anchored) || re2::RE2::PartialMatch(" ", anchored));
}

// The bytes a match can begin with, where RE2 can say so.
ScanProgram::ByteSet first_bytes(const std::string& pattern) {
  ScanProgram::ByteSet bytes;
  const re2::RE2 anchored("^(?:" + pattern + ")", options());
  if (!anchored.ok() || may_match_nothing(pattern, anchored)) return bytes.set();
  std::string low, high;
  constexpr int kLongest = 4;
  if (!anchored.PossibleMatchRange(&low, &high, kLongest) || low.empty()) return bytes.set();
  const auto last = static_cast<unsigned char>(high.empty() ? '\xff' : high.front());
  for (std::size_t c = static_cast<unsigned char>(low.front()); c <= last; ++c) bytes.set(c);
  return bytes;
}

// The beginning of a pattern, made whole again by closing its groups. Not every beginning is a pattern; what
// is not does not compile, and the caller tries a shorter one.
std::string closed(std::string_view beginning) {
  std::string out(beginning);
  int open = 0;
  bool in_class = false;
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    const char c = beginning[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(') {
      ++open;
    } else if (c == ')') {
      --open;
    }
  }
  if (open > 0) out.append(static_cast<std::size_t>(open), ')');
  return out;
}

}  // namespace

// Most formats never see a log, and most patterns that do are decided without RE2.
struct Pattern::Compiled {
  explicit Compiled(std::unique_ptr<const re2::RE2> first) : made(first.release()) {}
  ~Compiled() { delete made.load(); }

  std::atomic<const re2::RE2*> made;
};

const re2::RE2& Pattern::regexp() const {
  const re2::RE2* made = compiled_->made.load(std::memory_order_acquire);
  if (made) return *made;
  auto mine = std::make_unique<const re2::RE2>(text_, options());
  // Of two threads that make it at once the first one's stays.
  return compiled_->made.compare_exchange_strong(made, mine.get()) ? *mine.release() : *made;
}

void Pattern::release() const {
  delete compiled_->made.exchange(nullptr);
}

Result<Pattern> Pattern::compile(std::string text, Anchor anchor) {
  Pattern p;
  p.text_ = std::move(text);
  p.anchor_ = anchor == Anchor::beginning ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED;
  auto regexp = std::make_unique<const re2::RE2>(p.text_, options());
  if (!regexp->ok()) {
    std::string message = "the pattern is not a regular expression: " + regexp->error();
    return fail(std::move(message), "patterns are in RE2's syntax: no look-around, no back-references");
  }
  const auto groups = static_cast<std::size_t>(regexp->NumberOfCapturingGroups());
  if (groups > kMaxGroups) return fail("the pattern has more than 16 groups");
  p.names_.resize(groups);
  for (const auto& [index, name] : regexp->CapturingGroupNames())
    p.names_[static_cast<std::size_t>(index - 1)] = name;
  p.first_bytes_.set();
  if (anchor == Anchor::beginning) {
    if (auto scan = ScanProgram::compile(p.text_))
      p.scan_ = std::make_shared<const ScanProgram>(std::move(*scan));
    p.first_bytes_ = p.scan_ ? p.scan_->first_bytes() : first_bytes(p.text_);
  }
  p.compiled_ = std::make_shared<Compiled>(std::move(regexp));
  return p;
}

Result<Pattern> PatternPool::compile(const std::string& text, Pattern::Anchor anchor) {
  const auto key = std::pair(text, anchor);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  auto made = Pattern::compile(text, anchor);
  if (made) known_.emplace(key, *made);
  return made;
}

bool Pattern::match(std::string_view text, Groups& groups) const {
  if (scan_) {
    const auto outcome = scan_->match(text, groups);
    if (outcome != ScanProgram::Outcome::undecided) return outcome == ScanProgram::Outcome::yes;
  }
  // Most lines are none of a rule's. RE2 looks for groups at once in short lines, by backtracking; whether there is a
  // match at all its automaton tells several times faster.
  if (!matches(text)) return false;
  std::array<re2::StringPiece, kMaxGroups + 1> found;
  const int wanted = static_cast<int>(names_.size()) + 1;
  if (!regexp().Match(piece(text), 0, text.size(), anchor_, found.data(), wanted)) return false;
  for (std::size_t i = 0; i <= names_.size(); ++i) groups[i] = {found[i].data(), found[i].size()};
  return true;
}

std::optional<bool> Pattern::match(std::string_view text, Groups& groups, std::size_t place,
                                   DistinguishedDigits& distinguished) const {
  const auto outcome =
      scan_ ? scan_->match(text, groups, place, distinguished) : ScanProgram::Outcome::undecided;
  if (outcome == ScanProgram::Outcome::undecided) return std::nullopt;
  return outcome == ScanProgram::Outcome::yes;
}

bool Pattern::matches(std::string_view text) const {
  return regexp().Match(piece(text), 0, text.size(), anchor_, nullptr, 0);
}

Pattern::Reach Pattern::reach(std::string_view text) const {
  for (std::size_t length = text_.size(); length > 0; --length) {
    const re2::RE2 beginning(closed(std::string_view(text_).substr(0, length)), options());
    re2::StringPiece found;
    if (beginning.ok() && beginning.Match(piece(text), 0, text.size(), re2::RE2::ANCHOR_START, &found, 1))
      return {found.size(), length};
  }
  return {};
}

}  // namespace etad
