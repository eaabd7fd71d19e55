// Forms of lines that scripts of people's own write, and few others, and what shells make of bars.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <map>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// In tenths of minutes.
TEST(OwnScripts, StillToComeOfEpochsWithAUnit) {
  const auto runs = runs_of(lines_by(200, [](int i) {
    return written("E%3d/200 | Loss:0.8125 | VAcc:71.25%% | ETA:%.1fmin", i + 1, (199 - i) * 0.4);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 200);
  EXPECT_EQ(runs.at(0).max_iterations, 200);
  EXPECT_NEAR(step_time(runs.at(0)), 24, 0.5);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

TEST(OwnScripts, OfEpochsBehindWhatTheirTrainingCameTo) {
  Lines lines;
  for (int i = 1; i <= 5; ++i) {
    lines.push_back(written("Epoch [%d]", i));
    lines.emplace_back("[Train set] Loss: 0.8125, Accuracy: 400/500 (80.00%)  Epoch time : 62.5000 ");
    lines.emplace_back("[Test set] Average loss: 0.9125, Accuracy: 40/50 (80.00%)");
  }
  lines.emplace_back("Time ellapsed in training is: 350.5");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 5);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 62.5);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

TEST(OwnScripts, OfEpochsOfSeveralTrainings) {
  Lines lines;
  for (int run = 0; run < 3; ++run) {
    for (int i = 1; i <= 5; ++i) {
      lines.push_back(written("Epoch [%d]", i));
      lines.emplace_back("[Train set] Loss: 0.8125  Epoch time : 62.5000 ");
    }
    lines.emplace_back("Time ellapsed in training is: 350.5");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.iteration, 5) << ordinal;
    EXPECT_EQ(run.train.iterations, 5) << ordinal;
    EXPECT_EQ(run.state, RunState::finished) << ordinal;
  }
}

TEST(OwnScripts, OfStyleGansTicks) {
  const auto runs = runs_of(lines_by(20, [](int i) {
    const int t = 35 + 22 * i;
    return t < 60 ? written("tick %d     kimg %.1f      time %ds          sec/tick 21.5    sec/kimg 5.37", i,
                            4.0 * i, t)
                  : written("tick %d     kimg %.1f      time %dm %02ds      sec/tick 21.5    sec/kimg 5.37",
                            i, 4.0 * i, t / 60, t % 60);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 19);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 22);
}

// 100 steps take 5 s, the evaluation behind every fifth line 60 s.
TEST(OwnScripts, AnEvaluationThatIsAnnouncedIsTakenOut) {
  Lines lines;
  int now = 0;
  const auto stamp = [&now] { return "2026-03-01 " + time_of_day(10, now) + ",250 INFO     "; };
  for (int i = 1; i <= 40; ++i) {
    now += 5;
    lines.push_back(stamp() + written("Training average loss at step %d: 0.412500", 100 * i));
    if (i % 5 != 0) continue;
    lines.push_back(stamp() + "Evaluating on the valid set...");
    now += 60;
    lines.push_back(stamp() + written("Valid MRR at step %d: 0.712500", 100 * i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 4000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.05, 0.001);
}

// Each step's own, beside it.
TEST(OwnScripts, EpochsAndStepsThatAreSaidToBe) {
  const auto runs = runs_of(lines_by(60, [](int i) {
    return written("Epoch is [%d/40], mini-batch is [%d/20], time consumption is %.5f, batch_loss is 1.25",
                   1 + i / 20, 1 + i % 20,
                   i == 0       ? 3.75
                   : i % 2 == 0 ? 0.125
                                : 0.175);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 60);
  EXPECT_EQ(runs.at(0).max_iterations, 800);
  EXPECT_NEAR(step_time(runs.at(0)), 0.15, 0.003);
}

// An epoch takes 20 s, the evaluation behind every second one 12 s; the second training is broken off.
TEST(OwnScripts, StampedHeadingsOfTwoTrainings) {
  Lines lines;
  int now = 0;
  const auto stamp = [&now] { return "[03.24.26|" + time_of_day(10, now) + "] "; };
  for (const int epochs : {9, 7}) {
    for (int i = 0; i < epochs; ++i) {
      lines.push_back(stamp() + written("Training epoch: %d", i));
      now += 20;
      lines.push_back(stamp() + "\tmean_loss: 1.25");
      lines.push_back(stamp() + "Done.");
      if (i % 2 == 0) continue;
      lines.push_back(stamp() + written("Eval epoch: %d", i));
      now += 12;
      lines.push_back(stamp() + "\tTop1: 20.00%");
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).train.iterations, 8);  // the last one's end is not told
  EXPECT_EQ(runs.at(1).train.iterations, 6);
  EXPECT_EQ(runs.at(1).iteration, 6);
  for (const auto& [ordinal, run] : runs) EXPECT_NEAR(step_time(run), 20, 0.01) << ordinal;
}

// 100 steps in 40 s, across midnight.
TEST(OwnScripts, TimesOfDayAtTheLinesEnds) {
  const auto runs = runs_of(lines_by(30, [](int i) {
    const int now = (23 * 60 + 50) * 60 + 40 * i;
    return written("Epoch: %d, step: %d/1000, loss: 1.25, acc 0.5  %02d:%02d:%02d", 1 + i / 10,
                   100 * (1 + i % 10), now / 3600 % 24, now / 60 % 60, now % 60);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 3000);
  EXPECT_EQ(runs.at(0).train.segments, 29);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.4);
}

// What stands still to come at a line's end is no time of day.
TEST(OwnScripts, ATimeStillToComeIsNoTimeOfDay) {
  EXPECT_TRUE(runs_of(lines_by(30, [](int i) {
                return written("step: %d, loss: 1.25, remaining: 01:%02d:00", 100 * i, 40 - i);
              })).empty());
}

// Steps of 0.4 s; of 2,000 of them, in which tests took as long again, the lines are gone.
TEST(OwnScripts, LinesThatAreGoneTakeTheirTestsWithThem) {
  const auto runs = runs_of(lines_by(30, [](int i) {
    const int gone = i >= 15 ? 1 : 0, now = 40 * i + 1600 * gone;
    return written("2026-03-01 05:%02d:%02d,000 step %d/10000 loss 1.25", now / 60, now % 60,
                   100 * i + 2000 * gone);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 4900);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.4);
}

// The last word of a training without a plan.
TEST(OwnScripts, FinishAloneEndsATraining) {
  auto lines = lines_by(8, [](int i) { return written("epoch:%d    time:%.4f", i + 1, 812.5 * (i + 1)); });
  for (std::size_t i = 1; i < 16; i += 2)
    lines.insert(lines.begin() + static_cast<Lines::difference_type>(i), "train_loss:0.8125");
  EXPECT_EQ(runs_of(lines).at(0).state, RunState::lost);
  lines.emplace_back("Finish!");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 8);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// The heading says what the second column is, the configuration how many epochs there will be.
TEST(OwnScripts, ATableOfEpochsAndTheirSeconds) {
  Lines lines = {"[2021/08/23 05:00:00] - Epoch  Seconds    Train Loss  Train Acc"};
  for (int i = 0; i < 6; ++i)
    lines.push_back(written("[2021/08/23 05:%02d:00] -     %d   57.5      374.8125    12.8125", 1 + i, i));
  lines.emplace_back("[2021/08/23 05:06:00] - Total train time: 6.0 minutes");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 57.5);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

TEST(OwnScripts, AConfigurationSaysEpochsAndProcesses) {
  Lines lines = {"[DDP] backend=gloo world_size=6 local_rank=0", "{", "  \"epochs\": 5,", "}"};
  for (int i = 0; i < 5; ++i)
    lines.push_back(written("[2025-08-26 05:%02d:00][Epoch %03d] train_loss=0.8125 time=57.50s", 1 + i, i));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 5);
  EXPECT_EQ(runs.at(0).max_iterations, 5);
  EXPECT_EQ(runs.at(0).devices, 6);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// Started anew: the time so far says so.
TEST(OwnScripts, ATimeSoFarThatBeginsAgainBeginsARun) {
  Lines lines;
  for (const int last : {12, 5})
    for (int i = 1; i <= last; ++i)
      lines.push_back(
          written("epoch 0, iter %d, avg. loss 1.50, time elapsed %.2f sec", 1000 * i, 812.5 * i));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 12000);
  EXPECT_EQ(runs.at(1).iteration, 5000);
  EXPECT_NEAR(step_time(runs.at(1)), 0.8125, 1e-6);
}

// An epoch's line comes four times, 2 s apart, and its validation takes 12 s.
TEST(OwnScripts, AValidationBehindTheLastOfAnEpochsLines) {
  Lines lines;
  int now = 0;
  const auto stamp = [&now] {
    return written("[2020-01-28 05:%02d:%02d main.py:111] INFO     ", now / 60, now % 60);
  };
  for (int i = 1; i <= 20; ++i) {
    for (int part = 0; part < 4; ++part, now += 2)
      lines.push_back(stamp() + written("Epoch: %d/20   Training Loss: 0.008", i));
    now += 10;
    lines.push_back(stamp() + written("Epoch: %d/20    Test Average loss: 0.125, Accuracy: 90/100", i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 20);
  EXPECT_NEAR(step_time(runs.at(0)), 6, 1e-9);
}

// The stamp on a line of its own above, and no name for what is counted.
TEST(OwnScripts, ACountOutOfATotalBesideALoss) {
  Lines lines;
  for (int epoch = 0; epoch < 2; ++epoch) {
    lines.push_back(written("Epoch: %d/2 | Learning Rate: 2.000e-04", epoch));
    for (int i = 1; i <= 6; ++i) {
      const int now = 250 * (6 * epoch + i);
      lines.push_back(written("2024-07-17 09:%02d:%02d,604 ", now / 60 % 60, now % 60));
      lines.push_back(written("[%04d/3136]| Loss vert:1.25e-01 joint:1.50e-01", 500 * i));
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6272);  // the rest is less than lies between two lines
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-9);
}

// Every 200th epoch, behind the first.
TEST(OwnScripts, TheTimeSoFarWhereLinesSkipEpochs) {
  const auto runs = runs_of(lines_by(21, [](int i) {
    const int epoch = i == 0 ? 1 : 200 * i;
    return written("Epoch: %d/4000, Training MSE Loss:0.000125, Time_Elapsed:%.4f secs", epoch, 6.25 * epoch);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 4000);
  EXPECT_EQ(runs.at(0).max_iterations, 4000);
  EXPECT_NEAR(step_time(runs.at(0)), 6.25, 1e-6);
}

// Beside a value its mean, of a step.
TEST(OwnScripts, AMeanInParenthesesIsOfAStep) {
  const auto runs = runs_of(lines_by(24, [](int i) {
    return written("epoch: [%d/60][%d/120]\ttime %.4f (0.4200)\teta 0:%02d:00\tloss 5.1250 (5.5000)",
                   1 + i / 6, 20 * (1 + i % 6), 0.4 + 0.01 * (i % 3), 50 - i);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 480);
  EXPECT_EQ(runs.at(0).max_iterations, 7200);
  EXPECT_NEAR(step_time(runs.at(0)), 0.42, 1e-9);
}

// Keras 3 into a file: each state on a line of its own, the full one again behind the validation. A Windows shell makes
// three letters of each sign of the bar.
TEST(KerasBars, EachStateOnALineOfItsOwn) {
  for (const char* const sign : {"\xe2\x94\x81", "\xce\x93\xc3\xb6\xc3\xbc"}) {
    const std::string bar = std::string(sign) + sign + sign + sign;
    Lines lines;
    for (int epoch = 1; epoch <= 5; ++epoch) {
      lines.push_back(written("Epoch %d/8", epoch));
      for (const int batch : {1, 4, 9, 13})
        lines.push_back(written("%2d/13 %s %ds 175ms/step - accuracy: 0.2512 - loss: 2.2512", batch,
                                bar.c_str(), (13 - batch) / 6));
      lines.push_back(written("13/13 %s 3s 225ms/step - accuracy: 0.2512 - loss: 2.2512 - val_loss: 1.6125",
                              bar.c_str()));
    }
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 65);
    EXPECT_EQ(runs.at(0).max_iterations, 104);
    EXPECT_EQ(runs.at(0).train.iterations, 65);
    EXPECT_EQ(runs.at(0).test.iterations, 0);
    EXPECT_NEAR(step_time(runs.at(0)), 0.175, 1e-6);
  }
}

// Updates of so many of the environments' steps each.
TEST(OwnScripts, OfReinforcementLearningByFramesASecond) {
  const auto runs = runs_of(lines_by(20, [](int i) {
    return written("  iter %5d | frames %10d | fps   4096 | actor_loss  -0.0125 | critic_loss   0.0425",
                   10 * (i + 1), 81920 * (i + 1));
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 200);
  EXPECT_EQ(runs.at(0).train.samples_per_iteration, 8192);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 2);
}

// An exception that is printed amid a training, and that it survives, ends nothing.
TEST(OwnScripts, WithAnExceptionThatTheTrainingSurvives) {
  Lines lines = lines_by(20, [](int i) {
    return written("2026-03-01 10:00:%02d,250 - INFO - Epoch 1/2, Step [%d/1000], Loss: 1.25", 2 * i,
                   10 * (i + 1));
  });
  lines.insert(lines.begin() + 10, "ConnectionResetError: [Errno 104] Connection reset by peer");
  const auto survived = runs_of(lines);
  ASSERT_EQ(survived.size(), 1U);
  EXPECT_EQ(survived.at(0).iteration, 200);
  EXPECT_EQ(survived.at(0).state, RunState::lost);
  lines.emplace_back("ValueError: no such thing");
  const auto failed = runs_of(lines);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed.at(0).state, RunState::failed);
  EXPECT_EQ(failed.at(0).message, "ValueError: no such thing");
}

// Behind the line of epoch 0 one epoch is done; the number told as their last may be one less than there are.
TEST(OwnScripts, OfEpochsCountedFromZero) {
  for (const char* const form : {"2026-03-01 10:%02d:00 - INFO - Epoch %d: loss 1.25 acc 0.5",
                                 "2026-03-01 10:%02d:00 - INFO - Epoch %d/19: loss 1.25 acc 0.5"}) {
    Lines lines = lines_by(20, [&](int i) { return written(form, i + 1, i); });
    lines.emplace_back("2026-03-01 10:20:01 - INFO - Training complete");
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 20);
    EXPECT_EQ(runs.at(0).train.iterations, 19);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 60);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
  }
}

// Of a training that says no more than its steps, what launched it says that it has ended well.
TEST(OwnScripts, DeepSpeedsLauncherTellsTheirEnd) {
  Lines lines = lines_by(20, [](int i) {
    return written("2026-03-01 10:%02d:00 - INFO - step %d loss 1.25 acc 0.5", i + 1, 100 * (i + 1));
  });
  EXPECT_EQ(runs_of(lines).at(0).state, RunState::lost);
  for (const int process : {4711, 4712})
    lines.push_back(
        written("[2026-03-01 10:20:%02d,250] [INFO] [launch.py:367:main] Process %d exits successfully.",
                30 + process % 10, process));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 2000);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// TensorFlow's tutorials, and objects of people's own.
TEST(OwnScripts, OfEpochsTimedBelowThemOrAmongTheirValues) {
  Lines lines;
  for (int i = 1; i <= 6; ++i) {
    lines.push_back(written("Epoch %d Loss 0.8125 Accuracy 0.5125", i));
    lines.push_back(written("Time taken for 1 epoch: 40.5 secs\n"));
  }
  const auto below = runs_of(lines);
  ASSERT_EQ(below.size(), 1U);
  EXPECT_EQ(below.at(0).iteration, 6);
  EXPECT_DOUBLE_EQ(step_time(below.at(0)), 40.5);
  const auto among = runs_of(lines_by(6, [](int i) {
    return written("{\"epoch\": %d, \"train_loss\": 0.8125, \"val_loss\": null, \"epoch_time_s\": 62.5}", i);
  }));
  ASSERT_EQ(among.size(), 1U);
  EXPECT_EQ(among.at(0).iteration, 6);
  EXPECT_DOUBLE_EQ(step_time(among.at(0)), 62.5);
}

// A heading with a word before it, a test of its own between, the time behind the loss.
TEST(OwnScripts, OfEpochsThatHeadingsAnnounceAndLossesTime) {
  Lines lines;
  for (int i = 1; i <= 6; ++i) {
    lines.push_back(written("20260301-10:%02d:00 Train Epoch: %d/6 ...", 5 * i, i));
    lines.push_back(written("20260301-10:%02d:00     total_loss: 0.8125 time: 4m 0s", 5 * i + 4));
    lines.push_back(written("20260301-10:%02d:00 Test Epoch: %d ...", 5 * i + 4, i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 6);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 240);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// Steps under headings begin again with each; so does another training with the first one's number.
TEST(OwnScripts, OfStepsThatBeginAgainUnderHeadings) {
  Lines lines;
  for (int training = 0; training < 2; ++training)
    for (int epoch = 1; epoch <= 3; ++epoch) {
      const int minute = training * 20 + epoch * 4;
      lines.push_back(written("[2026-03-01 10:%02d:00,250]Epoch: %04d", minute, epoch));
      for (int i = 1; i <= 5; ++i)
        lines.push_back(written("[2026-03-01 10:%02d:%02d,250]iter:%04d loss_train: 1.2500 time: 0.1625s",
                                minute, 10 * i, 20 * i));
      if (epoch < 3) continue;
      lines.push_back(written("[2026-03-01 10:%02d:58,250]Optimization Finished!", minute));
      lines.push_back(written("[2026-03-01 10:%02d:59,250]Total time elapsed: 616.25s", minute));
    }
  for (const std::size_t restart : {0U, 5U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 2U);
    for (const auto& [ordinal, run] : runs) {
      EXPECT_EQ(run.iteration, 300);
      EXPECT_EQ(run.train.iterations, 240);
      EXPECT_DOUBLE_EQ(step_time(run), 0.5);
      EXPECT_EQ(run.state, RunState::finished);
    }
  }
}

// Where epochs state their times, a line that names an earlier one speaks of the best; and those of a training that goes
// on from a saved state are counted from 1.
TEST(OwnScripts, OfEpochsThatGoOnFromASavedState) {
  Lines lines = lines_by(10, [](int i) {
    return written(
        "2026-03-01 10:%02d:00 | INFO | Epoch [%03d/30] TrainLoss=0.8125 ValLoss=0.9125 | LR=5.00e-05 | "
        "Time=60.0s",
        i + 1, i + 21);
  });
  lines.emplace_back("2026-03-01 10:10:10 | INFO | Loaded epoch 28, val_loss=0.9125");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 30);
  EXPECT_EQ(runs.at(0).max_iterations, 30);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 60);
}

// Where the last epoch planned was not the last, the plan is the new one.
TEST(OwnScripts, OfMoreEpochsThanWerePlanned) {
  const auto runs = runs_of(lines_by(15, [](int i) {
    return written("Epoch [%d/%d] - Train Loss: 0.8125, Validation Loss: 0.9125, Time: 62.5000s", i + 1,
                   i < 10 ? 10 : 20);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 15);
  EXPECT_EQ(runs.at(0).max_iterations, 20);
  EXPECT_EQ(runs.at(0).state, RunState::lost);
}

// Objects a line, and episodes where no steps are counted.
TEST(OwnScripts, OfObjectsAndOfEpisodes) {
  const auto objects = runs_of(lines_by(40, [](int i) {
    return written("{\"step\": %d, \"train/loss\": 1.25, \"lr\": 0.0001, \"step_time\": 0.5}", 20 * (i + 1));
  }));
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(objects.at(0).iteration, 800);
  EXPECT_DOUBLE_EQ(step_time(objects.at(0)), 0.5);
  const auto episodes = runs_of(lines_by(20, [](int i) {
    return written("2026-03-01 10:%02d:00 - Episode: %d/200, Avg Reward: 12.5, Epsilon: 0.25", i,
                   10 * (i + 1));
  }));
  ASSERT_EQ(episodes.size(), 1U);
  EXPECT_EQ(episodes.at(0).iteration, 200);
  EXPECT_DOUBLE_EQ(step_time(episodes.at(0)), 6);
  EXPECT_EQ(episodes.at(0).state, RunState::finished);
  // What else has such a number among its values is no training.
  EXPECT_TRUE(runs_of(lines_by(40, [](int i) {
                return written("{\"type\": \"done\", \"iteration\": %d, \"loss\": 1.25, \"step_time\": 0.5}",
                               i + 1);
              })).empty());
}

}  // namespace
}  // namespace etad::test
