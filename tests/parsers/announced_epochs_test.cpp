// Epochs that a line of their own announces, above bars without a name and above steps that do not say which epoch
// they are of.
#include <gtest/gtest.h>

#include <cstdint>
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

// The epochs from `first` on of a training that numbers them in headings, and their steps from 0 on: 150 of half a second
// each, and a validation.
Lines three_epochs(int first) {
  Lines lines;
  int seconds = 0;
  const auto say = [&](const std::string& what) {
    char stamp[64];
    std::snprintf(stamp, sizeof stamp, "03/11 05:%02d:%02d PM ", seconds / 60, seconds % 60);
    lines.push_back(stamp + what);
  };
  for (int epoch = first; epoch < first + 3; ++epoch) {
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
  return lines;
}

const Lines kBeginning = {"03/11 05:00:00 PM gpu device = 0",
                          "03/11 05:00:00 PM args = Namespace(arch='TINY', batch_size=96, epochs=600)"};

TEST(AnnouncedEpochs, StepsThatSayNoEpochAreOfTheOneAnnounced) {
  Lines lines = kBeginning;
  for (const std::string& line : three_epochs(0)) lines.push_back(line);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).network, "TINY");
  EXPECT_EQ(runs.at(0).train.batch_size, 96);
  EXPECT_EQ(runs.at(0).devices, 1);
  EXPECT_EQ(runs.at(0).iteration, 450);
  EXPECT_EQ(runs.at(0).train.segments, 9);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-9);
}

// The rest of an epoch whose heading was rotated away.
TEST(AnnouncedEpochs, OfALogThatBeginsAmidOneAreOneRun) {
  Lines lines = three_epochs(21);
  lines.erase(lines.begin(), lines.begin() + 2);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 450);
  EXPECT_EQ(runs.at(0).train.iterations, 400);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-9);
}

// Behind which another training begins.
TEST(AnnouncedEpochs, OfALogThatBeginsAmidOneEndWithTheNextRunsArguments) {
  Lines lines = three_epochs(21);
  lines.erase(lines.begin(), lines.begin() + 2);
  lines.resize(9);  // but one epoch is left
  for (const Lines& more : {kBeginning, three_epochs(0)})
    for (const std::string& line : more) lines.push_back(line);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 150);
  EXPECT_EQ(runs.at(1).network, "TINY");
  EXPECT_EQ(runs.at(1).iteration, 450);
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

// Each heading bears no time, and a date stands on a line of its own below it.
TEST(AnnouncedEpochs, AreDatedByTheLineBelow) {
  Lines lines;
  for (int i = 0; i < 8; ++i) {
    lines.push_back(written("**** EPOCH %03d ****", i));
    lines.push_back(written("2026-03-01 10:%02d:%02d.250125", 62 * i / 60, 62 * i % 60));
    lines.emplace_back("mean loss: 0.8125");
    lines.emplace_back("eval mean loss: 0.9125");
  }
  for (const std::size_t restart : {0U, 9U, 10U, 11U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    EXPECT_EQ(runs.at(0).train.segments, 7) << restart;
    EXPECT_EQ(runs.at(0).iteration, 7) << restart;
    EXPECT_NEAR(step_time(runs.at(0)), 62, 1e-6) << restart;
  }
}

// One whose date is missing is measured neither itself nor together with the next.
TEST(AnnouncedEpochs, ThatNothingDatesAreLeftOut) {
  Lines lines;
  for (int i = 0; i < 8; ++i) {
    lines.push_back(written("**** EPOCH %03d ****", i));
    if (i != 3) lines.push_back(written("2026-03-01 10:%02d:%02d.250125", 62 * i / 60, 62 * i % 60));
    lines.emplace_back("mean loss: 0.8125");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.segments, 5);
  EXPECT_NEAR(step_time(runs.at(0)), 62, 1e-6);
}

// The heading, the training's result and the validation's are written together when the epoch is over.
TEST(AnnouncedEpochs, WhoseHeadingIsTheirResultsTitleTakeUntilTheNextOne) {
  Lines lines;
  for (int i = 0; i < 8; ++i)
    for (const char* line : {",250 - INFO - Epoch %d/40", ",275 - INFO -   Train Loss: 0.25",
                             ",280 - INFO -   Val   Loss: 0.35"})
      lines.push_back(written("2026-03-01 10:%02d:00", 5 * i) + written(line, i));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.segments, 7);
  EXPECT_NEAR(step_time(runs.at(0)), 300, 0.1);
}

TEST(AnnouncedEpochs, LinesOfTrainingAmidTheEpochDoNotShowWhereItEnds) {
  const auto runs = runs_of(epochs_with_results({"Train Loss: 0.3", "Train Loss: 0.2", "Val Loss: 0.3"}));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 150, 1e-6);
}

