#include "parsers/base/timestamp.h"

#include <gtest/gtest.h>

namespace etad {
namespace {

Instant at(std::string_view text) {
  TimeContext context;
  return read_time(text, context).value();
}

TimeContext context_at(std::string_view reference) {
  TimeContext context;
  context.reference = at(reference);
  return context;
}

std::string time_of(HeaderForm form, std::string_view line, TimeContext& context) {
  const LineHeader header = read_header(form, line, context);
  if (!header.present) return "no header";
  return header.time ? to_rfc3339(*header.time) : "no time";
}

std::string glog(std::string_view stamp, TimeContext& context) {
  return time_of(HeaderForm::glog, "I" + std::string(stamp) + " 77 a.cpp:1] m", context);
}

std::string message(HeaderForm form, std::string_view line) {
  TimeContext context = context_at("2026-06-01T00:00:00Z");
  const LineHeader header = read_header(form, line, context);
  if (!header.present) return "no header";
  return (header.time ? to_rfc3339(*header.time) : "no time") + "|" + std::string(header.file) + "|" +
         std::string(line.substr(header.message));
}

TEST(Timestamp, ClocksOfTwelveHours) {
  EXPECT_EQ(message(HeaderForm::iso8601, "[2021-09-06 02:21:06 PM-Train.py-INFO:[Val Info]"),
            "2021-09-06T14:21:06Z||Train.py-INFO:[Val Info]");
  EXPECT_EQ(message(HeaderForm::iso8601, "2021-09-06 12:00:06.5 AM step"), "2021-09-06T00:00:06.5Z||step");
  EXPECT_EQ(message(HeaderForm::iso8601, "2021-09-06 12:00:06 pm | step"), "2021-09-06T12:00:06Z||step");
  EXPECT_EQ(message(HeaderForm::iso8601, "2021-09-06 10:00:06 AMP is on"), "2021-09-06T10:00:06Z||AMP is on");
  EXPECT_EQ(message(HeaderForm::clock, "02:21:06 PM - step"), "2026-05-31T14:21:06Z||step");
  EXPECT_EQ(message(HeaderForm::clock, "2:21:06 pm step"), "2026-05-31T14:21:06Z||step");
  EXPECT_EQ(message(HeaderForm::clock, "[9:21:06 PM] step"), "2026-05-31T21:21:06Z||step");
  EXPECT_EQ(message(HeaderForm::clock, "2:21:06 passed"), "no header");
  EXPECT_EQ(message(HeaderForm::clock, "2:21:06 step"), "no header");
}

// One whose minute is known from the line before is read as it would be alone.
TEST(Timestamp, OfTheSameMinute) {
  TimeContext context = context_at("2026-06-01T00:00:00Z");
  context.zone = [](std::int64_t local) { return local % 1800 < 900 ? 3600 : 7200; };
  for (const std::string_view line :
       {"2026-05-21 00:40:01,5 - a",   "2026-05-21 00:40:59.25 | b",    "2026-05-21 00:40:07 PM c",
        "2026-05-21 00:40:08 d",       "2026-05-21 00:40:09+05:30 e",   "2026-05-21 00:40:10 f",
        "2026-05-21 00:40:11Z g",      "2026-05-21 00:40:12 AMP is on", "2026-05-21 00:40:60 leap",
        "2026-05-21 00:40:61 none",    "2026-05-21 00:40:7 none",       "2026-05-21T00:40:13 h",
        "2026-05-21 00:40:13 +0530 h", "2026-05-21 00:40:13 - 5 h",     "2026-05-21 00:40:13 -5 h",
        "2026-05-21 00:40:13 UTC h",   "[2026-05-21 00:40:14] i",       "2026-05-21 00:41:14 j",
        "2026-05-21 12:41:15 PM k",    "2026-05-21 12:41:16 l",         "2026-05-21 12:41:17 AM m",
        "2026-05-21 12:41:18 n",       "26-05-21 12:41:19 o",           "2026-05-21, 12:41:20 p",
        "2026-05-21 12:44:60 q",       "2026-05-21 12:44:01 r"}) {
    TimeContext alone = context_at("2026-06-01T00:00:00Z");
    alone.zone = context.zone;
    const auto before = context.last;
    EXPECT_EQ(time_of(HeaderForm::iso8601, line, context), time_of(HeaderForm::iso8601, line, alone)) << line;
    EXPECT_EQ(context.last, alone.last ? alone.last : before) << line;
  }
  // Headers of glog's are remembered at the same place.
  const std::string_view glog_line = "I20260521 12:44:05.000000 77 a.cpp:1] m",
                         other = "20260521 12:44:0:05 s";
  EXPECT_EQ(time_of(HeaderForm::glog, glog_line, context), "2026-05-21T11:44:05Z");
  EXPECT_EQ(time_of(HeaderForm::iso8601, other, context), "no header");
  EXPECT_EQ(time_of(HeaderForm::iso8601, "2026-05-21 12:44:06 t", context), "2026-05-21T11:44:06Z");
  EXPECT_EQ(time_of(HeaderForm::glog, glog_line, context), "2026-05-21T11:44:05Z");
  const auto last = context.last;
  EXPECT_FALSE(read_time("2026-05-21 12:44:02 and more", context));
  EXPECT_EQ(context.last, last);
}

TEST(Timestamp, GlogInAllItsWidths) {
  EXPECT_EQ(message(HeaderForm::glog, "I1121 00:16:38.258493 18451 solver.cpp:239] Iteration 1"),
            "2025-11-21T00:16:38.258493Z|solver.cpp|Iteration 1");
  EXPECT_EQ(message(HeaderForm::glog, "W20261121 00:16:38.000000   173 a/b.cc:1]     two"),
            "2026-11-21T00:16:38Z|a/b.cc|    two");
  EXPECT_EQ(message(HeaderForm::glog, "E1121 00:16:38.258493 140192384231232 x.py:2]"),
            "2025-11-21T00:16:38.258493Z|x.py|");
  for (const char* other :
       {"", "I", "I1121", "I1121 00:16:38.258493", "I1121 00:16:38.258493 18451 solver.cpp",
        "X1121 00:16:38.258493 1 a:1] m", "I112 00:16:38.258493 18451 solver.cpp:239] m",
        "I1121 00:16:38,258493 18451 solver.cpp:239] m", "I1121 00:16:38.258493 x solver.cpp:239] m",
        "Iteration 12345678 of something longer than a header", "I11210 00:16:38.258493 1 a.cpp:239] m",
        "I1121 0\xff:16:38.258493 1 a.cpp:239] mmmm"})
    EXPECT_EQ(message(HeaderForm::glog, other), "no header") << other;
}

// Words that begin as a header does are none: the clock stays where it was.
TEST(Timestamp, NoHeaderMovesNoClock) {
  TimeContext context = context_at("2026-06-01T00:00:00Z");
  EXPECT_EQ(glog("0531 00:16:38.258493", context), "2026-05-31T00:16:38.258493Z");
  for (const char* other :
       {"I0531 23:16:38.258493 3#923 net.cpp:797] m", "I20300531 00:16:38.258493 31 net.cpp:7 m"})
    EXPECT_EQ(time_of(HeaderForm::glog, other, context), "no header") << other;
  EXPECT_EQ(context.last, at("2026-05-31T00:16:38.258493Z"));
}

// What is known of a header's places takes the place of looking for them, whatever its digits say.
TEST(Timestamp, HeadersThatDifferInTheirDigits) {
  TimeContext context = context_at("2026-06-01T00:00:00Z"), same = context;
  const std::size_t place =
      read_header(HeaderForm::glog, "I1121 00:16:38.258493 18451 a.cpp:239] m", context).message;
  for (const char* line :
       {"I1121 00:16:38.999999 18451 a.cpp:239] m", "I1121 00:16:39.000000 00000 a.cpp:999] m",
        "I1122 23:59:59.000001 18451 a.cpp:239] m", "I0101 00:00:00.000000 18451 a.cpp:239] m",
        "I9999 99:99:99.999999 18451 a.cpp:239] m", "I0101 00:00:60.000000 18451 a.cpp:239] m"}) {
    const LineHeader anew = read_header(HeaderForm::glog, line, same);
    LineHeader alike;
    read_header_alike(HeaderForm::glog, line, place, context, alike);
    EXPECT_TRUE(anew.present && alike.present) << line;
    EXPECT_EQ(alike.time, anew.time) << line;
    EXPECT_EQ(alike.message, anew.message) << line;
    EXPECT_EQ(context.last, same.last) << line;
  }
  LineHeader none;
  read_header_alike(HeaderForm::glog, "no header", 0, context, none);
  EXPECT_FALSE(none.present);
}

TEST(Timestamp, ImpossibleTimesAreNoTimes) {
  for (const char* stamp :
       {"1321 00:00:00.000000", "0021 00:00:00.000000", "1100 00:00:00.000000", "1131 00:00:00.000000",
        "1121 24:00:00.000000", "1121 00:60:00.000000", "1121 00:00:61.000000", "20250229 00:00:00.000000"}) {
    TimeContext context = context_at("2026-06-01T00:00:00Z");
    EXPECT_EQ(glog(stamp, context), "no time") << stamp;
    EXPECT_FALSE(context.last) << stamp;
  }
}

TEST(Timestamp, FirstLineTakesTheLatestYearNotAfterTheFile) {
  const auto first = [](std::string_view stamp, std::string_view reference) {
    TimeContext context = context_at(reference);
    return glog(stamp, context);
  };
  EXPECT_EQ(first("1121 10:00:00.000000", "2026-11-21T12:00:00Z"), "2026-11-21T10:00:00Z");
  EXPECT_EQ(first("1122 10:00:00.000000", "2026-11-21T12:00:00Z"),
            "2026-11-22T10:00:00Z");  // a zone's worth later
  EXPECT_EQ(first("1123 10:00:00.000000", "2026-11-21T12:00:00Z"), "2025-11-23T10:00:00Z");
  EXPECT_EQ(first("1231 23:59:59.000000", "2026-01-01T00:10:00Z"), "2025-12-31T23:59:59Z");
  EXPECT_EQ(first("0229 10:00:00.000000", "2026-11-21T12:00:00Z"), "2024-02-29T10:00:00Z");
  EXPECT_EQ(first("0229 10:00:00.000000", "1903-01-01T12:00:00Z"),
            "1896-02-29T10:00:00Z");  // 1900 was no leap year
}

TEST(Timestamp, YearsGoOnFromLineToLine) {
  TimeContext context = context_at("2026-03-01T00:00:00Z");
  EXPECT_EQ(glog("1231 23:59:59.900000", context), "2025-12-31T23:59:59.9Z");
  EXPECT_EQ(glog("0101 00:00:00.100000", context), "2026-01-01T00:00:00.1Z");
  EXPECT_EQ(glog("1231 23:59:59.950000", context),
            "2025-12-31T23:59:59.95Z");  // another thread, a little late
  EXPECT_EQ(glog("0228 00:00:00.000000", context), "2026-02-28T00:00:00Z");
  EXPECT_EQ(glog("0229 00:00:00.000000", context),
            "2024-02-29T00:00:00Z");  // no later one fits the file's date
}

// The file's date is no help where it is that of a copy made years later, by chance within the log's days.
TEST(Timestamp, TheNextDayIsNotAYearBefore) {
  TimeContext context = context_at("2026-06-01T12:00:00Z");
  EXPECT_EQ(glog("0602 23:59:59.000000", context), "2026-06-02T23:59:59Z");
  EXPECT_EQ(glog("0603 00:00:01.000000", context), "2026-06-03T00:00:01Z");
  EXPECT_EQ(glog("0520 00:00:01.000000", context), "2026-05-20T00:00:01Z");
}

TEST(Timestamp, ALogOfManyYearsIsFollowed) {
  TimeContext context = context_at("2026-06-01T00:00:00Z");
  context.last = at("2019-11-01T00:00:00Z");
  EXPECT_EQ(glog("0301 00:00:00.000000", context), "2020-03-01T00:00:00Z");
  EXPECT_EQ(glog("0229 00:00:00.000000", context), "2020-02-29T00:00:00Z");
  EXPECT_EQ(glog("0110 00:00:00.000000", context), "2021-01-10T00:00:00Z");
}

TEST(Timestamp, TheLogsOwnDateDecides) {
  TimeContext context = context_at("2026-06-01T00:00:00Z");
  fix_date(2016, 11, 21, context);
  EXPECT_EQ(glog("1121 00:28:10.000001", context), "2016-11-21T00:28:10.000001Z");
  EXPECT_EQ(glog("0101 00:00:00.000000", context), "2017-01-01T00:00:00Z");
  fix_date(2018, std::nullopt, std::nullopt, context);
  EXPECT_EQ(glog("0101 00:00:00.000000", context), "2018-01-01T00:00:00Z");
  fix_date(99999, 1, 1, context);
  EXPECT_EQ(glog("0102 00:00:00.000000", context), "2018-01-02T00:00:00Z");
}

// Central European time: summer from 29 March to 25 October 2026.
std::int32_t berlin(std::int64_t local) {
  constexpr std::int64_t kSpring = 1'774'749'600, kAutumn = 1'792'897'200;  // 02:00 and 03:00 local
  return local >= kSpring && local < kAutumn ? 7200 : 3600;
}

TEST(Timestamp, LocalTimeThroughTheChangeToSummer) {
  TimeContext context = context_at("2026-12-01T00:00:00Z");
  int calls = 0;
  context.zone = [&](std::int64_t local) {
    ++calls;
    return berlin(local);
  };
  EXPECT_EQ(glog("20260329 01:59:59.999999", context), "2026-03-29T00:59:59.999999Z");
  EXPECT_EQ(glog("20260329 03:00:00.000000", context), "2026-03-29T01:00:00Z");
  EXPECT_EQ(glog("0329 03:14:59.500000", context), "2026-03-29T01:14:59.5Z");
  EXPECT_EQ(calls, 2);  // once a quarter of an hour at most
  EXPECT_EQ(glog("20261025 03:00:00.000000", context), "2026-10-25T02:00:00Z");
}

TEST(Timestamp, Iso8601InItsDialects) {
  EXPECT_EQ(message(HeaderForm::iso8601, "2016-10-26 00:48:11,713 Epoch[0]"),
            "2016-10-26T00:48:11.713Z||Epoch[0]");
  EXPECT_EQ(message(HeaderForm::iso8601, "[2020-07-10T18:52:44.594+02:00] m"), "2020-07-10T16:52:44.594Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-07-10 18:52:44 +0200 m"), "2020-07-10T16:52:44Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "[2020-07-10 18:52:44.594 -05:30] m"),
            "2020-07-11T00:22:44.594Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-07-10 18:52:44.5 UTC m"), "2020-07-10T18:52:44.5Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-07-10 18:52:44 UTCS m"), "2020-07-10T18:52:44Z||UTCS m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-07-10 18:52:44 -0200.5 m"), "2020-07-10T18:52:44Z||0200.5 m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2023/01/31 12:00:00 - mmengine - INFO - m"),
            "2023-01-31T12:00:00Z||mmengine - INFO - m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-08-13 05:49:18.641766123Z m"),
            "2020-08-13T05:49:18.641766Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2024-03-23, 04:31:58, m"), "2024-03-23T04:31:58Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2024-03-23,04:31:58 | INFO | m"), "2024-03-23T04:31:58Z||INFO | m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-08-13 05:49:18-0330 | m"), "2020-08-13T09:19:18Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2023.01.31 12:00:00 m"), "2023-01-31T12:00:00Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2023-01-31 12:05: m"), "2023-01-31T12:05:00Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "23-05-06 20:53:02.065 - INFO: m"),
            "2023-05-06T20:53:02.065Z||INFO: m");
  EXPECT_EQ(message(HeaderForm::iso8601, "05/06/23 20:53:02 m"), "no header")
      << "day or month first: nobody knows";
  EXPECT_EQ(message(HeaderForm::iso8601, "05-06-2023 20:53:02 m"), "no header");
  EXPECT_EQ(message(HeaderForm::iso8601, "123-05-06 20:53:02 m"), "no header");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020_08_13_05_49_18 [Epoch] 003"),
            "2020-08-13T05:49:18Z||[Epoch] 003");
  EXPECT_EQ(message(HeaderForm::iso8601, "[2020-08-13_05-49-18] m"), "2020-08-13T05:49:18Z||m");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-08-13 05:49 - INFO - m"), "2020-08-13T05:49:00Z||INFO - m");
  EXPECT_EQ(message(HeaderForm::iso8601, "20-08-13 05:49 m"), "no header");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-08-13 05:491 m"), "no header");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-08-13 05-49:18 m"), "no header");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-08/13 05:49:18 m"), "no header");
  EXPECT_EQ(message(HeaderForm::iso8601, "2020-13-13 05:49:18 m"), "no time||m");
}

