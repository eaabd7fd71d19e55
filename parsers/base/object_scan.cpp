#include "parsers/base/object_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kMaxDepth = 16;

// What numbers and names consist of.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0; c < 128; ++c) {
    const auto as_char = static_cast<char>(c);
    plain[c] = as_char == '.' || is_digit(as_char) || is_letter(as_char);
  }
  return plain;
}();

class Scan {
 public:
  Scan(std::string_view text, ObjectVisitor& visitor) : text_(text), visitor_(visitor) {}

  std::size_t run() { return peek() == '{' && value() ? at_ : 0; }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(char c) {
    skip_blanks();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  bool string(std::string_view& out) {
    const char quote = peek();
    if (quote != '"' && quote != '\'') return false;
    const std::size_t from = at_ + 1;
    std::size_t end = text_.find(quote, from);
    if (end != std::string_view::npos && text_.substr(from, end - from).find('\\') != std::string_view::npos)
      end = behind_escapes(from, quote);
    at_ = std::min(end, text_.size() - 1) + 1;
    if (end >= text_.size()) return false;
    out = text_.substr(from, end - from);
    return true;
  }

  // Where a string ends of which something is escaped, the quote perhaps.
  std::size_t behind_escapes(std::size_t from, char quote) const {
    while (from < text_.size() && text_[from] != quote) from += text_[from] == '\\' ? 2U : 1U;
    return from;
  }

  // The text of a string with nothing else around it but blanks; empty where it is none.
  static std::string_view quoted(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    const bool is_string = text.size() >= 2 && (text.front() == '"' || text.front() == '\'');
    return is_string ? text.substr(1, text.size() - 2) : std::string_view{};
  }

  // A number, true, None, NaN, …: up to what can follow a value. Python's tensor(0.5) and the like keep their
  // parentheses.
  bool bare(std::string_view& out) {
    const std::string_view text = text_;
    const std::size_t from = at_;
    std::size_t at = from;
    int open = 0;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (kPlain[static_cast<unsigned char>(c)]) continue;  // nearly all
      if (c == '(') ++open;
      if (c == ')') --open;
      if (open <= 0 && (c == ',' || c == '}' || c == ']' || c == ' ')) break;
    }
    at_ = at;
    out = text.substr(from, at - from);
    return !out.empty();
  }

  // Enters `part` into the path for the time of one value. A path too long is kept empty, which no rule asks
  // for.
  bool value_under(std::string_view part) {
    const std::size_t before = length_;
    const bool was_lost = lost_;
    if (lost_ || length_ + part.size() + 1 > path_.size()) {
      lost_ = true;
    } else {
      if (length_ > 0) path_[length_++] = '.';
      std::copy(part.begin(), part.end(), path_.begin() + static_cast<std::ptrdiff_t>(length_));
      length_ += part.size();
    }
    const bool whole = value();
    length_ = before;
    lost_ = was_lost;
    return whole;
  }

  bool object() {
    if (take('}')) return true;
    std::string_view name;
    do {
      std::string_view key;
      skip_blanks();
      if (!string(key) || !take(':')) return false;
      const std::size_t from = at_;
      if (!value_under(key)) return false;
      if (key == "name") name = quoted(text_.substr(from, at_ - from));
    } while (take(','));
    name_ = name;
    return take('}');
  }

  bool list() {
    if (take(']')) return true;
    std::size_t index = 0;
    do {
      std::array<char, 20> digits;
      const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), index++).ptr;
      const std::size_t from = at_;
      name_ = {};
      if (!value_under({digits.data(), static_cast<std::size_t>(end - digits.data())})) return false;
      if (const std::string_view name = std::exchange(name_, {}); !name.empty() && !named_) {
        named_ = true;  // the item once more by its name; what is inside it goes by its index only
        at_ = from;
        if (!value_under(name)) return false;
        named_ = false;
      }
    } while (take(','));
    return take(']');
  }

  bool value() {
    skip_blanks();
    const char c = peek();
    if (c == '{' || c == '[') {
      if (depth_ == kMaxDepth) return false;
      ++depth_;
      ++at_;
      const bool whole = c == '{' ? object() : list();
      --depth_;
      return whole;
    }
    name_ = {};
    std::string_view text;
    if (!(c == '"' || c == '\'' ? string(text) : bare(text))) return false;
    if (!lost_) visitor_.scalar({path_.data(), length_}, text);
    return true;
  }

  std::string_view text_;
  ObjectVisitor& visitor_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::array<char, 256> path_{};
  std::size_t length_ = 0;
  bool lost_ = false;
  std::string_view name_;  // of the object read last
  bool named_ = false;     // within an item shown by its name
};

}  // namespace

std::size_t scan_object(std::string_view text, ObjectVisitor& visitor) {
  return Scan(text, visitor).run();
}

namespace {

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

}  // namespace

bool ObjectValues::may_begin(std::string_view text) {
  return without_blanks(text).starts_with('{');
}

bool ObjectValues::read(std::string_view text) {
  text = without_blanks(text);
  if (text.data() == text_.data() && text.size() == text_.size()) return is_object_;
  text_ = text;
  values_.assign(paths_.size(), {});
  is_object_ = scan_object(text, *this) > 0;
  return is_object_;
}

void ObjectValues::scalar(std::string_view path, std::string_view value) {
  for (std::size_t i = 0; i < paths_.size(); ++i)
    if (paths_[i] == path) values_[i] = value;
}

}  // namespace etad
