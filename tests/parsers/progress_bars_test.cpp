// Progress bars that are drawn again and again, by one process or by many, and trainings that show only their
// end.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "parsers/lines/line.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

std::vector<std::string> states(std::string line) {
  std::vector<std::string_view> found;
  LineLosses losses;
  clean_states(line, 4096, found, losses);
  return {found.begin(), found.end()};
}

TEST(ProgressBars, EachStateOfABarIsALine) {
  EXPECT_EQ(states(" 0%| | 0/8 [00:00<?, ?it/s]\r12%|# | 1/8 [00:30<03:30, 30.00s/it]\r25%|## | 2/8 "
                   "[01:00<03:00, 30.00s/it]"),
            (std::vector<std::string>{" 0%| | 0/8 [00:00<?, ?it/s]", "12%|# | 1/8 [00:30<03:30, 30.00s/it]",
                                      "25%|## | 2/8 [01:00<03:00, 30.00s/it]"}));
}

TEST(ProgressBars, OfStatesOfTheSameCountTheLastStays) {
  EXPECT_EQ(
      states("50%|# | 4/8 [00:30<00:30, 7.50s/it]\r50%|# | 4/8 [00:30<00:30, 7.50s/it, loss=2]\r\r\x1b[K")
          .size(),
      1U);
}

TEST(ProgressBars, WhatIsPrintedBehindABarIsNoStateOfIt) {
  EXPECT_EQ(
      states("50%|# | 4/8 [00:30<00:30, 7.50s/it]\r50%|# | 4/8 [00:30<00:30, 7.50s/it]{'loss': 2}").size(),
      2U);
}

TEST(ProgressBars, WhatShowsNoPaceIsWhatATerminalWouldShow) {
  EXPECT_EQ(states("Downloading 10%\rDownloading 20%\rdone"), std::vector<std::string>{"done"});
  EXPECT_EQ(states("a line\r"), std::vector<std::string>{"a line"});
  EXPECT_EQ(states(""), std::vector<std::string>{""});
}

// A bar that has come so far in so many seconds.
std::string bar_of(int done, int all, int seconds, const std::string& name) {
  char text[128];
  std::snprintf(text, sizeof text, "%s%3d%%|#  | %d/%d [%02d:%02d<00:10,  2.00it/s]",
                name.empty() ? "" : (name + ": ").c_str(), 100 * done / all, done, all, seconds / 60,
                seconds % 60);
  return text;
}

Records read_bars(const std::vector<std::string>& lines) {
  return records_of(*format_named("huggingface"), lines);
}

const std::vector<std::string> kBar = {
    "  0%| | 0/4 [00:00<?, ?it/s]", " 25%|# | 1/4 [03:40<11:00, 220.00s/it]",
    " 50%|# | 2/4 [07:20<07:20, 220.00s/it]", " 75%|# | 3/4 [11:00<03:40, 220.00s/it]",
    "100%|##| 4/4 [14:40<00:00, 220.00s/it]"};
const std::string kSummary =
    "{'train_runtime': 880.5, 'train_samples_per_second': 4.543, 'train_steps_per_second': 0.005}";

TEST(ProgressBars, ThoseOfSeveralProcessesAreOneRun) {
  std::vector<std::string> lines = {"***** Running training *****", "  Total optimization steps = 4"};
  for (int process = 0; process < 3; ++process) lines.insert(lines.end(), kBar.begin(), kBar.end());
  for (int process = 0; process < 3; ++process) lines.push_back(kSummary);
  lines.push_back(kBar.back());
  const Records records = read_bars(lines);
  ASSERT_EQ(records.runs.size(), 1U);
  EXPECT_EQ(records.runs[0].train.iterations, 4);
  EXPECT_EQ(records.runs[0].state, RunState::finished);
}

TEST(ProgressBars, ASummaryAloneIsARun) {
  const Records records = read_bars(
      {"{'train_runtime': 40000.0, 'train_samples_per_second': 1.25, 'train_steps_per_second': 0.051}"});
  ASSERT_EQ(records.runs.size(), 1U);
  EXPECT_EQ(records.runs[0].iteration, 2040);
  EXPECT_NEAR(to_seconds(records.runs[0].train.duration) / 2040, 19.61, 0.01);
  EXPECT_EQ(records.runs[0].settings.at("derived"), "iterations: seconds * rate");
}

