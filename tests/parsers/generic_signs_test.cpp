// By what lines of no known framework are known for a training's, and which reading of them counts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

// No line of it speaks of a training in any other way.
TEST(GenericSigns, StepsWhoseFieldsAreThoseOfATraining) {
  const auto runs = runs_of(lines_by(
      20, [](int i) { return written("2026-03-01 10:%02d:00 Step %d: Cross entropy = 4.5000", i, 10 * i); }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(step_time(runs.at(0)), 6);
}

// Numbers whose place says what they count, and figures of networks that say no loss.
TEST(GenericSigns, LinesWithoutAWordForWhatTheyCountOrComeTo) {
  const auto iteration_of = [](const char* form) {
    const auto runs = runs_of(lines_by(20, [&](int i) {
      return written("2026-03-01 10:%02d:00,250 - INFO - ", i) + written(form, 100 * i);
    }));
    return runs.size() == 1 ? runs.at(0).iteration.value_or(-1) : -1;
  };
  EXPECT_EQ(iteration_of("[1, %5d] loss: 1.250"), 1900);
  EXPECT_EQ(iteration_of("%d [D loss: 0.7125, acc.: 50.00%%] [G loss: 0.8125]"), 1900);
  EXPECT_EQ(iteration_of("[%04d] train_loss: 0.7125 | dev_loss: 0.8125"), 1900);
  EXPECT_EQ(iteration_of("Epoch 1, Step %d: Rec=0.2125, KL=125.5, Total=1.5125"), 1900);
  EXPECT_EQ(iteration_of("Iteration %d, D: 0.0125, G: 1.5125, G_recon: 0.1125"), 1900);
  EXPECT_EQ(iteration_of("Iteration %d, D: 0.0125"), -1);
}

// Three lines are few, but not where they count to the total that each tells of.
TEST(GenericSigns, AFewEpochsThatComeToTheirTotalAreARun) {
  const auto epochs = [](int lines, const char* form) {
    return runs_of(lines_by(lines, [&](int i) { return written(form, i, i + 1, 60.25 + i); }));
  };
  const char* const kStamped = "2026-03-01 1%d:00:00 Epoch %d/3 loss 0.8125 lr %.2f";
  const char* const kStated = "2026-03-01 - 1%d Epoch %d/2, Loss: 0.8125, Time: %.2fs";
  ASSERT_EQ(epochs(3, kStamped).size(), 1U);
  EXPECT_EQ(epochs(3, kStamped).at(0).state, RunState::finished);
  EXPECT_EQ(step_time(epochs(3, kStamped).at(0)), 3600);
  EXPECT_EQ(epochs(2, kStated).size(), 1U);
  EXPECT_EQ(epochs(2, kStamped).size(), 0U);
  EXPECT_EQ(epochs(1, kStated).size(), 0U);
  EXPECT_EQ(epochs(3, "2026-03-01 1%d:00:00 Part %d/3 of the archive, %.2f MB").size(), 0U);
}

// What prepares data or evaluates draws such bars, too, but seldom for as long as a minute in a training's log.
TEST(GenericSigns, ABarWithoutANameIsATrainingsOnceItHasGoneOnForAMinute) {
  const auto bar = [](int steps, const char* heading) {
    std::vector<std::string> lines = {heading};
    for (int i = 1; i <= steps; ++i)
      lines.push_back(written("%3d%%|##| %d/800 [%02d:%02d<10:00,  1.00it/s]", i / 8, i, i / 60, i % 60));
    return runs_of(lines);
  };
  ASSERT_EQ(bar(105, "Starting training...").size(), 1U);
  EXPECT_EQ(bar(105, "Starting training...").at(0).iteration, 105);
  EXPECT_NEAR(step_time(bar(105, "Starting training...").at(0)), 1, 0.05);
  EXPECT_TRUE(bar(55, "Starting training...").empty());
  EXPECT_TRUE(bar(105, "Loading checkpoint shards").empty());
}

// Errors that are counted are no measure of a training.
TEST(GenericSigns, BatchesBesideCountedErrorsAreNoTraining) {
  const auto batches = [](const char* figure) {
    return runs_of(lines_by(20, [&](int i) {
      return written("2026-03-01 10:%02d:00 INFO Batch %d/20 done: 1000 rows, ", i, i) + figure;
    }));
  };
  EXPECT_TRUE(batches("errors 0").empty());
  EXPECT_TRUE(batches("3 failures").empty());
}

// What a program reads is no training, and what trains with it is.
TEST(GenericSigns, ABarUnderWordsOfATrainingSetIsNoTraining) {
  const auto bars = [](const std::string& heading) {
    std::vector<std::string> lines = {heading};
    for (int i = 1; i <= 20; ++i)
      lines.push_back(written("%3d%%|##| %d/1000 [%02d:00<01:00,  1.2s/it]", 5 * i, 50 * i, i));
    return runs_of(lines);
  };
  for (const char* heading : {"Extracting features for training set", "Loading training data",
                              "training images: 12", "Reading the training examples"})
    EXPECT_TRUE(bars(heading).empty()) << heading;
  for (const char* heading :
       {"Start training", "Training started", "Training the network", "training: begin"})
    EXPECT_EQ(bars(heading).size(), 1U) << heading;
}

// Each epoch says its time and every second one shows a step: fewer measurements of the same time by smaller steps.
TEST(GenericSigns, StepsGoBeforeEpochsOfTheSameTime) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 60; ++i) {
    if (i % 2 == 0)
      lines.push_back(
          written("Elapsed [0:%02d:%02d], Iteration [%d/10000], loss: 0.5", i / 6, i % 6 * 10, 100 * i));
    lines.emplace_back("Time Elapsed for This Epoch: 00:00:10");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(step_time(runs.at(0)), 0.1);
}

// In the words of PyTorch's example, whose format makes nothing of lines that begin otherwise.
TEST(GenericSigns, OfLinesThatAFormatClaimsAndDoesNotRead) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 4; ++epoch)
    for (int batch = 0; batch < 97; batch += 12)
      lines.push_back(
          written("TRAINING - Epoch: [%d][%d/97]\tTime 0.250 (0.250)\tData 0.125 (0.125)\t"
                  "Loss 1.2500 (1.5000)\tPrec@1 40.000 (35.000)",
                  epoch, batch));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).framework, "generic");
  EXPECT_EQ(runs.at(0).iteration, 387);
  EXPECT_NEAR(step_time(runs.at(0)), 0.25, 1e-6);
}

