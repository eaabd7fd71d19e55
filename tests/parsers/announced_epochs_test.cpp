// Epochs that a line of their own announces, above bars without a name and above steps that do not say which epoch
// they are of.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

TEST(HeadingsAndBars, TheFirstBarIsTheTrainingsTheOthersAreTests) {
  Lines lines = {"Files already downloaded", "100%|##########| 12/12 [00:09<00:00,  1.33it/s]"};
  for (int epoch = 1; epoch <= 5; ++epoch) {
    lines.push_back("Epoch " + std::to_string(epoch) + "/5");
    lines.push_back("----------");
    lines.push_back("  0%|          | 0/400 [00:00<?, ?it/s]");
    lines.push_back("100%|##########| 400/400 [00:32<00:00, 12.50it/s]");
    lines.push_back("100%|##########| 80/80 [00:04<00:00, 20.00it/s]");
    lines.push_back("train loss 0.8125 | val acc 0.75");
  }
  for (const std::size_t restart : {0U, 10U, 20U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    const etad::Run& run = runs.at(0);
    EXPECT_EQ(run.framework, "generic");
    EXPECT_EQ(run.iteration, 2000);
    EXPECT_EQ(run.max_iterations, 2000);
    EXPECT_EQ(run.train.segments, 5);
    EXPECT_NEAR(step_time(run), 0.08, 1e-9);
    EXPECT_EQ(run.test.iterations, 400);
    EXPECT_EQ(run.state, RunState::finished);
  }
}

TEST(HeadingsAndBars, BarsThatNoHeadingPrecedesAreNothing) {
  Lines lines;
  for (int i = 0; i < 40; ++i) lines.push_back("100%|##########| 400/400 [00:32<00:00, 12.50it/s]");
  EXPECT_TRUE(runs_of(lines).empty());
}

TEST(AnnouncedEpochs, StepsThatSayNoEpochAreOfTheOneAnnounced) {
  Lines lines = {"03/11 05:00:00 PM gpu device = 0",
                 "03/11 05:00:00 PM args = Namespace(arch='TINY', batch_size=96, epochs=600)"};
  int seconds = 0;
  const auto say = [&](const std::string& what) {
    char stamp[64];
    std::snprintf(stamp, sizeof stamp, "03/11 05:%02d:%02d PM ", seconds / 60, seconds % 60);
    lines.push_back(stamp + what);
  };
  for (int epoch = 0; epoch < 3; ++epoch) {
    say("epoch " + std::to_string(epoch) + " lr 2.500000e-02");
    for (const char* batch : {"000", "050", "100", "150"}) {
      say(std::string("train ") + batch + " 1.251250e+00 45.312500 78.125000");
      seconds += 25;
    }
    say("train_acc 45.250000");
    for (const char* batch : {"000", "050"}) {
      say(std::string("valid ") + batch + " 1.251250e+00 45.312500 78.125000");
      seconds += 10;
    }
    say("valid_acc 50.250000");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).network, "TINY");
  EXPECT_EQ(runs.at(0).train.batch_size, 96);
  EXPECT_EQ(runs.at(0).devices, 1);
  EXPECT_EQ(runs.at(0).iteration, 450);
  EXPECT_EQ(runs.at(0).train.segments, 9);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-9);
}

// A heading, what the training came to a minute later, what the validation came to half a minute after that.
Lines epochs_with_results(const std::vector<std::string>& told, int epochs = 6) {
  Lines lines;
  int seconds = 0;
  const auto say = [&](const std::string& what) {
    char stamp[64];
    std::snprintf(stamp, sizeof stamp, "2026-03-01 10:%02d:%02d,250 - INFO - ", seconds / 60, seconds % 60);
    lines.push_back(stamp + what);
  };
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    say("Epoch " + std::to_string(epoch) + "/" + std::to_string(epochs));
    for (const std::string& line : told) {
      seconds += line.starts_with("Train") ? 60 : 30;
      say(line);
    }
  }
  say("Training complete");
  return lines;
}

TEST(AnnouncedEpochs, AValidationBehindTheLineOfTrainingIsTakenOut) {
  const Lines lines =
      epochs_with_results({"Train Loss: 0.2516, Train Acc: 91.8%", "Val Loss: 0.2713, Val Acc: 91.6%"});
  for (const std::size_t restart : {0U, 2U, 8U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    EXPECT_EQ(runs.at(0).train.segments, 6);  // of the last one, too, the line tells where its training ended
    EXPECT_NEAR(step_time(runs.at(0)), 60, 1e-6);
  }
}

TEST(AnnouncedEpochs, LinesOfTrainingAmidTheEpochDoNotShowWhereItEnds) {
  const auto runs = runs_of(epochs_with_results({"Train Loss: 0.3", "Train Loss: 0.2", "Val Loss: 0.3"}));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 150, 1e-6);
}

}  // namespace
}  // namespace etad::test
