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

// The bar of the last epoch comes to its end when another process has already said that all is done.
TEST(SeveralProcesses, ALastBarBehindTheEndIsNoSecondRun) {
  std::vector<std::string> lines;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int step = 100; step < 2400; step += 100)
      lines.push_back(written("Epoch %d, Avg Loss: 0.5: %d%%|###  | %d/2400 [%02d:%02d<10:00,  2.00it/s]",
                              epoch, step / 24, step, step / 2 / 60, step / 2 % 60));
    if (epoch == 4) lines.emplace_back("Training finished!");
    for (int i = 0; i < 2; ++i)
      lines.push_back(
          written("Epoch %d, Avg Loss: 0.5: 100%%|#####| 2400/2400 [20:00<00:00,  2.00it/s]", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// Ultralytics says how many epochs it has completed, also of those that were stopped early.
TEST(StoppedEarly, ByTheEpochsThatWereCompleted) {
  std::vector<std::string> lines = {
      "train: weights=yolov5s.pt, cfg=, data=a.yaml, epochs=500, batch_size=8, imgsz=640",
      "Starting training for 500 epochs..."};
  for (int epoch = 0; epoch < 20; ++epoch)
    lines.push_back(
        written("     %d/499      2.43G    0.0383    0.0190   0.0021   23   640: 100%%|####| 56/56 "
                "[00:14<00:00,  4.00it/s]",
                epoch));
  lines.emplace_back("20 epochs completed in 0.08 hours.");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).state, RunState::stopped);
  EXPECT_EQ(runs.at(0).iteration, 20 * 56);
  EXPECT_EQ(runs.at(0).max_iterations, 500 * 56);
}

}  // namespace
}  // namespace etad::test
