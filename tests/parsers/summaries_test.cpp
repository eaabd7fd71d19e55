// Trainers that sum up at their end how long all of it took: what is printed behind it, and several of them in one log.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

const char* const kLoss = "{'loss': %.4f, 'grad_norm': 0.5, 'learning_rate': 4.5e-05, 'epoch': %.2f}";

std::string summary(double seconds, double rate) {
  return written("{'train_runtime': %.4f, 'train_samples_per_second': %.3f, 'train_steps_per_second': %.4f}",
                 seconds, 8 * rate, rate);
}

std::string bar(int done, int all, int seconds) {
  return written("%3d%%|#####     | %d/%d [%02d:%02d<00:10,  2.00it/s]", 100 * done / all, done, all,
                 seconds / 60, seconds % 60);
}

// As of a cross-validation, whose trainings are about as long.
TEST(Summaries, EachBehindLossesIsAnotherTrainings) {
  Lines lines;
  for (int fold = 0; fold < 3; ++fold) {
    for (int i = 1; i <= 4; ++i) lines.push_back(written(kLoss, 2.0 / i, 0.5 * i));
    lines.push_back(summary(400.25 + 0.25 * fold, 0.5));
    lines.push_back("{'eval_loss': 0.5, 'eval_runtime': 10.0, 'eval_steps_per_second': 5.0}");
  }
  for (const std::size_t restart : {0U, 7U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 3U);
    for (const auto& [ordinal, run] : runs) {
      EXPECT_EQ(run.iteration, 200) << ordinal;
      EXPECT_EQ(run.state, RunState::finished) << ordinal;
      EXPECT_NEAR(step_time(run), 2, 0.02) << ordinal;
    }
  }
}

// As written one object a line, behind an evaluation before the first step.
TEST(Summaries, AreReadAsObjectsToo) {
  Lines lines = {
      R"({"eval_loss": 3.5, "eval_runtime": 29.5, "eval_samples_per_second": 33.5, "epoch": 0, "step": 0})"};
  for (int i = 1; i <= 40; ++i)
    lines.push_back(
        written(R"({"loss": 2.5, "grad_norm": 0.5, "learning_rate": 0.0001, "epoch": %.3f, "step": %d})",
                0.025 * i, i));
  lines.push_back(
      R"({"train_runtime": 600.25, "train_samples_per_second": 1.066, "train_steps_per_second": 0.067, "epoch": 1.0})");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.iteration, 40);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), (600.25 - 29.5) / 40, 1e-9);
}

// No line shows the training before its end, and some print each dictionary twice, or evaluate before the first step.
TEST(Summaries, AreOfTheTrainingWithoutTheEvaluationsToldOf) {
  Lines lines;
  const auto evaluate = [&lines](double seconds, const std::string& epoch) {
    lines.push_back(written("{'eval_loss': 0.5, 'eval_runtime': %.4f, 'eval_steps_per_second': 5.179%s}",
                            seconds, epoch.c_str()));
  };
  for (int training = 0; training < 2; ++training) {
    evaluate(30.5, "");
    for (int i = 1; i <= 40; ++i) {
      lines.push_back(written(kLoss, 2.0 / i, 0.25 * i));
      if (i % 10 != 0) continue;
      evaluate(20 + i, written(", 'epoch': %.1f", 0.25 * i));
      evaluate(20 + i, written(", 'epoch': %.1f", 0.25 * i));
    }
    lines.push_back(summary(1000, 0.4));  // 180 s of it for evaluations
  }
  for (const std::size_t restart : {0U, 30U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 2U);
    for (const auto& [ordinal, run] : runs) {
      EXPECT_EQ(run.iteration, 400) << ordinal;
      EXPECT_NEAR(step_time(run), 2.05, 1e-9) << ordinal;
    }
  }
}

// The rate of a long evaluation leaves the number of its batches open.
TEST(Summaries, AreOfTheTrainingWithoutTheEvaluationWhateverItsNumberOfBatches) {
  for (const int said : {1, 2}) {
    Lines lines{"***** Running training *****", "  Total optimization steps = 1,000"};
    for (int i = 0; i < said; ++i)
      lines.emplace_back(
          "{'eval_runtime': 6500.5, 'eval_samples_per_second': 3.5, 'eval_steps_per_second': 0.875, 'epoch': "
          "1.0}");
    lines.emplace_back(
        "{'train_runtime': 19500.5, 'train_samples_per_second': 3.25, 'train_steps_per_second': 0.051, "
        "'epoch': 1.0}");
    EXPECT_NEAR(step_time(only_run(lines)), 13, 1e-9) << said;
  }
}

