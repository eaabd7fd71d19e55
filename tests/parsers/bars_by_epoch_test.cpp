// Progress bars beside lines that number their epoch: above them, on one line with them, or below a heading.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// The bars stand above the line that numbers their epoch: that which took longest is the training's.
TEST(BarsByEpoch, AboveTheLineOfTheirEpoch) {
  for (const bool tests : {false, true}) {
    std::vector<std::string> lines = {"100%|##########| 50/50 [00:01<00:00, 48.25it/s]",
                                      "Model has 1,250 parameters"};
    for (int epoch = 0; epoch < 5; ++epoch) {
      lines.emplace_back(" 40%|####      | 156/391 [00:14<00:21, 11.25it/s]");
      lines.emplace_back("100%|##########| 391/391 [00:34<00:00, 11.50it/s]");
      if (tests) lines.emplace_back("100%|##########| 79/79 [00:05<00:00, 15.25it/s]");
      lines.push_back(written("Epoch %d, Train loss: 0.5125, Test acc: 71.25", epoch));
    }
    const auto runs = runs_of(lines, 7);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 5 * 391);
    EXPECT_EQ(runs.at(0).train.iterations, 5 * 391);
    EXPECT_NEAR(step_time(runs.at(0)), 1 / 11.5, 1e-6);
  }
}

// Of unknown length; and under a total the plan is known.
// A test's bar is above the first lines of the next epoch, whose own bar is above its last one.
TEST(BarsByEpoch, OfATestAboveTheNextEpochsLinesAreNoEpochs) {
  Lines lines;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int i = 0; i < 3; ++i) lines.push_back(written("Epoch [%d/4], Batch Loss: 0.8125", epoch));
    lines.push_back("100%|##########| 2000/2000 [40:00<00:00,  1.20s/it]");
    lines.push_back(written("Epoch [%d/4], Average Loss: 0.8125", epoch));
    lines.push_back("100%|##########| 200/200 [03:20<00:00,  1.00s/it]");
    lines.emplace_back("Validation Accuracy: 71.25");
  }
  for (const std::size_t restart : {0U, 6U, 11U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 8000);
    EXPECT_EQ(runs.at(0).train.iterations, 8000);
    EXPECT_NEAR(step_time(runs.at(0)), 1.2, 1e-6);
  }
}

// … and where that line says that the epoch is finished.
TEST(BarsByEpoch, AboveTheLineThatTheirEpochIsFinished) {
  Lines lines;
  for (int epoch = 1; epoch <= 6; ++epoch) {
    lines.emplace_back("100%|##########| 391/391 [00:34<00:00, 11.50it/s]");
    lines.push_back(written("Finished epoch:%d | Loss : 0.4125", epoch));
    lines.emplace_back("Validation: 100%|##########| 40/40 [00:02<00:00, 20.00it/s]");
  }
  lines.emplace_back("Done Training ...");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 6 * 391);
  EXPECT_NEAR(step_time(runs.at(0)), 1 / 11.5, 1e-6);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// … and where a test's line numbers the epoch, as the training's may, the longer one is the training's.
TEST(BarsByEpoch, AboveTheLineOfTheirTest) {
  for (const bool both : {false, true}) {
    Lines lines;
    for (int epoch = 1; epoch <= 5; ++epoch) {
      lines.push_back("100%|##########| 132/132 [00:33<00:00,  4.00it/s]");
      if (both) lines.push_back(written("[ Train | %03d/100 ] loss = 1.25000, acc = 0.50000", epoch));
      lines.push_back("100%|##########| 29/29 [00:03<00:00,  9.67it/s]");
      lines.push_back(written("[ Valid | %03d/100 ] loss = 1.25000, acc = 0.50000", epoch));
    }
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 5 * 132);
    EXPECT_EQ(runs.at(0).max_iterations, 100 * 132);
    EXPECT_NEAR(step_time(runs.at(0)), 0.25, 1e-6);
  }
}

