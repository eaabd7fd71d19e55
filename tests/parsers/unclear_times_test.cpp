// What the times are of that lines state without saying so (parsers/log/unclear_times.h).
#include <gtest/gtest.h>

#include <functional>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

TEST(UnclearTimes, OfAnEpochAreItsOwn) {
  const auto runs = runs_of(lines_by(6, [](int i) {
    return written("Epoch %d/10 loss 0.8125 Time: %.2f", i + 1, i % 2 == 0 ? 60.25 : 64.75);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 62.5);
}

TEST(UnclearTimes, ThatGrowFromEpochToEpochCountFromTheBeginning) {
  const Lines lines =
      lines_by(9, [](int i) { return written("epoch %d loss 0.8125 time %.1f s", i, 60.5 * (i + 1)); });
  for (std::size_t restart = 0; restart < lines.size(); ++restart) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    EXPECT_NEAR(step_time(runs.at(0)), 60.5, 1e-6) << restart;
  }
}

// What was before is rotated away, or the training is gone on with; and one that goes on with its epochs' own times.
TEST(UnclearTimes, OfALogThatBeginsAmidATrainingCountFromTheBeginningWhereTheyGrowEvenly) {
  for (const int first : {5, 223}) {
    const Lines lines = lines_by(9, [first](int i) {
      return written("epoch= %d \t time= %.3f min \t loss= 0.0825", first + i, 7.34 * (first + i + 1));
    });
    for (const std::size_t restart : {0U, 1U, 2U, 5U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U) << first;
      EXPECT_NEAR(step_time(runs.at(0)), 7.34 * 60, 0.1) << first;
    }
    const auto own = runs_of(lines_by(9, [first](int i) {
      return written("epoch= %d \t time= %.3f min \t loss= 0.0825", first + i, 7.34 + 0.05 * (i % 3));
    }));
    ASSERT_EQ(own.size(), 1U) << first;
    EXPECT_EQ(own.at(0).train.iterations, 8) << first;
    EXPECT_NEAR(step_time(own.at(0)), 7.39 * 60, 2) << first;
  }
}

// The first epoch waits for its data, and the others for each other.
TEST(UnclearTimes, ThatGrowUnevenlyCountFromTheBeginningToo) {
  for (const double first : {120.0, 20.0}) {
    const Lines lines = lines_by(
        20, [first](int i) { return written("Epoch %d, Loss 3.7888, Time %.2fs", i + 1, first + 60.0 * i); });
    for (const std::size_t restart : {0U, 1U, 2U, 9U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_EQ(runs.at(0).iteration, 20);
      EXPECT_NEAR(to_seconds(runs.at(0).train.duration), first + 18 * 60, 1e-3);
    }
  }
}

TEST(UnclearTimes, ThatFallAgainWereTheEpochsOwn) {
  const auto runs = runs_of(lines_by(40, [](int i) {
    return written("Epoch %d, Loss 3.7888, Time %.2fs", i + 1,
                   i < 3        ? 40 + 20.0 * i
                   : i % 2 == 0 ? 70.0
                                : 80.0);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 40);
  EXPECT_NEAR(step_time(runs.at(0)), 75, 2.5);
}

TEST(UnclearTimes, ThatGrowFromStepToStepCountFromTheEpochsBeginning) {
  const auto runs = runs_of(lines_by(40, [](int i) {
    return written("Epoch: %d | Step: %d/500 | Loss: 0.8125 | Time: %.2f", 1 + i / 10, 50 * (i % 10 + 1),
                   12.5 * (i % 10 + 1));
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 2000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.25, 1e-6);
}

TEST(UnclearTimes, BesideEachSingleStepAreItsOwn) {
  const auto runs = runs_of(lines_by(30, [](int i) {
    return written("Epoch 0 Step %d/500 Loss: 0.8125 Time: %.2fs", i + 1, i % 2 == 0 ? 0.49 : 0.53);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 0.51, 0.01);
}

TEST(UnclearTimes, ThatMayBeOfOneStepOrOfManyAreNotTaken) {
  const auto runs = runs_of(lines_by(30, [](int i) {
    return written("Epoch 0 Step %d/500 Loss: 0.8125 Time: %.2fs", 10 * (i + 1), i % 2 == 0 ? 0.49 : 0.53);
  }));
  EXPECT_EQ(runs.size(), 0U);
}

TEST(UnclearTimes, OnLinesOfTheirOwnAreOfTheStepsInBetween) {
  Lines lines;
  for (int i = 1; i <= 90; ++i) {
    lines.push_back(written("iter %d:, hard_loss=0.2500, lr=0.000100", 100 * i));
    if (i % 10 == 0) lines.push_back(i % 20 == 0 ? "0:04:05.000000" : "0:04:15.000000");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 0.25, 0.006);
}

TEST(UnclearTimes, OfEpochsOnLinesOfTheirOwn) {
  Lines lines;
  for (int i = 1; i <= 5; ++i) {
    lines.push_back(written("Epoch %d/20", i));
    lines.push_back("train loss 0.4125 acc 0.7125");
    lines.push_back("Epoch time: 1m 2.5s");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 5);
  EXPECT_EQ(runs.at(0).max_iterations, 20);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 62.5);
}

// nnU-Net's: stamped, of no known number, and perhaps resumed.
TEST(UnclearTimes, OfEpochsUnderStampedHeadings) {
  for (const int first : {0, 250}) {
    Lines lines;
    for (int i = 0; i < 6; ++i) {
      const char* const stamp = "2026-03-01 10:%02d:%02d.250125: %s";
      lines.push_back(written(stamp, i, 0, written("Epoch %d ", first + i).c_str()));
      lines.push_back(written(stamp, i, 1, "Current learning rate: 0.01 "));
      lines.push_back(written(stamp, i, 57, "train_loss -0.2512 "));
      lines.push_back(written(stamp, i, 57, "Pseudo dice [0.7512, 0.6512] "));
      lines.push_back(written(stamp, i, 58, "Epoch time: 57.5 s "));
    }
    lines.emplace_back("2026-03-01 10:07:00.250125: Training done.");
    const auto runs = runs_of(lines, 7);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, first + 6);
    EXPECT_EQ(runs.at(0).train.iterations, 6);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 57.5);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
  }
}

// The epoch's own time, a validation with it, tells whose those beside every tenth step are.
TEST(UnclearTimes, BesideEveryTenthStepAreWhatTheEpochsOwnTimeShows) {
  for (const double each : {0.5, 0.05}) {
    Lines lines;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (int step = 0; step < 500; step += 10)
        lines.push_back(
            written("Epoch %d | Step %4d/500 | Loss: 0.8125 | Time: 0.5%d0s", epoch, step, step / 10 % 2));
      lines.push_back(written("Epoch %d completed in %.2fs | Avg Loss: 0.6125", epoch, 500 * each * 1.4));
    }
    for (const std::size_t restart : {0U, 30U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U) << each;
      EXPECT_EQ(runs.at(0).iteration, 1000) << each;
      EXPECT_NEAR(step_time(runs.at(0)), each, 0.03 * each) << each;
    }
  }
}

// Beside every tenth step a time may be that step's or all ten's: the lines around an epoch's end are nearer to each
// other, and tell.
TEST(UnclearTimes, BesideEveryTenthStepAreWhatAnEpochsEndShows) {
  const auto of_one = [](int, int) { return 0.52; };
  const auto of_all = [](int, int apart) { return 0.052 * apart; };
  for (const std::function<double(int, int)>& took : {std::function<double(int, int)>(of_one), {of_all}}) {
    Lines lines;
    for (int epoch = 0; epoch < 3; ++epoch)
      for (int step = 0; step <= 200; step += 10)
        lines.push_back(written("Epoch %d | Step %4d/201 | Loss: 0.5830 | LR: 2.86e-04 | Time: %.3fs", epoch,
                                step, took(step, step > 0 ? 10 : 1)));
    for (const std::size_t restart : {0U, 1U, 20U, 21U, 22U, 40U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U) << restart;
      EXPECT_EQ(runs.at(0).iteration, 602) << restart;
      EXPECT_GE(runs.at(0).train.iterations, 390) << restart;
      EXPECT_NEAR(step_time(runs.at(0)), took(1, 1), 0.001) << restart;
    }
  }
}

// Nothing tells where all lines are as far apart, or where what the nearer ones say fits neither.
TEST(UnclearTimes, BesideEveryTenthStepThatNothingExplainsAreNotTaken) {
  for (const double nearer : {0.0, 0.25}) {
    Lines lines;
    for (int step = 10; step <= 400; step += 10) {
      lines.push_back(written("Step %d/400 | Loss: 0.5830 | LR: 2.86e-04 | Time: %.3fs", step, 0.52));
      if (nearer > 0 && step % 100 == 0)
        lines.push_back(written("Step %d/400 | Loss: 0.5830 | LR: 2.86e-04 | Time: %.3fs", step + 4, nearer));
    }
    for (const auto& run : runs_of(lines)) EXPECT_EQ(run.second.train.segments, 0) << nearer;
  }
}

// (In whole minutes, as the trainers work them out: of three tenths of a second each.)
TEST(UnclearTimes, StillToComeTellWhatTheStepsDoneTook) {
  const Lines lines = lines_by(1200, [](int i) {
    const int done = 100 * (i + 1) - 1, minutes = (120'000 - done) * 3 / 600;
    return written("Epoch:[1/1](%d/120000) loss:5.125 lr:0.0005 epoch_Time:%d.0min:", done, minutes);
  });
  for (const std::size_t restart : {0U, 30U, 600U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    EXPECT_EQ(runs.at(0).iteration, 120'000);
    EXPECT_NEAR(step_time(runs.at(0)), 0.3, 0.005);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
  }
}

// Two epochs of half an hour, whose minutes are a sixtieth of what is left when the first ones are shown.
TEST(UnclearTimes, StillToComeOfShortEpochsAreTakenWhileTheyAreLong) {
  const auto runs = runs_of(lines_by(200, [](int i) {
    const int done = 100 * (i % 100) + 99;
    return written("Epoch:[%d/2](%d/10000) loss:5.125 lr:0.0005 epoch_Time:%d.0min:", 1 + i / 100, done,
                   (10'000 - done) / 300);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_GT(runs.at(0).train.iterations, 2'000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.2, 0.006);
}

// Seven minutes, of which the first steps made eleven.
TEST(UnclearTimes, StillToComeThatAreTooCoarseTellByWhereTheyComeDown) {
  const Lines lines = lines_by(200, [](int i) {
    const int done = 20 * (i + 1), minutes = (4200 - done) / 600 + (i < 2 ? 4 - 2 * i : 0);
    return written("Epoch:[1/1](%d/4200), loss: 0.5125, learning_rate: 0.00000004, epoch_time: %d.000min",
                   done, minutes);
  });
  for (const std::size_t restart : {0U, 30U, 100U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    EXPECT_GT(runs.at(0).train.iterations, 2'500);
    EXPECT_NEAR(step_time(runs.at(0)), 0.1, 0.003);
  }
}

// Beside the batches of an epoch it may be of all epochs: it hardly comes down as the epoch goes on.
TEST(UnclearTimes, StillToComeOfAllEpochsBesideThoseOfOne) {
  for (const bool all : {false, true}) {
    const auto runs = runs_of(lines_by(300, [all](int i) {
      const int done = 10 * i, left = all ? 20 * 1000 - done : 1000 - done % 1000, seconds = left / 2;
      return written("[Epoch %d/20] [Batch %d/1000] [D loss: 0.5] [G loss: 1.25] ETA: %d:%02d:%02d",
                     done / 1000, done % 1000, seconds / 3600, seconds / 60 % 60, seconds % 60);
    }));
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 2990);
    EXPECT_GT(runs.at(0).train.iterations,
              1500);  // not the first ones, nor those whose time is rounded too much
    EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.01) << all;
  }
}

TEST(UnclearTimes, StillToComeOfTheWholeRun) {
  const auto runs = runs_of(lines_by(200, [](int i) {
    const int left = (20'000 - 100 * (i + 1)) / 2;
    return written("Step %d/20000 | loss 0.8125 | ETA: %d:%02d:%02d", 100 * (i + 1), left / 3600,
                   left / 60 % 60, left % 60);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.005);
}

// UndefinedBehaviorSanitizer watches.
TEST(UnclearTimes, BesideNumbersBeyondAllCountsMeasureNothing) {
  const auto runs = runs_of(lines_by(8, [](int i) {
    return written("Epoch 3 step 922337203685477580%d/9223372036854775807 loss 0.8125 time 0.%d125", i % 8,
                   9 - i);
  }));
  for (const auto& [ordinal, run] : runs) EXPECT_EQ(run.train.iterations, 0);
}

// An evaluation of which no line tells lies behind every tenth line.
TEST(StampedTimes, SayWhatAStatedOneIsOfWhereTheyHoldMore) {
  for (const bool of_one_step : {true, false}) {
    int clock = 0;
    const Lines lines = lines_by(60, [&clock, of_one_step](int i) {
      clock += 20 + (i % 10 == 9 ? 100 : 0);
      return written("2026-03-01 %s Steps %d, Total time %.2f, Loss 1.25", time_of_day(10, clock).c_str(),
                     10 * (i + 1), of_one_step ? 2.0 : 20.0);
    });
    for (const std::size_t restart : {0U, 5U, 30U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_EQ(runs.at(0).train.iterations, 590);
      EXPECT_NEAR(step_time(runs.at(0)), 2, 1e-6);
    }
  }
}

// A validation between two epochs that takes as long as a few of the steps.
// What stands between two lines took no longer than the run so far, however far the count leaps.
TEST(StampedTimes, AreNotOutrunBySteps) {
  const auto line = [](int step, int seconds) {
    return "2026-03-01 " + time_of_day(10, seconds) + " step " + std::to_string(step) +
           "/200000 loss 0.5125 (1.50s/it)";
  };
  std::vector<std::string> lines;
  for (int i = 1; i <= 40; ++i) lines.push_back(line(i <= 20 ? 10 * i : 190000 + 10 * i, 15 * i));
  const auto run = only_run(lines);
  EXPECT_EQ(run.iteration, 190400);
  EXPECT_EQ(run.train.iterations, 38 * 10);
  EXPECT_DOUBLE_EQ(step_time(run), 1.5);
}

TEST(StampedTimes, SayItBetweenTwoEpochs) {
  double clock = 0;
  const auto runs = runs_of(lines_by(60, [&clock](int i) {
    const int batch = i % 5 + 1;
    clock += batch == 1 && i > 0 ? 8.25 : 4.25;
    const int seconds = static_cast<int>(clock);
    return written("2026-03-01 %s,%03d - Epoch: [%d][  %d00/  500]    Loss 1.250000    Time 0.04%d500",
                   time_of_day(10, seconds).c_str(), static_cast<int>(1000 * (clock - seconds)), i / 5, batch,
                   i % 2 == 0 ? 2 : 3);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.0425, 0.0005);
}

// Steps that always take longer than they state wait for something that this leaves out.
TEST(StampedTimes, CountWhereTheyAlwaysHoldMore) {
  int clock = 0;
  const auto runs = runs_of(lines_by(80, [&clock](int i) {
    clock += i < 20 ? 20 : 60;
    return written("2026-03-01 %s Steps %d, time %.2f, Loss 1.25", time_of_day(10, clock).c_str(),
                   10 * (i + 1), 2.0);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(to_seconds(runs.at(0).train.duration), 19 * 20 + 60 * 60, 8 * 40);
}

// What has gone by since the beginning holds what the stamps hold, and a time that the stamps contradict is of
// something else.
TEST(StampedTimes, CountWhereAStatedOneSaysNoMore) {
  for (const bool elapsed : {true, false}) {
    int clock = 0;
    const auto runs = runs_of(lines_by(60, [&clock, elapsed](int i) {
      clock += 20 + (i % 10 == 9 ? 100 : 0);
      return written("2026-03-01 %s Steps %d, Total time %.2f, Loss 1.25", time_of_day(10, clock).c_str(),
                     10 * (i + 1), elapsed ? clock : 0.25);
    }));
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_NEAR(to_seconds(runs.at(0).train.duration), 59 * 20 + 600, 1e-6);
  }
}

// Minutes, which no word says: the stamps are sixty times as far apart.
TEST(StampedTimes, OfEpochsCountWhereTheyAreFarLonger) {
  for (const bool grow : {false, true}) {
    Lines lines;
    for (int epoch = 1; epoch <= 40; ++epoch)
      lines.push_back(
          written("2026-03-01 10:%s,250 - INFO - {'epoch': %d, 'train_loss': 0.5125, 'elapsed': %.3f}",
                  time_of_day(0, 30 * epoch).substr(3).c_str(), epoch, grow ? 0.5 * epoch : 0.5));
    const auto run = only_run(lines);
    EXPECT_EQ(run.iteration, 40);
    EXPECT_GE(run.train.iterations, 36);
    EXPECT_NEAR(step_time(run), 30, 3);  // but for those before it shows
  }
}

// The time of a test below its result is none of the steps above and below it.
TEST(UnclearTimes, ThatAreATotalAndDoNotGrowAreNotTaken) {
  Lines lines;
  for (int i = 1; i <= 40; ++i) {
    lines.push_back(written("Average loss at step %d: 1.25", 100 * i));
    if (i % 2 != 0) continue;
    lines.emplace_back("Accuracy: 0.7125");
    lines.push_back(written("Total time: 1.%02d seconds", 32 - i % 7));
  }
  lines.emplace_back("Optimization Finished!");
  for (const auto& [ordinal, run] : runs_of(lines)) EXPECT_EQ(run.train.iterations, 0);
}

// A program's two loggers write each line, and but one of them dates it.
TEST(StampedTimes, AreTheLinesThatHaveThemOfTwoThatSayTheSame) {
  for (const bool dated_first : {false, true}) {
    Lines lines;
    for (int i = 1; i <= 20; ++i) {
      const std::string said = written("[%5d] | gnorm  1.25 lr  0.000125 | loss  5.50", 100 * i);
      const std::string dated =
          written("I0102 03:%02d:%02d.000006 140100000000000 train.py:298] ", i / 6, i % 6 * 10) + said;
      lines.push_back(dated_first ? dated : "INFO:tensorflow:" + said);
      lines.push_back(dated_first ? "INFO:tensorflow:" + said : dated);
    }
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 2000);
    EXPECT_EQ(runs.at(0).train.iterations, 1900);
    EXPECT_NEAR(step_time(runs.at(0)), 0.1, 1e-9);
  }
}

// Three times in a row a time has grown, by chance: one since a beginning does not fall, so this is none, and lines that
// are equally far apart do not show whether it is of one step or of ten.
TEST(UnclearTimes, ThatGrewByChanceAreNoneSinceABeginning) {
  Lines lines;
  for (int epoch = 1; epoch <= 3; ++epoch)
    for (int step = 0; step < 150; step += 10) {
      const double time = epoch > 1 || step > 20 ? 7.5 + step % 3 * 0.05 : 3.25 + step * 0.25;
      lines.push_back(written("[Epoch: %d/50][Iter: %d/150][loss_box: 0.81][time: %.2f]", epoch, step, time));
    }
  EXPECT_TRUE(runs_of(lines).empty());
}

// The first step's time is a small part of what the lines behind it say, which then is of all hundred of them. Where it is
// as long, or where they grow, it is not.
TEST(UnclearTimes, AreOfAllStepsSinceTheLastLineWhereTheFirstStepsIsASmallPart) {
  const auto runs_from = [](double first, const char* form) {
    return runs_of(lines_by(30, [&](int i) {
      return written(form, 100 * i, i == 0 ? first : i % 2 == 0 ? 4.75 : 4.85);
    }));
  };
  for (const char* form : {"[%d/100000] batch loss : 1.0015 | time : %.2fs",
                           "step %6d | train_loss 1.7325 | val_loss 1.8125 | lr 9.25e-04 | %.2fs"}) {
    const auto runs = runs_from(0.16, form);
    ASSERT_EQ(runs.size(), 1U) << form;
    EXPECT_EQ(runs.at(0).iteration, 2900);
    EXPECT_NEAR(step_time(runs.at(0)), 0.048, 0.0005);
    EXPECT_TRUE(runs_from(4.95, form).empty()) << form;
  }
}

}  // namespace
}  // namespace etad::test