TEST(Timestamp, TensorFlowsPartsMayBeMissing) {
  EXPECT_EQ(
      message(HeaderForm::tensorflow, "2020-08-13 05:49:18.641766: I tensorflow/core/cpu_utils.cc:94] m"),
      "2020-08-13T05:49:18.641766Z|cpu_utils.cc|m");
  EXPECT_EQ(message(HeaderForm::tensorflow, "I tensorflow/stream_executor/dso_loader.cc:105] m"),
            "no time|dso_loader.cc|m");
  EXPECT_EQ(message(HeaderForm::tensorflow, "2016-04-25 13:46:58.813401: step 10, duration = 0.027"),
            "2016-04-25T13:46:58.813401Z||step 10, duration = 0.027");
  EXPECT_EQ(message(HeaderForm::tensorflow, "I am no header"), "no header");
}

TEST(Timestamp, MonthDayAndEpoch) {
  EXPECT_EQ(message(HeaderForm::month_day, "[12/22 22:29:54 d2.utils.events]:  eta: 1"),
            "2025-12-22T22:29:54Z|d2.utils.events|eta: 1");
  EXPECT_EQ(message(HeaderForm::month_day, "[12/22 22:29:54 d2"), "no header");
  EXPECT_EQ(message(HeaderForm::epoch, "1604258862, 81.5"), "2020-11-01T19:27:42Z||81.5");
  EXPECT_EQ(message(HeaderForm::epoch, "1604258862.25 m"), "2020-11-01T19:27:42.25Z||m");
  EXPECT_EQ(message(HeaderForm::epoch, "1604258862123\tm"), "2020-11-01T19:27:42.123Z||m");
  EXPECT_EQ(message(HeaderForm::epoch, "160425886 m"), "no header");
}

