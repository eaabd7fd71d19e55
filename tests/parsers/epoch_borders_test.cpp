// The steps of an epoch by where one epoch's lines end and the next one's begin.
#include "parsers/training/epoch_borders.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using track::EpochBorders;

// What is known after `epochs` of `steps` each, every `stride`th of which is shown, and each last one if so wanted.
std::optional<std::int64_t> known_after(int epochs, int steps, int stride, bool shows_last) {
  EpochBorders borders;
  std::optional<std::int64_t> known;
  for (int n = 1; n <= epochs * steps; ++n) {
    if (n % stride == 0 || (shows_last && n % steps == 0)) known = borders.pass(1 + (n - 1) / steps, n, 1);
  }
  return known;
}

TEST(EpochBorders, TheLastStepOfAnEpochThatIsShownTellsAtOnce) {
  EXPECT_EQ(known_after(1, 105, 20, true), std::nullopt);
  EXPECT_EQ(known_after(2, 105, 20, true), 105);
}

TEST(EpochBorders, ElseTheyNarrowFromEpochToEpoch) {
  EXPECT_EQ(known_after(2, 105, 20, false), std::nullopt);
  EXPECT_EQ(known_after(30, 105, 20, false), 105);
  EXPECT_EQ(known_after(30, 100, 20, false), 100);
}

TEST(EpochBorders, ARestartForgets) {
  EpochBorders borders;
  for (const int n : {20, 40, 60, 70}) borders.pass(1, n, 1);
  EXPECT_EQ(borders.pass(2, 80, 1), 70);
  EXPECT_EQ(borders.pass(1, 20, 1), std::nullopt);
}

// Both the plan and the epoch's end come of it.
TEST(EpochBorders, PaddleOcrsPlan) {
  std::vector<std::string> lines;
  int seconds = 0;
  for (int n = 1; n <= 315; ++n) {
    if (n % 20 != 0 && n % 105 != 0) continue;
    seconds += 7;
    char line[300];
    std::snprintf(
        line, sizeof line,
        "[2022/05/06 05:%02d:%02d] ppocr INFO: epoch: [%d/40], global_step: %d, lr: 0.0005, loss: 1.25, "
        "avg_reader_cost: 0.001 s, avg_batch_cost: 0.35 s, avg_samples: 32.0, ips: 91.4 samples/s, eta: "
        "0:12:00",
        seconds / 60, seconds % 60, 1 + (n - 1) / 105, n);
    lines.emplace_back(line);
  }
  for (const std::size_t restart : {0U, 5U, 7U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 315);
    EXPECT_EQ(runs.at(0).max_iterations, 4200) << restart;
  }
  // Its first words tell the same before an epoch is over.
  lines.resize(3);
  EXPECT_EQ(runs_of(lines).at(0).max_iterations, std::nullopt);
  lines.insert(lines.begin(), "[2022/05/06 05:00:01] ppocr INFO: train dataloader has 105 iters");
  EXPECT_EQ(runs_of(lines).at(0).max_iterations, 4200);
}

}  // namespace
}  // namespace etad::test
