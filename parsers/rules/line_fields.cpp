#include "parsers/rules/line_fields.h"

#include <algorithm>
#include <limits>

#include "parsers/base/duration.h"
#include "parsers/base/text.h"
#include "parsers/rules/line_text.h"
#include "parsers/rules/words.h"
#include "parsers/rules/written_number.h"

namespace etad {
namespace {

using Role = Vocabulary::Role;
using Found = Vocabulary::Found;

bool is_time_word(std::string_view word) {
  return word == "time" || seconds_of_unit(word).has_value();
}

}  // namespace

// Goes through a line once: words make the next number's name, until a mark ends it.
class LineScan : private LineText {
 public:
  LineScan(std::string_view text, const Vocabulary& words, LineFields& out,
           std::vector<NamedNumber>* named = nullptr)
      : LineText(text), words_(words), out_(out), named_(named) {}

  void run() {
    while (at_ < text_.size()) {
      if (is_digit(text_[at_]) || begins_number(at_)) {
        number();
      } else if (const std::size_t wide = wide_separator(text_.substr(at_)); wide > 0) {
        at_ += wide;
        is_apart_ = true;
      } else if (is_word_byte(text_[at_])) {
        word();
      } else {
        mark(text_[at_++]);
      }
    }
  }

 private:
  void mark(char c) {
    switch (c) {
      case '|':
        if (at_ > 1 && text_[at_ - 2] == '%') out_.mentioned_ |= Vocabulary::bit(Vocabulary::kBar);
        [[fallthrough]];
      case ',':
      case ';':
      case '}':
        end_name();
        break;
      case '/':
        is_behind_slash_ = at_ > 1 && is_word_byte(text_[at_ - 2]);
        break;
      case '-':
        if (begins_option()) option_ends_ = end_of_option();
        break;
      case ' ':
      case '_':
      case '.':
      case '"':
      case '\'':
        break;
      case '(':
        is_apart_ = is_apart_ || !is_unit_in_brackets();
        break;
      default:
        is_apart_ = true;
    }
  }

  // "--log-steps", at its first letter: an option of a command line, which is not what the training has done.
  bool begins_option() const {
    return at_ > 1 && text_[at_ - 2] == '-' && before(at_ - 2) == ' ' && is_letter(byte(at_));
  }

  std::size_t end_of_option() const {
    std::size_t end = at_;
    while (is_word_byte(byte(end)) || byte(end) == '_' || byte(end) == '-') ++end;
    return end;
  }

  bool is_of_option(std::size_t begin) const {
    return option_ends_ > 0 && begin == option_ends_ + 1 &&
           (byte(option_ends_) == ' ' || byte(option_ends_) == '=');
  }

  // Code that computes, as of a program that prints its source: "time_ms += 1000 * (now - then)".
  bool is_reckoned() const {
    const std::size_t sign = blanks(at_);
    const char next = byte(sign + 2);
    return byte(sign) == '*' && byte(sign + 1) == ' ' && (next == '(' || is_letter(next));
  }

  // "end_to_end(s)": the unit is the name's last word, as in "end_to_end_s".
  bool is_unit_in_brackets() const {
    const std::size_t end = end_of_word(at_);
    return at_ > 1 && is_word_byte(text_[at_ - 2]) && byte(end) == ')' &&
           seconds_of_unit(SmallWord(text_.substr(at_, end - at_)).view()).has_value();
  }

  void end_name() {
    name_.clear();
    clause_ = 0;
    is_apart_ = is_behind_slash_ = false;
    named_here_ = Vocabulary::kNone;
  }

  // The word at that place may be looked up: its digits are told apart where the vocabulary has such words.
  void note_digits(std::size_t begin, std::size_t end) {
    if (!out_.distinguished_ || !words_.may_tell_digits(text_.substr(begin, end - begin))) return;
    for (std::size_t at = begin; at < end; ++at) {
      if (!is_digit(text_[at]) || out_.distinguished_->note(at, text_[at], digit_set(text_[at]))) continue;
      out_.distinguished_.reset();
      return;
    }
  }

  void append(std::string_view word) {
    const std::size_t before = name_.count();
    name_.append(word);
    if (name_.count() <= before) clause_ = 0;  // too long a name
    if (is_apart_) clause_ = name_.count() - 1;
    is_apart_ = false;
  }