// A program that warms up one net, and then trains another.
TEST(BarsByEpoch, OfEpochsOfAnotherPlanAreAnotherTrainings) {
  Lines lines;
  for (const int all : {20, 60}) {
    lines.push_back(written("  0%%|          | 0/%d [00:00<?, ?it/s]==> Epoch: 1", all));
    for (int i = 1; i < all; ++i) {
      lines.push_back(written("  5%%|#         | %d/%d [%02d:%02d<11:36, %d.00s/it]==> Epoch: %d", i, all,
                              i * all / 2 / 60, i * all / 2 % 60, all / 2, i + 1));
      lines.emplace_back("Train Loss: 0.8125, Acc: 55.5");
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 19);
  EXPECT_NEAR(step_time(runs.at(0)), 10, 0.1);
  EXPECT_EQ(runs.at(1).iteration, 59);
  EXPECT_NEAR(step_time(runs.at(1)), 30, 0.1);
}

TEST(BarsByEpoch, OfUnknownLengthAboveTheLineOfTheirEpoch) {
  std::vector<std::string> lines;
  for (int epoch = 1; epoch <= 5; ++epoch) {
    lines.emplace_back("200it [00:20, 10.00it/s]");
    lines.emplace_back("400it [00:40, 10.00it/s]");
    lines.push_back(written("Epoch %d/5 - loss: 0.5125 - val_loss: 0.6125", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_EQ(runs.at(0).max_iterations, 2000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.1, 1e-9);
}

// simpletransformers': a bar of epochs around them, which names the next one.
TEST(BarsByEpoch, InsideABarOfEpochs) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 20; i <= 200; i += 20)
      lines.push_back(
          written("Epochs %d/3. Running Loss:    0.4125: %3d%%|####  | %d/200 [%02d:%02d<00:10,  2.00it/s]",
                  epoch, i / 2, i, i / 120, i / 2 % 60));
    lines.push_back(written("Epoch %d of 3: %3d%%|###   | %d/3 [%02d:40<01:40, 100.00s/it]", epoch + 1,
                            33 * (epoch + 1) + epoch / 2, epoch + 1, epoch + 1));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 600);
  EXPECT_EQ(runs.at(0).max_iterations, 600);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.01);
}

// Lightning's bars overwrite each other, and a log kept one of them; the end says how many epochs there were.
TEST(BarsByEpoch, OfWhichOneIsLeftAreAsManyAsTheEndSays) {
  const auto runs = runs_of({"GPU available: True (cuda), used: True",
                             "Epoch 46: 100%|##########| 350/350 [00:35<00:00, 10.00it/s, v_num=0]",
                             "Metric val/accuracy improved by 0.002. New best score: 0.696",
                             "`Trainer.fit` stopped: `max_epochs=100` reached."});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 100 * 350);
  EXPECT_EQ(runs.at(0).max_iterations, 100 * 350);
  EXPECT_NEAR(step_time(runs.at(0)), 0.1, 1e-9);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// Nothing else says how many epochs there will be; what lines of the training say counts more.
TEST(BarsByEpoch, AreAsManyAsTheProgramWasStartedFor) {
  std::vector<std::string> lines = {"Namespace(batch=64, arch='resnet18', max_epochs=4)",
                                    "Epoch 0: 100%|####| 350/350 [00:35<00:00, 10.00it/s, loss=0.5]"};
  EXPECT_EQ(only_run(lines).max_iterations, 4 * 350);
  lines.emplace_back("Epoch 1/9: 100%|####| 350/350 [00:35<00:00, 10.00it/s, loss=0.5]");
  lines[1] = "Epoch 0/9: 100%|####| 350/350 [00:35<00:00, 10.00it/s, loss=0.5]";
  EXPECT_EQ(only_run(lines).max_iterations, 9 * 350);
}

// Whatever state of the bar it was printed behind, the end is one, and the bar that is drawn once more no other run.
TEST(BarsByEpoch, EndBehindTheLastState) {
  const std::string bar = "| 350/350 [00:35<00:00, 10.00it/s, v_num=0]";
  const std::string end = "`Trainer.fit` stopped: `max_epochs=3` reached.";
  for (const bool shown : {true, false}) {
    std::vector<std::string> lines = {"GPU available: True (cuda), used: True"};
    for (int epoch = 0; epoch < (shown ? 3 : 2); ++epoch)
      lines.push_back(written("Epoch %d: 100%%|##########", epoch) + bar);
    lines.push_back("Epoch 2: 100%|##########" + bar + end);
    lines.push_back("Epoch 2: 100%|##########" + bar);
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
    EXPECT_EQ(runs.at(0).iteration, 3 * 350);
    EXPECT_NEAR(step_time(runs.at(0)), 0.1, 1e-9);
  }
}