TEST(Timestamp, TimesInTheMiddleOfALine) {
  TimeContext context;
  EXPECT_EQ(to_rfc3339(*read_time("1594315022047", context)), "2020-07-09T17:17:02.047Z");
  EXPECT_EQ(to_rfc3339(*read_time("1718783836956328", context)), "2024-06-19T07:57:16.956328Z");
  EXPECT_EQ(to_rfc3339(*read_time("9999999999999999999", context)), "2286-11-20T17:46:39.999999Z");
  EXPECT_EQ(read_time("1594315022047x", context), std::nullopt);
  EXPECT_EQ(read_time("2026-11-20 12:00:00 and more", context), std::nullopt);
  EXPECT_EQ(read_time("", context), std::nullopt);
  ASSERT_TRUE(read_time("2026-11-20 23:59:50", context));
  EXPECT_EQ(to_rfc3339(*read_time("23:59:58.5", context)), "2026-11-20T23:59:58.5Z");
  EXPECT_EQ(to_rfc3339(*read_time("00:00:01", context)), "2026-11-21T00:00:01Z");
  EXPECT_EQ(read_time("25:00:01", context), std::nullopt);
  EXPECT_EQ(read_time("00:00:01 later", context), std::nullopt);
}

TEST(Timestamp, TheFirstTimeOfDayIsBeforeTheFileWasChanged) {
  for (const auto& [written, day] :
       {std::pair("17:00:00 x", "20"), {"06:30:00 x", "21"}, {"05:00:00 x", "21"}}) {
    TimeContext context = context_at("2026-11-21T06:00:00Z");
    const LineHeader header = read_header(HeaderForm::clock, written, context);
    ASSERT_TRUE(header.time) << written;
    EXPECT_EQ(to_rfc3339(*header.time).substr(8, 2), day) << written;
  }
}