TEST(ProgressBars, AnEvaluationDrawnAmidTheRunAndBehindItIsNone) {
  std::vector<std::string> lines = kBar;
  const std::vector<std::string> evaluation = {"  0%| | 0/90 [00:00<?, ?it/s]",
                                               " 50%|# | 45/90 [00:20<00:20, 2.25it/s]",
                                               "100%|##| 90/90 [00:40<00:00, 2.25it/s]"};
  lines.insert(lines.begin() + 3, evaluation.begin(), evaluation.end());
  lines.push_back(kSummary);
  lines.insert(lines.end(), evaluation.begin(), evaluation.end());
  const Records records = read_bars(lines);
  ASSERT_EQ(records.runs.size(), 1U);
  EXPECT_EQ(records.runs[0].max_iterations, 4);
}

TEST(ProgressBars, TheBarBehindASummaryAloneIsItsOwn) {
  const std::string first =
      "{'train_runtime': 40000.0, 'train_samples_per_second': 1.25, 'train_steps_per_second': 0.051}";
  const Records records = read_bars(
      {first, "100%|##| 2048/2048 [11:06:40<00:00, 19.53s/it]", " 10%|# | 45/450 [01:30<13:30, 2.00s/it]",
       "{'train_runtime': 900.0, 'train_samples_per_second': 8.0, 'train_steps_per_second': 0.5}"});
  std::map<std::int64_t, etad::Run> runs;
  for (const etad::Run& run : records.runs) runs.insert_or_assign(run.ordinal, run);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].iteration, 2048);
  EXPECT_EQ(runs[1].iteration, 450);
}

TEST(ProgressBars, OneThatIsFullAtOnceBehindARunIsARunOnlyWhereASummarySaysSo) {
  std::vector<std::string> lines = kBar;
  lines.push_back(kSummary);
  lines.emplace_back("100%|##| 57/57 [00:01<00:00, 57.00it/s]");
  EXPECT_EQ(read_bars(lines).runs.size(), 1U);
  lines.emplace_back("100%|##| 2000/2000 [08:20<00:00, 4.00it/s]");
  lines.emplace_back("100%|##| 57/57 [00:01<00:00, 57.00it/s]");
  lines.emplace_back(
      "{'train_runtime': 500.0, 'train_samples_per_second': 32.0, 'train_steps_per_second': 4.0}");
  const Records records = read_bars(lines);
  auto runs = runs_of(records);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].train.iterations, 2000);
  EXPECT_EQ(to_seconds(runs[1].train.duration), 500.0);
}

TEST(ProgressBars, TheMeanRateOfAFullBarIsFinerThanItsWholeSeconds) {
  const auto seconds_of = [](const std::string& end) {
    const Records records =
        records_of(*format_named("tqdm"), {"Training: 100%|##| 30/30 [00:02<00:00, " + end + "]"});
    return records.runs.empty() ? 0.0 : to_seconds(records.runs.back().train.duration);
  };
  EXPECT_DOUBLE_EQ(seconds_of("12.00it/s"), 2.5);
  EXPECT_DOUBLE_EQ(seconds_of("18.75it/s"), 1.6);
  EXPECT_DOUBLE_EQ(seconds_of("30.00it/s"), 2.0) << "more have gone by";
  EXPECT_DOUBLE_EQ(seconds_of("5.00it/s"), 2.0) << "a smoothed rate says something else";
}

TEST(ProgressBars, ARowOfItsOwnTellsTheTimeOfTheRowOfSteps) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 4; ++i) {
    lines.push_back("|    fps                  | 100         |");
    lines.push_back("|    time_elapsed         | " + std::to_string(30 * i) + "          |");
    lines.push_back("|    total_timesteps      | " + std::to_string(3000 * i) + "        |");
    lines.push_back("|    total_timesteps      | " + std::to_string(3000 * i + 10) +
                    "        |");  // an evaluation's
  }
  const Records records = records_of(*format_named("stable_baselines3"), lines);
  ASSERT_FALSE(records.runs.empty());
  EXPECT_EQ(records.runs.back().ordinal, 0);
  EXPECT_EQ(records.runs.back().train.iterations, 9000);
  EXPECT_EQ(to_seconds(records.runs.back().train.duration), 90.0);
}

