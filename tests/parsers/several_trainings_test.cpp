// Logs of people's own scripts that hold several trainings, and what stands between their steps and epochs.
#include <gtest/gtest.h>

#include "parsers/base/timestamp.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// What an epoch's loss came to is no time, though it stands where some tell it.
TEST(SeveralTrainings, AreNotToldApartByALossBesideAnEpoch) {
  Lines lines;
  int now = 0;
  const auto stamp = [&now] { return "2026-03-01 " + time_of_day(10, now) + ",250 - my.trainer - INFO - "; };
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
  const auto stamp = [&now] { return "2026-03-01 " + time_of_day(1, now) + ",250 - INFO - "; };
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

// A log that is appended to: each training plans other epochs, and only the last one says that it is over.
TEST(SeveralTrainings, OfOtherPlansBeginWhereTheirEpochsDo) {
  Lines lines;
  int now = 0;
  const auto train = [&](int epochs, int plan) {
    for (int epoch = 1; epoch <= epochs; ++epoch, now += 10)
      lines.push_back(written("2026-03-01 10:%02d:%02d,250 - INFO - Epoch [%d/%d], Train Loss: 0.8125",
                              now / 60, now % 60, epoch, plan));
  };
  train(12, 100);
  train(15, 15);
  train(4, 15);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs.at(0).iteration, 12);
  EXPECT_EQ(runs.at(1).iteration, 15);
  EXPECT_EQ(runs.at(1).max_iterations, 15);
  EXPECT_EQ(runs.at(2).iteration, 4);
}

// A training that is gone on with: its numbers go on, out of more than were planned at first.
TEST(SeveralTrainings, OneThatGoesOnWithMorePlannedIsOne) {
  Lines lines;
  for (int i = 1; i <= 40; ++i)
    lines.push_back(written("2026-03-01 10:%02d:%02d | Episode %d/%d | Score: 31 | Reward: 200.5", i / 2,
                            i % 2 * 30, i, i <= 20 ? 30 : 50));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 40);
  EXPECT_EQ(runs.at(0).max_iterations, 50);
  EXPECT_NEAR(step_time(runs.at(0)), 30, 1e-9);
}

// Keras' fit(initial_epoch=10): the epochs planned are done, and others go on from there, of a network that may be another.
TEST(SeveralTrainings, OneThatBeginsBehindAllThatWerePlannedIsAnother) {
  Lines lines;
  for (int epoch = 1; epoch <= 20; ++epoch) {
    lines.push_back(written("Epoch %d/%d", epoch, epoch <= 10 ? 10 : 20));
    lines.push_back(written("64/64 - %ds - accuracy: 0.7500 - loss: 0.5000", epoch <= 10 ? 4 : 8));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.iteration, 64 * 10 * (ordinal + 1));
    EXPECT_EQ(run.max_iterations, run.iteration);
    EXPECT_EQ(run.state, RunState::finished);
    EXPECT_DOUBLE_EQ(step_time(run), ordinal == 0 ? 4. / 64 : 8. / 64);
  }
}

// Federated learning: each round holds epochs of the clients' own, which are counted anew and have another plan.
TEST(SeveralTrainings, EpochsInsideOfRoundsAreNone) {
  Lines lines;
  int now = 0;
  const auto say = [&](int epoch, int plan, int took) {
    now += took;
    lines.push_back(written("2026-03-01 10:%02d:%02d,250 - INFO - Epoch %d/%d, Train Loss: 0.8125", now / 60,
                            now % 60, epoch, plan));
  };
  for (int round = 1; round <= 8; ++round) {
    say(round, 8, 5);
    for (int epoch = 1; epoch <= 3; ++epoch) say(epoch, 3, 10);
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 8);
}

// What is trained behind the epochs that state their times counts its own, and says no times.
// Its end alone says how long all of it took; what is then fitted to other data tells no time.
TEST(SeveralTrainings, OneTimedByItsEndIsKeptWhereAnotherHasBegun) {
  std::vector<std::string> lines = {"=== Beginning training ... ==="};
  for (int i = 0; i < 50; ++i) lines.push_back(written("    Epoch: %5d      LossTrajs: 0.5125", i));
  lines.emplace_back("Total gradient descent training time: 0 hours 2 mins 5 secs");
  lines.emplace_back("=== Beginning sequential adaptation ... ===");
  for (int i = 0; i < 20; ++i) lines.push_back(written("    Epoch: %5d     LossContext: 0.2512", i));
  const auto runs = runs_of(lines);
  ASSERT_FALSE(runs.empty());
  EXPECT_EQ(runs.at(0).iteration, 50);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 2.5);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

