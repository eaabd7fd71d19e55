// Bars of a training that are drawn again behind what is no step of it: an evaluation of which no line tells, a saving.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "parsers/lines/line.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

std::string bar(int step, int seconds, const std::string& behind = "]") {
  return written("%d%%|##| %d/100 [%d:%02d<1:00:00, 40.25s/it", step, step, seconds / 60, seconds % 60) +
         behind;
}

Lines states(std::string line) {
  std::vector<std::string_view> found;
  LineLosses losses;
  clean_states(line, 4096, found, losses);
  return {found.begin(), found.end()};
}

// As the daemon parts them.
Lines parted(const std::string& log) {
  Lines out;
  for (const std::string& line : lines_of(log))
    for (std::string& state : states(line)) out.push_back(std::move(state));
  return out;
}

TEST(WaitingBars, OfStatesThatShowTheSameTheFirstAndTheLastAreLines) {
  EXPECT_EQ(states(bar(5, 200) + '\r' + bar(5, 230) + '\r' + bar(5, 260) + '\r' + bar(6, 300)),
            (Lines{bar(5, 200), bar(5, 260), bar(6, 300)}));
}

TEST(WaitingBars, OthersAreTheStepsOwn) {
  const std::string newer = ", loss=0.5]";
  EXPECT_EQ(states(bar(5, 200) + '\r' + bar(5, 200, newer)), Lines{bar(5, 200, newer)}) << "a new loss";
  EXPECT_EQ(states(bar(5, 200) + '\r' + bar(5, 240, newer)), Lines{bar(5, 200)}) << "the next step's";
  EXPECT_EQ(states(bar(5, 200) + '\r' + bar(5, 240, newer + "INFO saved")),
            (Lines{bar(5, 200), "INFO saved"}));
  EXPECT_EQ(states(bar(5, 200) + '\r' + bar(5, 204)), Lines{bar(5, 204)}) << "drawn anew at once";
  EXPECT_EQ(states("Epoch 3: 15it [10:00, 40.25s/it, loss=0.75]\rEpoch 3: 15it [10:40, 40.25s/it, loss=0.5]"),
            Lines{"Epoch 3: 15it [10:00, 40.25s/it, loss=0.75]"})
      << "the next step's, of a bar of unknown length";
  const std::string days = "5%|##| 5/100 [1 day, 1:00:00<1:00:00, 40.25s/it]";
  EXPECT_EQ(states(days + '\r' + days), Lines{days}) << "no clock";
  EXPECT_EQ(states("5%|##| 5/100 [99999999:00<1:00, 1it/s]\r5%|##| 5/100 [99999999:59<1:00, 1it/s]").size(),
            1U);
}

// Steps of 40 s; behind every tenth the training waits for 95 s, and behind every twentieth it saves for 400 more, before
// which the bar is drawn again.
TEST(WaitingBars, WhatTheTrainingWaitsForIsNoStep) {
  for (const std::string between : {"\n", "\r"}) {
    std::string log = "***** Running training *****\n";
    int seconds = 0;
    for (int step = 1; step <= 60; ++step) {
      seconds += 40;
      log += bar(step, seconds) + between;
      if (step % 10 != 0) continue;
      seconds += 95;
      log += bar(step, seconds) + "\n{'loss': 0.5, 'learning_rate': 0.001, 'epoch': 0.5}\n";
      if (step % 20 == 0) seconds += 400;
    }
    for (const std::size_t restart : {0U, 5U, 11U}) {
      const auto runs = runs_of(parted(log), restart);
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_EQ(runs.at(0).iteration, 60);
      EXPECT_GE(runs.at(0).train.iterations, 55);
      EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 40) << restart;
    }
  }
}