// Rich's bar is drawn when all is over: in a file the end stands above the last epoch, the only one shown.
TEST(BarsByEpoch, DrawnByRichAtTheEndAreOfTheRunThatHasEnded) {
  const auto runs = runs_of({"Namespace(batch=64, arch='resnet18')", "GPU available: True (cuda), used: True",
                             "`Trainer.fit` stopped: `max_epochs=4` reached.",
                             "Epoch 3/3 ━━━━━━━━━━━━ 350/350 0:00:35 •        10.00it/s v_num: 0.000",
                             "                               0:00:00          train_loss: 4.710"});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 4 * 350);
  EXPECT_EQ(runs.at(0).max_iterations, 4 * 350);
  EXPECT_EQ(runs.at(0).train.batch_size, 64);
  EXPECT_NEAR(step_time(runs.at(0)), 0.1, 1e-9);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// How many epochs there will be stands below the bars that number them.
TEST(BarsByEpoch, AboveTheirEpochsTotalAreAllThatWasPlanned) {
  std::vector<std::string> lines;
  for (int epoch = 1; epoch <= 5; ++epoch) {
    lines.push_back(
        written("Training Epoch %d: 100%%|##########| 28/28 [00:56<00:00,  2.00s/it, loss=0.5]", epoch));
    lines.emplace_back("Validating: 100%|##########| 8/8 [00:06<00:00,  1.34it/s]");
    lines.push_back(written("Epoch %d/5, Train Loss: 0.5125, Val Loss: 0.6125", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).max_iterations, 5 * 28);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// Under a heading that tells the learning rate as well; the program crashes behind the first of three epochs.
TEST(BarsByEpoch, UnderAHeadingWithMoreInItAreOfAllItsEpochs) {
  std::vector<std::string> lines = {"  Epoch 01/3  |  LR: 1.25e-05"};
  for (int i = 1; i <= 10; ++i)
    lines.push_back(
        written("  Train: %3d%%|####  | %d/100 [00:%02d<00:10,  2.00it/s, loss=0.5]", 10 * i, 10 * i, 5 * i));
  for (const char* const line :
       {"Traceback (most recent call last):", "  File \"train.py\", line 5, in <module>", "ValueError: no"})
    lines.emplace_back(line);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 100);
  EXPECT_EQ(runs.at(0).max_iterations, 300);
  EXPECT_EQ(runs.at(0).state, RunState::failed);
}

// ViT-pytorch's are an epoch's, and named after the step of the training.
TEST(BarsByEpoch, NamedAfterTheStepOfTheTrainingCountThese) {
  std::vector<std::string> lines;
  for (int step = 1; step <= 40; ++step) {
    if (step % 4 == 1)
      lines.emplace_back("Training (X / X Steps) (loss=X.X):   0%|   | 0/4 [00:00<?, ?it/s]");
    lines.push_back(
        written("Training (%d / 40 Steps) (loss=0.03125):  75%%|## | %d/4 [00:07<00:02,  2.50s/it]", step,
                (step - 1) % 4));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 40);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 2.5, 1e-9);
}

