// What stands at the head of a text, taken step by step. Internal to parsers/base.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parsers/base/text.h"

namespace etad {

// Reads a line from its left; every step either takes what it promises or reports that it is not there.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool done() const { return at_ == end_; }
  char peek() const { return at_ < end_ ? *at_ : '\0'; }
  bool at_letter() const { return is_letter(peek()); }
  bool take(char c) {
    if (peek() != c || done()) return false;
    ++at_;
    return true;
  }
  bool take_any(std::string_view set) {
    if (done() || set.find(*at_) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  void skip_any(std::string_view set) {
    while (take_any(set)) {
    }
  }
  void skip(std::size_t count) { at_ += count; }  // the caller knows that they are there
  void skip_blanks() {
    while (at_ < end_ && *at_ == ' ') ++at_;
  }
  // A file name: up to a colon or bracket, which stays.
  std::string_view take_file() {
    const char* from = at_;
    while (at_ < end_ && *at_ != ':' && *at_ != ']') ++at_;
    return {from, static_cast<std::size_t>(at_ - from)};
  }
  std::size_t digits_ahead() const {
    const char* p = at_;
    while (p < end_ && is_digit(*p)) ++p;
    return static_cast<std::size_t>(p - at_);
  }
  // Exactly `count` digits (at most 9).
  bool take_digits(int count, int& value) {
    if (end_ - at_ < count) return false;
    int x = 0;
    for (int i = 0; i < count; ++i) {
      if (!is_digit(at_[i])) return false;
      x = x * 10 + (at_[i] - '0');
    }
    at_ += count;
    value = x;
    return true;
  }
  bool take_word(std::string_view word) {
    if (static_cast<std::size_t>(end_ - at_) < word.size() || std::string_view(at_, word.size()) != word)
      return false;
    at_ += word.size();
    return true;
  }
  // Everything up to the first of `stops`, which stays.
  std::string_view take_until(std::string_view stops) {
    const char* from = at_;
    while (at_ < end_ && stops.find(*at_) == std::string_view::npos) ++at_;
    return {from, static_cast<std::size_t>(at_ - from)};
  }
  bool skip_digits() {
    const char* from = at_;
    while (at_ < end_ && is_digit(*at_)) ++at_;
    return at_ != from;
  }
  // A fraction's digits, to the microsecond; further digits are read and dropped.
  bool take_fraction(std::int64_t& micros) {
    if (!is_digit(peek()) || done()) return false;
    std::int64_t unit = 100'000;
    for (micros = 0; at_ < end_ && is_digit(*at_); ++at_, unit /= 10) micros += (*at_ - '0') * unit;
    return true;
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace etad
