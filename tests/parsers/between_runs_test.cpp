// What passes from one run to the next in one log, and what must not.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// A log whose clock goes on.
class Stamped {
 public:
  void say(const std::string& what) { lines_.push_back(prefix_ + stamp() + " INFO " + what); }
  void say_unstamped(const std::string& what) { lines_.push_back(what); }
  void say_as(const std::string& who) { prefix_ = who; }
  void wait(int seconds) { seconds_ += seconds; }
  void train(int from, int to, int seconds_each) {
    for (int step = from; step < to; ++step) {
      say(written("step %d loss: 0.512", 10 * step));
      wait(seconds_each);
    }
  }
  const Lines& lines() const { return lines_; }

 private:
  std::string stamp() const { return "2026-03-01 " + time_of_day(1, seconds_) + ",000"; }

  Lines lines_;
  std::string prefix_;
  int seconds_ = 0;
};

// Trainings of so many epochs, one behind the other, by lines that only a generic format reads.
Lines folds(const std::vector<int>& epochs) {
  Stamped log;
  for (const int count : epochs) {
    for (int epoch = 1; epoch <= count; ++epoch) {
      log.say(written("Epoch %d train loss: 0.512, val loss: 0.625", epoch));
      log.wait(20);
    }
    log.wait(5);
  }
  return log.lines();
}

// Each of several processes tells its last epoch's losses, when one of them has told that the training is over.
TEST(BetweenRuns, WhatOtherProcessesSayOfTheLastEpochBeginsNoRun) {
  Stamped log;
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (int process = 0; process < 3; ++process) log.say(written("=== START EPOCH %d ===", epoch));
    log.wait(4);
    for (int process = 0; process < 3; ++process)
      log.say(written("END TRAIN LOOP EPOCH %d, Loss: 0.5", epoch));
    for (int process = 0; process < 3; ++process) {
      log.say(written("END VALIDATION EPOCH %d, Validation Loss: 0.25", epoch));
      if (epoch == 4 && process == 1) {
        log.say("Early stopping at epoch 5");
        log.say("Training completed.");
      } else {
        log.say(written("END EPOCH %d: Learning rate = 0.001000, Elapsed time = 3.75s", epoch));
      }
    }
  }
  const auto runs = runs_of(log.lines());
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 5);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
}

// Ray's processes have other numbers after a restart of their job.
TEST(BetweenRuns, AnotherProgramsProcessesAreHeardAfterAWhile) {
  Stamped log;
  log.say_as("(Trainer pid=7101) ");
  log.train(1, 21, 5);
  log.wait(1200);
  log.say_as("(Trainer pid=9222) ");
  log.train(1, 101, 5);
  const auto runs = runs_of(log.lines());
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).train.segments, 19);
  EXPECT_EQ(runs.at(1).train.segments, 99);
}

TEST(BetweenRuns, EpochsThatGoOnHoursAfterAnEndAreAnotherRun) {
  Stamped log;
  const auto train = [&log](int from, int to) {
    for (int epoch = from; epoch <= to; ++epoch) {
      log.say(written("Epoch %d", epoch));
      log.wait(20);
    }
    log.say("Training finished");
  };
  train(1, 10);
  log.wait(3 * 3600);
  log.say("Resuming from checkpoint epoch_10.pt");
  train(11, 20);
  const auto runs = runs_of(log.lines());
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 20);
  EXPECT_EQ(runs.at(1).train.iterations, 9);
  EXPECT_DOUBLE_EQ(step_time(runs.at(1)), 20);
  EXPECT_EQ(to_rfc3339(*runs.at(0).ended_at), "2026-03-01T01:03:20Z");
}

// A format that is believed late tells of the runs before by other numbers than it had counted them by.
TEST(BetweenRuns, ARunThatIsToldLateKeepsItsNumber) {
  const auto runs = runs_of(folds({1, 3, 1, 6, 6}));  // of a single one there is nothing to measure
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs.at(0).train.segments, 2);
  for (const std::int64_t ordinal : {1, 2}) {
    EXPECT_EQ(runs.at(ordinal).train.segments, 5) << ordinal;
    EXPECT_EQ(runs.at(ordinal).state, RunState::finished) << ordinal;
  }
}

