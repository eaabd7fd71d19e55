#include "parsers/rules/written_number.h"

#include <algorithm>

#include "parsers/base/duration.h"
#include "parsers/base/text.h"
#include "parsers/rules/line_text.h"

namespace etad {
namespace {

bool is_unit_of_time(std::string_view word) {
  return seconds_of_unit(SmallWord(word).view()).has_value();
}

class NumberReader : private LineText {
 public:
  NumberReader(std::string_view line, std::size_t begin, WrittenNumber& out)
      : LineText(line), begin_(begin), at_(begin), out_(out) {}

  bool read() {
    if (const std::size_t end = date_in_digits(begin_); end > begin_) {
      out_.end = end;
      return false;
    }
    const bool is_number = digits_and_clock();
    if (!is_number) {
      at_ = begin_ + 1;
      while (at_ < text_.size() && (is_word_at(at_) || text_[at_] == '.')) ++at_;
    } else {
      if (is_whole_ && !out_.lasts) total();
      unit();
      mean();
    }
    out_.end = at_;
    return is_number;
  }

 private:
  // The value without a unit, into out_.value; at_ is behind it.
  bool digits_and_clock() {
    const bool has_sign = byte(at_) == '-' || byte(at_) == '+';
    at_ = whole(begin_ + (has_sign ? 1U : 0U));
    is_whole_ = !has_sign;
    if (byte(at_) == '.' &&
        (is_digit(byte(at_ + 1)) || (!is_word_byte(byte(at_ + 1)) && !is_blank_or_end(at_ + 1)))) {
      is_whole_ = is_whole_ && !is_digit(byte(at_ + 1));
      at_ = digits(at_ + 1);
    }
    if (const std::size_t exponent = byte(at_ + 1) == '-' || byte(at_ + 1) == '+' ? at_ + 2 : at_ + 1;
        (byte(at_) == 'e' || byte(at_) == 'E') && is_digit(byte(exponent))) {
      at_ = digits(exponent);
      is_whole_ = false;
    }
    if (byte(at_) == '.' && (is_digit(byte(at_ + 1)) || is_letter(byte(at_ + 1))))
      return false;                                                              // "loss_0.cpp"
    if (is_whole_ && byte(at_) == '-' && is_digit(byte(at_ + 1))) return false;  // "steps 1-20", a date
    if (const std::size_t behind = std::max(clock(at_), days(at_)); behind > at_) {
      if (is_time_of_day(behind)) return false;
      out_.lasts = true;
      out_.unit.append(is_like_daytime(begin_, behind) ? "clock" : "s");
      at_ = behind;
    }
    out_.value = text_.substr(begin_, at_ - begin_);
    return out_.lasts || !is_word_at(at_) || is_glued_unit();
  }

  // "10:07:12", where "7:12" and "1:07:12" are rather how long it took.
  bool is_like_daytime(std::size_t begin, std::size_t end) const {
    return end - begin >= 8 && byte(begin + 2) == ':' && byte(begin + 5) == ':';
  }

  // "10:07 PM"
  bool is_time_of_day(std::size_t behind) const {
    const std::size_t begin = blanks(behind);
    const SmallWord half(text_.substr(begin, end_of_word(begin) - begin));
    return half.view() == "am" || half.view() == "pm";
  }

  // Letters right behind a number: "62.5s", "12.3K", "512ms/step", "1m23s". None of a long word, which may have a number at
  // every second byte.
  bool is_glued_unit() const {
    constexpr std::size_t kLongest = 48;
    const std::size_t end = end_of_word(at_);
    if (end - at_ > kLongest) return false;
    const std::string_view word = text_.substr(at_, end - at_);
    if (word == "k" || word == "K" || word == "M" || byte(end) == '/') return true;
    for (std::size_t at = at_; at < end;) {
      const std::size_t unit = digits_in(at, end);
      if (!is_unit_of_time(text_.substr(at, unit - at))) return false;
      if (unit == end) return true;
      at = digits(unit);
    }
    return false;
  }

  // "/500", "] / [500", " of 500", " out of 500"; no part of "3/4/2026".
  void total() {
    if (before(begin_) == '/') return;
    std::size_t at = blanks(at_);
    if (byte(at) == ']') at = blanks(at + 1);
    const std::string_view rest = text_.substr(at);
    const std::size_t joint = rest.starts_with('/')         ? 1U
                              : rest.starts_with("of ")     ? 3U
                              : rest.starts_with("out of ") ? 7U
                                                            : 0U;
    if (joint == 0) return;
    at = blanks(at + joint);
    if (byte(at) == '[') at = blanks(at + 1);
    const std::size_t end = whole(at);
    if (end == at || byte(end) == '/' || (byte(end) == '.' && is_digit(byte(end + 1))) || is_word_at(end))
      return;
    out_.total = text_.substr(at, end - at);
    at_ = end;
  }

