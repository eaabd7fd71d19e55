#include "parsers/base/event.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "parsers/base/duration.h"
#include "parsers/base/number.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::array<std::string_view, 23> kKindNames = {
    "none",       "run_start",  "run_end",     "setting", "argument",  "section",    "layer",   "shape",
    "progress",   "test_start", "test_result", "epoch",   "step_time", "throughput", "segment", "layer_time",
    "total_time", "stall",      "snapshot",    "resume",  "error",     "date",       "sample"};

// In the order of the fields.
constexpr std::array<std::string_view, static_cast<std::size_t>(Field::count_)> kFieldNames = {
    // where the run stands
    "iteration", "iterations", "epoch", "epochs", "batch", "batches", "position",
    // what it measured
    "loss", "rate", "lapse", "seconds", "samples_per_second", "eta", "elapsed", "duration", "energy_joules",
    "peak_memory_bytes",
    // what kind of thing it is
    "job", "outcome", "phase", "section", "message",
    // what it is said of, and with which settings
    "key", "value", "network", "framework", "device", "device_index", "devices", "host", "run", "batch_size",
    "global_batch_size", "iter_size", "max_iter", "test_iter", "test_interval", "test_batch_size",
    "sequence_length", "steps_per_epoch", "dataset_size", "display", "solver_type", "precision",
    // layers and nets
    "layer", "type", "dims", "direction", "net", "file",
    // a date, a sample, a mean, and what is not in one
    "year", "month", "day", "series", "unit", "label", "since", "pause"};

constexpr std::string_view kBlanks = " \t\r";  // around a value

bool is_duration(Field f) {
  return f == Field::seconds || f == Field::lapse || f == Field::eta || f == Field::elapsed ||
         f == Field::duration || f == Field::pause;
}

// The number at the head of `s`, which moves on behind it.
std::optional<double> take_number(std::string_view& s) {
  if (!s.empty() && s.front() == '+') s.remove_prefix(1);
  double x = 0;
  if (take_plain_number(s, x)) return x;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), x);
  if (error == std::errc::result_out_of_range) {
    // Too small for a double is nothing; too large is no measurement.
    const auto exponent = s.find_first_of("eE");
    if (exponent == std::string_view::npos || exponent + 1 >= s.size() || s[exponent + 1] != '-') return {};
    x = 0;
  } else if (error != std::errc{}) {
    return {};
  }
  s.remove_prefix(static_cast<std::size_t>(end - s.data()));
  return x;
}

bool is_unit_letter(char c) {
  return is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_unit_letter) - text.begin());
}

// "1h 2m 3.5s", "3min12s": from the first number on, each unit smaller than the one before it.
std::optional<double> united_seconds(double first, std::string_view rest) {
  double total = 0, last = std::numeric_limits<double>::infinity();
  for (double x = first;;) {
    const std::size_t length = letters(rest);
    const auto seconds = seconds_of_unit(lower_case(rest.substr(0, length)));
    if (!seconds || *seconds >= last) return {};
    total += x * *seconds;
    last = *seconds;
    rest = trim(rest.substr(length), " \t,");
    if (rest.empty()) return total;
    const auto next = take_number(rest);
    if (!next || *next < 0) return {};
    x = *next;
    rest = trim(rest, kBlanks);
  }
}

// "mins): 2.5": the unit in front, as in "Time (mins): 2.5", or in an object's key.
std::optional<double> seconds_behind_unit(std::string_view text) {
  const std::size_t length = letters(text);
  const auto seconds = seconds_of_unit(lower_case(text.substr(0, length)));
  if (!seconds) return {};
  std::string_view rest = text.substr(std::min(text.find_first_not_of(")]:=\"' \t", length), text.size()));
  const auto x = take_number(rest);
  return x && rest.empty() ? std::optional(*x * *seconds) : std::nullopt;
}

// "2:03", "1:02:03", "1:02:03.25", each part but the first below 60; `first` is the part before the first
// colon. Seconds that were rounded up may be 60 ("1:60"). Some write a blank behind each colon ("00: 02: 03").
bool read_clock(double first, std::string_view rest, double& seconds) {
  double total = first;
  for (int parts = 1; !rest.empty(); ++parts) {
    if (rest.front() != ':' || parts == 3) return false;
    rest.remove_prefix(rest.starts_with(": ") ? 2 : 1);
    double part = 0;
    if (!take_plain_number(rest, part) || part > 60 || (part == 60 && !rest.empty())) return false;
    total = total * 60 + part;
  }
  seconds = total;
  return true;
}

std::optional<double> clock_seconds(double first, std::string_view rest) {
  double seconds = 0;
  return read_clock(first, rest, seconds) ? std::optional(seconds) : std::nullopt;
}

// What stands behind a duration's first number: a unit, a clock, or days and a clock ("1 day, 2:03:04").
std::optional<double> duration_seconds(double first, std::string_view rest) {
  if (rest.front() == ':') return clock_seconds(first, rest);
  rest = trim(rest, kBlanks);
  if (rest.substr(0, 3) == "day" && rest.find(':') != std::string_view::npos) {
    rest = trim(rest.substr(std::min(rest.find_first_not_of("days, "), rest.size())), kBlanks);
    if (rest.empty()) return first * 86400;
    const auto hours = take_number(rest);
    const auto clock = hours ? clock_seconds(*hours, rest) : std::nullopt;
    return clock ? std::optional(first * 86400 + *clock) : std::nullopt;
  }
  return united_seconds(first, rest);
}

