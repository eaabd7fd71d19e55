// Logs of people's own scripts that hold several trainings, and what stands between their steps and epochs.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// What an epoch's loss came to is no time, though it stands where some tell it.
TEST(SeveralTrainings, AreNotToldApartByALossBesideAnEpoch) {
  Lines lines;
  int now = 0;
  const auto stamp = [&now] {
    return written("2026-03-01 %02d:%02d:%02d,250 - my.trainer - INFO - ", 10 + now / 3600, now / 60 % 60,
                   now % 60);
  };
  for (int i = 1; i <= 60; ++i) {
    now += 30;
    lines.push_back(stamp() + written("Step %d | Loss: 0.4125 | LR: 1.00e-04", 50 * i));
    if (i % 20 == 0)
      lines.push_back(stamp() + written("Epoch %d completed | Average loss: 0.%04d", i / 20 - 1, i / 2));
  }
  lines.push_back(stamp() + "Training completed in 0.50 hours");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 3000);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.6);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// More trainings than a format that nobody knew yet kept of what it had read, one of them with a loss that is no number.
TEST(SeveralTrainings, AreAllKeptHoweverMany) {
  Lines lines;
  int now = 0;
  const auto stamp = [&now] {
    return written("2026-03-01 %02d:%02d:%02d,250 - INFO - ", 1 + now / 3600, now / 60 % 60, now % 60);
  };
  for (int run = 0; run < 90; ++run) {
    for (int i = 1; i <= 5; ++i) {
      lines.push_back(stamp() + written("[Epoch %d/5]", i));
      now += 4;
      lines.push_back(stamp() + (run == 7 && i > 2 ? "Train Loss: nan, Train Acc: 0.1250"
                                                   : "Train Loss: 0.8125, Train Acc: 0.7125"));
      now += 1;
      lines.push_back(stamp() + "Val   Loss: 0.9125, Val   Acc: 0.6125");
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 90U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.iteration, 5) << ordinal;
    EXPECT_DOUBLE_EQ(step_time(run), 4) << ordinal;
  }
}

// The second begins amid the first one's epochs, and numbers its own as that did: from 1.
TEST(SeveralTrainings, OneThatGoesOnNumbersItsEpochsAsTheOneBeforeDid) {
  Lines lines;
  const auto train = [&lines](int from, int to) {
    for (int epoch = from; epoch <= to; ++epoch)
      for (int step = 50; step <= 100; step += 10)
        lines.push_back(written("Epoch %d Step %d/100 loss 1.25 (0.25 s/step)", epoch, step));
  };
  train(1, 2);
  train(2, 4);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 200);
  EXPECT_EQ(runs.at(1).iteration, 400);
}

// Two processes of one training write the same lines, one of them through a buffer.
TEST(SeveralTrainings, LinesThatAnotherProcessHeldBackAreNone) {
  const auto say = [](int i) {
    return written("2026-03-01 10:%02d:%02d,250 - INFO - Epoch [%d/5], Step [%d/20], Loss: 1.25", i / 30,
                   i % 30 * 2, i / 20 + 1, i % 20 + 1);
  };
  Lines lines;
  for (int block = 0; block < 100; block += 25)
    for (int process = 0; process < 2; ++process)
      for (int i = block; i < block + 25; ++i) lines.push_back(say(i));
  for (const std::size_t restart : {0U, 60U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 100);
    EXPECT_EQ(runs.at(0).train.iterations, 99);
    EXPECT_NEAR(step_time(runs.at(0)), 2, 1e-9);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
  }
}

}  // namespace
}  // namespace etad::test