// Folds that were read before the format is believed are not forgotten over a restart.
TEST(BetweenRuns, WhatARivalHasReadIsSaved) {
  const Lines lines = folds({6, 6, 5});
  const auto whole = runs_of(lines);
  ASSERT_EQ(whole.size(), 3U);
  for (const std::size_t restart : {8U, 13U, 16U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 3U) << restart;
    for (const auto& [ordinal, run] : runs) {
      EXPECT_EQ(run.train.segments, whole.at(ordinal).train.segments) << restart;
      EXPECT_EQ(run.state, whole.at(ordinal).state) << restart;
    }
  }
}

TEST(BetweenRuns, RowsOfOtherPrecisionsAreOtherRuns) {
  const auto runs = runs_of({"network,device,devices,precision,batch_size,iterations,seconds",
                             "resnet50,A100,1,fp32,64,100,40", "resnet50,A100,1,fp16,64,100,20",
                             "resnet50,A100,1,fp32,64,100,40"});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).train.iterations, 200);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.4);
  EXPECT_DOUBLE_EQ(step_time(runs.at(1)), 0.2);
}

TEST(BetweenRuns, WhatIsExportedTakesNoArgumentsBack) {
  for (const bool exported : {false, true}) {
    Stamped log;
    log.say("Namespace(arch='resnet18', batch_size=64)");
    log.train(1, 13, 5);
    log.say("Training finished");
    if (exported) log.say("Exported model to model_fp16.onnx (precision: fp16)");
    log.train(1, 13, 5);
    const auto runs = runs_of(log.lines());
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs.at(1).network, "resnet18") << exported;
    EXPECT_EQ(runs.at(1).train.batch_size, 64) << exported;
  }
}

// A bar that is wiped before it is full is measured by its last state, whether the end is told or not.
TEST(BetweenRuns, AnEndThatIsToldLeavesTheBarBeforeItMeasured) {
  Lines lines;
  for (int tenth = 1; tenth < 10; ++tenth)
    lines.push_back(written("Epoch 1/1:  %d%%|###| %d/100 [00:%02d<00:30,  6.67it/s, loss=0.512]", 10 * tenth,
                            10 * tenth, tenth * 3 / 2));
  const auto untold = only_run(lines);
  lines.emplace_back("Training finished");
  const auto told = only_run(lines);
  EXPECT_GE(told.train.iterations, 80);
  EXPECT_EQ(told.train.iterations, untold.train.iterations);
  EXPECT_NEAR(step_time(told), 0.15, 0.01);
}

// Of a heading without a stamp the next line that bears one tells when it came: the test before it is over then.
TEST(BetweenRuns, HeadingsWithoutAStampEndTheTestBeforeThem) {
  for (const bool stamped : {false, true}) {
    Stamped log;
    for (int epoch = 1; epoch <= 6; ++epoch) {
      const std::string heading = written("Epoch %d/6", epoch);
      stamped ? log.say(heading) : log.say_unstamped(heading);
      log.say("loading shard 1");
      log.wait(20);
      log.say(written("Validation epoch %d", epoch));
      log.wait(30);
      log.say("saved");
    }
    const auto run = only_run(log.lines());
    EXPECT_EQ(run.train.iterations, 5) << stamped;
    EXPECT_DOUBLE_EQ(step_time(run), 20) << stamped;
  }
}

TEST(BetweenRuns, NumbersWrittenInGroupsAreKeptPlain) {
  Lines lines{"***** Running training *****", "  Num examples = 4,000",
              "  Instantaneous batch size per device = 16"};
  for (int step = 1; step <= 40; ++step)
    lines.push_back(
        written("%d%%|##| %d/40 [%02d:%02d<01:00,  5.00s/it]", step, step, step * 5 / 60, step * 5 % 60));
  EXPECT_EQ(only_run(lines).settings.at("dataset_size"), "4000");
}

TEST(BetweenRuns, AnEndToldHoursLaterIsAnotherPrograms) {
  Stamped log;
  log.train(1, 13, 5);
  log.say("Training finished");
  log.wait(9 * 3600);
  log.say("Training finished");
  EXPECT_EQ(to_rfc3339(*only_run(log.lines()).ended_at), "2026-03-01T01:01:00Z");
}