// Steps out of a total are those of the epoch that a heading has announced out of a total: that makes the plan.
TEST(AnnouncedEpochs, TheirTotalAndTheStepsOfOneMakeThePlan) {
  const auto log = [](int minute, int epochs, int of, int whole, int more) {
    Lines lines;
    int seconds = 60 * minute;
    for (int epoch = 1; epoch <= whole + 1; ++epoch) {
      const auto say = [&](const std::string& what) {
        lines.push_back(
            written("2026-03-01 10:%02d:%02d,250 - INFO - %s", seconds / 60, seconds % 60, what.c_str()));
      };
      if (epoch <= whole || more > 0) say(written("Epoch %d/%d", epoch, epochs));
      for (int step = 10; step <= (epoch <= whole ? of : more); step += 10) {
        seconds += 2;
        say(written("Batch %d/%d | Energy: 1.25 | Perplexity: 812.5", step, of));
      }
      seconds += 7;  // a validation
    }
    return lines;
  };
  const Lines lines = log(0, 20, 65, 6, 20);
  for (const std::size_t restart : {0U, 20U, 45U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    EXPECT_EQ(runs.at(0).iteration, 6 * 65 + 20);
    EXPECT_EQ(runs.at(0).max_iterations, 20 * 65);
    EXPECT_EQ(runs.at(0).state, RunState::lost);
    EXPECT_NEAR(step_time(runs.at(0)), 0.2, 1e-9);
  }

  // A first try broke off in its first epoch, of more steps; half an hour later comes another.
  Lines again = log(0, 20, 5250, 0, 20);
  for (const std::string& line : log(40, 5, 65, 5, 0)) again.push_back(line);
  const auto runs = runs_of(again);
  ASSERT_FALSE(runs.empty());
  EXPECT_EQ(runs.rbegin()->second.iteration, 5 * 65);
  EXPECT_EQ(runs.rbegin()->second.max_iterations, 5 * 65);
  EXPECT_EQ(runs.rbegin()->second.state, RunState::finished);
  EXPECT_NEAR(step_time(runs.rbegin()->second), 0.2, 1e-9);
}

TEST(AnnouncedEpochs, StepsThatCountOnFromEpochToEpochAreTheRuns) {
  Lines lines;
  for (int step = 10; step <= 600; step += 10) {
    if (step % 200 == 10) lines.push_back(written("Epoch %d/3", step / 200 + 1));
    lines.push_back(written("step %d/600 loss 1.25 (0.25 s/step)", step));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 600);
  EXPECT_EQ(runs.at(0).max_iterations, 600);
  EXPECT_NEAR(step_time(runs.at(0)), 0.25, 1e-9);
}

// Named bars without a number, which the stamped lines above them have.
TEST(AnnouncedEpochs, NumberTheBarsBelowThem) {
  Lines lines;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    lines.push_back(written("2026-03-01 10:00:%02d,250 - INFO - Epoch %d/9", 10 * epoch, epoch));
    lines.emplace_back("Training:  50%|#####     | 20/40 [00:04<00:04,  5.00it/s]");
    lines.emplace_back("Training: 100%|##########| 40/40 [00:08<00:00,  5.00it/s]");
    lines.emplace_back("Validation: 100%|##########| 10/10 [00:01<00:00, 10.00it/s]");
  }
  lines.emplace_back("Testing: 100%|##########| 500/500 [00:10<00:00, 50.00it/s]");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 160);
  EXPECT_EQ(runs.at(0).max_iterations, 360);
  EXPECT_NEAR(step_time(runs.at(0)), 0.2, 1e-9);
}

TEST(AnnouncedEpochs, WithoutTheirTotal) {
  Lines lines;
  for (int i = 0; i < 6; ++i) {
    lines.push_back("[2026-03-01 " + time_of_day(10, 15 * i) + ",250] [INFO] - Epoch = " + std::to_string(i));
    lines.push_back("[2026-03-01 " + time_of_day(10, 15 * i) + ",250] [INFO] - \tTraining loss = 0.8125");
    lines.push_back("[2026-03-01 " + time_of_day(10, 15 * i) + ",250] [INFO] - \tValidation loss = 0.9125");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 5);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 15);
}

// A time called total is the epoch's where one stands below each heading. Behind the last one it is all of them's.
TEST(AnnouncedEpochs, WithATotalTimeBelow) {
  Lines lines;
  for (int i = 0; i < 6; ++i) {
    lines.push_back(written("Epoch %d", i));
    lines.emplace_back("Training loss: 91.25125125");
    lines.emplace_back("Validation loss: 92.25125125");
    lines.push_back(written("Total time: 12%d.50125125125", i % 2));
  }
  lines.emplace_back("Total time: 723.50125125");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6);
  EXPECT_NEAR(step_time(runs.at(0)), 121, 0.01);
}

TEST(AnnouncedEpochs, OfATableThatNamesNoTime) {
  Lines lines{" Epoch | Train Loss | Val Loss |  Val F1 |       LR", std::string(50, '-')};
  for (int i = 1; i <= 4; ++i)
    lines.push_back(written("     %d |     0.8125 |   0.9125 |  71.25%% | 9.33e-04  (6%d.5s)", i, i % 2));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 4);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 61);
}