TEST(ProgressBars, ATableOfProgressIsOneRun) {
  std::vector<std::string> lines = {"rollout/ep_rew_mean,time/total_timesteps,time/fps,time/time_elapsed"};
  for (int i = 1; i <= 4; ++i)
    lines.push_back("-1.5," + std::to_string(3000 * i) + ",100," + std::to_string(30 * i));
  const auto runs = runs_of(lines, 3);  // with a restart amid it
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 12000);
  EXPECT_EQ(runs.at(0).train.iterations, 9000);
  EXPECT_EQ(step_time(runs.at(0)), 0.01);
}

TEST(ProgressBars, UnderAHeadingTheFirstIsTheTrainingAndTheSecondTheTest) {
  std::vector<std::string> lines = {"==> Preparing data.."};
  for (int epoch = 0; epoch < 3; ++epoch) {
    lines.push_back("Epoch: " + std::to_string(epoch));
    lines.push_back(" [====================== 250/250 ====================>]  Step: 80ms | Tot: 31s250ms");
    lines.push_back(" [====================== 100/100 ====================>]  Step: 20ms | Tot: 2s500ms");
  }
  lines.push_back("Epoch: 3");
  lines.push_back(" [=====>................. 50/250 ......................]  Step: 80ms | Tot: 6s250ms");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 750);
  EXPECT_EQ(runs.at(0).train.iterations, 750);
  EXPECT_EQ(step_time(runs.at(0)), 0.125);
  EXPECT_EQ(runs.at(0).test.iterations, 300);
}

// The mean of the epoch so far stands below the line that it is of.
TEST(ProgressBars, ATimeBelowItsLineIsThatOfTheStepsToTheNext) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 5; ++i) {
    lines.push_back("   --> STEP: 24/36 -- GLOBAL_STEP: " + std::to_string(1000000 + 25 * i));
    lines.push_back("     | > loss_0: 2.12500  (2.25000)");
    lines.push_back("     | > step_time: 1.50000  (1.25000)");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 1000125);
  EXPECT_EQ(runs.at(0).train.iterations, 100);
  EXPECT_EQ(step_time(runs.at(0)), 1.25);
}

TEST(ProgressBars, NumbersInGroupsOfThreeAreNumbers) {
  const Records records = read_bars({"***** Running training *****", "  Total optimization steps = 11,900",
                                     " 25%|# | 1/11900 [03:40<11:00, 220.00s/it]"});
  ASSERT_EQ(records.runs.size(), 1U);
  EXPECT_EQ(records.runs[0].max_iterations, 11900);
}

TEST(ProgressBars, AnEpochThatIsBrokenOffIsMeasuredAsFarAsItWent) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 6; ++i) lines.push_back(bar_of(i * 100, 1000, i * 50, "Epoch 0"));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 600);
  EXPECT_EQ(runs.at(0).train.iterations, 600);
  EXPECT_EQ(step_time(runs.at(0)), 0.5);
}

// Steps of 0.5 s, and after each 500 a validation of 30 s, while which the epoch's bar counts on.
TEST(ProgressBars, AValidationAmidAnEpochIsTakenOut) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 2; ++epoch) {
    const std::string name = "Epoch " + std::to_string(epoch);
    int seconds = 0;
    for (int step = 100; step <= 1000; step += 100) {
      seconds += 50;
      lines.push_back(bar_of(step, 1000, seconds, name));
      if (step % 500 != 0) continue;
      for (const int batch : {10, 20})
        lines.push_back(bar_of(batch, 20, batch * 3 / 2, "Validation DataLoader 0"));
      seconds += 30;
      lines.push_back(bar_of(step, 1000, seconds, name));
    }
  }
  for (std::size_t restart = 0; restart < lines.size(); restart += 5) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).train.iterations, 2000);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.5) << restart;
    EXPECT_EQ(runs.at(0).test.iterations, 80);
  }
}

