#include "parsers/rules/digits_alike.h"

#include <algorithm>
#include <optional>
#include <string>

#include "parsers/base/text.h"

namespace etad {
namespace {

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Copies a pattern from its left, with any digit for a particular one, and gives up at whatever it does not know.
class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : rest_(pattern) {}

  std::string run() {
    std::string out;
    while (!rest_.empty()) {
      const std::string_view before = rest_;
      replaced_.clear();
      if (!item()) return {};
      out += replaced_.empty() ? before.substr(0, before.size() - rest_.size()) : replaced_;
    }
    return out;
  }

 private:
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool take_through(char last) {
    const auto at = rest_.find(last);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + 1);
    return true;
  }

  bool item() {
    if (take("(?P<")) return take_through('>');
    if (rest_.front() == '{' && take_count()) return true;
    if (take("[")) return char_class();
    if (rest_.starts_with("\\b") || rest_.starts_with("\\B")) {  // a digit is part of a word, whichever it is
      rest_.remove_prefix(2);
      return true;
    }
    const auto byte = member();
    if (byte && *byte >= 0 && is_digit(static_cast<char>(*byte))) replaced_ = R"(\d)";
    return byte.has_value();
  }

  // "{2}", "{1,}", "{1,3}"; any other brace stands for itself, and so does "{02}".
  bool take_count() {
    const auto close = rest_.find('}');
    if (close == std::string_view::npos) return false;
    const std::string_view inside = rest_.substr(1, close - 1);
    const auto comma = std::min(inside.find(','), inside.size());
    const std::string_view least = inside.substr(0, comma);
    const std::string_view most = inside.substr(std::min(comma + 1, inside.size()));
    if (!is_plain_number(least) || !(most.empty() || is_plain_number(most))) return false;
    rest_.remove_prefix(close + 1);
    return true;
  }

  static bool is_plain_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
           (text.size() == 1 || text.front() != '0');
  }

  // A byte that stands for itself, escaped or not; kAll or kNone for a class that holds all digits or none.
  static constexpr int kAll = -1, kNone = -2;
  std::optional<int> member() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c != '\\') return static_cast<unsigned char>(c);
    if (rest_.empty()) return {};
    const char name = rest_.front();
    rest_.remove_prefix(1);
    switch (name) {
      case 'd':
      case 'w':
      case 'S':
        return kAll;
      case 'D':
      case 'W':
      case 's':
        return kNone;
      case 't':
      case 'n':
      case 'r':
      case 'f':
      case 'v':
      case 'a':
        return kNone;
      case 'x': {
        if (rest_.size() < 2) return {};
        const int high = hex_value(rest_[0]), low = hex_value(rest_[1]);
        if (high < 0 || low < 0) return {};
        rest_.remove_prefix(2);
        return high * 16 + low;
      }
      default:
        if (is_letter(name) || is_digit(name)) return {};
        return static_cast<unsigned char>(name);
    }
  }

  bool char_class() {
    const std::string_view inside = rest_;
    const bool all_but = take("^");
    unsigned digits = 0;  // a bit each
    const auto add = [&digits](int from, int to) {
      for (int c = std::max<int>(from, '0'); c <= std::min<int>(to, '9'); ++c) digits |= 1U << (c - '0');
    };
    for (bool first = true; !rest_.empty() && (first || rest_.front() != ']'); first = false) {
      if (rest_.starts_with("[:")) return false;
      const auto low = member();
      if (!low) return false;
      if (*low == kAll) add('0', '9');
      if (*low < 0) continue;
      int high = *low;
      if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        rest_.remove_prefix(1);
        const auto end = member();
        if (!end || *end < *low) return false;
        high = *end;
      }
      add(*low, high);
    }
    if (!take("]")) return false;
    if (digits == 0 || digits == 0x3ff) return true;
    if (all_but || inside.front() == ']') return false;
    replaced_ = R"([\d)" + std::string(inside.substr(0, inside.size() - rest_.size()));
    return true;
  }

  std::string_view rest_;
  std::string replaced_;  // the item read last, where it tells one digit from another
};

}  // namespace

std::string with_any_digits(std::string_view pattern) {
  return PatternReader(pattern).run();
}

bool treats_digits_alike(std::string_view pattern) {
  return with_any_digits(pattern) == pattern;
}

Pattern with_any_digits(const Pattern& pattern, Pattern::Anchor anchor) {
  const auto any = Pattern::compile(with_any_digits(pattern.text()), anchor);
  return any ? *any : *Pattern::compile("", anchor);
}

}  // namespace etad