TEST(SeveralTrainings, EachTimedByItsEndAreAllKept) {
  Lines lines;
  for (int run = 0; run < 2; ++run) {
    lines.emplace_back("=== Beginning training ... ===");
    for (int i = 0; i < 50; ++i) lines.push_back(written("    Epoch: %5d      LossTrajs: 0.5125", i));
    lines.emplace_back("Total gradient descent training time: 0 hours 2 mins 5 secs");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) EXPECT_DOUBLE_EQ(step_time(run), 2.5) << ordinal;
}

TEST(SeveralTrainings, OneWithoutTimesLeavesThePlanOfTheOneBefore) {
  Lines lines;
  for (int epoch = 0; epoch < 40; ++epoch)
    lines.push_back(
        written("Epoch #%d: train_loss=1.25, val_loss=1.5, time=2.50s, remaining=0.25min", epoch));
  for (int epoch = 10; epoch <= 30; epoch += 10)
    lines.push_back(written("Epoch %d/30: train_loss=0.25, val_loss=0.5", epoch));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 40);
  EXPECT_FALSE(runs.at(0).max_iterations);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 2.5);
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

// LLaMA-Factory's steps, of which the last ones of each training are not shown.
TEST(SeveralTrainings, OfOtherPlansAreToldApartByLinesThatSayTheyTrain) {
  Lines lines;
  for (const int plan : {32, 64, 48})
    for (int i = 5; i < plan; i += 5)
      lines.push_back(
          written("{\"current_steps\": %d, \"total_steps\": %d, \"loss\": 1.25, \"elapsed_time\": "
                  "\"0:%02d:%02d\"}",
                  i, plan, 6 * i / 60, 6 * i % 60));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs.at(0).iteration, 32);
  EXPECT_EQ(runs.at(1).iteration, 64);
  EXPECT_EQ(runs.at(2).iteration, 48);
  for (const auto& [ordinal, run] : runs) EXPECT_NEAR(step_time(run), 6, 0.1);
}

// A training that was gone on with compiles anew in its first step, which was shown before; and a line that is there
// twice measures once.
TEST(SeveralTrainings, OfOneRunAreNotMeasuredTwiceWhereStepsAreShownAgain) {
  Lines lines;
  const auto step = [&lines](int i, double milliseconds, double set_up = 0) {
    const double all = i <= 10 ? 0 : 1.8 * (i - 10) + set_up;
    lines.push_back(
        written("step %05d/02000 (%.2f%%) | loss: 4.250000 | lrm: 1.00 | dt: %.2fms | tok/sec: 140,000 | "
                "mfu: 34.25 | total time: %.2fm",
                i, i / 20.0, milliseconds, all / 60));
  };
  step(0, 89000);
  for (int i = 200; i <= 1000; i += 200) step(i, 1800);
  step(1000, 410000, 410);
  for (int i = 1200; i < 2000; i += 200) {
    step(i, 1800, 410);
    step(i, 1800, 410);
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 1790);
  EXPECT_NEAR(step_time(runs.at(0)), 1.8, 0.001);
}

// Another machine's clock goes behind: what looks late there is a training of another plan. It counts its steps through
// its epochs as the one before did.
TEST(SeveralTrainings, OfAnotherPlanIsNotTakenForLateLinesWhereTheClockGoesBack) {
  Lines lines;
  const auto train = [&lines](int hour, int epochs, int plan) {
    for (int i = 10; i <= 100 * epochs; i += 10)
      lines.push_back(
          written("2026-03-01 %02d:%02d:%02d,250 seg INFO: Epochs: %d/%d || Iters: %d/%d || "
                  "Lr: 0.0100 || Loss: 0.8125",
                  hour + 2 * i / 3600, 2 * i / 60 % 60, 2 * i % 60, (i + 99) / 100, plan, i, 100 * plan));
  };
  train(12, 20, 30);
  train(12, 18, 18);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 2000);
  EXPECT_EQ(runs.at(0).max_iterations, 3000);
  EXPECT_EQ(runs.at(1).iteration, 1800);
  EXPECT_EQ(runs.at(1).state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(runs.at(1)), 2);
}