// Each counts from its own beginning.
TEST(GenericSigns, OfEpisodesAreNoneWhereStepsAreCounted) {
  std::vector<std::string> lines;
  for (int i = 0; i < 20; ++i) {
    lines.push_back(written("  [Episode %d] Avg reward: 9.1250 | Avg energy: 442.2500", 10 * i));
    lines.push_back(written(" Algo mappo updates %d/200 episodes, total num timesteps %d/60000, FPS 40.",
                            10 * i, 3000 * (i + 1)));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 60000);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.025);
}

// Headings tell all of an epoch, its validation too, and lines below them its steps: these say more.
TEST(GenericSigns, StepsCountThoughValidationsLieBesideThem) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 40; ++epoch) {
    lines.push_back(
        written("[2026-03-28 %02d:%02d:00][Epoch %03d] ...", 10 + epoch / 6, epoch % 6 * 10, epoch));
    lines.push_back(
        written("[2026-03-28 %02d:%02d:00][Epoch %03d] global_step=%d train_loss=1.2500 val_loss=1.5000"
                " epoch_time=576.00s step_time=0.57 (min=0.15s, max=9.50)",
                10 + (epoch + 1) / 6, (epoch + 1) % 6 * 10, epoch, 1000 * (epoch + 1)));
  }
  lines.emplace_back("[2026-03-28 16:40:00][Epoch 040] ...");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 40'000);
  EXPECT_NEAR(step_time(run), 0.57, 0.01);
}

// A table of trainings that are over is none itself: how long one of them took is no epoch's time. Under an epoch's heading
// it is.
TEST(GenericSigns, ATrainingsTimeAloneIsAnEpochsUnderItsHeading) {
  std::vector<std::string> results, epochs;
  for (int i = 1; i <= 20; ++i) {
    results.insert(results.end(),
                   {"Result:", "    arch: resnet18", written("    end_epoch: %d", 40 + i * 7 % 11),
                    written("    train_seconds: %d.125", 512 + i * 5 % 7), "    seed: 12"});
    epochs.insert(epochs.end(), {written("Epoch %d/20", i), "train_seconds: 62.5", ""});
  }
  EXPECT_TRUE(runs_of(results).empty());
  const etad::Run run = only_run(epochs);
  EXPECT_EQ(run.iteration, 20);
  EXPECT_NEAR(step_time(run), 62.5, 1e-9);
}

}  // namespace
}  // namespace etad::test
