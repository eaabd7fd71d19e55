// What the generic formats make of times, of validations and of lines in whatever order.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

TEST(GenericTimes, BatchesThatNoEpochSetsBackAreTheRuns) {
  Lines lines;
  for (int i = 0; i < 60; ++i) {
    const int seconds = 10 * i;
    lines.push_back(written("2026-03-01 10:%02d:%02d - Epoch: %3d [%8d/10000000], loss: 0.8125", seconds / 60,
                            seconds % 60, i / 3, 20 * i));
    if (i % 3 == 2)  // a validation's, of another length
      lines.push_back(written("2026-03-01 10:%02d:%02d - Epoch: %3d [%8d/33000], loss: 0.8125", seconds / 60,
                              seconds % 60, i / 3, 8000));
  }
  for (const std::size_t restart : {0U, 5U, 21U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 20 * 59);
    EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-6);
  }
}

// A test of ten seconds behind every fifth line: the steps that follow it are measured by the others.
TEST(GenericTimes, TestsOfUnknownLengthAmidTheStepsAreLeftOut) {
  Lines lines;
  int seconds = 0;
  for (int i = 1; i <= 40; ++i, seconds += 5) {
    lines.push_back(
        written("2026-03-01 10:%02d:%02d - Step %d/5000 | loss 0.8125", seconds / 60, seconds % 60, 10 * i));
    if (i % 5 != 0) continue;
    seconds += 10;
    lines.push_back(
        written("2026-03-01 10:%02d:%02d - Validation | loss 0.8125", seconds / 60, seconds % 60));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-6);
}

TEST(GenericTimes, TestsOfUnknownLengthAmidTheEpochsAreLeftOut) {
  Lines lines;
  int seconds = 0;
  for (int i = 1; i <= 40; ++i) {
    seconds += 30;
    lines.push_back(written("2026-03-01 10:%02d:%02d - fold[1/5] epoch[%d/100] loss: 0.8125", seconds / 60,
                            seconds % 60, i));
    if (i % 10 != 0) continue;
    seconds += 100;
    lines.push_back(written("2026-03-01 10:%02d:%02d - val accuracy: 0.7125", seconds / 60, seconds % 60));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 40);
  EXPECT_NEAR(step_time(runs.at(0)), 30, 1e-6);
}

TEST(GenericTimes, StepsWithTheirEpochsTime) {
  Lines lines;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int i = 0; i < 5; ++i)
      lines.push_back(written("[epoch: %d/30, iter: %d/100] total: 1.2500", epoch, 20 * i));
    lines.push_back(written("End of epoch %d / 30 \t Time Taken: 50 sec", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).max_iterations, 3000);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.5);
}

// Epochs that take longer and longer, of which stamped lines count the steps.
TEST(GenericTimes, OfEpochsThatGrowAreNoStepsWhereLinesCountThese) {
  Lines lines;
  int seconds = 0;
  for (int epoch = 1; epoch <= 8; ++epoch) {
    const int each = 10 * epoch;
    for (int step = 0; step < 400; step += 100, seconds += each)
      lines.push_back(written("2026-03-01 %s - Epoch %d [%d/400] loss = 0.8125",
                              time_of_day(10, seconds).c_str(), epoch, step));
    lines.push_back(written("epoch = %d , loss = 0.8125 , time = %d.25 s", epoch, 4 * each));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 3200);
}