TEST(BetweenRuns, TestsOfYearsAreNoMoreThanATimeHolds) {
  Lines lines{"I0101 00:00:00.000000 71 solver.cpp:239] Iteration 0, loss = 0.5"};
  for (int test = 0; test < 200; ++test) {
    lines.emplace_back("I0101 00:00:01.000000 71 solver.cpp:330] Iteration 0, Testing net (#0)");
    lines.push_back(written(
        "I0101 00:00:%02d.000000 71 solver.cpp:397]     Test net output #0: accuracy = 0.5", 2 + test % 50));
  }
  lines.emplace_back("I0101 00:01:40.000000 71 solver.cpp:239] Iteration 100, loss = 0.5");
  lines.emplace_back("I0101 00:01:50.000000 71 solver.cpp:239] Iteration 200, loss = 0.5");
  const auto runs = runs_of(lines);
  ASSERT_FALSE(runs.empty());
  EXPECT_LE(to_seconds(runs.at(0).train.duration), 110);
}

// Two counters beside each other: the steps of an epoch, and those of all.
TEST(BetweenRuns, StepsOfAllEpochsBesideThoseOfOneAreOfTheSameRun) {
  std::vector<std::string> lines;
  int second = 0, all = 0;
  for (int epoch = 1; epoch <= 12; ++epoch)
    for (int step = 10; step <= 40; step += 10, all += 10, second += 5) {
      lines.push_back(written("2026-03-01 %s,000 | INFO | Epoch %d/12 |||..| %d.0%% (step %d/40)",
                              time_of_day(10, second).c_str(), epoch, step * 100 / 40, step));
      if (step % 20 == 0)
        lines.push_back(written("2026-03-01 %s,010 | INFO | Epoch %d | step %d/470 | loss=0.8125",
                                time_of_day(10, second).c_str(), epoch, all + 10));
    }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 480);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-3);
}

// PaddleSeg's worker, begun anew with a smaller plan in the same file.
TEST(BetweenRuns, ATrainingOfASmallerPlanBehindAKilledOneIsItsOwn) {
  std::vector<std::string> lines;
  const auto train = [&](int minute, int done, int plan) {
    lines.emplace_back("GPUs used: 2");
    for (int i = 10; i <= done; i += 10)
      lines.push_back(
          written("2026-03-01 10:%02d:%02d [INFO]\t[TRAIN] epoch: 1, iter: %d/%d, loss: 0.5125, lr: "
                  "0.01, batch_cost: 0.2500, reader_cost: 0.0500, ips: 32 samples/sec | ETA 00:10:18",
                  minute, i / 4, i, plan));
  };
  train(0, 200, 20000);
  lines.emplace_back("C++ Traceback (most recent call last):");
  lines.emplace_back("FatalError: `Termination signal` is detected by the operating system.");
  train(5, 160, 160);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 200);
  EXPECT_EQ(runs.at(0).state, RunState::stopped);
  EXPECT_EQ(runs.at(1).iteration, 160);
  EXPECT_EQ(runs.at(1).state, RunState::finished);
  EXPECT_EQ(runs.at(1).devices, 2);
}

// A program that loads its model for twenty minutes, as its stamped lines show: the banners of the ranks that tell no time
// come just before that of the one that does.
TEST(BetweenRuns, ABannerOfAnotherRankBeginsNoRun) {
  const auto banner = [](const std::string& before) {
    Lines lines{before + "***** Running training *****", before + "  Num examples = 3,200",
                before + "  Total train batch size (w. parallel, distributed & accumulation) = 16",
                before + "  Total optimization steps = 200"};
    return lines;
  };
  const std::string stamped = "[INFO|trainer.py:2519] 2026-03-04 05:26:07,250 >> ";
  Lines lines{
      "[INFO|modeling_utils.py:1172] 2026-03-04 05:06:07,250 >> loading weights file model.safetensors"};
  lines.emplace_back("[INFO|tokenization_utils_base.py:2095] 2026-03-04 05:06:07,250 >>   Batch size = 4");
  lines.emplace_back("[2026-03-04 05:26:06,250] [INFO] [config.py:735:__init__] Config world_size = 3");
  for (const std::string& before : {std::string(), std::string(), stamped})
    for (const std::string& line : banner(before)) lines.push_back(line);
  for (int step = 1; step <= 20; ++step)
    lines.push_back(
        written("%3d%%|#   | %d/200 [%02d:%02d<10:00,  3.00s/it]", step / 2, step, step / 20, step * 3 % 60));
  for (const std::size_t restart : {0U, 6U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.begin()->second.iteration, 20);
  }
  // Long behind the first one the same banner is another start's.
  std::swap(lines[2], lines[7]);
  lines.insert(lines.begin() + 2, banner("[INFO|trainer.py:2519] 2026-03-04 05:16:07,250 >> ").front());
  EXPECT_EQ(runs_of(lines).size(), 2U);
}

