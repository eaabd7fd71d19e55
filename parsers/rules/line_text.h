// A line's bytes, asked for what stands at a place of them: a number's digits, a clock, a date, a word. All answers are
// places behind it, or the place itself where it does not stand there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "parsers/base/text.h"

namespace etad {

// Bytes of a separator that is no ASCII: arrows, boxes and bars, full-width punctuation, pictures. 0: part of a word.
inline std::size_t wide_separator(std::string_view text) {
  switch (static_cast<unsigned char>(text.front())) {
    case 0xE2:
    case 0xEF:
      return std::min<std::size_t>(3, text.size());
    case 0xF0:
      return std::min<std::size_t>(4, text.size());
    default:
      return 0;
  }
}

inline bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

// A word in small letters, in a buffer of its own; longer ones are no unit.
class SmallWord {
 public:
  explicit SmallWord(std::string_view word) {
    if (word.size() > sizeof text_) return;
    for (const char c : word) text_[size_++] = lower_case(c);
  }
  std::string_view view() const { return {text_, size_}; }

 private:
  char text_[24];
  std::size_t size_ = 0;
};

class LineText {
 public:
  explicit LineText(std::string_view text) : text_(text) {}

  char before(std::size_t at) const { return at > 0 ? text_[at - 1] : ' '; }
  char byte(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // A sign or a point that a number begins with.
  bool begins_number(std::size_t at) const {
    const char c = text_[at];
    if (c != '-' && c != '+' && c != '.') return false;
    const char previous = before(at);
    if (is_word_byte(previous) || previous == ')' || previous == ']' || previous == '-' || previous == '.')
      return false;
    const std::size_t digit = c != '.' && byte(at + 1) == '.' ? at + 2 : at + 1;
    return is_digit(byte(digit));
  }

  std::size_t end_of_word(std::size_t at) const {
    while (is_word_at(at)) ++at;
    return at;
  }

  std::size_t digits(std::size_t at) const {
    while (is_digit(byte(at))) ++at;
    return at;
  }
  std::size_t blanks(std::size_t at) const {
    while (byte(at) == ' ') ++at;
    return at;
  }
  bool two_digits(std::size_t at) const {
    return is_digit(byte(at)) && is_digit(byte(at + 1)) && !is_digit(byte(at + 2));
  }

  // "1,024,000"; where no group follows, the digits alone.
  std::size_t whole(std::size_t at) const {
    std::size_t end = digits(at);
    if (end - at > 3) return end;
    while (byte(end) == ',' && digits(end + 1) == end + 4) end += 4;
    return end;
  }

  // ":05:06" behind a number; as it was where there is none.
  std::size_t clock(std::size_t at) const {
    std::size_t end = at;
    for (int parts = 0; parts < 2 && byte(end) == ':' && two_digits(end + 1); ++parts) end += 3;
    if (end > at && byte(end) == '.' && is_digit(byte(end + 1))) end = digits(end + 1);
    return end;
  }

  // "2026-03-01 10:00:12,750".
  std::size_t date(std::size_t at) const {
    const char joint = byte(at + 4);
    if (digits(at) != at + 4 || (joint != '-' && joint != '/') || !two_digits(at + 5) ||
        byte(at + 7) != joint || !two_digits(at + 8))
      return at;
    std::size_t time = at + 10;
    if (byte(time) == ',') ++time;
    const char gap = byte(time);
    if ((gap != ' ' && gap != 'T' && gap != '_') || !two_digits(time + 1)) return at;
    std::size_t end = clock(time + 3);
    if (end < time + 9) return at;
    if (byte(end) == ',' && is_digit(byte(end + 1))) end = digits(end + 1);
    return end;
  }

  // "02/05/2018", with the minutes behind it. Which of its numbers is the month, it does not say.
  std::size_t date_in_digits(std::size_t at) const {
    const std::size_t day = digits(at), month = digits(day + 1), year = digits(month + 1);
    if (day == at || byte(day) != '/' || month == day + 1 || byte(month) != '/' || year != month + 5)
      return at;
    std::size_t hour = year;
    while (hour < year + 2 && (byte(hour) == ' ' || byte(hour) == '-')) ++hour;
    const std::size_t minute = digits(hour);
    return two_digits(hour) && clock(minute) == minute + 3 ? minute + 3 : year;
  }

  bool is_word_at(std::size_t at) const {
    return is_word_byte(byte(at)) && wide_separator(text_.substr(at)) == 0;
  }

  bool is_blank_or_end(std::size_t at) const { return at >= text_.size() || byte(at) == ' '; }

  // " day, 2:03:04" behind a number of days.
  std::size_t days(std::size_t at) const {
    if (text_.substr(at, 4) != " day") return at;
    std::size_t end = at + 4 + (byte(at + 4) == 's' ? 1U : 0U);
    if (byte(end) != ',') return at;
    end = blanks(end + 1);
    const std::size_t hours = digits(end), behind = clock(hours);
    return hours > end && behind > hours ? behind : at;
  }

  // "512 tok/s=9000": it stands before the number that it is of.
  bool names_next(std::size_t at) const {
    at = blanks(at);
    return byte(at) == '=' || byte(at) == ':';
  }

  // The first digit in there, where letters stand before it.
  std::size_t digits_in(std::size_t begin, std::size_t end) const {
    std::size_t at = begin;
    while (at < end && !is_digit(byte(at))) ++at;
    return at == begin ? end : at;
  }

  // Where the word behind "/" or " per " begins; `at` where there is none.
  std::size_t per_what(std::size_t at) const {
    std::size_t begin = at;
    if (byte(at) == '/') {
      begin = at + 1;
    } else if (text_.substr(at, 5) == " per ") {
      begin = at + 5;
    } else if (text_.substr(at, 3) == " / ") {
      begin = at + 3;
    } else {
      return at;
    }
    return is_letter(byte(begin)) ? begin : at;
  }

  // Whether behind there another word stands before the next number.
  bool has_own_name(std::size_t at) const {
    at = blanks(at);
    return is_letter(byte(at));
  }

 protected:
  std::string_view text_;
};

}  // namespace etad