// Lightning's before version 2: the bar of an epoch of 100 steps, 2 s each, counts the batches of its tests as well, 4
// s each, and goes on while they are drawn. The last epoch breaks off amid them, or before.
Lines with_tests_in_bars(const std::vector<int>& loaders, int every) {
  Lines lines = {"GPU available: True, used: True"};
  int tests = 0;
  for (const int of : loaders) tests += of;
  for (int epoch = 0; epoch < 4; ++epoch) {
    const bool tested = (epoch + 1) % every == 0;
    int batch = 0, seconds = 0;
    const auto draw = [&](int took) {
      const int all = 100 + (tested ? tests : 0);
      seconds += took;
      ++batch;
      lines.push_back(written("Epoch %d: %3d%%|##| %d/%d [%02d:%02d<01:00,  1.50s/it, loss=0.5, v_num=3]",
                              epoch, batch * 100 / all, batch, all, seconds / 60, seconds % 60));
    };
    for (int step = 0; step < 100; ++step) draw(2);
    for (std::size_t loader = 0; tested && loader < loaders.size(); ++loader)
      for (int i = 1; i <= loaders[loader]; ++i) {
        if (epoch == 3 && i == 5) return lines;
        lines.push_back(written("Validation DataLoader %d: %3d%%|##| %d/%d [00:%02d<00:10,  4.00s/it]",
                                static_cast<int>(loader), i * 100 / loaders[loader], i, loaders[loader],
                                4 * i));
        draw(4);
      }
  }
  return lines;
}

TEST(WaitingBars, WhatCountsItsTestsIsWithoutThem) {
  std::vector<etad::Run> runs = {runs_of(with_tests_in_bars({10}, 1), 150).at(0)};
  for (const Lines& lines :
       {with_tests_in_bars({10}, 1), with_tests_in_bars({10, 8}, 1), with_tests_in_bars({10}, 2)})
    runs.push_back(only_run(lines));
  for (const etad::Run& run : runs) {
    EXPECT_EQ(run.iteration, 400);
    EXPECT_NEAR(step_time(run), 2, 0.02);
    EXPECT_GE(run.train.iterations, 390);
  }
}

// Before the first step of 150 an evaluation is drawn, and after each 50th another; the training's bar stands meanwhile.
std::string evaluated_first(int evaluation) {
  std::string log = "  0%|          | 0/150 [00:00<?, ?it/s]\n";
  int seconds = 0;
  const auto evaluate = [&] {
    log += written("  0%%|          | 0/%d [00:00<?, ?it/s]\n", evaluation);
    for (int batch = 2; batch <= evaluation; batch += 2)
      log += written(" %d%%|##| %d/%d [00:%02d<00:30,  3.00it/s]\n", batch * 100 / evaluation, batch,
                     evaluation, batch / 3);
    seconds += evaluation / 3;
    log +=
        "{'eval_loss': 5.25, 'eval_runtime': 48.25, 'eval_samples_per_second': 3.0, "
        "'eval_steps_per_second': 3.0, 'epoch': 0}\n";
  };
  evaluate();
  log += written("  0%%|          | 0/150 [%02d:%02d<?, ?it/s]\n", seconds / 60, seconds % 60);
  for (int step = 1; step <= 150; ++step) {
    seconds += 4;
    log += written("%3d%%|##| %d/150 [%02d:%02d<09:00,  4.00s/it]\n", step * 100 / 150, step, seconds / 60,
                   seconds % 60);
    if (step == 50 || step == 100) evaluate();
  }
  return log +
         "{'train_runtime': 748.25, 'train_samples_per_second': 1.6, 'train_steps_per_second': 0.2, "
         "'train_loss': 1.5, 'epoch': 1.0}\n";
}

TEST(WaitingBars, ABarAmidAnotherThatHasNotMovedIsNoTraining) {
  for (const int evaluation : {72, 144})
    for (const std::size_t restart : {0U, 5U, 60U}) {
      const auto runs = runs_of(lines_of(evaluated_first(evaluation)), restart);
      ASSERT_EQ(runs.size(), 1U) << evaluation;
      EXPECT_EQ(runs.at(0).iteration, 150);
      EXPECT_EQ(runs.at(0).max_iterations, 150);
      EXPECT_NEAR(step_time(runs.at(0)), 4, 0.1) << evaluation << ' ' << restart;
    }
}