// What MMEngine tells of a start is that start's, also where the one before has failed without a step.
TEST(BetweenRuns, OfMmengineAStartThatFailsIsItsOwn) {
  Lines lines;
  const auto say = [&lines](int minute, const std::string& text) {
    lines.push_back(written("03/04 05:%02d:00 - mmengine - INFO - ", minute) + text);
  };
  const auto start = [&](int minute) {
    say(minute, "");
    lines.insert(lines.end(), {"------------------------------------------------------------",
                               "System environment:", "    sys.platform: linux",
                               "Runtime environment:", "    GPU number: 1"});
  };
  const auto train = [&](int minute, int from) {
    say(minute, written("resumed epoch: %d, iter: %d", from / 200, from));
    for (int i = 1; i <= 3; ++i)
      say(minute + i, written("Epoch(train)  [%d][%d/200]  base_lr: 2.5000e-05 lr: 2.5000e-05  eta: 1:02:05  "
                              "time: 1.2000  data_time: 0.0125  memory: 4096  loss: 1.2500",
                              from / 200 + 1, 50 * i));
  };
  start(0);
  train(1, 400);
  start(10);
  lines.emplace_back("Traceback (most recent call last):");
  lines.emplace_back("AssertionError: the annotations are not unique");
  start(20);
  say(21, "resumed epoch: 2, iter: 400");
  lines.emplace_back("Traceback (most recent call last):");
  lines.emplace_back("RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB");
  start(22);
  train(23, 400);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs.at(0).state, RunState::lost) << "the error is the next start's";
  EXPECT_EQ(runs.at(1).state, RunState::failed);
  EXPECT_EQ(runs.at(2).state, RunState::lost);
  EXPECT_EQ(runs.at(2).devices, 1);
  EXPECT_EQ(runs.at(2).iteration, 550);
}

// Epochs with their times alone, of which some are told, and behind them the training of another network, whose lines count
// steps, too.
TEST(BetweenRuns, EpochsWithoutStepsBeforeStepsAreATrainingOfTheirOwn) {
  for (const bool first_alone : {true, false}) {
    std::vector<std::string> lines = {"Stage 0: contrastive pre-training"};
    for (int epoch = 1; epoch <= 201; epoch += 10)
      lines.push_back(written("Epoch %03d/200 | Loss: 0.0125 | Time: 49.5s", epoch == 1 ? 1 : epoch - 1));
    lines.emplace_back("Contrastive pre-training complete!");
    if (first_alone) lines = {"Stage 1"};
    lines.emplace_back("Total training steps: 2360");
    for (int epoch = 1; epoch <= 20; ++epoch)
      lines.push_back(
          written("Epoch %03d/20 | Loss: 8.125 | LR: 2.25e-06 | Time: 59.0s | Step: %d", epoch, 118 * epoch));
    lines.emplace_back("Training complete!");
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), first_alone ? 1U : 2U);
    EXPECT_EQ(runs.rbegin()->second.iteration, 20 * 118);
    EXPECT_NEAR(step_time(runs.rbegin()->second), 0.5, 1e-9);
    if (first_alone) continue;
    EXPECT_EQ(runs.at(0).iteration, 200);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 49.5);
  }
}

// Where no steps come they are read one by one, and not at the end alone.
TEST(BetweenRuns, EpochsWithoutStepsAreMeasuredOneByOne) {
  std::vector<std::string> lines;
  for (int epoch = 1; epoch <= 100; ++epoch)
    lines.push_back(written("Epoch %03d/100 | Loss: 0.0125 | Time: 49.5s", epoch));
  lines.emplace_back("Training complete!");
  EXPECT_GE(only_run(lines).train.segments, 98);
}

}  // namespace
}  // namespace etad::test