TEST(ProgressBars, AnEpochTooShortForItsStatesIsMeasuredByItsEnd) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 4; ++epoch)
    for (int i = 1; i <= 4; ++i)
      lines.push_back(bar_of(i * 25, 100, i * 2, "Epoch " + std::to_string(epoch)));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 400);
  EXPECT_EQ(step_time(runs.at(0)), 0.08);
}

// Steps of two seconds first, and of three later, of which few states are kept: the first tells of all before it, but
// of a training that goes on from a snapshot, whose bar counts steps that it has not done.
TEST(ProgressBars, TheFirstStateTellsOfTheStepsBeforeIt) {
  const std::vector<std::string> states = {
      "  0%|          | 0/700 [00:00<?, ?it/s]",
      "{'eval_loss': 0.5, 'eval_runtime': 10.0, 'eval_steps_per_second': 5.0}",
      " 42%|####2     | 294/700 [09:58<13:32,  2.00s/it]",
      "{'eval_loss': 0.5, 'eval_runtime': 12.0, 'eval_steps_per_second': 5.0}",
      " 92%|#########2| 644/700 [27:40<02:48,  3.00s/it]",
      "100%|##########| 700/700 [30:28<00:00,  3.00s/it]"};
  for (std::size_t restart = 0; restart <= states.size(); ++restart) {
    std::vector<std::string> lines = {"***** Running training *****"};
    lines.insert(lines.end(), states.begin(), states.end());
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).train.iterations, 700);
    EXPECT_NEAR(to_seconds(runs.at(0).train.duration), 294 * 2 + 406 * 3, 1.5);
  }
}

TEST(ProgressBars, OfATrainingThatGoesOnFromASnapshotTheFirstStateTellsNothing) {
  std::vector<std::string> lines = {"***** Running training *****"};
  for (int i = 0; i <= 4; ++i) lines.push_back(bar_of(500 + 50 * i, 700, 10 + 150 * i, ""));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 200);
  EXPECT_EQ(step_time(runs.at(0)), 3);
}

// The states of a bar of 400 steps whose length nobody knows, for each of three epochs.
std::vector<std::string> endless(const char* form) {
  std::vector<std::string> lines = {"Epoch 1: validation 0it [00:00, ?it/s]"};
  for (int epoch = 0; epoch < 3; ++epoch)
    for (int i = 1; i <= 4; ++i) {
      char text[160];
      std::snprintf(text, sizeof text, form, epoch, i * 100, i * 25 / 60, i * 25 % 60);
      lines.emplace_back(text);
    }
  return lines;
}

TEST(ProgressBars, OnesOfUnknownLengthCountFromTheirEpochsBeginning) {
  for (const char* form : {"Epoch %d: : %dit [%02d:%02d,  4.00it/s, loss=0.5, v_num=1]",
                           "Epoch %d: |      | %d/? [%02d:%02d<00:00,  4.00it/s, v_num=1]"}) {
    const auto runs = runs_of(endless(form), 7);
    ASSERT_EQ(runs.size(), 1U) << form;
    EXPECT_EQ(runs.at(0).framework, "tqdm");
    EXPECT_EQ(runs.at(0).iteration, 1200);
    EXPECT_EQ(runs.at(0).train.iterations, 1200);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.25);
  }
}

TEST(ProgressBars, OnesOfUnknownLengthThatSayNoEpochCountOnWhereTheyBeginAgain) {
  std::vector<std::string> lines = endless("%d: %dit [%02d:%02d,  4.00it/s, loss=0.5]");
  for (std::string& line : lines) line.erase(0, line.find(": ") + 2);
  const auto runs = runs_of(lines, 7);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 1200);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.25);
}

TEST(ProgressBars, OnesOfUnknownLengthThatShowNoLossAreNothing) {
  EXPECT_TRUE(runs_of(endless("Reading features of epoch %d: %dit [%02d:%02d,  4.00it/s]")).empty());
}

TEST(ProgressBars, ABarNamedAfterTheEpochThatItCounts) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 8; ++i) lines.push_back(bar_of(i, 8, i * 60, "Epoch " + std::to_string(i) + "/8"));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 8);
  EXPECT_EQ(runs.at(0).max_iterations, 8);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_EQ(step_time(runs.at(0)), 60);
}