// Named after training, wiped, and too quick to be measured; the line below each tells how long its epoch took.
TEST(BarsByEpoch, TooQuickToMeasureLeaveTheirEpochsToTheLinesBelow) {
  std::vector<std::string> lines;
  for (int epoch = 1; epoch <= 10; ++epoch) {
    for (int step = 60; step <= 660; step += 60)
      lines.push_back(written("Training: %3d%%|####  | %d/665 [00:%02d<00:03, 167.05it/s, loss=0.39]",
                              step * 100 / 665, step, step / 166));
    lines.push_back(written("Epoch  %2d/10 | Train Loss: 0.6977 | Val Loss: 0.5365 | Time: 4.3s", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 10);
  EXPECT_NEAR(step_time(runs.at(0)), 4.3, 1e-9);
}

// Closed behind the last validation, and so drawn at its end once more.
TEST(BarsByEpoch, WithoutOneThatAreFullTwiceAreOneBar) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 50; ++i)
    lines.push_back(written("Training: %3d%%|####  | %d/1000 [%02d:%02d<00:10,  2.00it/s]", 2 * i, 20 * i,
                            i / 6, i % 6 * 10));
  lines.emplace_back("Validating: 100%|##########| 50/50 [02:00<00:00, 2.40s/it]");
  lines.emplace_back("Training: 100%|##########| 1000/1000 [10:20<00:00, 1.61it/s]");
  for (const std::size_t restart : {0U, 20U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 1000);
    EXPECT_EQ(runs.at(0).train.iterations, 1000);
    EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.01);
  }
}

// One bar an epoch, of which the log kept the last states alone, are as many as there are.
TEST(BarsByEpoch, WithoutOneAreOneEach) {
  const auto runs =
      runs_of(lines_by(5, [](int) { return "Training: 100%|##########| 300/300 [01:00<00:00,  5.00it/s]"; }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 1500);
}

// A bar above a heading is another thing's.
TEST(BarsByEpoch, AboveAHeadingAreNoEpochs) {
  std::vector<std::string> lines;
  for (int epoch = 1; epoch <= 5; ++epoch) {
    lines.emplace_back("100%|##########| 50/50 [00:10<00:00, 5.00it/s]");
    lines.push_back(written("2026-03-01 10:%02d:00 Epoch %d/5", 2 * epoch, epoch));
  }
  const auto runs = runs_of(lines);
  for (const auto& [ordinal, run] : runs) EXPECT_NE(run.train.iterations % 50, 0) << ordinal;
}

// A bar of epochs, on whose line the epoch's own words go on.
TEST(BarsByEpoch, OfEpochsBeforeTheirWords) {
  const auto runs = runs_of(lines_by(25, [](int i) {
    return written(
        " %d%%|##        | %d/25 [%02d:%02d<00:23, 12.50s/it]Epoch %d | Energy 0.125 | Acc 71.25%%",
        4 * i + 4, i + 1, (i + 1) * 25 / 2 / 60, (i + 1) * 25 / 2 % 60, i + 1);
  }));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 25);
  EXPECT_EQ(runs.at(0).max_iterations, 25);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 12.5, 0.05);
}

// Bars of PyTorch Lightning whose time goes on from epoch to epoch, and such whose time begins again.
TEST(BarsByEpoch, WhoseTimeGoesOnOrBeginsAgain) {
  for (const bool goes_on : {true, false}) {
    for (const bool states : {true, false}) {
      std::vector<std::string> lines;
      for (int epoch = 0; epoch < 5; ++epoch) {
        const int base = goes_on ? 80 * epoch : 0;
        const auto bar = [&](int done) {
          const int s = base + done / 5;
          lines.push_back(written("Epoch %d: %3d%%|####| %d/400 [%02d:%02d<00:00,  5.00it/s, loss=0.5]",
                                  epoch, done / 4, done, s / 60, s % 60));
        };
        for (int done = 100; states && done < 400; done += 100) bar(done);
        bar(400);
      }
      for (const std::size_t restart : {0U, 3U}) {
        const auto runs = runs_of(lines, restart);
        ASSERT_EQ(runs.size(), 1U);
        EXPECT_EQ(runs.at(0).iteration, 2000);
        EXPECT_NEAR(step_time(runs.at(0)), 0.2, 0.004) << goes_on << states;
      }
    }
  }
}