std::optional<double> special_number(std::string_view s) {
  const bool negative = !s.empty() && s.front() == '-';
  if (negative) s.remove_prefix(1);
  // Windows' C library writes 1.#QNAN, 1.#IND and 1.#INF.
  if (s.substr(0, 5) == "1.#QN" || s.substr(0, 5) == "1.#IN")
    return s.substr(0, 6) == "1.#INF" ? std::numeric_limits<double>::infinity()
                                      : std::numeric_limits<double>::quiet_NaN();
  return {};
}

// "1,024,000", "1,234.5": groups of three digits, and a fraction. Takes them off `text`, which may go on with a unit.
std::optional<double> take_grouped_number(std::string_view& text) {
  std::string digits;
  std::size_t group = 0, groups = 0, at = 0;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == ','); ++at) {
    if (is_digit(text[at])) {
      digits += text[at];
      ++group;
      continue;
    }
    if (group == 0 || group > 3 || (groups > 0 && group != 3)) return {};
    group = 0;
    ++groups;
  }
  if (groups == 0 || group != 3) return {};
  const std::size_t fraction = at;
  if (at < text.size() && text[at] == '.')
    while (++at < text.size() && is_digit(text[at])) {
    }
  digits += text.substr(fraction, at - fraction);
  std::string_view all = digits;
  const auto number = take_number(all);
  if (number) text.remove_prefix(at);
  return number;
}

template <class Id, std::size_t N>
std::optional<Id> index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return {};
  return static_cast<Id>(at - names.begin());
}

}  // namespace

std::string_view name_of(EventKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(Field f) {
  return kFieldNames.at(static_cast<std::size_t>(f));
}

std::optional<EventKind> event_kind(std::string_view name) {
  return index_of<EventKind>(kKindNames, name);
}

std::optional<Field> field(std::string_view name) {
  return index_of<Field>(kFieldNames, name);
}

namespace {

// However it is written.
[[gnu::noinline]] std::optional<double> written_number(const FieldValue& v) {
  const Field f = v.field;
  const std::string_view text = trim(v.text, kBlanks);
  if (const auto special = special_number(text)) return special;
  std::string_view rest = text;
  auto x = take_number(rest);
  if (!x) return is_duration(f) ? seconds_behind_unit(text) : std::nullopt;
  if (!rest.empty() && rest.front() == ',') {
    std::string_view behind = text;
    if (const auto grouped = take_grouped_number(behind)) {
      x = grouped;
      rest = behind;
    }
  }
  if (rest.empty()) return *x * v.scale;
  if (f == Field::samples_per_second && rest.size() == 1) {  // "37.3k", of tokens
    const double factor = rest == "k" || rest == "K" ? 1e3 : rest == "M" ? 1e6 : 0;
    return factor > 0 ? std::optional(*x * v.scale * factor) : std::nullopt;
  }
  return is_duration(f) ? duration_seconds(*x, rest) : std::nullopt;
}

}  // namespace

bool Event::read_number(const FieldValue& v, double& value) {
  std::string_view rest = v.text;
  double plain = 0;
  const bool is_plain = take_plain_number(rest, plain);
  if (is_plain && rest.empty()) {
    value = plain * v.scale;
    return true;
  }
  if (is_plain && rest.front() == ':' && is_duration(v.field) && read_clock(plain, rest, value)) return true;
  const auto written = written_number(v);
  if (written) value = *written;
  return written.has_value();
}

bool Event::find_integer(const FieldValue& v, std::int64_t& value) {
  if (v.scale == 1) {
    if (read_digits(v.text, value)) return true;
    const char* const end = v.text.data() + v.text.size();
    const auto [behind, error] = std::from_chars(v.text.data(), end, value);
    if (error == std::errc{} && behind == end) return true;
  }
  double x = 0;
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a double does not hold every integer
  if (!read_number(v, x) || !(std::abs(x) < kExact) || std::nearbyint(x) != x) return false;
  value = static_cast<std::int64_t>(x);
  return true;
}

void Event::remove(Field f) {
  if (!has(f)) return;
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(index_of(f)));
  note_present();
}

Event Event::with(Field f, std::string_view text, double scale) const {
  Event out = *this;
  out.remove(f);
  out.add(f, scale, text);
  return out;
}

Event Event::without(std::initializer_list<Field> fields) const {
  Event out = *this;
  for (const Field f : fields) out.remove(f);
  return out;
}

void Event::rename(Field from, Field to) {
  if (!has(from)) return;
  FieldValue& renamed = values_[index_of(from)];
  renamed.field = to;
  renamed.whole = FieldValue::Whole::unasked;  // what a number may be written like rests on its field
  note_present();
}

void Event::clear_values() {
  values_.clear();
  present_ = 0;
}

void Event::note_present() {
  present_ = 0;
  for (const FieldValue& v : values_) present_ |= bit(v.field);
}

}  // namespace etad