// Whole seconds say too little of a bar of ten: its end, where the roundings of a plan's parts cancel out, is of no
// use where no part was measured.
TEST(ProgressBars, ABarNamedAfterTheEpochThatItCountsWithoutATotal) {
  for (const int from : {1, 31}) {
    std::vector<std::string> lines;
    for (int i = from; i <= 40; ++i)
      lines.push_back(bar_of(i, 40, i * 60, "Epoch " + std::to_string(i - 1) + ", loss: 0.5"));
    for (const std::size_t restart : {0U, 3U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U) << from;
      EXPECT_EQ(runs.at(0).iteration, 40);
      EXPECT_EQ(runs.at(0).max_iterations, 40);
      EXPECT_EQ(runs.at(0).state, RunState::finished);
      EXPECT_NEAR(step_time(runs.at(0)), 60, 1);
    }
  }
}

// Two states of some of its epochs, and of the others the last one alone.
TEST(ProgressBars, OnesOfUnknownLengthBeginAgainWhereTheyEndAlike) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 6; ++epoch) {
    const std::string name = "Train Epoch: " + std::to_string(epoch) + " [661/661 (100%)] Loss: 0.5: : ";
    if (epoch % 2 == 0) lines.push_back(name + "658it [04:07,  2.66it/s]");
    lines.push_back(name + "661it [04:08,  2.66it/s]");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6 * 661);
  EXPECT_NEAR(step_time(runs.at(0)), 0.375, 0.004);
}

// pytorch-classification's: under each heading a bar of the training and one of the test, with the mean so far.
TEST(ProgressBars, MeansSoFarUnderHeadingsCountFromTheirEpochsBeginning) {
  std::vector<std::string> lines;
  const auto bar = [&lines](int done, int all, double mean) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "Processing |##  | (%d/%d) Data: 0.002s | Batch: %.3fs | Total: 0:00:12 | ETA: 0:00:01 | "
                  "Loss: 1.2500 | top1:  41.2500 | top5:  91.2500",
                  done, all, mean);
    lines.push_back(text);
  };
  for (int epoch = 1; epoch <= 5; ++epoch) {
    lines.push_back("Epoch: [" + std::to_string(epoch) + " | 5] LR: 0.012500");
    for (int i = 1; i <= 391; i += 10) bar(i, 391, 0.125 + 0.4 / i);
    for (int i = 1; i <= 79; i += 10) bar(i, 79, 0.05);
  }
  for (const std::size_t restart : {0U, 60U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 5 * 391);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
    EXPECT_NEAR(step_time(runs.at(0)), 0.125, 0.001);
    EXPECT_EQ(runs.at(0).train.iterations, 5 * 391 - 1) << "all behind the first state";
  }
}

TEST(ProgressBars, AShortOneThatNothingElseMeasuresIsNoMeasurement) {
  const auto runs = runs_of({"{'loss': 1.25, 'learning_rate': 2.5e-06, 'epoch': 0.5}",
                             " 50%|█████     | 14/28 [00:05<00:05,  2.80it/s]",
                             "100%|██████████| 28/28 [00:10<00:00,  2.80it/s]"});
  for (const auto& run : runs) EXPECT_EQ(run.second.train.segments, 0) << run.first;
}

TEST(ProgressBars, OneOfAFewSecondsBehindTheEndIsNoTraining) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 4; ++i) lines.push_back(bar_of(i * 30, 120, i * 60, ""));
  lines.push_back("{'train_runtime': 240.5, 'train_samples_per_second': 4.0, 'train_steps_per_second': 0.5}");
  for (int i = 1; i <= 4; ++i) lines.push_back(bar_of(i * 8, 32, i / 4, ""));
  EXPECT_EQ(runs_of(lines).size(), 1U);
}