// A bar that is wiped when it is full: the log has its states before, and no more than now and then the last one.
TEST(BarsByEpoch, WipedWhenTheyAreFull) {
  for (const bool headed : {false, true}) {
    for (const int full : {0, 3}) {
      std::vector<std::string> lines;
      for (int epoch = 1; epoch <= 5; ++epoch) {
        if (headed) lines.push_back(written("Epoch %d/5", epoch));
        for (int step = 1; step < 300; step += 2)
          lines.push_back(written("Training:  %d%%|####  | %d/300 [00:%02d<00:08, 18.75it/s, loss=0.5125]",
                                  step / 3, step, step * 10 / 182));
        if (epoch == full)
          lines.emplace_back("Training: 100%|######| 300/300 [00:16<00:00, 18.20it/s, loss=0.5125]");
        lines.emplace_back("Validating: 100%|######| 30/30 [00:01<00:00, 19.50it/s]");
      }
      const auto runs = runs_of(lines, 400);
      ASSERT_EQ(runs.size(), 1U) << headed << full;
      EXPECT_NEAR(step_time(runs.at(0)), 1 / 18.2, 0.002) << headed << full;
      EXPECT_LE(runs.at(0).train.iterations, 1500);
      EXPECT_GE(runs.at(0).train.iterations, 1480);
      if (!headed) continue;
      EXPECT_EQ(runs.at(0).iteration, 1500);
      EXPECT_EQ(runs.at(0).max_iterations, 1500);
      EXPECT_EQ(runs.at(0).state, RunState::finished);
    }
  }
}

// Under a plan told in words: the epochs are parts of it, and of the batches that a bar counts several are gathered for a
// step where it says so.
TEST(BarsByEpoch, OfAPlanThatTheLogTellsInWords) {
  for (const bool numbered : {false, true}) {
    for (const int gathered : {1, 4}) {
      std::vector<std::string> lines = {
          "01/02/2020 03:04:05 - INFO - __main__ -   ***** Running training *****",
          "01/02/2020 03:04:05 - INFO - __main__ -     Num Epochs = 3"};
      lines.push_back(
          written("01/02/2020 03:04:05 - INFO - __main__ -     Gradient Accumulation steps = %d", gathered));
      lines.push_back(written("01/02/2020 03:04:05 - INFO - __main__ -     Total optimization steps = %d",
                              3 * (402 / gathered)));
      for (int epoch = 0; epoch < 3; ++epoch) {
        for (int i = 1; i <= 402; ++i) {
          const std::string name =
              numbered ? written("epoch %d loss 0.%05d", epoch, 10000 - i) : std::string("Iteration");
          lines.push_back(written("%s: %3d%%|####| %d/402 [%02d:%02d<00:01,  2.00it/s]", name.c_str(),
                                  i * 100 / 402, i, i / 120, i / 2 % 60));
        }
        lines.push_back(written("Epoch: %3d%%|###| %d/3 [%02d:21<00:00, 201.00s/it]", 33 * (epoch + 1),
                                epoch + 1, 3 * (epoch + 1)));
        for (int i = 1; i <= 40; ++i)
          lines.push_back(
              written("Evaluating: %3d%%|####| %d/40 [00:%02d<00:01,  4.00it/s]", i * 5 / 2, i, i / 4));
      }
      const auto runs = runs_of(lines, 300);
      ASSERT_EQ(runs.size(), 1U) << numbered << gathered;
      EXPECT_EQ(runs.at(0).iteration, 3 * (402 / gathered)) << numbered << gathered;
      EXPECT_EQ(runs.at(0).max_iterations, 3 * (402 / gathered)) << numbered << gathered;
      EXPECT_EQ(runs.at(0).state, RunState::finished);
      EXPECT_NEAR(step_time(runs.at(0)), 0.5 * gathered, 0.01 * gathered) << numbered << gathered;
    }
  }
}

TEST(BarsByEpoch, NamedInShort) {
  Lines lines;
  for (int epoch = 1; epoch <= 3; ++epoch)
    for (int i = 100; i <= 500; i += 100)
      lines.push_back(written("Ep %d: %3d%%|##        | %d/500 [%02d:%02d<00:50,  4.00batch/s]", epoch, i / 5,
                              i, i / 240, i / 4 % 60));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 1500);
  EXPECT_NEAR(step_time(runs.at(0)), 0.25, 0.005);
}