TEST(Timestamp, ATimeOfDayTakesTheFilesDateAndGoesOn) {
  TimeContext context = context_at("2026-11-21T12:00:00Z");
  const auto clock = [&](std::string_view line) {
    const LineHeader header = read_header(HeaderForm::clock, line, context);
    return header.time ? to_rfc3339(*header.time) : std::string(header.present ? "no time" : "no header");
  };
  EXPECT_EQ(clock("INFO - 09:10:11 - Iteration 0"), "2026-11-21T09:10:11Z");
  EXPECT_EQ(clock("INFO - 09:10:09 - another thread, a little late"), "2026-11-21T09:10:09Z");
  EXPECT_EQ(clock("INFO - 23:59:59,250 - x"), "2026-11-20T23:59:59.25Z")
      << "half a day ahead is the day before";
  EXPECT_EQ(clock("INFO - 00:00:01 - x"), "2026-11-21T00:00:01Z");
  EXPECT_EQ(clock("00:00:02.250  x"), "2026-11-21T00:00:02.25Z");
  EXPECT_EQ(clock("[00:00:03] x"), "2026-11-21T00:00:03Z");
  EXPECT_EQ(clock("[00:00:03 INFO] x"), "2026-11-21T00:00:03Z");
  EXPECT_EQ(clock("[00:00:03][INFO] x"), "2026-11-21T00:00:03Z");
  EXPECT_EQ(clock("00:00:03] x"), "2026-11-21T00:00:03Z");
  EXPECT_EQ(clock("(00:00:03): x"), "2026-11-21T00:00:03Z");
  EXPECT_EQ(clock("[00:00:04 left, of about an hour] x"), "no header");
  EXPECT_EQ(clock("[00:00:04]x"), "no header");
  EXPECT_EQ(clock("00:00:04: x"), "no header");
  EXPECT_EQ(clock("[00:00:04<01:02, 3.00it/s]"), "no header");
  EXPECT_EQ(clock("INFO - 25:00:01 - x"), "no time");
  EXPECT_EQ(clock("Iteration 5 - 00:00:01"), "no header");
  EXPECT_EQ(clock("INFO: 00:00:01 - x"), "no header");
}