// The same of a script's own bars: a line tells of the evaluation, for epochs have bars amid theirs, too.
TEST(WaitingBars, ABarAmidAnotherIsAnEvaluationsWhereALineSaysSo) {
  for (const bool evaluates : {true, false}) {
    Lines lines{"INFO:__main__:Training ...", "  0%|          | 0/120 [00:00<?, ?it/s]"};
    if (evaluates) lines.emplace_back("INFO:__main__:Evaluating [step 0] ...");
    lines.emplace_back("  0%|          | 0/400 [00:00<?, ?it/s]");
    for (int batch = 10; batch <= 400; batch += 10)
      lines.push_back(written("%3d%%|##| %d/400 [%02d:%02d<10:00,  1.50s/it]", batch / 4, batch,
                              batch * 3 / 120, batch * 3 / 2 % 60));
    if (evaluates) lines.emplace_back("INFO:__main__:Evaluated [step 0] rewards = 0.5");
    for (int step = 1; step <= 120; ++step)
      lines.push_back(written("%3d%%|##| %d/120 [%02d:%02d<10:00, 20.00s/it]", step * 100 / 120, step,
                              (600 + 20 * step) / 60, (600 + 20 * step) % 60));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U) << evaluates;
    EXPECT_EQ(runs.at(0).max_iterations, evaluates ? 120 : 400);
    if (!evaluates) continue;
    EXPECT_NEAR(step_time(runs.at(0)), 20, 0.1);
  }
}

// A data set was read faster than a training steps; and the bar of a few epochs stands until the first of them is done.
TEST(WaitingBars, WhatBeginsAndIsLeftHidesNoTraining) {
  for (const char* const before :
       {"  0%|          | 0/52000 [00:00<?, ?it/s]\n 50%|##| 26000/52000 [00:02<00:02, 12500.00it/s]\n",
        "  0%|          | 0/3 [00:00<?, ?it/s]\n",
        "  0%|          | 0/500 [00:00<?, ?it/s]\n***** Running training *****\n"}) {
    std::string log = std::string(before) + "  0%|          | 0/150 [00:00<?, ?it/s]\n";
    for (int step = 1; step <= 150; ++step)
      log += written("%3d%%|##| %d/150 [%02d:%02d<09:00,  4.00s/it]\n", step * 100 / 150, step, step * 4 / 60,
                     step * 4 % 60);
    log += "{'train_runtime': 600.25, 'train_samples_per_second': 1.6, 'train_steps_per_second': 0.25}\n";
    const auto runs = runs_of(lines_of(log));
    ASSERT_EQ(runs.size(), 1U) << before;
    EXPECT_EQ(runs.at(0).train.iterations, 149) << before;
  }
}

// Of the states of bars the log has the last ones alone: between those of the training's an evaluation took 95 s, and its
// result went elsewhere. Where each step has such a bar, it is the step's own.
TEST(WaitingBars, WhatOthersTookAmidManyStepsIsNoStep) {
  for (const int every : {1, 25}) {
    std::string log = "***** Running training *****\n";
    int seconds = 0;
    for (int step = every; step <= 100; step += every) {
      seconds += 40 * every;
      log += bar(step, seconds) + "\n 99%|##| 49/50 [01:35<00:02,  1.94s/it]\n";
      seconds += 95;
    }
    const auto runs = runs_of(lines_of(log));
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), every == 1 ? 135 : 40);
  }
}

