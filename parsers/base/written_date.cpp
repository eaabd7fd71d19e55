#include "parsers/base/written_date.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "parsers/base/text.h"
#include "parsers/base/wall_time.h"

namespace etad {
namespace {

// Takes what it promises from the left of a line, or nothing.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text), size_(text.size()) {}

  std::size_t taken() const { return size_ - rest_.size(); }

  std::string_view number(std::size_t most) {
    return take(std::min(most + 1, length([](char c) { return is_digit(c); })), 1, most);
  }
  std::string_view letters(std::size_t most) {
    return take(std::min(most + 1, length([](char c) { return is_letter(c); })), 1, most);
  }
  std::size_t any(std::string_view set) {
    const std::size_t n = length([set](char c) { return set.find(c) != std::string_view::npos; });
    rest_.remove_prefix(n);
    return n;
  }
  bool one(std::string_view set) {
    if (rest_.empty() || set.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Up to the first of `stops` and past it, over what else the brackets hold, if one is near.
  void through(std::string_view stops) {
    constexpr std::size_t kNear = 64;
    const auto stop = rest_.substr(0, kNear).find_first_of(stops);
    if (stop != std::string_view::npos) rest_.remove_prefix(stop + 1);
  }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }

 private:
  template <class Is>
  std::size_t length(Is is) const {
    return static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), is) - rest_.begin());
  }
  std::string_view take(std::size_t n, std::size_t least, std::size_t most) {
    if (n < least || n > most) return {};
    const std::string_view out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }

  std::string_view rest_;
  std::size_t size_;
};

int value(std::string_view digits) {
  int n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return n;
}

}  // namespace

int month_named(std::string_view word) {
  constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                        "May",       "June",     "July",     "August",
                                                        "September", "October",  "November", "December"};
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (word == kMonths[i] || word == kMonths[i].substr(0, 3)) return static_cast<int>(i) + 1;
  return 0;
}