  void word() {
    const std::size_t begin = at_, end = end_of_word(at_);
    at_ = end;
    if (const std::size_t letters = digits_in(begin, end);
        letters < end && digits(letters) == end &&
        is_counted(text_.substr(begin, letters - begin))) {  // "step40"
      append_words(begin, letters);
      at_ = letters;
      return;
    }
    const SmallWord small(text_.substr(begin, end - begin));
    const std::string_view word = small.view();
    if (word == "is" || word == "was" || (word == "tensor" && byte(end) == '(')) return;
    if (!name_.empty() && (word == "nan" || word == "inf")) {
      WrittenNumber number;
      number.value = text_.substr(begin, end - begin);
      return take(number);
    }
    if (word == "at" || word == "after") named_here_ = words_.find(name_, clause_).role;
    append_words(begin, end);
  }

  bool is_counted(std::string_view word) const { return words_.find(Words(word), 0, true).counts; }

  // "StepTime" is two words; and a "/" beside a unit of time, or the word for it, is "per".
  void append_words(std::size_t begin, std::size_t end) {
    note_mention(begin, end);
    for (std::size_t from = begin, to = begin; from < end; from = to) {
      do ++to;
      while (to < end && !(is_lower(text_[to - 1]) && is_upper(text_[to])));
      const std::string_view word = text_.substr(from, to - from);
      if (is_behind_slash_ && !is_apart_ && !name_.empty() &&
          (is_time_word(SmallWord(word).view()) || is_time_word(name_.last())))
        append("per");
      is_behind_slash_ = false;
      note_digits(from, to);
      append(word);
    }
  }

  static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
  static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

  // What the line speaks of before its first number; no part of a longer name or of a path.
  void note_mention(std::size_t begin, std::size_t end) {
    const auto joins = [](char c) { return c == '_' || c == '.' || c == '/'; };
    const bool goes_on = byte(end) == '_' || (byte(end) == '.' && is_word_byte(byte(end + 1)));
    if (joins(before(begin)) || goes_on || has_measured_) return;
    note_digits(begin, end);
    const std::uint64_t lists = words_.mentions(SmallWord(text_.substr(begin, end - begin)).view());
    if (out_.numbers_ == 0) out_.mentioned_ |= lists;
    if (out_.numbers_ > 0 && (lists & kValidated) != 0 && byte(end) != '-') is_tested_ = true;
  }

  void number() {
    const std::size_t begin = at_;
    if (const std::size_t end = date(begin); end > begin) {
      LineField field;
      field.role = Vocabulary::kTime;
      field.value = Place::of(text_.substr(begin, end - begin), text_);
      out_.add(field);
      at_ = end;
      return end_name();
    }
    WrittenNumber number;
    const bool is_number = read_written_number(text_, begin, number);
    if (is_number && names_next(number)) leave_unit(number, begin);
    at_ = number.end;
    if (is_of_option(begin) || (is_number && is_reckoned())) return end_name();
    if (!is_number) {
      const std::size_t end = std::min<std::size_t>(at_, begin + 24);
      note_digits(begin, end);
      return append(text_.substr(begin, end - begin));
    }
    if (name_.empty() && number.unit.count() <= 1) word_behind(number);
    take(number);
  }

  // "loss 2.5 steps/s 4.0", "loss: 2.5 sec/step: 0.25": behind a number that has a name of its own, which is no time's, a
  // rate before another number is that one's name.
  bool names_next(const WrittenNumber& number) const {
    if (name_.empty() || number.unit.count() <= 2 || number.total.data() || number.mean.data()) return false;
    const bool assigns = byte(number.end) == ':' || byte(number.end) == '=';
    const std::size_t next = blanks(number.end + (assigns ? 1 : 0));
    if ((next == number.end && !assigns) || !is_digit(byte(next))) return false;
    const bool is_rate = name_.text(0, name_.count()).find(" per ") != std::string_view::npos;
    if (is_time_word(name_.last()) && !is_rate) return false;
    const Found own = words_.find(name_, clause_);
    return own && !own.counts;
  }

  void leave_unit(WrittenNumber& number, std::size_t begin) const {
    const std::size_t end = std::min(text_.find_first_not_of("0123456789.,eE+-", begin + 1), text_.size());
    number = {};
    number.value = text_.substr(begin, end - begin);
    number.end = end;
  }