// Saved and restored in the middle (only reference, last and year are), a context goes on as if nothing
// happened.
TEST(Timestamp, CachesHoldNoTruth) {
  const char* const stamps[] = {"1231 23:59:58.000001", "1231 23:59:59.000001", "0101 00:00:00.000001",
                                "0101 00:00:09.5",      "0101 00:00:09.500000", "1231 23:59:59.700000",
                                "0102 05:00:00.000000", "1399 00:00:00.000000"};
  TimeContext whole = context_at("2026-03-01T00:00:00Z");
  TimeContext cut = whole;
  for (const char* stamp : stamps) {
    TimeContext restored;
    restored.reference = cut.reference;
    restored.last = cut.last;
    restored.year = cut.year;
    cut = restored;
    EXPECT_EQ(glog(stamp, whole), glog(stamp, cut)) << stamp;
    EXPECT_EQ(whole.last, cut.last) << stamp;
  }
}

TEST(Timestamp, ATimeElsewhereInALineMovesTheYearOfTheNext) {
  TimeContext context = context_at("2026-03-01T00:00:00Z");
  EXPECT_EQ(glog("0102 05:00:00.000000", context), "2026-01-02T05:00:00Z");
  ASSERT_TRUE(read_time("1483228800", context));  // the turn of the year 2017
  EXPECT_EQ(glog("0102 05:00:00.000000", context), "2017-01-02T05:00:00Z")
      << "as a restarted reader would say";
}

