#include "daemon/client/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "daemon/client/link/http_client.h"

namespace etad::client {
namespace {

TEST(DurationText, HasTwoUnitsAtMostAndNeverSixtySeconds) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(3.1e-6), "3.10 us");
  EXPECT_EQ(duration_text(0.0512), "51.2 ms");
  EXPECT_EQ(duration_text(0.9999), "1.00 s");
  EXPECT_EQ(duration_text(42.34), "42.3 s");
  EXPECT_EQ(duration_text(59.96), "1 min");
  EXPECT_EQ(duration_text(512.3), "8 min 32 s");
  EXPECT_EQ(duration_text(3599.7), "1 h");
  EXPECT_EQ(duration_text(3 * 3600 + 12 * 60 + 20), "3 h 12 min");
  EXPECT_EQ(duration_text(86'399), "1 d");
  EXPECT_EQ(duration_text(2 * 86'400 + 5 * 3600), "2 d 5 h");
  EXPECT_EQ(duration_text(-42.34), "-42.3 s");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(NumberText, KeepsItsDigits) {
  EXPECT_EQ(number_text(1249.3, 4), "1249");
  EXPECT_EQ(number_text(0.003127), "0.00313");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(-2.5), "-2.50");
  EXPECT_EQ(trimmed(number_text(90)), "90");
  EXPECT_EQ(trimmed("100"), "100");
  EXPECT_EQ(trimmed("2.50"), "2.5");
}

TEST(CountText, GroupsThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(count_text(-1000), "-1,000");
  EXPECT_EQ(count_text(-100), "-100");
}

TEST(BytesText, UsesBinaryUnits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(12.3 * 1024 * 1024), "12.3 MiB");
}

TEST(Cut, CountsCharactersNotBytes) {
  EXPECT_EQ(width_of("caf\xc3\xa9"), 4U);
  EXPECT_EQ(cut("caf\xc3\xa9", 4), "caf\xc3\xa9");
  EXPECT_EQ(cut("caf\xc3\xa9s", 4), "caf…");
  EXPECT_EQ(cut("abc", 0), "");
  EXPECT_EQ(padded("\xc3\xa9", 3), "\xc3\xa9  ");
  EXPECT_EQ(padded("7", 3, true), "  7");
}

TEST(Bar, IsOfItsWidthWhateverTheFraction) {
  EXPECT_EQ(bar(0.5, 12), "[#####-----]");
  for (const double fraction : {-1.0, 0.0, 0.999, 1.0, 7.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(bar(fraction, 10).size(), 10U);
  }
  EXPECT_EQ(bar(0.999, 12), "[#########-]");  // full means done
  EXPECT_EQ(bar(1, 12), "[##########]");
}

TEST(Table, LeavesOutAndShortensWhatTheScreenHasNoRoomFor) {
  Table table({"<path", "state", "?>lines", "?since"});
  table.row({"/a/long/folder/of/logs/lenet.log", "running", "12", "2026-11-20 12:00"});
  EXPECT_EQ(table.text(0, false),
            "path                              state    lines  since\n"
            "/a/long/folder/of/logs/lenet.log  running     12  2026-11-20 12:00\n");
  EXPECT_EQ(table.text(60, false),
            "path                        state    lines  since\n"
            "…/folder/of/logs/lenet.log  running     12  2026-11-20 12:00\n");
  EXPECT_EQ(table.text(44, false),
            "path                          state    lines\n"
            "…ng/folder/of/logs/lenet.log  running     12\n");
  EXPECT_EQ(table.text(34, false),
            "path                state    lines\n"
            "…of/logs/lenet.log  running     12\n");
  EXPECT_EQ(table.text(20, false),
            "path         state\n"
            "…/lenet.log  running\n");
}

TEST(Counted, KnowsOneFromMany) {
  EXPECT_EQ(counted(0, "run"), "0 runs");
  EXPECT_EQ(counted(1, "run"), "1 run");
  EXPECT_EQ(counted(1234, "line"), "1,234 lines");
}

TEST(MetricText, TakesThePrefixThatFits) {
  EXPECT_EQ(metric_text(0, "J"), "0 J");
  EXPECT_EQ(metric_text(15'000, "J"), "15.0 kJ");
  EXPECT_EQ(metric_text(1.38e9, "Hz"), "1.38 GHz");
  EXPECT_EQ(metric_text(999.6, "W"), "1.00 kW");
  EXPECT_EQ(metric_text(5e17, "J"), "500000 TJ");
}

TEST(Table, AVeryLongNamePushesNobodysColumnsAway) {
  Table table({"network", ">runs", "formula"});
  table.row({"LeNet", "12", "c0"});
  table.row({std::string(3000, 'x') + "end", "1", "c1"});
  const std::string rest(20, 'x');
  EXPECT_EQ(table.text(40, false),
            "network                   runs  formula\n"
            "LeNet                       12  c0\n"
            "…" +
                rest + "end     1  c1\n");
  const std::string file = table.text(0, false);
  EXPECT_LT(file.find("12"), 300U) << "in a file the long row alone is long";
  EXPECT_NE(file.find("xxxend     1  c1\n"), std::string::npos);
}

TEST(Table, AlignsItsColumns) {
  Table table({">id", "name"});
  table.row({"1", "caf\xc3\xa9"});
  table.row({"12", "b"});
  EXPECT_EQ(table.text(0, false), "id  name\n 1  caf\xc3\xa9\n12  b\n");
  EXPECT_EQ(table.text(6, false), "id  n…\n 1  c…\n12  b\n");
}

TEST(TimeText, IsInTheMachinesZone) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(time_text("2026-11-20T12:00:00.25Z"), "2026-11-20 12:00");
  EXPECT_EQ(time_text("soon"), "soon");
}

// `etactl runs 7/segments` names no run, and not its segments.
TEST(PathSegment, HasNoSlash) {
  EXPECT_EQ(path_segment("7/segments"), "7%2Fsegments");
  EXPECT_EQ(path_segment("gpu.power"), "gpu.power");
  EXPECT_EQ(percent_encoded("a/b c"), "a/b%20c");
}

}  // namespace
}  // namespace etad::client