// Slow steps, each with a line of its own: the rate has but one or two digits, and the lines tell the number.
TEST(Summaries, OfSlowStepsLeaveTheirNumberToTheLines) {
  Lines lines;
  for (const char* const rate : {"0.037", "0.004"}) {
    for (int i = 1; i <= 50; ++i) lines.push_back(written(kLoss, 2.0 / i, 0.04 * i));
    const double seconds = rate == std::string("0.037") ? 1365.25 : 12025.25;
    lines.push_back(written("{'train_runtime': %.2f, 'train_steps_per_second': %s}", seconds, rate));
  }
  for (const std::size_t restart : {0U, 20U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 2U);
    for (const auto& [ordinal, run] : runs) EXPECT_EQ(run.iteration, 50) << ordinal;
    EXPECT_NEAR(step_time(runs.at(0)), 27.305, 0.001);
    EXPECT_NEAR(step_time(runs.at(1)), 240.505, 0.001);
  }
}

// PyTorch's tutorial of transfer learning, run for several networks: headings alone count the epochs, and each training
// says at its end what all of them took.
TEST(Summaries, OfTrainingsWhoseHeadingsCountTheEpochsAreAllKept) {
  std::vector<std::string> lines;
  for (const int minutes : {8, 16, 24}) {
    for (int epoch = 0; epoch < 8; ++epoch)
      for (const std::string& line : {written("Epoch %d/7", epoch), std::string("----------"),
                                      std::string("train Loss: 0.1542 Acc: 0.9383"),
                                      std::string("val Loss: 0.7530 Acc: 0.7674"), std::string()})
        lines.push_back(line);
    lines.push_back(written("Training complete in %dm 0s", minutes));
    lines.emplace_back("Best val Acc: 0.795771");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.iteration, 8);
    EXPECT_EQ(run.state, RunState::finished);
    EXPECT_DOUBLE_EQ(step_time(run), 60.0 * static_cast<double>(ordinal + 1));
  }
}

TEST(Summaries, OfSeveralProcessesAreOne) {
  Lines lines = {written(kLoss, 2.0, 0.5)};
  for (const double seconds : {400.25, 400.5, 401.0}) lines.push_back(summary(seconds, 0.5));
  EXPECT_EQ(runs_of(lines).size(), 1U);
}

// One behind the other, of as many steps that take as long: no line but these tells of them.
TEST(Summaries, OfTrainingsThatTakeAsLongDifferInTheRateOrTheLoss) {
  const auto told = [](double seconds, double rate, double loss) {
    return written(
        "{'train_runtime': %.4f, 'train_steps_per_second': %.3f, 'train_loss': %.8f, 'epoch': 1.0}", seconds,
        rate, loss);
  };
  for (const std::size_t restart : {0U, 2U}) {
    const Lines by_loss = {told(60.25, 0.83, 1.5125), told(60.25, 0.83, 1.5125), bar(50, 50, 60),
                           told(60.375, 0.828, 1.625), bar(50, 50, 60)};
    EXPECT_EQ(runs_of(by_loss, restart).size(), 2U);
    const Lines by_rate = {told(60.25, 9.834, 0.5), told(60.25, 9.834, 0.5), told(60.75, 5.847, 0.5)};
    EXPECT_EQ(runs_of(by_rate, restart).size(), 2U);
  }
}

// It was gone on with behind its last step.
TEST(Summaries, OfNothingDoneMeasureNothing) {
  const auto runs = runs_of({"  0%|          | 0/348 [00:00<?, ?it/s]",
                             "{'train_runtime': 0.0512, 'train_samples_per_second': 54375.0, "
                             "'train_steps_per_second': 6796.875, 'train_loss': 0.0, 'epoch': 3.0}",
                             "100%|##########| 9/9 [01:12<00:00,  8.00s/it]"});
  for (const auto& [ordinal, run] : runs) EXPECT_EQ(run.train.segments, 0) << ordinal;
}