  // Of a number that no word stands before, the one behind, if it names no other: "[21s elapsed", "40/500 steps".
  void word_behind(WrittenNumber& number) {
    const std::size_t begin = blanks(at_), end = end_of_word(begin);
    if (begin != at_ + 1 || end == begin || !is_letter(byte(begin))) return;
    const SmallWord word(text_.substr(begin, end - begin));
    constexpr std::string_view kEnds = ",|)];", kOpens = "(|[";
    const bool ends = end == text_.size() || kEnds.find(byte(end)) != std::string_view::npos ||
                      (byte(end) == ' ' && kOpens.find(byte(end + 1)) != std::string_view::npos);
    const bool is_known = byte(end) == ' ' && has_own_name(end) && words_.mentions(word.view()) != 0;
    note_digits(begin, end);
    if (!ends && !is_known) return;
    number.unit = Words(word.view());
    at_ = end;
  }

  void take(const WrittenNumber& number) {
    ++out_.numbers_;
    if (named_) name(number);
    LineField field;
    field.value = Place::of(number.value, text_);
    field.total = Place::of(number.total, text_);
    field.mean = Place::of(number.mean, text_);
    field.scale = number.scale;
    if ((name_.empty() && is_last_clock(number)) || is_stamp(number)) {
      field.role = Vocabulary::kTime;
    } else if (name_.empty() && named_before_ != Vocabulary::kNone && !number.lasts &&
               is_behind_colon(number)) {
      field.role = named_before_;
    } else {
      Found found = meaning(number, field);
      if (found.role == Vocabulary::kValidation && number.is_count() && !number.total.data())
        found = {};  // "testing 12 things"
      field.role = found.role;
      field.is_plain = found.begin == clause_ && found.end >= name_.count();
      if (is_validated(found, number)) field.role = Vocabulary::kValidation;
      has_measured_ = has_measured_ || !(found.counts || number.is_count());
    }
    if (field.role != Vocabulary::kNone) out_.add(field);
    const Role named_here = named_here_;
    end_name();
    named_before_ = named_here;
  }

  void name(const WrittenNumber& number) {
    const std::size_t from =
        std::max(clause_, name_.count() - std::min(name_.count(), Vocabulary::kMostWords));
    named_->push_back({std::string(name_.text(from, name_.count())), std::string(number.unit.text()),
                       number.is_count(), number.total.data() != nullptr, number.lasts});
  }

  // "timestamp": 1741064400.25, or in milliseconds: since 1970.
  bool is_stamp(const WrittenNumber& number) const {
    const std::string_view name = name_.last(), value = number.value;
    if (name != "timestamp" && name != "ts" && name != "time") return false;
    const std::size_t whole = std::min(value.find_first_not_of("0123456789"), value.size());
    return (whole == 10 || whole == 13) && (whole == value.size() || value[whole] == '.');
  }

  // "10:00:12", with which the line ends.
  bool is_last_clock(const WrittenNumber& number) const {
    const std::string_view clock = number.value;
    return clock.size() >= 8 && clock[2] == ':' && clock[5] == ':' &&
           text_.find_first_not_of(" ])", at_) == std::string_view::npos;
  }

  bool is_behind_colon(const WrittenNumber& number) const {
    auto at = static_cast<std::size_t>(number.value.data() - text_.data());
    while (before(at) == ' ' && at > 0) --at;
    return before(at) == ':';
  }

  // What its unit says of itself; its name with what kind of number it is; its name. A whole number alone is a count.
  Found meaning(const WrittenNumber& number, LineField& field) {
    const bool has_total = number.total.data() != nullptr;
    if (number.unit.count() > 2)
      if (const Found found = words_.find(number.unit, 0)) return found;
    if (name_.empty()) {
      const Found found = words_.find(number.unit, 0, has_total);
      if (found || !has_total) return found;
      return {number.unit.empty() ? Vocabulary::kUnnamed : Vocabulary::kUnknown, true, 0, 0};
    }
    if (has_total)
      if (const Found found = name_with("of", true)) return found;
    const std::string_view unit = number.unit.text();
    const bool is_clock = number.value.find(':') != std::string_view::npos;
    if (number.lasts && unit != "m" &&
        !is_clock)  // metres or millions; and what has a name without a time may be any
      if (const Found found = name_with("time")) return found;
    const bool is_whole = number.is_count() && unit != "%";
    if (const Found found = words_.find(name_, clause_, is_whole)) return found;
    // "step_time_ms", "step_ms", "elapsed_s"; but "model.h: 202" is no time.
    if (const auto scale =
            name_.count() > 1 && !number.lasts ? seconds_of_unit(name_.last()) : std::nullopt) {
      const Words whole = name_;
      name_.drop_last();
      const Found timed = name_.last() == "per"     ? Found{}
                          : whole.last().size() > 1 ? name_with("time")
                                                    : words_.find(name_, clause_, is_whole);
      name_ = whole;
      if (timed && !timed.counts) {
        field.scale = *scale;
        return timed;
      }
    }
    return has_total ? Found{Vocabulary::kUnknown, true, 0, 0} : Found{};
  }

