// Lines that count the steps of an epoch, in scripts of people's own: which step of the run that is.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// Steps of the epoch and of the run on one line, and the latter alone behind each epoch.
TEST(StepsOfEpochs, BesideTheRunsOwn) {
  Lines lines;
  for (int i = 1; i <= 60; ++i) {
    lines.push_back(
        written("[2026-03-01 10:%02d:00][Epoch %03d][Step %04d/0200] global_step=%d train_loss=0.8125",
                i % 60, (i - 1) / 20, 10 * ((i - 1) % 20 + 1), 10 * i));
    if (i % 20 == 0)
      lines.push_back(
          written("[2026-03-01 10:%02d:05][Epoch %03d] global_step=%d train_loss=0.8125 val_ppl=31.25",
                  i % 60, i / 20 - 1, 10 * i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 600);
  EXPECT_NEAR(step_time(runs.at(0)), 6, 0.1);
}

// Steps out of so many that begin anew with each epoch, and a line behind them that numbers it and tells its time: as long
// as epochs are to come, no end of one is the training's.
Lines bars_and_epochs(const Lines& head, int epochs, int last_step) {
  Lines lines = head;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    for (int step = 100; step <= (epoch < epochs ? 500 : last_step); step += 100)
      lines.push_back(written("  [train] step %d/500  loss=%.4f", step, 2.0 / epoch));
    if (epoch < epochs || last_step > 500)
      lines.push_back(written("Epoch %03d/6  train_loss=1.25  val_loss=1.5  time=62.5s", epoch));
  }
  return lines;
}

TEST(StepsOfEpochs, OfWhichEachIsNumberedBehindItsLastOne) {
  for (const std::size_t restart : {0U, 11U}) {
    const auto running = runs_of(bars_and_epochs({}, 5, 500), restart);
    ASSERT_EQ(running.size(), 1U);
    EXPECT_EQ(running.at(0).state, RunState::lost);
    EXPECT_EQ(running.at(0).iteration, 2500);
    EXPECT_EQ(running.at(0).max_iterations, 3000);
    const auto over = runs_of(bars_and_epochs({}, 6, 501), restart);
    ASSERT_EQ(over.size(), 1U);
    EXPECT_EQ(over.at(0).state, RunState::finished);
    EXPECT_EQ(over.at(0).iteration, 3000);
    EXPECT_DOUBLE_EQ(step_time(over.at(0)), 0.125);
  }
}

// Of a plan told in words each epoch is a part.
TEST(StepsOfEpochs, ArePartsOfThePlanOfAll) {
  const auto run = only_run(bars_and_epochs({"max_steps=3000"}, 4, 300));
  EXPECT_EQ(run.iteration, 1800);
  EXPECT_EQ(run.max_iterations, 3000);
  EXPECT_DOUBLE_EQ(step_time(run), 0.125);
}

// A size that looks like a step is none, as the lines behind it show.
TEST(StepsOfEpochs, AreNotCountedFromTheirNumber) {
  for (const char* const head :
       {"train_steps=500  val_steps=125", "train_steps=500 lr=0.001", "Train steps: 500 | Val steps: 125"}) {
    const auto run = only_run(bars_and_epochs({head}, 4, 300));
    EXPECT_EQ(run.iteration, 1800) << head;
    EXPECT_EQ(run.first_iteration, 100) << head;
  }
}

// A number in brackets right before those of the steps is the epoch's, whatever the line calls it.
TEST(StepsOfEpochs, BehindANumberInBrackets) {
  for (const char* const form : {"Iter: [%d][%d/400]\tLoss 0.412 (0.512)", "[%d][%d/400] loss 0.4125",
                                 "TRAIN(%d): [%d/400] loss 0.4125", "[%d/5][%d/400]\tLoss_D: 0.4125"}) {
    Lines lines;
    int seconds = 0;
    for (int epoch = 0; epoch < 5; ++epoch)
      for (int step = 0; step <= 350; step += 50, seconds += 10)
        lines.push_back(written("2026-03-01 10:%02d:%02d,250 - ", seconds / 60, seconds % 60) +
                        written(form, epoch, step));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U) << form;
    EXPECT_GE(runs.at(0).iteration, 4 * 400 + 350) << form;
    EXPECT_NEAR(step_time(runs.at(0)), 0.2, 0.01) << form;
  }
}