// A loss is shown when its step is done, and the step is counted behind that: at each count the bar is drawn twice, a step
// apart.
TEST(WaitingBars, DrawnAgainWithTheNextStepsLossTellNoTimeOfTheirCount) {
  for (const char* const between : {"\n", "\r"}) {
    std::string log;
    for (int step = 1; step <= 12; ++step)
      for (const int drawn : {step, step + 1})
        log += written("Epoch 1: %2d%%|##| %d/100 [00:%02d<02:00,  5.00s/it, loss=%d.5]%s", step, step,
                       5 * drawn - (drawn > 12 ? 5 : 0), drawn, between);
    for (const std::size_t restart : {0U, 5U}) {
      const auto runs = runs_of(parted(log), restart);
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_EQ(runs.at(0).iteration, 12);
      EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 5) << restart;
    }
  }
}

TEST(WaitingBars, TheLastStateDrawnAgainBehindASavingCountsAsDrawnFirst) {
  std::string log = "***** Running training *****\n";
  for (int step = 1; step <= 100; ++step) log += bar(step, 40 * step) + '\r';
  log += "        \r" + bar(100, 4600) + '\r' + bar(100, 4601) +
         "\n{'train_runtime': 4601.5, 'train_steps_per_second': 0.022, 'epoch': 1.0}\n";
  const auto runs = runs_of(parted(log));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 100);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 40);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// A bar counts from where nothing was done. A first step that takes far longer than the next ones holds the start.
TEST(WaitingBars, TheFirstStepIsOneUnlessItIsFarSlower) {
  for (const int first : {30, 60, 160}) {
    std::string log = "***** Running training *****\n";
    for (int step = 1; step <= 10; ++step) log += bar(step, first + 40 * (step - 1)) + "\n";
    const auto runs = runs_of(lines_of(log), 4);
    ASSERT_EQ(runs.size(), 1U);
    const bool slow = first == 160;
    EXPECT_EQ(runs.at(0).train.iterations, slow ? 9 : 10);
    EXPECT_DOUBLE_EQ(to_seconds(runs.at(0).train.duration), (slow ? 0 : first) + 360);
    EXPECT_EQ(runs.at(0).startup, slow ? std::optional(from_seconds(120)) : std::nullopt);
  }
}

// Bars that show a step's loss before they count it wait for as long as the step takes.
TEST(WaitingBars, ALossShownBeforeItsStepIsCountedIsNoWait) {
  std::string log;
  for (int step = 0; step < 100; ++step) {
    if (step > 0) log += "Epoch 1: " + bar(step, 40 * step, written(", loss=0.%d]", 100 + step - 1)) + "\n";
    log += "Epoch 1: " + bar(step, 40 * (step + 1), written(", loss=0.%d]", 100 + step)) + "\n";
  }
  const auto runs = runs_of(parted(log));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 40, 0.5);
}