TEST(AnnouncedEpochs, ByStampsOfMinutes) {
  const auto runs = runs_of(lines_by(6, [](int i) {
    return written("2026-03-01 1%d:%02d - INFO - [Train] epoch:%d, lr:0.000100, total:0.4125", i * 25 / 60,
                   i * 25 % 60, i + 1);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 1500);
}

// A training that was gone on with later, one epoch before where it broke off.
std::map<std::int64_t, etad::Run> gone_on_with(const std::string& day) {
  Lines lines;
  const auto train = [&lines](const std::string& date, int first, int count) {
    for (int i = 0; i < count; ++i) {
      lines.push_back(date + " " + time_of_day(10, 60 * i) + written(",250 - INFO - Epoch %d:", first + i));
      lines.push_back(date + " " + time_of_day(10, 60 * i + 40) +
                      ",250 - INFO - train - chamfer 0.4125, loss 0.5125");
    }
  };
  train("2026-03-01", 0, 20);
  train(day, 18, 20);
  return runs_of(lines);
}

TEST(AnnouncedEpochs, OfATrainingGoneOnWithTheNextDayAreAnotherRuns) {
  const auto runs = gone_on_with("2026-03-02");
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) EXPECT_NEAR(step_time(run), 60, 1) << ordinal;
  EXPECT_GE(runs.at(0).train.iterations, 19);
  EXPECT_GE(runs.at(1).train.iterations, 19);
}

// So they are after more years than 64 bits have nanoseconds for, on a machine whose clock ran away.
TEST(AnnouncedEpochs, OfATrainingGoneOnWithCenturiesLaterAreAnotherRuns) {
  EXPECT_EQ(gone_on_with("2426-03-02").size(), 2U);
}

// A training that an error ended in its first epoch, and one that was begun anew below it.
TEST(AnnouncedEpochs, ThatComeAgainBehindAnErrorAreAnotherRuns) {
  Lines lines;
  const auto train = [&lines](int epochs) {
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      lines.push_back(written("Epoch %d/3", epoch));
      for (int step = 1; step <= 100; ++step)
        lines.push_back(
            written("%d/100 ==================== 21s 500ms/step - accuracy: 0.5000 - loss: 1.2500", step));
    }
  };
  train(1);
  lines.insert(lines.end(),
               {"Traceback (most recent call last):", "ValueError: I/O operation on closed file."});
  train(3);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).state, RunState::failed);
  EXPECT_EQ(runs.at(0).message, "ValueError: I/O operation on closed file.");
  EXPECT_EQ(runs.at(1).iteration, 300);
}

// The number that an epoch has in this start stands before the one it has in all: no step out of a total. Behind the
// heading stands what its training and its test came to.
TEST(HeadingsAndBars, NumberTheEpochInThisStartAndInAll) {
  for (const int gone_on_at : {0, 18})
    for (const char* const form : {"Epoch %d (%d/40):", "**** Epoch %d (%d/40) ****"}) {
      Lines lines;
      const auto say = [&lines](int seconds, const std::string& text) {
        lines.push_back("2026-03-01 " + time_of_day(10, seconds) + ",250 - Model - INFO - " + text);
      };
      for (int i = 0; i < 9; ++i) {
        say(100 * i, written(form, i + 1, gone_on_at + i + 1));
        say(100 * i + 80, "Train mean loss: 0.812500");
        say(100 * i + 80, "Train accuracy: 0.712500");
        say(100 * i + 98, "Test Instance Accuracy: 0.612500, Class Accuracy: 0.512500");
      }
      const etad::Run run = only_run(lines);
      EXPECT_EQ(run.first_iteration, gone_on_at) << form;
      EXPECT_EQ(run.iteration, gone_on_at + 9) << form;
      EXPECT_EQ(run.max_iterations, 40) << form;
      EXPECT_NEAR(step_time(run), 80, 0.1) << form;
    }
}

// Headings are the clock; what is evaluated within an epoch, and saved behind that, is no training.
TEST(AnnouncedEpochs, AreWithoutTheEvaluationsThatSayThatTheyBegin) {
  std::vector<std::string> lines;
  int seconds = 0;
  const auto say = [&](const std::string& words, int later) {
    seconds += later;
    lines.push_back("2026-03-04 " + time_of_day(5, seconds) + ",250 - __main__ - INFO - " + words);
  };
  for (int epoch = 1; epoch <= 10; ++epoch) {
    say(written("Starting epoch %d/10", epoch), 0);
    say(written("Calculating validation loss at step %d...", epoch), 14);
    say("Validation loss: 11.8125", 4);
    say(written("Calculating validation loss at end of epoch %d...", epoch), 1);
    say(written("Epoch %d validation loss: 11.8125", epoch), 3);
    say(written("Saved checkpoint to out/checkpoint-%d", epoch), 15);
  }
  say("Finetuning complete! Saved to out/model", 5);
  for (const std::size_t restart : {0U, 22U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 10);
    EXPECT_NEAR(step_time(runs.at(0)), 15, 0.5) << restart;
  }
}

}  // namespace
}  // namespace etad::test