// What scripts after Hugging Face's first examples say before they begin tells how long an epoch is.
TEST(StepsOfEpochs, AreAsManyAsThePlanSays) {
  for (const int gathered : {1, 2}) {
    const char* const stamp = "03/01/2026 %02d:%02d:%02d - INFO - __main__ -   ";
    Lines lines = {written(stamp, 10, 0, 0) + "  Num Epochs = 5",
                   written(stamp, 10, 0, 0) + written("  Gradient Accumulation steps = %d", gathered),
                   written(stamp, 10, 0, 0) + "  Total optimization steps = 1300"};
    for (int epoch = 0; epoch < 5; ++epoch)
      for (int step = 100; step <= 200; step += 100) {
        const int now = 300 * epoch + step;
        lines.push_back(written(stamp, 10, now / 60, now % 60) +
                        written("epoch %d step %d loss 0.8125", epoch, step));
        if (step < 200) continue;
        lines.push_back(written(stamp, 10, (now + 60) / 60, now % 60) + "***** Running evaluation *****");
        lines.push_back(written(stamp, 10, (now + 100) / 60, (now + 100) % 60) + "  eval_loss = 0.9125");
      }
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, gathered == 1 ? 1300 : 5 * 200);
    EXPECT_NEAR(step_time(runs.at(0)), 1, 0.01);
  }
}

// Epochs of 435 steps, which no line tells, and a line each hundred of all: the first one of an epoch shows how many of the
// epoch before it have not been shown.
TEST(StepsOfEpochs, ThatLinesGoOnCountingAreAllCounted) {
  Lines lines;
  for (int step = 100; step <= 3000; step += 100) {
    const int now = step / 2 + 60 * (step / 435);  // a test between two epochs
    lines.push_back("2026-03-01 " + time_of_day(10, now) +
                    written(",250 [INFO] Epoch and iter %d %d Loss 1.250000 Time 50.125000", 28 + step / 435,
                            step % 435));
  }
  const auto runs = runs_of(lines, 7);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.begin()->second.iteration, 3000);
  EXPECT_NEAR(step_time(runs.begin()->second), 0.5, 0.01);
}

// Steps that count from 0 through all epochs: one that says its last has done all, and what begins at 0 again, with
// another number of them, is another training.
TEST(StepsOfEpochs, CountedFromZeroEndOneBelow) {
  Lines lines;
  for (const int all : {60, 90})
    for (int i = 0; i < all; ++i)
      lines.push_back(written("2026-03-01 1%d:%02d:%02d,100 - INFO - main.py - train - 99 - [train] ",
                              all / 90, i / 20, i % 20 * 3) +
                      written("epoch:%d %d/%d loss:0.8125", i / (all / 3), i, all));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const int i : {0, 1}) {
    EXPECT_EQ(runs.at(i).max_iterations, 60 + 30 * i);
    EXPECT_EQ(runs.at(i).iteration, 60 + 30 * i);
    EXPECT_EQ(runs.at(i).state, RunState::finished);
    EXPECT_NEAR(step_time(runs.at(i)), 3, 0.1);
  }
}

// Apple's mlx_lm.
TEST(StepsOfEpochs, OfNoneButAPlanOfIterations) {
  Lines lines = {"Starting training..., iters: 1000"};
  for (int i = 10; i <= 1000; i += 10)
    lines.push_back(written("Iter %d: Train loss 1.262, Learning Rate 1.000e-05, It/sec 0.200, ", i) +
                    "Tokens/sec 55.569, Trained Tokens 3336, Peak mem 23.558 GB");
  lines.push_back("Saved final weights to adapters/adapters.safetensors.");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).max_iterations, 1000);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 5, 0.01);
}

// The date and the clock with a comma between.
TEST(StepsOfEpochs, StampedWithACommaBehindTheDate) {
  Lines lines;
  for (int i = 0; i < 20; ++i)
    lines.push_back(written("2026-03-01, 10:%02d:00, iters:%d, iters_average_Loss:1.4231, odds:0.1912", 2 * i,
                            100 * i + 100));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 2000);
  EXPECT_NEAR(step_time(runs.at(0)), 1.2, 0.01);
}