// Bars of an epoch of less than two seconds: that a later one shows a second at its first step does not say that it counts
// the time of all of them.
TEST(WaitingBars, OfEpochsOfSecondsCountTheirOwnTime) {
  Lines lines;
  for (int epoch = 0; epoch < 12; ++epoch) {
    lines.push_back(
        written("Epoch %d:  12%%|#   | 1/8 [00:0%d<00:10,  0.80it/s]", epoch, epoch % 3 == 0 ? 1 : 0));
    lines.push_back(written("Epoch %d: 100%%|####| 8/8 [00:01<00:00,  5.00it/s]", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 96);
  EXPECT_NEAR(step_time(runs.at(0)), 0.2, 1e-6);
}

// Whole seconds of a short epoch say less than its full bar's rate.
TEST(WaitingBars, OfEpochsTellTheirTimeByTheRateWhereTheyAreFull) {
  Lines lines = {"***** Running training *****", "  Num Epochs = 5"};
  for (int epoch = 0; epoch < 5; ++epoch) {
    lines.emplace_back("Iteration:  50%|##  | 30/60 [00:04<00:04,  6.50it/s]");
    lines.emplace_back("Iteration: 100%|####| 60/60 [00:08<00:00,  6.90it/s]");
  }
  const auto run = only_run(lines);
  EXPECT_EQ(run.train.iterations, 300);
  EXPECT_NEAR(step_time(run), 1 / 6.9, 1e-6);
}

// A training of 20 steps of half a second an epoch, whose validation of 3 seconds prints nothing.
TEST(WaitingBars, AnEpochThatSaysWhatItTookHasAValidationBehindIt) {
  Lines lines;
  double at = 0;
  const auto say = [&](const std::string& what) {
    const int seconds = static_cast<int>(at);
    lines.push_back(
        written("[2026-03-04 05:%02d:%02d swin_tiny] (main.py 247): INFO ", seconds / 60, seconds % 60) +
        what);
  };
  for (int epoch = 0; epoch < 20; ++epoch) {
    for (int step = 0; step < 20; ++step) {
      at += 0.5;
      if (step % 5 == 0)
        say(
            written("Train: [%d/30][%d/20]\teta 0:00:00 lr 0.000000\t wd 0.0500\ttime 0.5000 (0.5000)\tloss "
                    "1.2500 (1.5125)\tgrad_norm 0.0000 (0.0000)\tmem 0MB",
                    epoch, step));
    }
    say(written("EPOCH %d training takes 0:00:10", epoch));
    at += 3;
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_GE(runs.at(0).train.iterations, 280);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.015);
}

// Whole seconds are too coarse for one step, so that two make a window; the fifth of each epoch is left.
TEST(WaitingBars, AreMeasuredUpToTheirLastState) {
  Lines lines;
  for (int epoch = 1; epoch <= 4; ++epoch)
    for (int step = 1; step <= 5; ++step)
      lines.push_back(written("Epoch %d: %dit [%02d:%02d, 12.00s/it, loss=0.5125]", epoch, step,
                              step * 12 / 60, step * 12 % 60));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.train.iterations, 20);
  EXPECT_NEAR(step_time(run), 12, 0.1);
}

// A bar and lines without a time come in turns, each held back by its own buffer.
TEST(WaitingBars, AmidWhichAnotherWriterTellsOfTheSameStepsAreMeasuredOnce) {
  Lines lines;
  for (int from = 1, said = 1; from <= 309; from += 103) {
    for (int step = from; step < from + 103; ++step)
      lines.push_back(written("agent train: %3d%%|##| %d/309 [%02d:%02d<10:00,  4.00s/it]", step / 4, step,
                              step * 4 / 60, step * 4 % 60));
    for (; said <= from + 103 && said <= 309; ++said)
      lines.push_back(written("[step=%d] episode=%d.0000 return=-51.2500 length=29.0000", said, said));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 309);
  EXPECT_EQ(run.train.iterations, 309);
  EXPECT_NEAR(step_time(run), 4, 0.05);
}

// Ten thousand and more are no epochs: a shorter bar that moves amid such a one is a test's, though the log lacks its
// beginning.
TEST(WaitingBars, AShortOneAmidALongOneThatHasNotMovedIsATests) {
  for (const int all : {100000, 200}) {
    Lines lines{"INFO:__main__:Training ...", written("  0%%|          | 0/%d [00:00<?, ?it/s]", all)};
    for (int batch = 50; batch < 1000; batch += 50)
      lines.push_back(written("%3d%%|##| %d/1000 [%02d:%02d<03:07,  5.00it/s]", batch / 10, batch,
                              batch / 300, batch / 5 % 60));
    lines.push_back(written("  0%%|          | 0/%d [00:00<?, ?it/s]     eval: {'loss': 3.1250}", all));
    for (int step = 1; step <= 100; ++step)
      lines.push_back(written("%3d%%|##| %d/%d [%02d:%02d<10:00,  4.00s/it]", 100 * step / all, step, all,
                              (200 + 4 * step) / 60, (200 + 4 * step) % 60));
    for (const std::size_t restart : {0U, 10U, 40U}) {
      const auto runs = runs_of(lines, restart);
      EXPECT_EQ(runs.at(0).max_iterations, all == 200 ? 1000 : all);
      if (all == 200) continue;
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_NEAR(step_time(runs.at(0)), 4, 0.1) << restart;
    }
  }
}

}  // namespace
}  // namespace etad::test
