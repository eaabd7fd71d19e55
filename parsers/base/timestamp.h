// Line headers: what a log writes before each message. A header gives the line's time, sometimes the source
// file that spoke, and where the message begins. Read by hand, digit by digit: every line of every log passes
// through here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "parsers/base/time.h"

namespace etad {

// What reading a line's timestamp needs to know beyond the line. Lives as long as its source and is part
// of the source's saved state (`reference`, `last`, `carried` and `year` are; `zone` is injected, the rest is a cache).
struct TimeContext {
  ZoneOffset zone = utc_offset;
  Instant reference{};          // the file's modification time (or now): no line is later than a day past it
  std::optional<Instant> last;  // the last line's time: years go on from there
  std::optional<Instant> carried;  // the time of a line that was nothing but its header: the next one's
  std::optional<int> year;         // stated by the log itself (a `date` event)

  // The offset found for one quarter of an hour: no zone changes within one.
  struct ZoneCache {
    std::int64_t quarter = INT64_MIN;
    std::int32_t offset = 0;
  } zone_cache;
  // The year inferred for a month and day, good while `last` stays on that day.
  struct DayCache {
    int month = 0, day = 0;
    std::int64_t days = 0;  // since 1970-01-01, local
  } day_cache;
  // The last date and time, of glog's down to the tens of seconds, else to the minute: the next mostly has the same.
  struct KnownTime {
    std::array<char, 16> key{};  // "20261121 00:40:0", "1121 00:40:0", "2026-11-21 00:40"
    std::size_t length = 0;
    Instant base{};
  } known_time;
};

enum class HeaderForm : std::uint8_t {
  glog,        // "I1121 00:16:38.258493 18451 solver.cpp:239] ", "I20261121 00:…"
  iso8601,     // "2016-10-26 00:48:11,713 ", "[2020-07-10T18:52:44.594+02:00] ", "2023/01/31 12:00:00 - ",
               // "2023.01.31 12:00:00 ", "23-01-31 12:00:00 "
  tensorflow,  // "2020-08-13 05:49:18.641766: I tensorflow/core/…/cpu_utils.cc:94] ", with or without its
               // parts
  month_day,   // "[12/22 22:29:54 d2.utils.events]: "
  epoch,       // "1604258862, ", "1597297769.25 "
  clock,  // "INFO - 18:34:48 - ", "18:34:48.250 ", "[18:34:48] ", "[18:34:48 INFO] ": the time of day only
  date,   // dates written otherwise: parsers/base/written_date.h
};

// By its name in rule files.
std::optional<HeaderForm> header_form(std::string_view name);

// The name of the form that most of the lines begin with; empty: there is none.
std::string_view usual_header(std::span<const std::string> lines);

struct LineHeader {
  bool present = false;         // the line begins with this form
  std::optional<Instant> time;  // absent where the form shows none, or an impossible one (month 13)
  std::string_view file;        // "solver.cpp"; empty where the form shows none
  std::size_t message = 0;      // where the message begins
};

// Moves `context.last` on where there is a time.
LineHeader read_header(HeaderForm form, std::string_view line, TimeContext& context);

// The same of a line that differs from another in nothing but its digits, and sooner, into a header that is absent so
// far; the source file is left out. `message`: where the other line's began; 0: that has no header of this form.
void read_header_alike(HeaderForm form, std::string_view line, std::size_t message, TimeContext& context,
                       LineHeader& header);

// A time in the middle of a line: seconds, milli- or microseconds since 1970 (told apart by their number of
// digits), a date and time as `iso8601` reads them, or a time of day, as `clock` does. The whole of `text` must be one.
// Moves `context.last` on.
std::optional<Instant> read_time(std::string_view text, TimeContext& context);

// RFC 3339: "2026-11-20T12:00:00Z", with a fraction or an offset. What is finer than a microsecond is dropped.
std::optional<Instant> from_rfc3339(std::string_view text);

// The log states its date ("Log file created at: 2026/11/21 00:28:10"): years go on from there.
void fix_date(int year, std::optional<int> month, std::optional<int> day, TimeContext& context);

}  // namespace etad