  void unit() {
    if (byte(at_) == '%') {
      ++at_;
      out_.unit.append("%");
      return;
    }
    if (out_.lasts || out_.total.data()) return;
    if (unit_in_brackets()) return;
    const char c = byte(at_);
    if ((c == 'k' || c == 'K' || c == 'M') && end_of_word(at_) == at_ + 1) {
      ++at_;
      out_.value = text_.substr(begin_, at_ - begin_);
    }
    const std::size_t start = blanks(at_);
    const std::size_t end = digits_in(start, end_of_word(start));  // "1m23s"
    if (start > at_ + 2 || end == start) return;
    const std::string_view word = text_.substr(start, end - start);
    const std::size_t per = per_what(end);
    const std::string_view second = text_.substr(per, end_of_word(per) - per);
    if (is_unit_of_time(word)) {
      // "4 m" may be anything; and "2 s: 5" and "0.5 sec_per_epoch 5" name the next number.
      if ((start > at_ && (word.size() == 1 ? word != "s" : byte(end) == '_')) || byte(end) == ':' ||
          byte(end) == '=')
        return;
      out_.lasts = true;
      out_.value = text_.substr(begin_, end - begin_);
      at_ = end;
      if (per == end) return lasting(word);
      out_.unit.append("s");
    } else {
      if (per == end || !is_unit_of_time(second) || names_next(per + second.size())) return;
      out_.unit.append(word);
    }
    out_.unit.append("per");
    out_.unit.append(out_.lasts ? second : "s");
    at_ = per + second.size();
  }

  // "312.25 (s)"
  bool unit_in_brackets() {
    if (byte(at_) != ' ' || byte(at_ + 1) != '(') return false;
    const std::size_t end = end_of_word(at_ + 2);
    const auto seconds = seconds_of_unit(SmallWord(text_.substr(at_ + 2, end - at_ - 2)).view());
    if (byte(end) != ')' || !seconds) return false;
    out_.scale = *seconds;
    out_.lasts = true;
    out_.unit.append("s");
    at_ = end + 1;
    return true;
  }

  // What lasts so long by itself: of minutes and seconds it is all the same, but "ms" and "m" stand for other things too.
  void lasting(std::string_view word) {
    smaller_units();
    const bool is_told =
        word == "ms" || (word == "m" && out_.value.data() + out_.value.size() == word.data() + 1);
    out_.unit.append(is_told ? word : "s");
  }

  // "1h 2m 3.5s": each unit smaller than the one before it, which who reads the value sees to.
  void smaller_units() {
    for (int parts = 0; parts < 3; ++parts) {
      const std::size_t number = blanks(byte(at_) == ',' ? at_ + 1 : at_);
      std::size_t start = digits(number);
      if (start == number) return;
      if (byte(start) == '.') start = digits(start + 1);
      start = blanks(start);
      const std::size_t end = digits_in(start, end_of_word(start));
      if (!is_unit_of_time(text_.substr(start, end - start)) || per_what(end) > end) return;
      at_ = end;
      out_.value = text_.substr(begin_, end - begin_);
    }
  }

  // " (0.4125)"
  void mean() {
    const std::size_t open = blanks(at_);
    if (byte(open) != '(' || out_.total.data()) return;
    const std::size_t at = blanks(open + 1);
    std::size_t end = digits(at);
    if (end == at || byte(end) != '.') return;
    end = digits(end + 1);
    const std::string_view mean = text_.substr(at, end - at);
    if (out_.lasts && byte(end) == 's') ++end;
    if (byte(end) != ')') return;
    out_.mean = mean;
    at_ = end + 1;
  }

  std::size_t begin_, at_;
  bool is_whole_ = true;
  WrittenNumber& out_;
};

}  // namespace

bool WrittenNumber::is_count() const {
  return !lasts && std::all_of(value.begin(), value.end(), [](char c) { return is_digit(c) || c == ','; });
}

bool read_written_number(std::string_view line, std::size_t begin, WrittenNumber& out) {
  return NumberReader(line, begin, out).read();
}

}  // namespace etad