// The next training is as long as the first: its bar begins anew, no faster, and nothing else tells of it. One over the
// same samples that is faster evaluates.
TEST(Summaries, AreFollowedByTheBarOfATrainingAsLong) {
  for (const int pace : {2, 6, 20}) {
    Lines lines;
    for (int i = 1; i <= 10; ++i) lines.push_back(bar(6 * i, 60, 36 * i));
    lines.push_back(summary(360.25, 0.1666));
    for (int i = 1; i <= 8; ++i) lines.push_back(bar(6 * i, 60, 6 * pace * i));
    for (const std::size_t restart : {0U, 14U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), pace == 2 ? 1U : 2U) << pace;
      EXPECT_EQ(runs.at(0).iteration, 60);
      if (pace == 2) continue;
      EXPECT_EQ(runs.at(1).iteration, 48);
      EXPECT_EQ(runs.at(1).state, RunState::lost);
      EXPECT_NEAR(step_time(runs.at(1)), pace, 0.05);
    }
  }
}

TEST(Summaries, AreFollowedByABarThatIsNoTraining) {
  Lines lines;
  for (int i = 1; i <= 10; ++i) lines.push_back(bar(40 * i, 400, 20 * i));
  lines.push_back(summary(200.25, 1.9975));
  for (int i = 1; i <= 10; ++i) lines.push_back(bar(24 * i, 240, 30 * i));  // of a prediction
  auto runs = runs_of(lines, 15);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  // A loss shows that it is one.
  for (int i = 1; i <= 10; ++i) {
    lines.push_back(bar(60 * i, 600, 30 * i));
    lines.push_back(written(kLoss, 2.0 / i, 0.1 * i));
  }
  lines.push_back(summary(300.25, 1.9983));
  runs = runs_of(lines, 25);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(1).iteration, 600);
  EXPECT_NEAR(step_time(runs.at(1)), 0.5, 0.01);
}

// Losses that are printed late come amid an evaluation, whose bar is not the training's.
// It is over in no time, as one over the data is; the training's own is too short to be shown.
TEST(Summaries, OfFewerStepsThanABarAboveThemAreNotItsTrainings) {
  const auto run = only_run({"  0%|          | 1/400 [00:00<00:51,  7.75it/s]",
                             "100%|██████████| 400/400 [00:00<00:00, 652.50it/s]",
                             "{'train_runtime': 8.0, 'train_samples_per_second': 1.0, "
                             "'train_steps_per_second': 0.25, 'train_loss': 1.25, 'epoch': 1.0}"});
  EXPECT_EQ(run.iteration, 2);
  EXPECT_EQ(run.max_iterations, std::nullopt);
  EXPECT_DOUBLE_EQ(step_time(run), 4);
}

TEST(Summaries, AreFollowedByATrainingWhoseLossesComeLate) {
  Lines lines;
  for (int i = 1; i <= 3; ++i) lines.push_back(bar(i, 3, 2 * i));
  lines.push_back(summary(6.25, 0.48));
  int seconds = 0;
  for (int step = 20; step <= 1200; step += 20) {
    seconds += 40;
    lines.push_back(bar(step, 1200, seconds));
    if (step % 400 != 0) continue;
    lines.push_back(bar(1, 60, 2));
    for (int i = 0; i < 10; ++i) lines.push_back(written(kLoss, 2.0, 0.1 * i));
    for (int i = 1; i <= 6; ++i) lines.push_back(bar(10 * i, 60, 5 * i));
    seconds += 30;
    lines.push_back(bar(step, 1200, seconds));
  }
  lines.push_back(summary(seconds, 0.46));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(1).iteration, 1200);
  EXPECT_EQ(runs.at(1).max_iterations, 1200);
  EXPECT_NEAR(step_time(runs.at(1)), 2, 0.05);
}

// What an evaluation came to, printed late, behind the bar's last state before the next one, hides none of its states.
TEST(Summaries, OfAnEvaluationBehindABarHideNoneOfItsStates) {
  Lines lines = {"***** Running training *****"};
  int seconds = 0;
  for (int step = 50; step <= 1000; step += 50) {
    seconds += 25;
    if (step % 250 != 0) {
      lines.push_back(bar(step, 1000, seconds));
      continue;
    }
    lines.push_back(bar(step, 1000, seconds));
    if (step > 250)
      lines.back() += "{'eval_loss': 0.5, 'eval_runtime': 171.25, 'eval_steps_per_second': 0.73}";
    for (int i = 1; i <= 5; ++i) lines.push_back(bar(25 * i, 125, 34 * i));
    seconds += 171;
    lines.push_back(bar(step, 1000, seconds));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 1000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.01);
}