// A script that has its framework train by one epoch at a time, and looks at what it has come to in between.
TEST(SeveralTrainings, OfOneEpochEachAreOneOfAllOfThem) {
  Lines lines;
  for (int i = 1; i <= 40; ++i) {
    lines.push_back("Train on 6400 samples, validate on 640 samples");
    lines.push_back("Epoch 1/1");
    lines.push_back("4s - loss: 0.8125 - acc: 0.7125 - val_loss: 0.9125 - val_acc: 0.6125");
    lines.push_back(written("sample %d: to be or not", i));
  }
  for (const std::size_t restart : {0U, 61U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 40);
    EXPECT_EQ(runs.at(0).max_iterations, 40);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 4);
  }
}

// Keras 2 counts samples where fit() was given arrays, and calls each of them a step: nothing says how many steps an
// epoch has.
TEST(SeveralTrainings, WhoseBarsCountSamplesAreMeasuredByEpochs) {
  Lines lines;
  for (const int samples : {863, 1822}) {
    lines.push_back(written("Train on %d samples, validate on 959 samples", samples));
    for (int epoch = 1; epoch <= 10; ++epoch) {
      lines.push_back(written("Epoch %d/500", epoch));
      lines.push_back(
          written("%d/%d [==============================] - 20s 11ms/step - loss: 3.4875 - acc: 0.0625 "
                  "- val_loss: 2.7500 - val_acc: 0.1875",
                  samples, samples));
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.train.iterations, 10) << ordinal;
    EXPECT_EQ(run.max_iterations, 500) << ordinal;
    EXPECT_DOUBLE_EQ(step_time(run), 20) << ordinal;
  }
}

// … and of several epochs each they are several.
TEST(SeveralTrainings, OfSeveralEpochsEachStaySeveral) {
  Lines lines;
  for (int run = 0; run < 3; ++run)
    for (int epoch = 1; epoch <= 2; ++epoch) {
      lines.push_back(written("Epoch %d/2", epoch));
      lines.push_back("64/64 - 4s - 62ms/step - accuracy: 0.7500 - loss: 0.5000");
    }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  for (const auto& [ordinal, run] : runs) EXPECT_EQ(run.iteration, 128);
}

// Two programs write one file: what lies between a line of the one and the next of the other is no training's.
TEST(SeveralTrainings, OfTwoThatWriteOneFileNoLeapIsMeasured) {
  Lines lines = {
      "2026-03-01 10:00:00,250 - mmdet - INFO - Start running, host: user@node, work_dir: /home/user/tiny"};
  int now = 0;
  const auto line = [&now](int epoch, int step, int of) {
    now += 25;
    return written(
        "2026-03-01 %02d:%02d:%02d,250 - mmdet - INFO - Epoch [%d][%d/%d]\tlr: 1.000e-02, "
        "eta: 1:00:00, time: 0.500, data_time: 0.010, memory: 5000, loss: 1.2500",
        10 + now / 3600, now / 60 % 60, now % 60, epoch, step, of);
  };
  for (int i = 1; i <= 20; ++i) {
    lines.push_back(line(13, 100 * i, 3000));
    lines.push_back(line(13, 100 * i + 50, 3000));
    lines.push_back(line(3, 50 * i, 2000));
  }
  const etad::Run run = only_run(lines);
  EXPECT_LE(run.train.iterations, 2000);
  EXPECT_NEAR(step_time(run), 0.5, 0.01);
}