// PyTorch's examples count samples, in the form in which others count steps: a known batch tells.
TEST(StepsOfEpochs, OrSamples) {
  const auto of = [](int step, int all, int each) {
    Lines lines{written("Namespace(batch_size=%d, epochs=2)", each)};
    for (int i = 0; i < 40; ++i)
      lines.push_back(written("2026-03-01 10:%02d:%02d,250 Train Epoch: %d [%d/%d (%d%%)]\tLoss: 0.5000",
                              i * 15 / 60, i * 15 % 60, 1 + i / 20, i % 20 * step, all, i % 20 * 5));
    return only_run(lines);
  };
  const etad::Run samples = of(2560, 51'000, 64);  // 797 batches, the last one of 56
  EXPECT_EQ(samples.max_iterations, 2 * 797);
  EXPECT_NEAR(step_time(samples), 15.0 / 40, 1e-3);
  const etad::Run steps = of(50, 1000, 64);
  EXPECT_EQ(steps.max_iterations, 2 * 1000);
  EXPECT_NEAR(step_time(steps), 15.0 / 50, 1e-3);
}

// A tutorial on BERT, which many follow: 1,250 batches of 0.5 s an epoch, shown every 200. Behind the end a prediction
// tells of its batches in the same words.
Lines tutorial_on_bert(int trainings) {
  const auto clock = [](int s) { return written("%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60); };
  Lines lines;
  for (int training = 0; training < trainings; ++training) {
    for (int epoch = 1; epoch <= 4; ++epoch) {
      lines.push_back(written("======== Epoch %d / 4 ========", epoch));
      lines.emplace_back("Training...");
      for (int batch = 200; batch < 1250; batch += 200)
        lines.push_back(
            (batch < 1000 ? written("  Batch   %d", batch) : written("  Batch 1,%03d", batch % 1000)) +
            "  of  1,250.    Elapsed: " + clock(batch / 2) + ".");
      lines.insert(lines.end(), {"  Average training loss: 0.41", "  Training epcoh took: " + clock(625)});
      lines.insert(lines.end(), {"Running Validation...", "  Accuracy: 0.81", "  Validation took: 0:00:20"});
    }
    lines.insert(lines.end(), {"Training complete!", "Total training took 0:43:00 (h:mm:ss)"});
    for (int batch = 100; batch < 400; batch += 100)
      lines.push_back(written("  Batch   %d  of    419.    Elapsed: 0:00:%02d.", batch, batch / 8));
  }
  return lines;
}

TEST(StepsOfEpochs, OfBatchesUnderHeadingsAndNoneOfAPrediction) {
  for (const std::size_t restart : {0U, 9U, 30U}) {
    const auto runs = runs_of(tutorial_on_bert(2), restart);
    ASSERT_EQ(runs.size(), 2U) << restart;
    for (const auto& [ordinal, run] : runs) {
      EXPECT_EQ(run.iteration, 5000) << ordinal;
      EXPECT_EQ(run.max_iterations, 5000) << ordinal;
      EXPECT_NEAR(step_time(run), 0.5, 0.005) << ordinal;
      EXPECT_EQ(run.state, RunState::finished) << ordinal;
    }
  }
}

// The plan stands in headings that end with the learning rate.
TEST(StepsOfEpochs, UnderHeadingsWithTheLearningRate) {
  Lines lines;
  for (int epoch = 0; epoch < 3; ++epoch) {
    lines.push_back(written("Epoch: %d/40 | Learning Rate: 1.250e-04", epoch));
    for (int i = 0; i < 400; i += 100)
      lines.push_back(
          written("2026-03-01 10:%02d:%02d,250 [%04d/400] Loss 0.8125", 4 * epoch + i / 100, 5, i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).max_iterations, 40 * 400);
  EXPECT_NEAR(step_time(runs.at(0)), 0.6, 0.005);
}

// A bar that overwrites itself leaves of an epoch what happens to be seen: its first states, its last ones or none.
TEST(StepsOfEpochs, OfWhichAnEarlyStateIsMissingAndReturns) {
  Lines lines;
  const auto state = [&lines](int epoch, int batch, const char* clock) {
    lines.push_back(
        written("Epoch %d/40: %3d%%|#| %d/50 [%s, 4.00it/s, loss=0.5]", epoch, 2 * batch, batch, clock));
  };
  for (int epoch = 1; epoch <= 40; ++epoch) {
    if (epoch % 4 == 1) state(epoch, 1, "00:00<00:12");
    if (epoch % 4 == 1) state(epoch, 45, "00:11<00:01");
    if (epoch % 4 == 2) state(epoch, 47, "00:11<00:00");
    state(epoch, 50, "00:12<00:00");
  }
  for (const std::size_t restart : {0U, 3U, 4U, 7U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U) << restart;
    EXPECT_EQ(runs.at(0).iteration, 2000);
    EXPECT_EQ(runs.at(0).max_iterations, 2000);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
    EXPECT_NEAR(step_time(runs.at(0)), 0.25, 0.01);
  }
}

// Of epochs that took no whole second each counts, and not only the slowest.
TEST(StepsOfEpochs, InMillisecondsOfWhichEachCounts) {
  Lines lines;
  for (int epoch = 1; epoch <= 40; ++epoch) {
    lines.push_back(written("Epoch %d/40", epoch));
    lines.push_back(
        written("20/20 [==============================] - 0s %dms/step - loss: 0.5000", epoch % 10 ? 1 : 3));
  }
  const auto run = only_run(lines);
  EXPECT_EQ(run.train.iterations, 800);
  EXPECT_NEAR(step_time(run), 0.0012, 1e-6);
}

// A heading over an older bar: the next epoch's begins it, another tells how far the training had come.
TEST(StepsOfEpochs, UnderAHeadingWrittenOverABar) {
  const char* const kBar = "20/20 [==============================] - 2s 100ms/step - loss: 0.5000";
  const char* const kOver = "Epoch %d/40==========================] - 2s 100ms/step - loss: 0.5000";
  Lines lines;
  for (int epoch = 1; epoch <= 20; ++epoch) {
    lines.push_back(written(epoch == 16 ? kOver : "Epoch %d/40", epoch));
    lines.emplace_back(kBar);
    if (epoch == 8) lines.push_back(written(kOver, 16));
  }
  for (const int epoch : {28, 36, 36}) lines.push_back(written(kOver, epoch));
  const auto run = only_run(lines);
  EXPECT_EQ(run.iteration, 35 * 20);
  EXPECT_EQ(run.max_iterations, 800);
  EXPECT_EQ(run.train.iterations, 400);
  EXPECT_EQ(run.test.segments, 0);
}

// Lines without any time count the steps of an epoch out of so many, and the epoch's own tells how long they took.
TEST(StepsOfEpochs, WithoutTimesTakeThatOfTheirEpoch) {
  Lines lines;
  for (int epoch = 1; epoch <= 6; ++epoch) {
    for (int step = 20; step <= (epoch < 6 ? 320 : 100); step += 20)
      lines.push_back(written("    step %4d/328  loss 0.5125", step));
    if (epoch < 6) lines.push_back(written("Epoch %d/50 -- train: 0.5125  val: 0.6125  (82s)", epoch));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 5 * 328 + 100);
  EXPECT_EQ(run.train.iterations, 5 * 328);
  EXPECT_EQ(run.state, RunState::lost);
  EXPECT_DOUBLE_EQ(step_time(run), 0.25);
  lines.resize(lines.size() - 5);
  EXPECT_EQ(only_run(lines).state, RunState::lost) << "more epochs are planned";
}

// The last state of a bar under a heading counts where the bars before it were as long.
TEST(StepsOfEpochs, OfABarThatIsBrokenOffAreDone) {
  Lines lines;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    lines.push_back(written("Epoch %d/10", epoch));
    for (int step = 10; step <= (epoch < 4 ? 100 : 30); step += 10)
      lines.push_back(written("%3d%%|###   | %d/100 [00:%02d<00:10,  2.00it/s]", step, step, step / 2));
    for (int step = 70; epoch < 4 && step <= 700; step += 70)
      lines.push_back(written("%3d%%|###   | %d/700 [00:%02d<00:10, 14.00it/s]", step / 7, step, step / 14));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 330);
  EXPECT_EQ(run.train.iterations, 300);
  EXPECT_EQ(run.state, RunState::lost);
}

// Of one step an epoch, what the bar counts looks like batches again when it has been made steps.
TEST(StepsOfEpochs, MayBeOneOfSeveralBatches) {
  const Lines plan = {"***** Running training *****", "  Num Epochs = 3", "  Gradient Accumulation steps = 4",
                      "  Total optimization steps = 3"};
  Lines bars = plan;
  for (int epoch = 0; epoch < 3; ++epoch)
    for (int batch = 1; batch <= 4; ++batch)
      bars.push_back(
          written("Iteration:  50%%|#####     | %d/4 [00:%02d<00:10,  5.00s/it]", batch, 5 * batch));
  const auto runs = runs_of(bars);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 20, 0.1);
  Lines one = plan;
  one.push_back("step 0/4 | loss 4.1250 | 0.50 s/it");
  EXPECT_LE(runs_of(one).size(), 1U);
}

// "Epoch 7 (7/40)" of each epoch once: what is out of a total is the epoch. It is a step where it moves within one.
TEST(StepsOfEpochs, AreNotTheNumberThatAnEpochHasInAll) {
  for (const int gone_on_at : {0, 18}) {
    const etad::Run run = only_run(lines_by(20, [gone_on_at](int i) {
      return written("2026-03-01 10:%02d:00 Epoch %d (%d/40) loss: 0.8125", i, i + 1, gone_on_at + i + 1);
    }));
    EXPECT_EQ(run.iteration, gone_on_at + 20);
    EXPECT_EQ(run.max_iterations, 40);
    EXPECT_DOUBLE_EQ(step_time(run), 60);
  }
  const etad::Run steps = only_run(lines_by(20, [](int i) {
    return written("2026-03-01 10:%02d:00 Epoch %d (%d/40) loss: 0.8125", i, i / 4 + 1, 10 * (i % 4 + 1));
  }));
  EXPECT_EQ(steps.iteration, 200);
  EXPECT_DOUBLE_EQ(step_time(steps), 6);
}

// Where the steps begin anew and nothing tells how many epochs there will be, the end of one is not the training's.
TEST(StepsOfEpochs, WhoseEndIsNotTheTrainings) {
  const auto steps = [](int epochs) {
    return lines_by(4 * epochs, [](int i) {
      return written("Iter %d/210 training loss = 0.8125, time = 0.5125, time for 50 iter: 25.0000",
                     50 * (i % 4 + 1));
    });
  };
  const etad::Run run = only_run(steps(3));
  EXPECT_EQ(run.iteration, 630) << "the last ones are not shown";
  EXPECT_EQ(run.max_iterations, std::nullopt);
  EXPECT_EQ(run.state, RunState::lost);
  EXPECT_EQ(only_run(steps(1)).state, RunState::finished) << "the only steps there are";
  Lines lines = steps(3);
  lines.emplace_back("Training finished");
  EXPECT_EQ(only_run(lines).state, RunState::finished);
}

// Of the epoch that breaks off the lines count the images that have been gone through.
TEST(StepsOfEpochs, InSamplesOfTheLastOne) {
  Lines lines = {"               batch_size: 4                             \t[default: 1]",
                 "The number of training images = 400", "model [Pix2PixModel] was created"};
  for (int epoch = 1; epoch <= 4; ++epoch) {
    lines.push_back(written("(epoch: %d, iters: 200, time: 0.125, data: 0.025) G_GAN: 1.250", epoch));
    if (epoch < 4) lines.push_back(written("End of epoch %d / 20 \t Time Taken: 50 sec", epoch));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 350);
  EXPECT_EQ(run.train.iterations, 300);
  EXPECT_EQ(run.max_iterations, 2000);
}

// Epochs of which a line tells the time, and another one, before them, how many batches each has.
TEST(StepsOfEpochs, AreToldOnceForAll) {
  for (const char* const told : {"Train samples: 12500  |  batches/epoch: 98", "98 batches per epoch",
                                 "steps_per_epoch: 98", "len(train_loader) = 98"}) {
    Lines lines{"Params: 1,250,000", told, "batch_size=128"};
    for (int epoch = 1; epoch <= 12; ++epoch)
      lines.push_back(written("epoch  %2d/12 | loss    812.50 | kl   48.75 |  24.5s", epoch));
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 12 * 98) << told;
    EXPECT_EQ(run.max_iterations, 12 * 98) << told;
    EXPECT_DOUBLE_EQ(step_time(run), 0.25) << told;
    EXPECT_EQ(run.state, RunState::finished) << told;
  }
}

// A program that counts all steps shows what is left of them beside the number of the epoch that is over, where a line
// stands on an epoch's last step or behind it.
TEST(StepsOfEpochs, GoOnBesideTheNumberOfTheEpochThatIsOver) {
  for (const bool headed : {true, false}) {
    Lines lines;
    if (headed) lines.push_back("[11/24 10:00:00] ppgan INFO: Configs: {'epochs': 20, 'output_dir': 'out'}");
    for (int step = 10; step <= 20 * 99; step += 10)
      lines.push_back(written(
          "[11/24 %s] ppgan.engine.trainer INFO: Epoch: %d/20, iter: %d/99 lr: 2.000e-04 D_A_loss: 0.312 "
          "batch_cost: 1.50000 sec reader_cost: 0.00125 sec ips: 1.95122 images/s",
          time_of_day(10, 15 * step / 10).c_str(), (step - 2) / 99 + 1, step % 99));
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 20 * 99);
    EXPECT_EQ(run.state, RunState::finished);
    EXPECT_GE(run.train.iterations, 1960);
    EXPECT_NEAR(step_time(run), 1.5, 0.01);
  }
}

}  // namespace
}  // namespace etad::test