TEST(Timestamp, DatesAsTheyAreWrittenElsewhere) {
  const auto of = [](std::string_view line) { return message(HeaderForm::date, line); };
  EXPECT_EQ(of("[03/25/24 16:45:17] INFO m"), "2024-03-25T16:45:17Z||INFO m");
  EXPECT_EQ(of("[03/25/2024 16:45:17 app.train INFO] m"), "2024-03-25T16:45:17Z||m");
  EXPECT_EQ(of("25/03/2024, 16:45:17 - m"), "2024-03-25T16:45:17Z||m");
  EXPECT_EQ(of("28.08.2022 00:13:57,250: m"), "2022-08-28T00:13:57.25Z||m");
  EXPECT_EQ(of("2023-3-19 9:54:17 PM m"), "2023-03-19T21:54:17Z||m");
  EXPECT_EQ(of("20230319 09:54:17 m"), "2023-03-19T09:54:17Z||m");
  EXPECT_EQ(of("I20230319 09:54:17 4711 m"), "2023-03-19T09:54:17Z||4711 m");
  EXPECT_EQ(of("Mon Aug 28 00:13:57 2023 m"), "2023-08-28T00:13:57Z||m");
  EXPECT_EQ(of("[ Mon Aug 28 00:13:57 2023 ] \tm"), "2023-08-28T00:13:57Z||m");
  EXPECT_EQ(of("time: Mon Aug 28 00:13:57 2023    m"), "2023-08-28T00:13:57Z||m");
  EXPECT_EQ(of("03/19 09:54:17 step 2000 m"), "2026-03-19T09:54:17Z||step 2000 m");
  EXPECT_EQ(of("03/19 09:54:17 1000/5000 m"), "2026-03-19T09:54:17Z||1000/5000 m");
  EXPECT_EQ(of("Tue Oct 22 09:31:32 +08 2024: m"), "2024-10-22T01:31:32Z||m");
  EXPECT_EQ(of("Mon Aug 28 00:13:57 PDT 2023 m"), "2023-08-28T00:13:57Z||m") << "of the log's zone";
  EXPECT_EQ(of("28 Aug 2023 00:13:57 -0730 m"), "2023-08-28T07:43:57Z||m");
  EXPECT_EQ(of("28 Aug 2023 00:13:57.5 +02:00: m"), "2023-08-27T22:13:57.5Z||m");
  EXPECT_EQ(of("28 Aug 2023 00:13:57 -12 loss"), "2023-08-28T00:13:57Z||12 loss");
  EXPECT_EQ(of("28 Aug 2023 00:13:57 +1500 loss"), "2023-08-28T00:13:57Z||+1500 loss");
  EXPECT_EQ(of("Wed 07 Sep 2022 07:49:57 - INFO - m"), "2022-09-07T07:49:57Z||INFO - m");
  EXPECT_EQ(of("07-Sep-22 07:49:57 - m"), "2022-09-07T07:49:57Z||m");
  EXPECT_EQ(of("[07/Sep/2022 07:49:57] m"), "2022-09-07T07:49:57Z||m");
  EXPECT_EQ(of("07-Mar 07:49:57 m"), "2026-03-07T07:49:57Z||m");
  EXPECT_EQ(of("Mar 28 02:05:44 m"), "2026-03-28T02:05:44Z||m");
  EXPECT_EQ(of("03-28 02:05:44, m"), "2026-03-28T02:05:44Z||m");
  EXPECT_EQ(of("[13/40 01:02:03] m"), "no time||m");
  for (const char* other :
       {"", "[", "12", "1/2", "03/25/24", "03/25/24 16:45", "Mon", "Aug", "Aug 28", "epoch 3/40", "1.2.3",
        "99999999 1", "12/34/56/78 10:00:00", "Monday morning", "20230319", "X20230319 09:54:17",
        "I0319 09:54:17", "time: 03/25/24 16:45:17", "time: Monday"})
    EXPECT_EQ(of(other), "no header") << other;
}

