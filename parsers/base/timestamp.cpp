#include "parsers/base/timestamp.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "parsers/base/cursor.h"
#include "parsers/base/eight.h"
#include "parsers/base/text.h"
#include "parsers/base/wall_time.h"
#include "parsers/base/written_date.h"

namespace etad {
namespace {

using std::chrono::microseconds;

// "18:34:48"; "6:34:48" where `digits` says that the hour has one.
bool take_clock(Cursor& c, WallTime& t, int digits = 2) {
  return c.take_digits(digits, t.hour) && c.take(':') && c.take_digits(2, t.minute) && c.take(':') &&
         c.take_digits(2, t.second);
}

// ":06.25": seconds, with their fraction where there is one.
bool take_seconds(Cursor& c, WallTime& t) {
  if (!c.take(':') || !c.take_digits(2, t.second)) return false;
  if (Cursor behind = c; behind.take_any(".,") && behind.take_fraction(t.micros)) c = behind;
  return true;
}

// "02:21:06 PM": the half of the day, where the clock has one.
bool take_half_day(Cursor& c, WallTime& t) {
  Cursor behind = c;
  behind.take(' ');
  const int later = behind.take_any("Pp") ? 12 : 0;
  if ((later == 0 && !behind.take_any("Aa")) || !behind.take_any("Mm") || behind.at_letter()) return false;
  t.hour = t.hour % 12 + later;
  c = behind;
  return true;
}

// "18:34:48.250", "06:34:48 PM", and "6:34:48 PM": an hour of one digit is a time of day where the half of it is told, and
// else a time that something took.
bool take_time_of_day(Cursor& c, WallTime& t) {
  const bool short_hour = c.digits_ahead() == 1;
  if (!take_clock(c, t, short_hour ? 1 : 2)) return false;
  if (c.take(',') || c.take('.')) c.take_fraction(t.micros);
  return take_half_day(c, t) || !short_hour;
}

// Two digits at p; anything else makes `bad` negative for good.
inline int two_digits(const char* p, int& bad) {
  const int tens = p[0] - '0', ones = p[1] - '0';
  bad |= tens | (9 - tens) | ones | (9 - ones);
  return tens * 10 + ones;
}

constexpr std::size_t kGlogYearKey = 16, kGlogKey = 12;  // as TimeContext::KnownTime holds them

// "S.uuuuuu " at p: the seconds' ones, as microseconds. Negative where that is not what stands there.
std::int64_t glog_micros(const char* p) {
  const std::uint64_t bytes = eight_bytes(p) ^ eight_times('0');
  if ((bytes >> 8U & 0xff) != ('.' ^ '0') || p[8] != ' ') return -1;
  std::uint64_t n = (bytes & ~std::uint64_t{0xffff}) | (bytes & 0xff) << 8U;  // "0Suuuuuu"
  if (((n + eight_times(0x7f - 9)) | n) & eight_times(0x80)) return -1;
  return static_cast<std::int64_t>(number_of_eight(n));
}

// "20261121 00:40:0" or, without a year, "1121 00:40:0": false where that is not what stands at p. Fills the
// cache where it is a time that exists; empties it where it is none.
[[gnu::noinline]] bool read_glog_key(const char* p, bool has_year, TimeContext& context) {
  auto& cache = context.known_time;
  cache.length = 0;
  const std::size_t length = has_year ? kGlogYearKey : kGlogKey;
  std::memcpy(cache.key.data(), p, length);
  WallTime t;
  int bad = 0;
  if (has_year) {
    t.year = two_digits(p, bad) * 100 + two_digits(p + 2, bad);
    p += 4;
  }
  t.month = two_digits(p, bad);
  t.day = two_digits(p + 2, bad);
  t.hour = two_digits(p + 5, bad);
  t.minute = two_digits(p + 8, bad);
  const int tens = p[11] - '0';
  bad |= tens | (9 - tens);
  if (bad < 0 || p[4] != ' ' || p[7] != ':' || p[10] != ':') return false;
  if (tens > 5) return true;  // no such second (a leap second's line goes without its time)
  t.second = tens * 10;
  if (const auto at = to_instant(t, context)) {
    cache.base = *at;
    cache.length = length;
  }
  return true;
}

bool glog_has_year(std::string_view line) {
  return line[5] != ' ';
}

// "I1121 00:16:38.258493 ": nearly every line of a Caffe log. Digits at fixed places, and the date and time
// only worked out when their tens of seconds change. False: that is not what the line begins with.
bool read_glog_time(std::string_view line, TimeContext& context, std::optional<Instant>& time) {
  const char* const p = line.data() + 1;
  const bool has_year = glog_has_year(line);
  const std::size_t length = has_year ? kGlogYearKey : kGlogKey;
  const auto& cache = context.known_time;
  const std::int64_t micros = glog_micros(p + length);
  if (micros < 0) return false;
  // Without a year the last line's time says which one it is, and that may have gone elsewhere since.
  constexpr microseconds kDay = std::chrono::hours(24);
  const char* const key = cache.key.data();
  const bool known = cache.length == length && eight_bytes(key) == eight_bytes(p) &&
                     eight_bytes(key + length - 8) == eight_bytes(p + length - 8) &&
                     (has_year || (context.last && std::chrono::abs(*context.last - cache.base) < kDay));
  if (!known && !read_glog_key(p, has_year, context)) return false;
  if (cache.length == length) {
    const Instant at = cache.base + microseconds{micros};
    time = at;
    context.last = at;
  }
  return true;
}

LineHeader read_glog(std::string_view line, TimeContext& context) {
  constexpr std::size_t kShortest = 28;  // "I1121 00:16:38.258493 1 a:1]"
  if (line.size() < kShortest) return {};
  const char severity = line[0];
  if (severity != 'I' && severity != 'W' && severity != 'E' && severity != 'F') return {};
  LineHeader header;
  Cursor c(line);
  c.skip(glog_has_year(line) ? 26 : 22);  // the time, which is read where all else is a header's
  c.skip_blanks();
  if (!c.skip_digits() || !c.take(' ')) return {};
  c.skip_blanks();
  header.file = c.take_file();
  if (!c.take(':') || !c.skip_digits() || !c.take(']')) return {};
  c.take(' ');
  if (!read_glog_time(line, context, header.time)) return {};
  header.present = true;
  header.message = c.offset();
  return header;
}

// "Z", "+02:00", "+0200", " UTC", and " +0200" where no number goes on: a message may begin with " -0200.5".
void take_zone(Cursor& c, WallTime& t) {
  if (c.take_any("Zz")) {
    t.offset = 0;
    return;
  }
  Cursor behind = c;
  const bool apart = behind.take(' ');
  if (behind.take_word("UTC") && !behind.at_letter() && behind.peek() != '+' && behind.peek() != '-') {
    t.offset = 0;
    c = behind;
    return;
  }
  const bool east = behind.peek() == '+';
  int hours = 0, minutes = 0;
  if (!behind.take_any("+-") || !behind.take_digits(2, hours)) return;
  behind.take(':');
  if (!behind.take_digits(2, minutes) || hours > 15 || minutes > 59) return;
  if (apart && (is_digit(behind.peek()) || behind.peek() == '.' || behind.peek() == '/')) return;
  t.offset = (hours * 3600 + minutes * 60) * (east ? 1 : -1);
  c = behind;
}

// ":48:11,713" behind the hour. Where the whole year is there, "-48-11", "_48_11" and ":48" alone are times as well, also
// before a colon.
bool take_minute_and_second(Cursor& c, WallTime& t, bool whole_year) {
  const char separator = c.peek();
  if (separator != ':' && !(whole_year && (separator == '-' || separator == '_'))) return false;
  if (!c.take(separator) || !c.take_digits(2, t.minute)) return false;
  if (separator != ':') return c.take(separator) && c.take_digits(2, t.second) && !is_digit(c.peek());
  Cursor behind = c;
  const bool goes_on = behind.take(':') && is_digit(behind.peek());
  return goes_on ? take_seconds(c, t) : whole_year && !is_digit(c.peek());
}

// "2016-10-26 00:48:11,713", "2020/07/10T18:52:44.594+02:00", "2023.01.19 12:00:00", "23-05-06 20:53:02.065",
// "2023_01_19_12_00_00", "2023-01-19_12-00-00", "2023-01-19 12:00"
bool take_iso(Cursor& c, WallTime& t) {
  int year = 0;
  const std::size_t digits = c.digits_ahead();
  if ((digits != 4 && digits != 2) || !c.take_digits(static_cast<int>(digits), year)) return false;
  const bool whole_year = digits == 4;
  t.year = whole_year ? year : 2000 + year;
  const char separator = c.peek();
  const bool known =
      separator == '-' || (whole_year && (separator == '/' || separator == '.' || separator == '_'));
  if (!known || !c.take(separator) || !c.take_digits(2, t.month) || !c.take(separator) ||
      !c.take_digits(2, t.day))
    return false;
  if (!c.take_word(", ") && !c.take_any(" Tt_,")) return false;
  if (!c.take_digits(2, t.hour) || !take_minute_and_second(c, t, whole_year)) return false;
  take_half_day(c, t);
  take_zone(c, t);
  return true;
}

constexpr std::size_t kMinuteKey = 16;  // as above: "2026-11-21 00:40"

// A whole time of the minute that the last one was of: the same as take_iso() and to_instant(). False, and nothing taken:
// another minute, or half a day or a zone follows.
bool take_known_minute(Cursor& c, TimeContext& context, std::optional<Instant>& at) {
  const auto& cache = context.known_time;
  Cursor behind = c;
  WallTime t;
  if (cache.length != kMinuteKey || is_digit(cache.key[4]) ||
      !behind.take_word({cache.key.data(), kMinuteKey}))
    return false;
  if (!take_seconds(behind, t) || t.second > 59) return false;
  Cursor after = behind;
  if (after.take_any("Zz+-")) return false;
  after.take(' ');
  if (after.take_any("AaPpU")) return false;
  if (after.take_any("+-") && is_digit(after.peek())) return false;
  c = behind;
  at = cache.base + std::chrono::seconds{t.second} + microseconds{t.micros};
  context.last = at;
  return true;
}

// `text` begins with the time `t`, which is at that instant: its minute becomes the known one, unless a zone or a half of
// the day has a say in it. (A log has headers of one form. Glog's are remembered at the same place, and none of their keys
// is like one of these.)
void know_minute(std::string_view text, const WallTime& t, Instant at, TimeContext& context) {
  int hour = -1, bad = 0;
  if (text.size() > kMinuteKey) hour = two_digits(text.data() + 11, bad);
  if (t.offset || t.second > 59 || bad < 0 || hour != t.hour || text[4] != text[7] || text[13] != ':' ||
      text[kMinuteKey] != ':')
    return;
  auto& cache = context.known_time;
  text.copy(cache.key.data(), kMinuteKey);
  cache.length = kMinuteKey;
  cache.base = at - std::chrono::seconds{t.second} - microseconds{t.micros};
}

// A whole date and time; absent where there is no such time.
bool take_instant(Cursor& c, TimeContext& context, std::optional<Instant>& at) {
  if (take_known_minute(c, context, at)) return true;
  const std::string_view text = c.rest();
  WallTime t;
  if (!take_iso(c, t)) return false;
  at = to_instant(t, context);
  if (at) know_minute(text, t, *at, context);
  return true;
}

LineHeader read_iso8601(std::string_view line, TimeContext& context) {
  Cursor c(line);
  LineHeader header;
  c.take('[');
  if (!take_instant(c, context, header.time)) return {};
  c.take(']');
  c.skip_any(" \t:,-|");
  header.present = true;
  header.message = c.offset();
  return header;
}

LineHeader read_tensorflow(std::string_view line, TimeContext& context) {
  LineHeader header = read_iso8601(line, context);
  Cursor c(line.substr(header.message));
  if (!c.take_any("IWEF") || !c.take(' ')) return header;
  const std::string_view file = c.take_until(":] ");
  if (!c.take(':') || !c.skip_digits() || !c.take(']')) return header;
  c.take(' ');
  header.present = true;
  header.file = file.substr(file.find_last_of('/') + 1);  // npos + 1 is 0: no folder
  header.message += c.offset();
  return header;
}

LineHeader read_month_day(std::string_view line, TimeContext& context) {
  Cursor c(line);
  WallTime t;
  if (!c.take('[') || !c.take_digits(2, t.month) || !c.take('/') || !c.take_digits(2, t.day) ||
      !c.take(' ') || !take_clock(c, t))
    return {};
  c.skip_any(" ");
  LineHeader header;
  header.file = c.take_until("]");
  if (!c.take(']')) return {};
  c.skip_any(": ");
  header.present = true;
  header.message = c.offset();
  header.time = to_instant(t, context);
  return header;
}

// "INFO - 18:34:48 - ", and the clock alone, "18:34:48.250 ", "[18:34:48] ", "[18:34:48 INFO] ", "(18:34:48)[", or what
// is left of "[INFO 18:34:48] ".
bool take_clock_header(Cursor& c, WallTime& t) {
  constexpr std::size_t kLongestLevelName = 12;
  const Cursor line = c;
  const std::string_view level = c.take_until(" ");
  const bool named = !level.empty() && level.size() <= 8 && c.take_word(" - ");
  if (!named) c = line;
  const bool bracketed = !named && c.take_any("[(");
  if (!take_time_of_day(c, t)) return false;
  if (named) return c.take_word(" - ");
  if (bracketed && c.peek() == ' ' && c.take_until("])").size() > kLongestLevelName) return false;
  const bool closed = c.take_any("])");
  if (bracketed && !closed) return false;
  if (!c.take_any(" \t") && !(closed && (c.peek() == '[' || c.peek() == ':'))) return false;
  c.skip_any(" \t:-|");
  return true;
}

// A time of day: the day goes on from line to line across midnight. Of the first line it is the last one on which it was
// so late when the file was changed, but for what clocks go wrong. Nothing at an impossible time.
std::optional<Instant> instant_of_day(const WallTime& t, TimeContext& context) {
  constexpr std::int64_t kHalfDay = kDaySeconds / 2, kWrong = 3600;
  if (t.hour > 23 || t.minute > 59 || t.second > 60) return {};
  const Instant before = context.last.value_or(context.reference);
  const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(before).time_since_epoch().count();
  const std::int64_t today = seconds + zone_offset(seconds, context);
  std::int64_t local = today - (today % kDaySeconds + kDaySeconds) % kDaySeconds;
  local += t.hour * 3600 + t.minute * 60 + t.second;
  if (context.last && local < today - kHalfDay) local += kDaySeconds;
  if (local > today + (context.last ? kHalfDay : kWrong)) local -= kDaySeconds;
  const std::int32_t offset = zone_offset(local, context);
  context.last = Instant{microseconds{(local - offset) * 1'000'000 + t.micros}};
  return context.last;
}

LineHeader read_clock(std::string_view line, TimeContext& context) {
  Cursor c(line);
  WallTime t;
  if (!take_clock_header(c, t)) return {};
  return {true, instant_of_day(t, context), {}, c.offset()};
}

// Seconds, milli-, micro- or nanoseconds since 1970, as the number of digits says: ten digits of seconds
// reach from 2001 to 2286.
std::optional<Instant> take_epoch(Cursor& c) {
  const std::size_t digits = c.digits_ahead();
  if (digits != 10 && digits != 13 && digits != 16 && digits != 19) return {};
  std::int64_t whole = 0, micros = 0;
  for (std::size_t left = digits; left > 0; --left) {
    int digit = 0;
    c.take_digits(1, digit);
    if (left == 1 && digits == 19) break;  // nanoseconds are dropped, and the sum stays below 2^63
    whole = whole * 10 + digit;
  }
  if (digits == 10) {
    micros = whole * 1'000'000;
    Cursor behind = c;
    if (std::int64_t fraction = 0; behind.take('.') && behind.take_fraction(fraction)) {
      micros += fraction;
      c = behind;
    }
  } else {
    micros = digits == 13 ? whole * 1000 : digits == 16 ? whole : whole / 100;
  }
  return Instant{microseconds{micros}};
}

LineHeader read_epoch(std::string_view line, TimeContext& context) {
  Cursor c(line);
  const auto at = take_epoch(c);
  if (!at || !(c.done() || c.take_any(" ,\t;:"))) return {};
  c.skip_any(" ,\t");
  context.last = at;
  return {true, at, {}, c.offset()};
}

using Named = std::pair<std::string_view, HeaderForm>;
constexpr std::array<Named, 7> kForms{{{"glog", HeaderForm::glog},
                                       {"iso8601", HeaderForm::iso8601},
                                       {"tensorflow", HeaderForm::tensorflow},
                                       {"month_day", HeaderForm::month_day},
                                       {"epoch", HeaderForm::epoch},
                                       {"clock", HeaderForm::clock},
                                       {"date", HeaderForm::date}}};

}  // namespace

std::optional<HeaderForm> header_form(std::string_view name) {
  if (name == "python") return HeaderForm::iso8601;
  const auto at = std::find_if(kForms.begin(), kForms.end(), [&](const Named& n) { return n.first == name; });
  return at == kForms.end() ? std::nullopt : std::optional(at->second);
}

std::string_view usual_header(std::span<const std::string> lines) {
  std::string_view out;
  auto most = static_cast<std::ptrdiff_t>(lines.size() / 2);
  for (const auto& [name, form] : kForms) {
    TimeContext context;
    const auto begins = [&, form = form](const std::string& line) {
      const LineHeader header = read_header(form, line, context);
      return header.present && header.time;
    };
    const auto count = std::count_if(lines.begin(), lines.end(), begins);
    if (count <= most) continue;
    most = count;
    out = name;
  }
  return out;
}

LineHeader read_header(HeaderForm form, std::string_view line, TimeContext& context) {
  switch (form) {
    case HeaderForm::glog:
      return read_glog(line, context);
    case HeaderForm::iso8601:
      return read_iso8601(line, context);
    case HeaderForm::tensorflow:
      return read_tensorflow(line, context);
    case HeaderForm::month_day:
      return read_month_day(line, context);
    case HeaderForm::epoch:
      return read_epoch(line, context);
    case HeaderForm::clock:
      return read_clock(line, context);
    case HeaderForm::date:
      return read_written_date(line, context);
  }
  return {};
}

void read_header_alike(HeaderForm form, std::string_view line, std::size_t message, TimeContext& context,
                       LineHeader& header) {
  if (form != HeaderForm::glog) {
    header = read_header(form, line, context);
  } else if (message != 0) {
    header.present = true;
    header.message = message;
    read_glog_time(line, context, header.time);
  }
}

std::optional<Instant> read_time(std::string_view text, TimeContext& context) {
  Cursor c(text);
  if (const auto at = take_epoch(c)) {
    if (!c.done()) return {};
    context.last = at;
    return at;
  }
  const auto last = context.last;
  if (std::optional<Instant> at; take_instant(c, context, at)) {
    if (c.done()) return at;
    context.last = last;
    return {};
  }
  Cursor clock(text);
  WallTime of_day;
  return take_time_of_day(clock, of_day) && clock.done() ? instant_of_day(of_day, context) : std::nullopt;
}

std::optional<Instant> from_rfc3339(std::string_view text) {
  Cursor c(text);
  WallTime t;
  TimeContext context;
  const bool to_the_second = text.find('-') == 4 && text.find(':', 14) == 16;
  if (!to_the_second || !take_iso(c, t) || !c.done() || !t.offset) return {};
  return to_instant(t, context);
}

void fix_date(int year, std::optional<int> month, std::optional<int> day, TimeContext& context) {
  if (year < 1970 || year > 9999) return;
  context.year = year;
  context.last.reset();
  context.day_cache = {};
  context.known_time = {};
  if (!month || !day || *month < 1 || *month > 12 || *day < 1 || !date_exists(year, *month, *day)) return;
  context.last = Instant{std::chrono::seconds{days_from_civil(year, *month, *day) * kDaySeconds}};
}

}  // namespace etad
