#include "parsers/traces/row_memory.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/parsers/trace_lines.h"

namespace etad {
namespace {

using testing::ElementsAre;

using Cells = std::vector<std::string_view>;
using Numbers = std::vector<double>;

std::vector<TraceColumn> columns(std::initializer_list<double> scales) {
  std::vector<TraceColumn> out;
  for (const double scale : scales) out.emplace_back().scale = scale;
  return out;
}

TEST(RowMemory, ALineAlikeHasItsCellsAndNumbersAtTheSamePlaces) {
  RowMemory memory;
  const std::string_view line = "2024/05/06 07:08:09, 1, 250.05 W, 12345.6789, 7";
  memory.remember(
      line,
      {line.substr(0, 19), line.substr(21, 1), line.substr(24, 8), line.substr(34, 10), line.substr(46)},
      {kUnread, kUnread, 250.05, 12345.6789, 7000}, columns({1, 1, 1, 1, 1000}));
  Cells cells;
  Numbers numbers;
  ASSERT_TRUE(memory.take("2025/12/31 23:59:58, 3, 999.99 W, 98765.4321, 8", cells, numbers));
  EXPECT_THAT(cells, ElementsAre("2025/12/31 23:59:58", "3", "999.99 W", "98765.4321", "8"));
  EXPECT_THAT(Numbers(numbers.begin() + 2, numbers.end()), ElementsAre(999.99, 98765.4321, 8000));
  EXPECT_TRUE(std::isnan(numbers[0]) && std::isnan(numbers[1]));
  for (const std::string_view other :
       {"2025/12/31 23:59:58, 3, 99.999 W, 98765.4321, 8", "2025/12/31 23:59:58, 3, 999.99 V, 98765.4321, 8",
        "2025/12/31 23:59:58, 3, 999.99 W, 98765.4321, 80", ""})
    EXPECT_FALSE(memory.take(other, cells, numbers)) << other;
  memory.forget();
  EXPECT_FALSE(memory.take(line, cells, numbers));
}

TEST(RowMemory, WhatDoesNotRepeatItselfPushesOutTheOldest) {
  RowMemory memory;
  const auto line = [](std::size_t i) { return std::string(i + 1, '5'); };
  const auto remember = [&](const std::string& text) { memory.remember(text, {text}, {5}, columns({1})); };
  for (std::size_t i = 0; i < 2 * RowMemory::kMostRows; ++i) remember(line(i));
  Cells cells;
  Numbers numbers;
  EXPECT_FALSE(memory.take(line(0), cells, numbers));
  for (std::size_t i = RowMemory::kMostRows; i < 2 * RowMemory::kMostRows; ++i)
    EXPECT_TRUE(memory.take(line(i), cells, numbers)) << i;
  const std::string longest(RowMemory::kLongest + 1, '5');
  remember(longest);
  EXPECT_FALSE(memory.take(longest, cells, numbers));
}

// A reader that was made anew for each line remembers no rows.
TEST(RowMemory, RowsSayTheSameWhetherRememberedOrNot) {
  static constexpr const char* kCells[] = {
      "5",          "60",           "12345678", "123456789",  "1234567890123456",
      "0.5",        "250.05",       "1234.567", "12345.67",   "123456.78",
      "0.12345678", "9007199254.5", "1e3",      "-4",         "+4",
      ".5",         "5.",           "1.2.3",    "[N/A]",      "ERR!",
      "\"8\"",      "7 W",          "7W",       "7 mW",       "7  W ",
      "250 MiB",    "99999 %",      "",         "2147483640", "2147483",
      "71.5 W  ",   "0007"};
  std::mt19937 random(7);
  const auto any = [&](std::size_t count) { return random() % count; };
  const auto kept = trace_reader("nvidia-smi");
  const std::string header = "timestamp, index, power.draw [W], memory.used [MiB], utilization.gpu [%], name";
  TimeContext time = trace_time({});
  Records none;
  kept->read(header, {}, time, none);
  for (int i = 0; i < 4000; ++i) {
    std::string line = "2024/05/06 07:0" + std::to_string(any(3)) + ":0" + std::to_string(any(10)) + ".250, ";
    line += std::to_string(any(12));
    for (int cell = 0; cell < 3; ++cell) {
      std::string text = kCells[any(std::size(kCells))];
      for (char& c : text)
        if (c >= '0' && c <= '9' && any(2) == 0) c = static_cast<char>('0' + any(10));
      line += (any(8) == 0 ? "," : ", ") + text;
    }
    line += ", A40";
    const auto fresh = trace_reader("nvidia-smi");
    fresh->restore(kept->save(), time);
    TraceRun expected, found;
    found.lines.push_back(kept->read(line, {}, time, found.records));
    expected.lines.push_back(fresh->read(line, {}, time, expected.records));
    found.note_samples();
    expected.note_samples();
    ASSERT_EQ(found.texts(), expected.texts()) << line;
    ASSERT_EQ(found.lines, expected.lines) << line;
    ASSERT_EQ(found.records.rejected, expected.records.rejected) << line;
    ASSERT_EQ(kept->complaint(), fresh->complaint()) << line;
  }
}

TEST(RowMemory, OtherColumnsHaveOtherCells) {
  const TraceRun run =
      read_trace("nvidia-smi", {"timestamp, index, power.draw [W]", "2024/05/06 07:08:09, 1, 2",
                                "timestamp, power.draw [W], index", "2024/05/06 07:08:10, 3, 4"});
  EXPECT_THAT(run.texts(), ElementsAre("gpu.power{gpu=1} 2 W 2024-05-06T07:08:09Z",
                                       "gpu.power{gpu=4} 3 W 2024-05-06T07:08:10Z"));
}

}  // namespace
}  // namespace etad