// A sweep over short trainings, which take the same time nearly to the millisecond.
TEST(Summaries, BehindABarThatBeginsAgainAreAnotherTrainings) {
  Lines lines;
  for (int i = 0; i < 4; ++i) {
    for (int step = 0; step <= 8; ++step) lines.push_back(bar(step, 8, step));
    lines.push_back(summary(8.0125 + 0.0005 * i, 0.9985));
    lines.push_back(bar(8, 8, 8));
  }
  for (const std::size_t restart : {0U, 16U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 4U);
    for (const auto& [ordinal, run] : runs) {
      EXPECT_EQ(run.iteration, 8) << ordinal;
      EXPECT_EQ(run.state, RunState::finished) << ordinal;
    }
  }
}

// Of two nodes, whose bars are full at about the same time.
TEST(Summaries, BetweenTheLastStatesOfSeveralProcessesBarsAreOne) {
  Lines lines;
  for (int step = 0; step <= 40; step += 8)
    for (int node = 0; node < 2; ++node) lines.push_back(bar(step, 40, step));
  lines.push_back(summary(40.0125, 0.9985));
  lines.push_back(bar(32, 40, 32));
  lines.push_back(bar(40, 40, 40));
  lines.push_back(summary(40.0130, 0.9985));
  EXPECT_EQ(runs_of(lines).size(), 1U);
}

// "elapsed" of a batch job, and a mean, below a training's epochs that told their times themselves.
TEST(Summaries, WithoutANumberAreNoEpochBehindTimedOnes) {
  std::vector<std::string> lines{"lr 0.1"};
  for (int i = 0; i < 30; ++i) lines.push_back(written("Epoch %d/30 - 16.%03ds", i, 10 * i));
  const double epochs = step_time(runs_of(lines).at(0));
  for (const char* below :
       {"Average time per epoch: 16.145 s", "ELAPSED: 484 seconds", "Time elapsed: 484.5s"})
    lines.push_back(below);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 30);
  EXPECT_EQ(step_time(runs.at(0)), epochs);
}

// A training that comes no further than the first line that tells of its steps: that is all that measures it.
TEST(Summaries, OfTheOnlyLineCountWhereNothingElseMeasures) {
  struct Only {
    Lines lines;
    std::int64_t steps;
    double step_time;
  };
  const std::vector<Only> all = {
      {{"[2026-03-01 10:00:00 tiny] (main.py 188): INFO Train: [0/50][0/6]\teta 0:08:30 lr 0.5\ttime 85.0625 "
        "(85.0625)\ttot_loss 0.5 (0.5)\tmem 0MB"},
       1,
       85.0625},
      {{"2026-03-01 10:00:00.500 | INFO     | yolox.core.trainer:before_train:126 - args: "
        "Namespace(batch_size=24, devices=2, exp_file='exps/yolox_tiny.py')",
        "2026-03-01 10:01:00.250 | INFO     | yolox.core.trainer:after_iter:246 - epoch: 1/80, iter: 20/62, "
        "mem: "
        "2048Mb, iter_time: 0.375s, data_time: 0.001s, total_loss: 8.5, lr: 1.0e-05, size: 640, ETA: "
        "0:31:00"},
       20,
       0.375},
      {{" 10%|█         | 4/40 [02:05<18:45, 31.25s/it]", written(kLoss, 1.25, 0.5)}, 4, 31.25}};
  for (const Only& only : all) {
    const etad::Run run = only_run(only.lines);
    EXPECT_EQ(run.state, RunState::lost);
    EXPECT_EQ(run.train.iterations, only.steps);
    EXPECT_NEAR(step_time(run), only.step_time, 1e-6);
  }
  Lines first_steps = all[0].lines;
  first_steps.emplace_back(
      "[2026-03-01 10:00:00 tiny] (main.py 188): INFO Train: [1/50][0/6]\teta 0:08:30 lr 0.5\ttime 80.0625 "
      "(80.0625)\ttot_loss 0.5 (0.5)\tmem 0MB");
  EXPECT_EQ(only_run(first_steps).train.segments, 0) << "each epoch's first step waits for its data";
  Lines more = all[1].lines;
  more.emplace_back(
      "2026-03-01 10:01:08.250 | INFO     | yolox.core.trainer:after_iter:246 - epoch: 1/80, iter: 40/62, "
      "mem: "
      "2048Mb, iter_time: 0.250s, data_time: 0.001s, total_loss: 8.5, lr: 1.0e-05, size: 640, ETA: 0:31:00");
  EXPECT_NEAR(step_time(only_run(more)), 0.25, 1e-6) << "the first steps set up";
}