// A training is broken off in its first epoch and begun anew minutes later, with another batch or other data. No test lies
// so far behind the lines of an epoch that is not over.
TEST(SeveralTrainings, BegunAnewWithAnotherNumberOfBatches) {
  for (const bool headings : {false, true}) {
    Lines lines;
    int now = 0;
    const auto say = [&](const std::string& text) {
      lines.push_back("2026-03-01 " + time_of_day(10, now) + ",250 - INFO - " + text);
    };
    const auto train = [&](int epoch, int last, int of) {
      if (headings) say(written("Epoch %d/300", epoch));
      for (int step = 0; step <= last; step += 10, now += 5)
        say(headings ? written("  Batch %4d/%d | Loss: 0.8125", step, of)
                     : written("Epoch %d [%d/%d] Loss: 0.8125", epoch, step, of));
    };
    train(1, headings ? 670 : 120, 672);
    now += 420;
    train(1, 670, headings ? 671 : 1344);
    if (headings) train(2, 670, 671);
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 2U) << headings;
    EXPECT_EQ(runs.at(0).iteration, headings ? 670 : 120);
    EXPECT_EQ(runs.at(1).iteration, headings ? 671 + 670 : 670);
    for (const auto& [ordinal, run] : runs) EXPECT_NEAR(step_time(run), 0.5, 0.001) << ordinal;
  }
}

// What another program writes into the file the next day does not prolong a training of which nothing more is told.
TEST(SeveralTrainings, ALineOfALaterProgramIsNotTheirEnd) {
  Lines lines;
  for (int i = 1; i <= 6; ++i)
    lines.push_back(written("2026-03-01 10:%02d:12,750 - INFO - step %d loss 0.8125", i, 40 * i));
  lines.emplace_back("2026-03-01 10:20:12,750 - INFO - Saving the model");
  lines.emplace_back("2026-03-02 09:00:00,250 - INFO - Loading the data");
  const etad::Run run = only_run(lines);
  ASSERT_TRUE(run.started_at && run.ended_at);
  EXPECT_EQ(*run.ended_at - *run.started_at, std::chrono::minutes(19));
}

// Where the training's own lines bear no time, others' are all that dates it.
TEST(SeveralTrainings, OtherLinesDateATrainingWhoseOwnBearNoTime) {
  Lines lines = {"2026-03-01 10:00:12,750 - INFO - ***** Running training *****"};
  for (int i = 1; i <= 10; ++i) {
    lines.push_back(written(" %d0%%|##########| %d/1000 [%d:00:00<1:00:00, 36.00s/it]", i, 100 * i, i));
    if (i % 5 == 0) lines.push_back(written("2026-03-01 %d:00:12,750 - INFO - Saving the model", 10 + i));
  }
  EXPECT_EQ(only_run(lines).ended_at, from_rfc3339("2026-03-01T20:00:12.75Z"));
}

// Bars that number no epoch, above the lines that do: behind as many as those tell of, the next training's begin.
TEST(SeveralTrainings, BegunBehindTheLastEpochToldOfAreTheirOwn) {
  Lines lines;
  for (int training = 0; training < 3; ++training) {
    for (int epoch = 1; epoch <= 4; ++epoch) {
      for (int step = 1; step <= 10; ++step)
        lines.push_back(written("  Train (a=0.17): %3d%%|###| %d/10 [00:%02d<00:20,  5.00s/it, loss=0.6921]",
                                10 * step, step, 5 * step));
      lines.push_back(written("[Epoch %02d/4] a=0.165 | lr=9.97e-04 | dW=3686.39", epoch));
    }
  }
  for (const std::size_t restart : {0U, 50U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 3U);
    for (const auto& [ordinal, run] : runs) {
      EXPECT_EQ(run.iteration, 40) << ordinal;
      EXPECT_EQ(run.state, RunState::finished) << ordinal;
      EXPECT_NEAR(step_time(run), 5, 1e-9) << ordinal;
    }
  }
}

// Of a log that is read at once the short ones are told as the others are, though one that comes later shows what it is.
TEST(SeveralTrainings, OfWhichSomeAreShortAreAllKept) {
  Lines lines;
  const std::vector<int> epochs = {2, 3, 2, 4, 2};
  for (std::size_t fold = 0; fold < epochs.size(); ++fold) {
    lines.push_back(written("========== fold: %d training ==========", static_cast<int>(fold)));
    for (int i = 1; i <= epochs[fold]; ++i)
      lines.push_back(
          written("Epoch %d - avg_train_loss: 0.5125  avg_val_loss: 0.6125  time: %ds", i, 20 + i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), epochs.size());
  for (const auto& [ordinal, run] : runs)
    EXPECT_EQ(run.train.iterations, epochs[static_cast<std::size_t>(ordinal)]) << ordinal;
}

}  // namespace
}  // namespace etad::test