// The time of an epoch, among other numbers, is that of the steps that lines without a time count.
TEST(GenericTimes, OfAnEpochAmongItsLossesAreOfAllItsSteps) {
  Lines lines;
  for (int epoch = 1; epoch <= 6; ++epoch) {
    for (int step = 50; step < 420; step += 50)
      lines.push_back(written("  [Epoch %d] iter %d/420 loss=0.8125 (cls=0.25)", epoch, step));
    lines.push_back(written("Epoch [%d/6] lr=0.0032 loss=0.8125 (cls=0.25) time=84.0s", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6 * 420);
  EXPECT_NEAR(step_time(runs.at(0)), 0.2, 1e-6);
}

// What a step came to stands below the line that numbers it.
TEST(GenericTimes, BelowTheLineThatNumbersTheirStep) {
  Lines lines;
  for (int i = 1; i <= 12; ++i) {
    lines.push_back(written("--------------------Iteration: %d--------------------", 1000 * i));
    lines.emplace_back("Loss: 2.3e-02 Loss_u: 5.0e-03");
    lines.push_back(written("Memory: CPU 512.50 MB, GPU 25.00 MB, Elapsed Time: %.2f seconds", 25.0 * i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 12000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.025, 1e-6);
}

TEST(GenericTimes, OfAStepInWhateverOrder) {
  for (const char* form :
       {"step %d/500 | 120 ms/step | loss 0.8125", "loss 0.8125 (120ms/it) step %d/500",
        "step_time: 0.12 loss=0.8125 Iter %d/500", "[Iter %d/500] lr 0.01 dt: 120ms loss: 0.8125"}) {
    const auto runs = runs_of(lines_by(12, [form](int i) { return written(form, 10 * (i + 1)); }));
    ASSERT_EQ(runs.size(), 1U) << form;
    EXPECT_EQ(runs.at(0).max_iterations, 500) << form;
    EXPECT_NEAR(step_time(runs.at(0)), 0.12, 1e-6) << form;
  }
}

TEST(GenericTimes, WorkedOutFromTokensASecond) {
  Lines lines = {"Tokens / optimizer step : 16,384"};
  for (int i = 1; i <= 12; ++i)
    lines.push_back(written("step   %d | loss 4.8125 | lr 2.5e-04 | 32.768k tok/s", 10 * i));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.5);
}

// 100 steps take 50 s, the validation behind every second line 30 s.
TEST(GenericTimes, AValidationShownAtAStepIsTakenOut) {
  Lines lines;
  int now = 0;
  const auto stamp = [&now] { return "2026-03-01 " + time_of_day(10, now) + ".250000: "; };
  for (int i = 1; i <= 30; ++i) {
    now += 50;
    lines.push_back(stamp() + written("Step [%d]  train Loss : 0.8125", 100 * i));
    if (i % 2 == 0) {
      now += 30;
      lines.push_back(stamp() + written("Step [%d]  val Loss : 0.9125", 100 * i));
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.01);
}

// Of 390 steps 100, 200 and 300 are shown; 100 take 20 s, the validation behind the epoch's end 30 s.
TEST(GenericTimes, AValidationBehindAnEpochsLastStepsIsTakenOut) {
  Lines lines;
  int now = 0;
  const auto stamp = [&now] { return "2026-03-01 " + time_of_day(10, now) + ",250 - INFO: "; };
  for (int epoch = 1; epoch <= 12; ++epoch) {
    for (int i = 1; i <= 3; ++i) {
      now += 20;
      lines.push_back(stamp());  // the message begins with a line's end
      lines.push_back(written("Epoch [%d/12], Step [%d/390], Loss: 0.4125", epoch, 100 * i));
    }
    now += 18 + 30;
    lines.push_back(stamp() + written("Epoch %d: train loss 0.4125, test acc 0.7125", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 0.2, 0.005);
}

// Only the first step of each epoch is shown, then its test's result: what lies between was not the test alone.
TEST(GenericTimes, ATestBehindAnEpochsFirstStepIsNotTakenOut) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 6; ++epoch) {
    lines.push_back(written("2026-03-01 10:%02d:04 Epoch[%d] - Iter: [0/13] Loss 0.5125", epoch, epoch));
    lines.push_back(written("2026-03-01 10:%02d:50 Test: Loss 0.4125 Acc 71.25", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 60.0 / 13, 1e-6);
}

// A cost that has no unit is a loss.
TEST(GenericTimes, ACostIsNone) {
  EXPECT_TRUE(runs_of(lines_by(20, [](int i) {
                return written("Pre-training layer 0, epoch %d, cost  0.1%d", i, i);
              })).empty());
}

TEST(GenericTimes, OfAllOfARunAtItsEndMeasureIt) {
  Lines lines = lines_by(5, [](int i) { return written("Step %d/400 | loss: 0.8125", 100 * i); });
  EXPECT_TRUE(runs_of(lines).empty());  // no time, no run
  lines.push_back("Total gradient descent training time: 0 hours 3 mins 20 secs");
  for (std::size_t restart = 0; restart < lines.size(); ++restart) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    EXPECT_EQ(runs.at(0).iteration, 400);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.5);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
  }
}

// What its program says behind its end begins no other run.
TEST(GenericTimes, OfBarsAboveTheirEpochs) {
  Lines lines;
  for (int i = 1; i <= 9; ++i) {
    lines.push_back(written("[==========] 40/40 [100%%] in %.1fs (1.25/s)", i % 2 == 0 ? 30.0 : 34.0));
    lines.push_back(written("Epoch %d/200, Train Loss: 0.8125, Val Acc: 0.7125", i));
  }
  lines.push_back("Early stopping!");
  lines.push_back("[==========] 2/2 [100%] in 0.5s (4.00/s)");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 9);
  EXPECT_NEAR(step_time(runs.at(0)), 32, 1);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

TEST(GenericTimes, ElapsedOfACountOutOfATotal) {
  const auto runs = runs_of(lines_by(8, [](int i) {
    return written("[%d/3000] Train loss: 0.8125, Valid loss: 0.9125, Elapsed_time: %.2f", 200 * (i + 1),
                   50.25 * (i + 1));
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 1600);
  EXPECT_NEAR(step_time(runs.at(0)), 50.25 / 200, 1e-6);
}

// The elapsed time in brackets, and losses of which each is a part's.
TEST(GenericTimes, ElapsedBeforeLossesOfParts) {
  const auto runs = runs_of(lines_by(30, [](int i) {
    return written("Elapsed [0:%02d:%02d], Iteration [%d/20000], G/loss_fake: 4.1250, D/loss_real: -1.25",
                   50 * (i + 1) / 60, 50 * (i + 1) % 60, 500 * (i + 1));
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 15'000);
  EXPECT_EQ(runs.at(0).max_iterations, 20'000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.1, 0.001);
}

TEST(GenericTimes, OfEpochsThatStampedHeadingsBegin) {
  const auto runs = runs_of(lines_by(6, [](int i) {
    return written("2026-03-01 10:%02d:00,250 - __main__ - INFO - Starting epoch %d/40", i * 2, i + 1);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 5);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 120);
}

// Each line's time is one step's, and stands for ten; where no line tells of the evaluations, theirs shows itself.
TEST(StepTimes, AreNotThoseOfStepsThatHeldAnEvaluation) {
  const auto runs = runs_of(lines_by(40, [](int i) {
    return written("iter %d: loss 2.5125, time %.2fms", 10 * (i + 1), i % 10 == 9 ? 30500.25 : 500.25);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_NEAR(step_time(runs.at(0)), 0.50025, 1e-6);
}

// One line for each epoch, whose steps go on: its time is all of them's.
TEST(StepTimes, OfAnEpochsOnlyLineAreOfAllItsSteps) {
  int step = 0;
  const auto runs = runs_of(lines_by(30, [&step](int i) {
    step += i % 3 == 0 ? 36 : 35;
    return written("epoch: %d, step: %d, time: %d.5, train: 5.125, valid: 6.125, train_acc: 0.4125", i + 1,
                   step, 17 + i % 2);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, step);
  EXPECT_NEAR(step_time(runs.at(0)), 18 / 35.33, 0.01);
}

// A bar's states and the lines of the program come in turns of as many as a buffer holds.
// PySlowFast states the time of the one step that it shows, which may have waited for its data.
TEST(StepTimes, OfTheStepShownAloneGiveWayToStamps) {
  const auto lines = [](const char* head) {
    Lines out = lines_by(25, [head](int i) {
      return written(head, i / 12, 5 * (i % 12)) +
             written(
                 "json_stats: {\"_type\": \"train_iter_\", \"dt\": %.5f, \"epoch\": \"1/1\", \"iter\": "
                 "\"%d/250\", \"loss\": 1.25}",
                 i % 3 == 0 ? 0.9 : 0.5, 10 * (i + 1));
    });
    return out;
  };
  const auto stamped = runs_of(lines("[03/04 05:%02d:%02d][INFO] logging.py:  99: "));
  ASSERT_EQ(stamped.size(), 1U);
  EXPECT_EQ(stamped.at(0).state, RunState::finished);
  EXPECT_EQ(stamped.at(0).iteration, 250);
  EXPECT_DOUBLE_EQ(step_time(stamped.at(0)), 0.5);
  const auto unstamped = runs_of(lines("[INFO: logging.py: %d%02d]: "));
  ASSERT_EQ(unstamped.size(), 1U);
  EXPECT_NEAR(step_time(unstamped.at(0)), 0.633, 0.01);
}

TEST(GenericTimes, ABarAndLinesOfTheSameStepsAreOneRun) {
  Lines lines;
  for (int i = 1; i <= 200; ++i) {
    lines.push_back(
        written("net train:  10%%|#  | %d/400 [%02d:%02d<59:00,  4.00s/it]", i, i * 4 / 60, i * 4 % 60));
    if (i % 50 == 0)
      for (int n = i - 49; n <= i; ++n) lines.push_back(written("[step=%d] loss=0.8125", n));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 4, 0.1);
}

// A program that stood still, or another that goes on with the same count: epochs of two minutes, a day in between.
TEST(GenericTimes, APauseIsNoTraining) {
  const auto day_and_time = [](int i) {
    const int minutes = 2 * i + (i < 6 ? 0 : 24 * 60);
    return written("2026-03-%02d %02d:%02d:00,250 - INFO - Epoch: %d, Avg_loss: 0.5125", 1 + minutes / 1440,
                   minutes / 60 % 24, minutes % 60, i + 1);
  };
  for (const std::size_t restart : {0U, 6U, 7U}) {
    const auto runs = runs_of(lines_by(12, day_and_time), restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 12);
    EXPECT_EQ(runs.at(0).train.iterations, 10);
    EXPECT_NEAR(step_time(runs.at(0)), 120, 1e-6);
  }
}

// Behind every fiftieth step of nine seconds the program evaluates for 200, and says nothing of it.
TEST(GenericTimes, WhereManyStepsAreKnownAMinuteIsAPause) {
  const auto stamped = [](int i) {
    const int seconds = 9 * i + 200 * (i / 50);
    return "2026-03-01 " + time_of_day(10, seconds) + written(", batch i:%d, episode_len:51", i + 1);
  };
  for (const std::size_t restart : {0U, 60U}) {
    const auto runs = runs_of(lines_by(300, stamped), restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 300);
    EXPECT_EQ(runs.at(0).train.iterations, 294);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 9);
  }
}

// Steps of 1 s and of 1.5 s by turns, and what is left of them at the pace of the last ten.
TEST(GenericTimes, WhatIsLeftAtThePaceOfTheLastSteps) {
  const auto left_at = [](int i) {
    const int left = (6000 - 10 * (i + 1)) * (i % 2 == 0 ? 2 : 3) / 2;
    return written("step %d/6000 loss 1.2500 eta %d:%02d:%02d", 10 * (i + 1), left / 3600, left / 60 % 60,
                   left % 60);
  };
  for (const std::size_t restart : {0U, 3U, 60U}) {
    const auto runs = runs_of(lines_by(100, left_at), restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 1000);
    EXPECT_EQ(runs.at(0).max_iterations, 6000);
    EXPECT_NEAR(step_time(runs.at(0)), 1.25, 0.03);
  }
}

// 400 steps take 200 s, the validation before their line 50 s.
TEST(GenericTimes, AValidationLastsFromWhereItIsAnnouncedToItsResults) {
  Lines lines;
  int seconds = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("2026-03-01 " + time_of_day(10, seconds) + ",250 " + what);
  };
  for (int i = 1; i <= 20; ++i) {
    seconds += 200;
    say("Validating");
    seconds += 50;
    say("Validation per class iou: ");
    say("car : 0.25%");
    say("Current val loss is 1.125");
    say(written("epoch 0 iter %5d, loss: 1.3750", 400 * i));
  }
  for (const std::size_t restart : {0U, 12U, 46U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 8000);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.5);
  }
}

// Minutes, which are those since the beginning; each start announces itself, as does one that goes on with epoch 16.
TEST(GenericTimes, TablesWhoseLastColumnIsTheTimeSoFar) {
  Lines lines;
  for (const int begin : {0, 0, 16}) {
    lines.emplace_back("------------------- [START 2026-03-01 10:00:12] -------------------");
    lines.emplace_back("** start training here! **");
    lines.emplace_back(
        "lr       iter     epoch    | loss   top-1  top-2            |    Current Best    | time       |");
    for (int i = begin; i < 20; ++i) {
      const int minutes = 27 * (i - begin + 1);
      lines.push_back(
          written("0.0001  %3d.0  %3d.0        | 0.412  80.125  96.250          |       80.125     "
                  "  | %2d hr %02d min",
                  i, i, minutes / 60, minutes % 60));
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.iteration, ordinal < 2 ? 20 : 19) << "that they count from 0 the third does not show";
    EXPECT_DOUBLE_EQ(step_time(run), 1620) << ordinal;
  }
}

TEST(GenericTimes, WhatGetsSlowForGoodIsNoPause) {
  const auto runs = runs_of(lines_by(12, [](int i) {
    const int minutes = i < 6 ? 2 * i : 12 + 90 * (i - 6);
    return written("2026-03-01 %02d:%02d:00,250 - INFO - Epoch: %d, Avg_loss: 0.5125", minutes / 60,
                   minutes % 60, i + 1);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 11);
}

// How long the network takes to answer is not how long it is trained.
TEST(GenericTimes, ThatOfInferenceIsNoTraining) {
  const auto runs = runs_of(lines_by(12, [](int i) {
    return written("[epoch: %d] Loss: 0.0125, val-psnr: 33.25, Inference time: 2.%d ms", 2 * i, 50 + i % 3);
  }));
  EXPECT_TRUE(runs.empty());
}

// JoeyNMT tells the number of devices above its first line with a time.
TEST(GenericTimes, ARunBeginsWithItsFirstLineThatHasOne) {
  Lines lines = {"\tdevice: cuda", "\tn_gpu: 1"};
  for (int i = 1; i <= 6; ++i)
    lines.push_back(
        written("2026-03-01 10:%02d:12,750 - INFO - joeynmt.training - Epoch   1, Step: %8d, "
                "Batch Loss: 4.312500, Tokens per Sec: 2250, Lr: 0.000100",
                i, 120 * i));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.devices, 1);
  EXPECT_DOUBLE_EQ(step_time(run), 0.5);
  ASSERT_TRUE(run.started_at && run.ended_at);
  EXPECT_EQ(*run.ended_at - *run.started_at, std::chrono::minutes(5));
}

// A clock of twelve hours, as the tutorial on Python's logging has it.
TEST(GenericTimes, HeadingsBehindAClockOfTwelveHours) {
  for (const bool stars : {false, true}) {
    const auto runs = runs_of(lines_by(8, [stars](int i) {
      const std::string stamp = written("03/01/2026 %02d:30:12 %s ", (10 + i) % 12 == 0 ? 12 : (10 + i) % 12,
                                        10 + i < 12 ? "AM" : "PM");
      return stars ? "[INFO " + stamp + written("########EPOCH %d/150 ########", i)
                   : stamp + written("- Epoch %d/150", i);
    }));
    ASSERT_EQ(runs.size(), 1U) << stars;
    EXPECT_EQ(runs.at(0).train.iterations, 7);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 3600);
  }
}

// Every 50th step states a time that holds an evaluation, of which no line need tell.
TEST(GenericTimes, StepsThatHoldAnEvaluationMeasureNothing) {
  for (const char* const form :
       {"step %5d | loss: 6.250000 | lr 6.0000e-04 | norm: 0.4125 | dt: %.2fms | tok/sec: 27789.75",
        "iter %d: loss 6.2500, time %.2fms, mfu 12.50%%"}) {
    Lines lines;
    for (int i = 0; i <= 200; ++i) lines.push_back(written(form, i, i % 50 == 0 ? 18750.0 : 400.0));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U) << form;
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.4) << form;
    EXPECT_GE(runs.at(0).iteration, 200) << form;
  }
}

// Nor is every slow step one that holds an evaluation: a second one behind it is the training's new pace.
TEST(GenericTimes, ATrainingThatBecomesTenTimesSlowerIsMeasuredStill) {
  for (const char* const form :
       {"step %5d | loss: 6.250000 | lr 6.0000e-04 | norm: 0.4125 | dt: %.2fms | tok/sec: 27789.75",
        "iter %d: loss 6.2500, time %.2fms, mfu 12.50%%"}) {
    Lines lines;
    for (int i = 0; i <= 200; ++i) lines.push_back(written(form, i, i <= 100 ? 100.0 : 2000.0));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U) << form;
    EXPECT_NEAR(step_time(runs.at(0)), 1.05, 0.02) << form;
  }
}

// Below the line that counts them out of a total.
TEST(GenericTimes, OfAllStepsSinceTheTimeBefore) {
  const auto run = only_run(lines_by(24, [](int i) {
    return i % 2 ? written("Elapsed time: %d.25s", 25 + i % 3)
                 : written("Train: %06d/300000, Loss: 0.8125, lr:5.00e-05", 50 * (i + 2));
  }));
  EXPECT_NEAR(step_time(run), 0.26, 0.01);
  EXPECT_EQ(run.test.segments, 0);
}

}  // namespace
}  // namespace etad::test