// U-Net's bars count images, of which four make a step, and two are left over. An image takes an eighth of a second.
TEST(BarsByEpoch, ThoseThatCountImagesAreSteps) {
  for (const bool batch_is_told : {true, false})
    for (const bool states : {true, false}) {
      std::vector<std::string> lines;
      if (batch_is_told) lines.emplace_back("        Batch size:      4");
      for (int epoch = 1; epoch <= 3; ++epoch) {
        for (int done = 200; states && done <= 1000; done += 200)
          lines.push_back(written(
              "Epoch %d/3:  %d%%|####      | %d/1002 [%02d:%02d<01:00,  8.00img/s, loss (batch)=0.25]", epoch,
              done / 11, done, done / 8 / 60, done / 8 % 60));
        lines.push_back(written(
            "Epoch %d/3: 100%%|██████████| 1002/1002 [02:05<00:00,  8.00img/s, loss (batch)=0.25]", epoch));
      }
      const auto runs = runs_of(lines);
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_EQ(runs.at(0).iteration, batch_is_told ? 750 : 3006);
      EXPECT_EQ(runs.at(0).max_iterations, batch_is_told ? 750 : 3006);
      EXPECT_NEAR(step_time(runs.at(0)), batch_is_told ? 0.5 : 0.125, 0.001);
    }
}

// A training that is gone on with draws the steps done before in no time: 0.5 s a step are the others'.
TEST(BarsByEpoch, TheStepsDoneBeforeATrainingWasGoneOnWithTakeNoTime) {
  Lines lines;
  const auto state = [&lines](int epoch, int done, int seconds) {
    lines.push_back(written("Epoch %d/8:  %d%%|####      | %d/800 [%02d:%02d<01:00,  2.00it/s]", epoch,
                            done / 8, done, seconds / 60, seconds % 60));
  };
  for (int done = 100; done <= 600; done += 100) state(5, done, done / 300);
  for (int done = 610; done < 800; done += 10) state(5, done, 2 + (done - 600) / 2);
  const auto early = runs_of(Lines(lines.begin(), lines.begin() + 11));
  ASSERT_EQ(early.size(), 1U);
  EXPECT_EQ(early.at(0).train.segments, 1) << "nothing more comes that would show it";
  lines.emplace_back("Epoch 5/8: 100%|##########| 800/800 [01:42<00:00,  2.00it/s]");
  for (int epoch = 6; epoch <= 8; ++epoch) {
    for (int done = 10; done < 800; done += 10) state(epoch, done, done / 2);
    lines.push_back(written("Epoch %d/8: 100%%|##########| 800/800 [06:40<00:00,  2.00it/s]", epoch));
  }
  for (const std::size_t restart : {0U, 12U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 6400);
    EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.002);
  }
}

// A few steps each, under headings that name no total, of several trainings one behind the other.
TEST(BarsByEpoch, OfSeveralTrainingsUnderHeadings) {
  Lines lines;
  for (int run = 0; run < 3; ++run)
    for (int epoch = 0; epoch < 5; ++epoch) {
      lines.push_back(written("Epoch %d", epoch));
      for (int done = 1; done < 6; ++done)
        lines.push_back(
            written(" %d%%|###       | %d/6 [00:%02d<00:12,  3.00s/it]", done * 16, done, 3 * done));
      lines.emplace_back("100%|##########| 6/6 [00:18<00:00,  3.00s/it]");
      lines.emplace_back("Evaluating...");
    }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.iteration, 30) << ordinal;
    EXPECT_DOUBLE_EQ(step_time(run), 3) << ordinal;
  }
}

// What numbers the epoch below its bar tells of its validation alone, or the training's line has numbered it before.
TEST(BarsByEpoch, AboveTheLineOfAValidation) {
  for (const bool trained_told : {false, true}) {
    Lines lines;
    for (int epoch = 1; epoch <= 6; ++epoch) {
      lines.emplace_back("100%|##########| 46/46 [00:23<00:00,  2.00it/s]");
      if (trained_told) {
        lines.push_back(written("Epoch %d: train loss 0.8125", epoch));
        lines.emplace_back("100%|##########| 40/40 [00:04<00:00, 10.00it/s]");
      }
      lines.push_back(written("EPOCH %d ... Validation Accuracy = 0.656", epoch));
    }
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 6 * 46);
    EXPECT_EQ(runs.at(0).train.iterations, 6 * 46);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.5);
  }
}

}  // namespace
}  // namespace etad::test