TEST(Timestamp, AStatedZoneGoesBeforeTheLogsOwn) {
  TimeContext context = context_at("2026-06-01T00:00:00Z");
  context.zone = [](std::int64_t) { return 3600; };
  for (const auto& [line, at] : {std::pair{"Mon Aug 28 00:13:57 UTC 2023 m", "2023-08-28T00:13:57Z"},
                                 std::pair{"Mon Aug 28 00:13:57 PDT 2023 m", "2023-08-27T23:13:57Z"},
                                 std::pair{"28 Aug 2023 00:13:57 +0000 m", "2023-08-28T00:13:57Z"}})
    EXPECT_EQ(to_rfc3339(read_header(HeaderForm::date, line, context).time.value_or(Instant{})), at) << line;
}

TEST(Timestamp, YearsThatNobodyCouldBeToldAreNone) {
  for (const char* line : {"0000-01-01 00:00:00,250+02:00", "0999-12-31 23:00:00", "9999-12-31 23:00:00"}) {
    TimeContext context = context_at("2026-06-01T00:00:00Z");
    EXPECT_FALSE(read_time(line, context)) << line;
  }
}

TEST(Timestamp, OfTwoNumbersTheLinesBeforeSayWhichIsTheMonth) {
  TimeContext context = context_at("2026-06-01T00:00:00Z");
  const auto time = [&context](std::string_view line) {
    return to_rfc3339(read_header(HeaderForm::date, line, context).time.value_or(Instant{}));
  };
  EXPECT_EQ(time("04/03/26 10:00:00 m"), "2026-04-03T10:00:00Z") << "the month comes first";
  context.last.reset();
  EXPECT_EQ(time("04/08/26 10:00:00 m"), "2026-04-08T10:00:00Z");
  EXPECT_EQ(time("09/04/26 10:00:00 m"), "2026-04-09T10:00:00Z") << "a day after the last line";
  context.last.reset();
  EXPECT_EQ(time("03/12/25 10:00:00 m"), "2025-03-12T10:00:00Z");
  context.last.reset();
  EXPECT_EQ(time("07/03/26 10:00:00 m"), "2026-03-07T10:00:00Z") << "not in the future";
}