  // What the name is with this word behind it, which it may have already.
  Found name_with(std::string_view word, bool is_whole = false) {
    if (name_.last() == word) return words_.find(name_, clause_, is_whole);
    const Words whole = name_;
    name_.append(word);
    const Found found = words_.find(name_, clause_, is_whole);
    const bool reaches_it = found.end == name_.count();
    name_ = whole;
    return reaches_it ? found : Found{};
  }

  // Whether a word of the name says that it is of a validation, whatever it is: what it measured, and what it counts; or
  // one behind what the line counts, as in "epoch 3 [val] acc 0.5, loss 0.4". In a line that says so before all
  // numbers, what is counted is told by its name.
  bool is_validated(const Found& found, const WrittenNumber& number) const {
    if (found.counts && (out_.mentioned_ & kValidated) != 0) return false;
    if (!found && (number.is_count() || number.lasts)) return false;
    if (is_tested_ && !found.counts) return true;
    for (std::size_t i = 0; i < name_.count(); ++i)
      if ((words_.mentions(name_.text(i, i + 1)) & kValidated) != 0) return true;
    return false;
  }

  static constexpr auto kValidated = Vocabulary::bit(Vocabulary::kValidation);

  const Vocabulary& words_;
  LineFields& out_;
  std::vector<NamedNumber>* named_;
  std::size_t at_ = 0;
  std::size_t option_ends_ = 0;  // behind the name of the last one; 0: none yet
  bool has_measured_ = false;    // a number that is no count
  bool is_tested_ = false;       // before it, and behind a count, stands a word of the list `validation`
  Words name_;                   // what stands since the last number, or the mark that ends a name
  std::size_t clause_ = 0;       // its first word behind a colon, bracket or the like
  bool is_apart_ = false, is_behind_slash_ = false;
  // "Loss at step 400: 4.1": what the number behind the next one is, if nothing else names it.
  Role named_here_ = Vocabulary::kNone, named_before_ = Vocabulary::kNone;
};

void LineFields::add(const LineField& field) {
  if (count_ == kMost) return;
  fields_[count_++] = field;
  present_ |= Vocabulary::bit(field.role);
}

const LineField* LineFields::find(Role role, Part part) const {
  if ((present_ & Vocabulary::bit(role)) == 0) return nullptr;
  const LineField* out = nullptr;
  for (std::size_t i = 0; i < count_; ++i) {
    const LineField& field = fields_[i];
    if (field.role != role || (out && !field.is_plain)) continue;
    if (part != Part::value && !(part == Part::total ? field.total : field.mean)) continue;
    if (field.is_plain) return &field;
    out = &field;
  }
  return out;
}

std::vector<NamedNumber> named_numbers(std::string_view message) {
  std::vector<NamedNumber> out;
  const Vocabulary none;
  LineFields fields;
  LineScan(message.substr(0, LineFields::kLongestLine), none, fields, &out).run();
  return out;
}

namespace {

// Of a JSON object what stands before its first long text, which is what a model reads or writes, and no log's words.
std::string_view before_long_text(std::string_view line) {
  constexpr std::size_t kLong = 160;
  if (!line.starts_with("{\"")) return line;
  bool inside = false;
  for (std::size_t at = 0, begun = 0; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      inside = !inside;
      begun = at;
    } else if (inside && at - begun > kLong) {
      return line.substr(0, begun);
    }
  }
  return line;
}

}  // namespace

void LineFields::read(std::string_view message, const Vocabulary& words) {
  count_ = numbers_ = 0;
  present_ = mentioned_ = 0;
  distinguished_.emplace();
  LineScan(before_long_text(message.substr(0, kLongestLine)), words, *this).run();
}

}  // namespace etad