// One that was gone on with counts steps as done that took no time.
TEST(Summaries, OfTheOnlyStateOfABarThatWasGoneOnWithAreNone) {
  EXPECT_EQ(only_run({" 52%|█████     | 520/1000 [01:05<15:45,  2.25s/it]", written(kLoss, 1.25, 0.5)})
                .train.segments,
            0);
}

// 0.019 steps a second are not the 37 steps that the samples are by a batch of 8, that of an evaluation: by both rates
// a step takes 4.
TEST(Summaries, CountNoStepsThatTheirOwnRateExcludes) {
  Lines lines = {
      "Batch size: 8", "{'loss': 0.5, 'grad_norm': 0.25, 'learning_rate': 2e-06, 'epoch': 0.5}",
      "{'train_runtime': 4050.25, 'train_samples_per_second': 0.074, 'train_steps_per_second': 0.019, "
      "'train_loss': 0.5, 'epoch': 0.75}"};
  for (const char* const batch : {"Batch size: 8", "Batch size: 4", "no batch size"}) {
    lines.front() = batch;
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 75) << batch;
    EXPECT_EQ(run.train.samples_per_iteration, 4) << batch;
    EXPECT_NEAR(step_time(run), 4050.25 / 75, 1e-9) << batch;
  }
  // Rates that leave several batches open tell nothing.
  lines.front() = "Batch size: 8";
  lines.back() =
      "{'train_runtime': 3000.5, 'train_samples_per_second': 0.6, 'train_steps_per_second': 0.004, "
      "'train_loss': 0.5, 'epoch': 0.75}";
  EXPECT_EQ(only_run(lines).train.segments, 0);
}

// Every hundredth state of the bar, and the last one below the summary, whose time it tells, too.
TEST(Summaries, StandAboveTheLastStateOfTheirBar) {
  for (const bool same : {true, false}) {
    Lines lines;
    for (int step = 1; step <= 500; ++step) {
      if (step % 100 == 0 && step < 500) lines.push_back(bar(step, 500, 10 * step));
      lines.push_back(written("{'loss': 0.5, 'learning_rate': %.7f, 'epoch': 0.2}", 1e-4 * (500 - step)));
    }
    lines.push_back(
        written("{'train_runtime': %.4f, 'train_steps_per_second': 0.1}", same ? 5000.25 : 6000.25));
    if (same) lines.push_back(bar(500, 500, 5000));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, same ? 500 : 400);
    EXPECT_NEAR(step_time(runs.at(0)), 10, 1e-9);
  }
}

// The states of the bar that a file has left are few: its lines go on where each told of a step between them.
TEST(Summaries, AreMissingWhereLinesCountOnBehindTheLastState) {
  for (const int every : {1, 5}) {
    Lines lines;
    for (int step = 5; step <= 470; ++step) {
      if (step % 100 == 5 && step < 400) lines.push_back(bar(step, 500, 10 * step));
      if (step % every == 0) lines.emplace_back("{'loss': 0.5, 'learning_rate': 1e-06, 'epoch': 0.2}");
    }
    for (const std::size_t restart : {0U, 90U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_NEAR(static_cast<double>(*runs.at(0).iteration), 470, every) << restart;
      EXPECT_EQ(runs.at(0).state, RunState::lost);
      EXPECT_NEAR(step_time(runs.at(0)), 10, 1e-9);
    }
    lines.insert(lines.begin() + 50, "{'loss': 0.5, 'learning_rate': 1e-06, 'epoch': 0.2}");  // of no step
    EXPECT_EQ(runs_of(lines).at(0).iteration, 305);
  }
}

}  // namespace
}  // namespace etad::test