TEST(Time, Rfc3339) {
  EXPECT_EQ(to_rfc3339(Instant{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(to_rfc3339(Instant{std::chrono::microseconds{-1}}), "1969-12-31T23:59:59.999999Z");
}

}  // namespace
TEST(FromRfc3339, ReadsTimesWithTheirZone) {
  using namespace std::chrono;
  const Instant noon = sys_days{year{2026} / 11 / 20} + hours{12};
  EXPECT_EQ(from_rfc3339("2026-11-20T12:00:00Z"), noon);
  EXPECT_EQ(from_rfc3339("2026-11-20t12:00:00.25z"), noon + milliseconds{250});
  EXPECT_EQ(from_rfc3339("2026-11-20 13:30:00+01:30"), noon);
  EXPECT_EQ(from_rfc3339("2026-11-20T07:00:00-05:00"), noon);
  for (const char* none : {"", "now", "2026-11-20", "2026-02-30", "2026-11-20T25:00:00Z",
                           "2026-11-20T12:00:00", "2026-11-20T12:00Z", "2026-11-20T12:00:00.Z",
                           "2026-11-20T12:00:00Zulu", "2026-11-20T12:00:00+24:00"}) {
    EXPECT_FALSE(from_rfc3339(none)) << none;
  }
}

TEST(UsualHeader, IsTheFormOfMostLines) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(usual_header(Lines{"2026-02-14 09:55:51,380 - INFO - lr: 3", "  a second line",
                               "2026-02-14 09:55:52,380 - INFO - lr: 4"}),
            "iso8601");
  EXPECT_EQ(usual_header(Lines{"I1121 00:16:38.258493 18451 solver.cpp:239] x"}), "glog");
  EXPECT_EQ(usual_header(Lines{"18:34:48 step 1", "18:34:49 step 2"}), "clock");
  EXPECT_EQ(usual_header(Lines{"step 1", "step 2", "18:34:49 step 2"}), "");
  EXPECT_EQ(usual_header({}), "");
}

}  // namespace etad