// What the Trainer prints stands behind the bar's last state where the log is not a terminal.
TEST(ProgressBars, AnEvaluationBehindTheBarIsTakenOut) {
  std::vector<std::string> lines = {"***** Running training *****"};
  int seconds = 0;
  for (int step = 40; step <= 400; step += 40) {
    seconds += 60;
    lines.push_back(bar_of(step, 400, seconds, ""));
    if (step % 200 != 0) continue;
    lines.push_back(bar_of(step, 400, seconds, "") + "{'eval_loss': 0.5, 'eval_runtime': 30.0}");
    seconds += 30;
  }
  lines.push_back(bar_of(400, 400, seconds, "") +
                  "{'train_runtime': 660.0, 'train_steps_per_second': 0.606}");
  const Records records = read_bars(lines);
  double trained = 0;
  std::int64_t steps = 0;
  for (const auto& segment : records.segments) {
    if (segment.value.phase != Phase::train) continue;
    trained += to_seconds(segment.value.duration);
    steps += segment.value.iterations;
  }
  ASSERT_GT(steps, 0);
  EXPECT_NEAR(trained / static_cast<double>(steps), 1.5, 0.01);
  EXPECT_EQ(records.runs.back().state, RunState::finished);
}

// 40 steps of 1.5 s, then an evaluation of 30 s, behind which the bar is drawn again; what the evaluations came to is
// printed at once, or long after, as where the output goes through a buffer.
TEST(ProgressBars, WhatTheBarShowsAgainBehindAnotherIsNoTraining) {
  const std::string result = "{'eval_loss': 0.5, 'eval_runtime': 29.5}";
  for (const bool late : {false, true}) {
    for (std::size_t restart = 0; restart < 60; restart += 7) {
      std::vector<std::string> lines = {"***** Running training *****"};
      int seconds = 0;
      for (int step = 20; step <= 400; step += 20) {
        seconds += 30;
        lines.push_back(bar_of(step, 400, seconds, ""));
        if (late && step % 80 == 20 && step > 40) lines.push_back(result);
        if (step % 40 != 0) continue;
        lines.push_back(bar_of(15, 90, 5, ""));
        lines.push_back(bar_of(90, 90, 29, ""));
        if (!late) lines.push_back(result);
        seconds += 30;
        lines.push_back(bar_of(step, 400, seconds, ""));
      }
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_GE(runs.at(0).train.iterations, 380);
      EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 1.5) << late << ' ' << restart;
    }
  }
}

TEST(ProgressBars, ATrainingThatStopsEarlyIsFinishedAsItWasMadeTo) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 5; ++epoch)
    lines.push_back(bar_of(100, 100, 50, "Epoch " + std::to_string(epoch) + " [Train]"));
  lines.emplace_back("Early stopping triggered after 5 epochs");
  lines.emplace_back("Training completed!");
  const Records records = records_of(*format_named("tqdm"), lines);
  ASSERT_FALSE(records.runs.empty());
  EXPECT_EQ(records.runs.back().ordinal, 0);
  EXPECT_EQ(records.runs.back().state, RunState::finished);
}

// A long bar says 100 % before its end: 347 of 348 is no epoch of its own, beside one that has come to its end.
// Nor under headings of bars without a name, of which the first that is full is the training's.
TEST(ProgressBars, AStepBeforeTheEndIsNotTheEnd) {
  struct Bars {
    std::string training;
    bool validates;
  };
  for (const auto& [training, validates] :
       {Bars{"Training: ", true}, Bars{"Training: ", false}, Bars{"", false}}) {
    std::vector<std::string> lines;
    for (int epoch = 1; epoch <= 4; ++epoch) {
      lines.push_back("Epoch " + std::to_string(epoch) + "/4");
      lines.push_back(training + "100%|##| 347/348 [00:21<00:00, 16.00it/s]");
      lines.push_back(training + "100%|##| 348/348 [00:21<00:00, 16.25it/s]");
      if (!validates) continue;
      lines.emplace_back("Validation: 100%|##| 347/348 [00:02<00:00, 160.00it/s]");
      lines.emplace_back("Validation: 100%|##| 348/348 [00:02<00:00, 162.50it/s]");
    }
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 4 * 348);
    EXPECT_EQ(runs.at(0).train.iterations, 4 * 348);
    EXPECT_EQ(runs.at(0).test.segments, validates ? 4 : 0);
  }
}

}  // namespace
}  // namespace etad::test