namespace {

bool is_weekday(std::string_view word) {
  constexpr std::array<std::string_view, 7> kDays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  return word.size() >= 3 && std::find(kDays.begin(), kDays.end(), word.substr(0, 3)) != kDays.end();
}

struct Day {
  int year = 0;  // 0: the line does not say
  int month = 0, day = 0;
};

struct Clock {
  int hour = 0, minute = 0, second = 0;
  std::int64_t micros = 0;
  std::optional<std::int32_t> offset;  // seconds east of UTC; none: the log's zone
};

int full_year(std::string_view digits) {
  return digits.size() == 2 ? 2000 + value(digits) : digits.size() == 4 ? value(digits) : 0;
}

// "04/12/24", "2023-3-19", "28.08.2022", "03-04", "20230319". Whatever the order of its parts may be.
std::vector<Day> numeric_days(Words& words) {
  const std::string_view first = words.number(8);
  if (first.size() == 8)
    return {{value(first.substr(0, 4)), value(first.substr(4, 2)), value(first.substr(6))}};
  const char separator = words.next();
  if (first.empty() || first.size() > 4 || !words.one("/-.")) return {};
  const std::string_view second = words.number(2);
  if (second.empty()) return {};
  const int a = value(first), b = value(second);
  if (words.next() != separator) {
    if (separator == '.' || first.size() != 2 || second.size() != 2) return {};
    return {{0, a, b}};
  }
  words.one("/-.");
  const std::string_view third = words.number(4);
  if (first.size() == 4) return {{a, b, value(third)}};
  const int year = full_year(third);
  if (year == 0) return {};
  if (separator == '.') return {{year, b, a}, {year, a, b}};
  return {{year, a, b}, {year, b, a}};
}

// "Aug 28", "28 Aug 2023", "Aug 28, 2023", "28-Aug-23", "28/Aug/2023".
std::vector<Day> named_days(Words& words) {
  Day day;
  char separator = ' ';
  if (is_digit(words.next())) {
    day.day = value(words.number(2));
    separator = words.next();
    words.any(" -/");
  }
  day.month = month_named(words.letters(9));
  if (day.month == 0) return {};
  if (day.day == 0) {
    if (words.any(" -") == 0) return {};
    day.day = value(words.number(2));
  }
  Words behind = words;
  const bool joined = separator != ' ' && behind.next() == separator;
  behind.any(" ,-/");
  const std::string_view year = behind.number(4);
  if (joined ? full_year(year) > 0 : year.size() == 4 && behind.next() != ':') {
    day.year = full_year(year);
    words = behind;
  }
  return {day};
}

std::optional<Clock> take_clock(Words& words) {
  const std::string_view hour = words.number(2);
  if (hour.empty() || !words.one(":")) return {};
  const std::string_view minute = words.number(2);
  if (minute.size() != 2 || !words.one(":")) return {};
  const std::string_view second = words.number(2);
  if (second.size() != 2) return {};
  Clock clock{value(hour), value(minute), value(second), 0, {}};
  Words behind = words;
  if (behind.one(".,")) {
    std::string fraction(behind.number(9));
    if (!fraction.empty()) {
      fraction.resize(6, '0');
      clock.micros = value(fraction);
      words = behind;
    }
  }
  Words half = words;
  half.any(" ");
  const std::string_view name = half.letters(2);
  if (name == "AM" || name == "PM" || name == "am" || name == "pm") {
    clock.hour = clock.hour % 12 + (name.front() == 'P' || name.front() == 'p' ? 12 : 0);
    words = half;
  }
  return clock;
}

// "+0200", "-07:00", "+08", "UTC", "GMT". Other names of zones ("PDT", "CST") are several places' each: read over.
bool take_zone(Words& words, Clock& clock) {
  const char sign = words.next();
  if (words.one("+-")) {
    const std::string_view hours = words.number(4);
    Words minutes = words;
    const bool apart = hours.size() == 2 && minutes.one(":");
    const std::string_view behind = apart ? minutes.number(2) : std::string_view();
    if (behind.size() == 2) words = minutes;
    if (hours.size() != 4 && hours.size() != 2) return false;
    const int h = value(hours.substr(0, 2)), m = value(behind.size() == 2 ? behind : hours.substr(2));
    if (h > 14 || m > 59) return false;
    clock.offset = (sign == '-' ? -1 : 1) * (h * 3600 + m * 60);
    return true;
  }
  const std::string_view zone = words.letters(5);
  if (zone.empty() || zone.find_first_of("abcdefghijklmnopqrstuvwxyz") != zone.npos)
    return false;  // "step 2000"
  if (zone == "UTC" || zone == "GMT") clock.offset = 0;
  return true;
}

// The zone and the year that stand behind the clock: "00:13:57 UTC 2023". Where no year follows, only what can be nothing
// but a zone is one ("+0200").
void take_zone_and_year(Words& words, Clock& clock, std::vector<Day>& days) {
  Words behind = words;
  if (behind.any(" ") == 0) return;
  Clock zoned = clock;
  const bool is_number = behind.next() == '+' || behind.next() == '-';
  const bool has_zone = !is_digit(behind.next());
  const std::size_t before = behind.taken();
  if (has_zone && !take_zone(behind, zoned)) return;
  constexpr std::size_t kWhole = 5;
  if (is_number && behind.taken() - before >= kWhole && !is_digit(behind.next())) {
    clock = zoned;
    words = behind;
  }
  if (has_zone) behind.any(" ");
  const std::string_view year = behind.number(4);
  if (year.size() != 4 || value(year) < 1970 || is_digit(behind.next()) || behind.next() == '/') return;
  for (Day& day : days) day.year = value(year);
  clock = zoned;
  words = behind;
}

std::optional<Instant> instant_of(const Day& day, const Clock& clock, TimeContext& context) {
  const auto year = day.year > 0 ? std::optional(day.year) : std::nullopt;
  return to_instant(
      {year, day.month, day.day, clock.hour, clock.minute, clock.second, clock.micros, clock.offset},
      context);
}

// "time: Wed Mar  4 05:06:07 2026": as Python's time.ctime() has it behind its name.
void take_label(Words& words) {
  Words behind = words;
  const std::string label = lower_case(behind.letters(4));
  if ((label != "time" && label != "date") || !behind.one(":") || behind.any(" ") == 0) return;
  Words weekday = behind;
  if (is_weekday(weekday.letters(3)) && weekday.next() == ' ') words = behind;
}

// glog's, to whole seconds, as DINOv2 and its kin write it: "I20230319 09:54:17 4711 ".
bool begins_with_severity(std::string_view line) {
  constexpr std::size_t kDate = 8;
  return line.size() > kDate + 1 && std::string_view("IWEFDC").find(line[0]) != std::string_view::npos &&
         Words(line.substr(1)).number(kDate).size() == kDate;
}

}  // namespace

LineHeader read_written_date(std::string_view line, TimeContext& context) {
  Words words(line);
  const bool glogs = begins_with_severity(line);  // behind which a process has its number
  if (glogs) words.one("IWEFDC");
  const bool bracketed = words.one("[(");
  if (bracketed) words.any(" ");
  take_label(words);
  if (is_letter(words.next())) {
    Words behind = words;
    if (is_weekday(behind.letters(9)) && behind.any(", ") > 0) words = behind;
  }
  Words named = words;
  std::vector<Day> days = named_days(named);
  if (days.empty()) {
    days = numeric_days(words);
  } else {
    words = named;
  }
  if (days.empty() || words.any(" ,T_-|") == 0) return {};
  auto clock = take_clock(words);
  if (!clock) return {};
  if (!glogs) take_zone_and_year(words, *clock, days);
  if (bracketed) words.through("])");
  words.any(" \t:,-|");
  LineHeader header{true, {}, {}, words.taken()};
  TimeContext chosen = context;
  const auto farther = [&](Instant at, Instant than) {
    if (context.last) return std::chrono::abs(at - *context.last) >= std::chrono::abs(than - *context.last);
    return than <= context.reference + std::chrono::hours(24) || context.reference == Instant{};
  };
  for (const Day& day : days) {
    TimeContext trial = context;
    const auto at = instant_of(day, *clock, trial);
    if (!at || (header.time && farther(*at, *header.time))) continue;
    header.time = at;
    chosen = trial;
  }
  context = chosen;
  return header;
}

}  // namespace etad
