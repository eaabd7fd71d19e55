#include "parsers/rules/line_fields.h"

#include <algorithm>
#include <cstring>

#include "parsers/base/text.h"
#include "parsers/rules/line_text.h"

namespace etad {
namespace {

constexpr std::string_view kPer = "per";

bool is_time_word(std::string_view word) {
  return word == "time" || seconds_of_unit(word).has_value();
}

}  // namespace

// Reads one line.
class LineScan : private LineText {
 public:
  LineScan(std::string_view text, const Vocabulary& words, LineFields& out)
      : LineText(text), words_(words), out_(out) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_digit(c) || begins_number(at_)) {
        number();
      } else if (const std::size_t wide = wide_separator(text_.substr(at_)); wide > 0) {
        at_ += wide;
        strong_ = true;
      } else if (is_word_byte(c)) {
        word();
      } else {
        separator(c);
      }
    }
  }

 private:
  // --- separators and words

  void separator(char c) {
    switch (c) {
      case '|':
        if (before(at_) == '%') out_.mentioned_ |= std::uint64_t{1} << Vocabulary::kBar;
        [[fallthrough]];
      case ',':
      case ';':
      case '}':
        end_name();
        break;
      case '/':
        slash_ = at_ > 0 && is_word_byte(text_[at_ - 1]);
        break;
      case ' ':
      case '_':
      case '-':
      case '.':
      case '"':
      case '\'':
        break;
      default:
        strong_ = true;
    }
    ++at_;
  }

  void end_name() {
    size_ = words_in_name_ = clause_ = 0;
    strong_ = slash_ = false;
    pending_ = Vocabulary::kNone;
  }

  void append(std::string_view word) {
    constexpr std::size_t kMostInName = 16;
    if (words_in_name_ == kMostInName || size_ + word.size() + 1 > sizeof name_) {
      size_ = words_in_name_ = clause_ = 0;  // so long a sentence is no name, but its end may be one
      if (word.size() > sizeof name_) return;
    }
    if (words_in_name_ > 0) name_[size_++] = ' ';
    if (strong_) clause_ = words_in_name_;
    strong_ = false;
    starts_[words_in_name_++] = static_cast<std::uint16_t>(size_);
    for (const char c : word) name_[size_++] = lower_case(c);
  }

  std::string_view name() const { return {name_, size_}; }
  std::string_view last_word() const {
    return words_in_name_ == 0 ? std::string_view{} : name().substr(starts_[words_in_name_ - 1]);
  }

  void word() {
    const std::size_t begin = at_, end = end_of_word(at_);
    const std::string_view run = text_.substr(begin, end - begin);
    at_ = end;
    const auto letters = static_cast<std::size_t>(std::find_if(run.begin(), run.end(), is_digit) - run.begin());
    if (letters < run.size() && std::all_of(run.begin() + static_cast<std::ptrdiff_t>(letters), run.end(), is_digit) &&
        counts(run.substr(0, letters))) {
      take_words(begin, begin + letters);
      at_ = begin + letters;
      return;
    }
    const SmallWord small(run);
    if (words_in_name_ > 0 && (small.view() == "nan" || small.view() == "inf")) {
      finish({.value = run}, {}, false);
      return;
    }
    if (small.view() == "is" || small.view() == "was" || (small.view() == "tensor" && byte(end) == '(')) return;
    take_words(begin, end);
    if ((small.view() == "at" || small.view() == "after") && words_in_name_ > 1) {
      pending_ = words_.find(name().substr(0, starts_[words_in_name_ - 1] - 1U), starts_, words_in_name_ - 1, clause_).role;
    }
  }

  bool counts(std::string_view word) const {
    const SmallWord small(word);
    const std::uint16_t start = 0;
    return words_.find(small.view(), &start, 1, 0).counts;
  }

  // "StepTime" is two words; and a "/" beside a unit of time, or the word for it, is "per".
  void take_words(std::size_t begin, std::size_t end) {
    note_mention(begin, end);
    for (std::size_t from = begin; from < end;) {
      std::size_t to = from + 1;
      while (to < end && !(is_lower(text_[to - 1]) && is_upper(text_[to]))) ++to;
      const SmallWord small(text_.substr(from, to - from));
      if (slash_ && !strong_ && words_in_name_ > 0 && (is_time_word(small.view()) || is_time_word(last_word())))
        append(kPer);
      slash_ = false;
      append(text_.substr(from, to - from));
      from = to;
    }
  }

  static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
  static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

  // What the line speaks of before its first number; no part of a longer name or of a path.
  void note_mention(std::size_t begin, std::size_t end) {
    const auto joins = [](char c) { return c == '_' || c == '.' || c == '/'; };
    if (out_.numbers_ > 0 || joins(before(begin)) || byte(end) == '_' || (byte(end) == '.' && is_word_byte(byte(end + 1))))
      return;
    out_.mentioned_ |= words_.mentions(SmallWord(text_.substr(begin, end - begin)).view());
  }

  // --- numbers

  void number() {
    const std::size_t begin = at_;
    if (const std::size_t end = date(begin); end > begin) {
      at_ = end;
      LineField field{.role = Vocabulary::kTime, .value = text_.substr(begin, end - begin)};
      out_.add(field);
      return end_name();
    }
    const bool has_sign = text_[begin] == '-' || text_[begin] == '+';
    std::size_t end = whole(begin + (has_sign ? 1U : 0U));
    bool is_whole = !has_sign;
    if (byte(end) == '.' && (is_digit(byte(end + 1)) || !is_word_byte(byte(end + 1)))) {
      const std::size_t fraction = digits(end + 1);
      if (fraction > end + 1 || !is_blank_or_end(end + 1)) {
        is_whole = fraction == end + 1 && is_whole;
        end = fraction;
      }
    }
    if ((byte(end) == 'e' || byte(end) == 'E') &&
        is_digit(byte(byte(end + 1) == '-' || byte(end + 1) == '+' ? end + 2 : end + 1))) {
      end = digits(end + 2);
      is_whole = false;
    }
    // A version, an address, a picture's size, a part of a name: no number.
    if (byte(end) == '.' && is_digit(byte(end + 1))) return no_number(begin);
    LineField field{.value = text_.substr(begin, end - begin)};
    bool lasts = false;
    if (const std::size_t behind = clock(end); behind > end) {
      lasts = true;
      end = behind;
    } else if (const std::size_t day = days(end); day > end) {
      lasts = true;
      end = day;
    }
    if (lasts) field.value = text_.substr(begin, end - begin);
    if (!lasts && is_word_byte(byte(end)) && wide_separator(text_.substr(end)) == 0 && !glued_unit(end))
      return no_number(begin);
    at_ = end;
    if (!lasts && is_whole) take_total(field);
    char unit[40];
    std::size_t unit_size = 0;
    take_unit(begin, field, lasts, unit, unit_size);
    take_mean(field, lasts);
    if (lasts && words_in_name_ == 0 && is_time_of_day(field.value)) field.role = Vocabulary::kTime;
    finish(field, {unit, unit_size}, lasts);
  }

  // "10:00:12", with which the line ends.
  bool is_time_of_day(std::string_view value) const {
    constexpr std::size_t kWhole = 8;
    if (value.size() < kWhole || value[2] != ':' || value[5] != ':') return false;
    const std::size_t end = text_.find_first_not_of(" ])", at_);
    return end == std::string_view::npos;
  }

  void no_number(std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text_.size() && (is_word_byte(text_[end]) || text_[end] == '.') &&
           wide_separator(text_.substr(end)) == 0)
      ++end;
    at_ = end;
    append(text_.substr(begin, std::min<std::size_t>(end - begin, 24)));
  }

  // Letters right behind a number: "62.5s", "12.3K", "512ms/step".
  bool glued_unit(std::size_t at) const {
    const std::size_t end = end_of_word(at);
    const SmallWord word(text_.substr(at, end - at));
    if (word.view() == "k" || word.view() == "m" || seconds_of_unit(word.view())) return true;
    if (byte(end) == '/') return true;
    const std::size_t digit = static_cast<std::size_t>(
        std::find_if(text_.begin() + static_cast<std::ptrdiff_t>(at), text_.begin() + static_cast<std::ptrdiff_t>(end), is_digit) -
        text_.begin());
    return digit < end && seconds_of_unit(SmallWord(text_.substr(at, digit - at)).view()).has_value();  // "1m23s"
  }

  // "/500", "] / [500", " of 500", " out of 500".
  void take_total(LineField& field) {
    std::size_t at = blanks(at_);
    if (byte(at) == ']') at = blanks(at + 1);
    if (byte(at) == '/') {
      at = at + 1;
    } else if (text_.substr(at, 3) == "of ") {
      at += 3;
    } else if (text_.substr(at, 7) == "out of ") {
      at += 7;
    } else {
      return;
    }
    at = blanks(at);
    if (byte(at) == '[') at = blanks(at + 1);
    const std::size_t end = whole(at);
    if (end == at || byte(end) == '/' || (byte(end) == '.' && is_digit(byte(end + 1))) ||
        (is_word_byte(byte(end)) && wide_separator(text_.substr(end)) == 0))
      return;
    field.total = text_.substr(at, end - at);
    at_ = end;
  }

  void put(std::string_view word, char* unit, std::size_t& size) const {
    constexpr std::size_t kRoom = 40;
    if (size + word.size() + 1 > kRoom) return;
    if (size > 0) unit[size++] = ' ';
    for (const char c : word) unit[size++] = lower_case(c);
  }

  // What stands behind the number: a unit of time, which makes it a duration, and "/step" or " per step" behind
  // that; "it/s"; "steps", "elapsed". Into `unit` goes what a vocabulary may know.
  void take_unit(std::size_t begin, LineField& field, bool& lasts, char* unit, std::size_t& size) {
    std::size_t at = at_;
    if (byte(at) == ' ' && byte(at + 1) == '(') {  // "312.25 (s)"
      const std::size_t end = end_of_word(at + 2);
      if (byte(end) == ')') {
        if (const auto seconds = seconds_of_unit(SmallWord(text_.substr(at + 2, end - at - 2)).view())) {
          field.scale = *seconds;
          lasts = true;
          at_ = end + 1;
          return;
        }
      }
    }
    if (!lasts && (byte(at) == 'k' || byte(at) == 'K' || byte(at) == 'M') && end_of_word(at) == at + 1 &&
        !field.total.data()) {
      field.value = text_.substr(begin, at + 1 - begin);
      at_ = ++at;
    }
    if (byte(at) == '%') {
      at_ = at + 1;
      put("%", unit, size);
      return;
    }
    std::size_t start = blanks(at);
    if (start > at + 2) return;
    std::size_t end = end_of_word(start);
    SmallWord word(text_.substr(start, end - start));
    if (!lasts && !field.total.data() && digits_in(start, end) < end) {  // "1m23s"
      end = digits_in(start, end);
      word = SmallWord(text_.substr(start, end - start));
    }
    if (end == start) return;
    if (!lasts && !field.total.data() && seconds_of_unit(word.view()) && is_unit_here(start, end, word.view())) {
      const std::size_t per = per_what(end);
      lasts = true;
      field.value = text_.substr(begin, end - begin);
      at_ = end;
      if (per > end) {
        put("s", unit, size);
        put(kPer, unit, size);
        const std::size_t behind = end_of_word(per);
        put(text_.substr(per, behind - per), unit, size);
        at_ = behind;
        return;
      }
      put(word.view(), unit, size);
      take_smaller_units(begin, field);
      take_postfix(unit, size);
      return;
    }
    if (const std::size_t per = per_what(end); !lasts && per > end) {
      const std::size_t behind = end_of_word(per);
      const SmallWord second(text_.substr(per, behind - per));
      if (seconds_of_unit(second.view()) && !names_next(behind)) {
        put(word.view(), unit, size);
        put(kPer, unit, size);
        put("s", unit, size);
        at_ = behind;
        return;
      }
    }
    take_postfix(unit, size);
  }

  // "4 m" may be anything; and "2 s: 5" names the next number.
  bool is_unit_here(std::size_t start, std::size_t end, std::string_view word) const {
    const bool glued = start == at_;
    if (!glued && word.size() == 1 && word != "s") return false;
    return byte(end) != ':' && byte(end) != '=';
  }

  // "1h 2m 3.5s": each unit smaller than the one before it, which who reads the value sees to.
  void take_smaller_units(std::size_t begin, LineField& field) {
    for (int parts = 0; parts < 3; ++parts) {
      std::size_t at = at_;
      if (byte(at) == ',') ++at;
      at = blanks(at);
      std::size_t end = digits(at);
      if (end == at) return;
      if (byte(end) == '.') end = digits(end + 1);
      end = blanks(end);
      const std::size_t start = end;
      std::size_t behind = end_of_word(start);
      behind = digits_in(start, behind);
      if (behind == start || !seconds_of_unit(SmallWord(text_.substr(start, behind - start)).view()) ||
          per_what(behind) > behind)
        return;
      at_ = behind;
      field.value = text_.substr(begin, behind - begin);
    }
  }

  // A word behind a number that none stands before, and that names no other: "[21s elapsed", "40/500 steps".
  void take_postfix(char* unit, std::size_t& size) {
    if (words_in_name_ > 0) return;
    const std::size_t start = blanks(at_);
    if (start != at_ + 1) return;
    const std::size_t end = end_of_word(start);
    if (end == start || !is_letter(byte(start))) return;
    const char next = byte(end);
    if (next != '\0' && next != ',' && next != '|' && next != ')' && next != ']' && next != ';' &&
        !(next == ' ' && (byte(end + 1) == '(' || byte(end + 1) == '|' || byte(end + 1) == '[')) &&
        !(next == ' ' && words_.mentions(SmallWord(text_.substr(start, end - start)).view()) != 0 && has_own_name(end)))
      return;
    size = 0;
    put(text_.substr(start, end - start), unit, size);
    at_ = end;
  }

  // " (0.4125)" behind a value.
  void take_mean(LineField& field, bool lasts) {
    std::size_t at = blanks(at_);
    if (byte(at) != '(' || field.total.data()) return;
    at = blanks(at + 1);
    std::size_t end = digits(at);
    if (end == at || byte(end) != '.') return;
    end = digits(end + 1);
    const std::size_t mean = end;
    if (lasts && byte(end) == 's') ++end;
    if (byte(end) != ')') return;
    field.mean = text_.substr(at, mean - at);
    at_ = end + 1;
  }

  // --- what it is

  Vocabulary::Found look_up(std::string_view text, std::size_t words) const {
    return words_.find(text, starts_, words, clause_);
  }

  Vocabulary::Found with_word(std::string_view word) {
    if (size_ + word.size() + 1 > sizeof name_ || words_in_name_ == 16) return {};
    name_[size_] = ' ';
    std::memcpy(name_ + size_ + 1, word.data(), word.size());
    starts_[words_in_name_] = static_cast<std::uint16_t>(size_ + 1);
    const auto found = look_up({name_, size_ + 1 + word.size()}, words_in_name_ + 1);
    return found.end == words_in_name_ + 1 ? found : Vocabulary::Found{};
  }

  // The name of a time, which need not say that it is one.
  Vocabulary::Found timed() {
    return last_word() == "time" ? look_up(name(), words_in_name_) : with_word("time");
  }

  Vocabulary::Found by_unit(std::string_view unit) const {
    std::uint16_t starts[8];
    std::size_t words = 0;
    for (std::size_t i = 0; i < unit.size() && words < 8; ++i)
      if (i == 0 || unit[i - 1] == ' ') starts[words++] = static_cast<std::uint16_t>(i);
    return unit.empty() ? Vocabulary::Found{} : words_.find(unit, starts, words, 0);
  }

  static bool is_whole_number(std::string_view value) {
    return std::all_of(value.begin(), value.end(), [](char c) { return is_digit(c) || c == ','; });
  }

  // The phrase that names it: what its unit says of itself; its name with what kind of number it is; its name.
  Vocabulary::Found meaning(LineField& field, std::string_view unit, bool lasts) {
    const bool is_count = !lasts && is_whole_number(field.value);
    if (unit.find(" per ") != std::string_view::npos)
      if (const auto found = by_unit(unit); found.role != Vocabulary::kNone) return found;
    if (words_in_name_ == 0) {
      if (field.total.data()) {
        SmallWord of(unit);
        append(of.view());
        const auto found = with_word("of");
        if (found.role != Vocabulary::kNone) return found;
        const auto plain = look_up(name(), words_in_name_);
        if (plain.role != Vocabulary::kNone) return plain;
        return {unit.empty() ? Vocabulary::kUnnamed : Vocabulary::kUnknown, true, 0, 0};
      }
      const auto found = unit == "%" ? Vocabulary::Found{} : by_unit(unit.empty() && lasts ? "s" : unit);
      return found.counts ? Vocabulary::Found{} : found;
    }
    if (unit == "%") {
      const auto found = look_up(name(), words_in_name_);
      return found.counts ? Vocabulary::Found{} : found;
    }
    if (field.total.data())
      if (const auto found = with_word("of"); found.role != Vocabulary::kNone) return found;
    if (lasts)
      if (const auto found = timed(); found.role != Vocabulary::kNone) return found;
    auto found = look_up(name(), words_in_name_);
    if (found.counts && !is_count) {
      if (lasts) return {};
      return timed();
    }
    if (found.role != Vocabulary::kNone) return found;
    // "step_time_ms", "step_ms".
    const auto scale = words_in_name_ > 1 && !lasts ? seconds_of_unit(last_word()) : std::nullopt;
    if (scale) {
      const std::size_t all = size_, words = words_in_name_;
      size_ = starts_[words - 1] - 1U;
      words_in_name_ = words - 1;
      found = timed();
      size_ = all;
      words_in_name_ = words;
      if (found.role != Vocabulary::kNone && !found.counts) {
        field.scale = *scale;
        return found;
      }
    }
    if (field.total.data()) return {Vocabulary::kUnknown, true, 0, 0};
    return {};
  }

  // Whether a word of the name, as far as it belongs together, says that it is of a validation.
  bool is_validated(const Vocabulary::Found& found) const {
    for (std::size_t i = std::min(clause_, found.begin); i < words_in_name_; ++i) {
      const std::size_t stop = i + 1 == words_in_name_ ? size_ : starts_[i + 1] - 1U;
      if ((words_.mentions(name().substr(starts_[i], stop - starts_[i])) >> Vocabulary::kValidation & 1U) != 0)
        return i >= clause_;
    }
    return false;
  }

  void finish(LineField field, std::string_view unit, bool lasts) {
    ++out_.numbers_;
    const Vocabulary::Role pending = pending_;
    const char mark = before_value(field.value);
    if (field.role == Vocabulary::kNone) {
      const bool was_nameless = words_in_name_ == 0;
      if (was_nameless && carried_ != Vocabulary::kNone && mark == ':' && !lasts) {
        field.role = carried_;
      } else {
        const auto found = meaning(field, unit, lasts);
        field.role = found.role;
        if (!was_nameless && field.role != Vocabulary::kNone && is_validated(found))
          field.role = Vocabulary::kValidation;
      }
    }
    carried_ = pending;
    if (field.role != Vocabulary::kNone) out_.add(field);
    end_name();
  }

  // The last byte before a value that is no blank.
  char before_value(std::string_view value) const {
    auto at = static_cast<std::size_t>(value.data() - text_.data());
    while (at > 0 && text_[at - 1] == ' ') --at;
    return before(at);
  }

  const Vocabulary& words_;
  LineFields& out_;
  std::size_t at_ = 0;
  // The words since the last number or mark, in small letters with one blank between them.
  char name_[256];
  std::uint16_t starts_[20];
  std::size_t size_ = 0, words_in_name_ = 0;
  std::size_t clause_ = 0;  // the word behind the last colon, bracket or the like
  bool strong_ = false, slash_ = false;
  // "Loss at step 400: 4.1": what comes behind the next number, if nothing names it.
  Vocabulary::Role pending_ = Vocabulary::kNone, carried_ = Vocabulary::kNone;
};

void LineFields::add(const LineField& field) {
  if (count_ == kMost) return;
  fields_[count_] = field;
  const std::uint64_t bit = std::uint64_t{1} << field.role;
  if ((present_ & bit) == 0) first_[field.role] = static_cast<std::uint8_t>(count_);
  present_ |= bit;
  ++count_;
}

const LineField* LineFields::find_with_total(Vocabulary::Role role) const {
  for (std::size_t i = 0; i < count_; ++i)
    if (fields_[i].role == role && fields_[i].total.data()) return &fields_[i];
  return nullptr;
}

const LineField* LineFields::find_with_mean(Vocabulary::Role role) const {
  for (std::size_t i = 0; i < count_; ++i)
    if (fields_[i].role == role && fields_[i].mean.data()) return &fields_[i];
  return nullptr;
}

void LineFields::read(std::string_view message, const Vocabulary& words) {
  count_ = numbers_ = 0;
  present_ = mentioned_ = 0;
  LineScan(message.substr(0, kLongestLine), words, *this).run();
}

}  // namespace etad
