// Programs that are started again and write to the same log, and do not say so: their steps go on as no training's do.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

class Clock {
 public:
  std::string after(int seconds, const std::string& what) {
    now_ += seconds;
    return "2026-03-04 " + time_of_day(5, now_) + ",250 - INFO - " + what;
  }

 private:
  int now_ = 0;
};

void add(Lines& lines, std::initializer_list<const char*> more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

Lines detection(Clock& clock, int first_epoch, int lines_shown) {
  Lines lines;
  for (int i = 0; i < lines_shown; ++i) {
    const std::string stamped = clock.after(100, "");
    lines.push_back("[03/04 " + stamped.substr(11, 8) +
                    written("] ppdet.engine INFO: Epoch: [%d] [%3d/200] learning_rate: 0.001 loss: 2.5 "
                            "batch_cost: 1.0000 data_cost: 0.0002 ips: 8.0 images/s",
                            first_epoch + i / 2, i % 2 * 100));
  }
  return lines;
}

// Each ends at once, but for the last.
TEST(Restarts, AtTheSameFirstLineBehindADeathAreOtherRuns) {
  Clock clock;
  Lines lines;
  for (const int shown : {1, 1, 8}) {
    for (const std::string& line : detection(clock, 0, shown)) lines.push_back(line);
    add(lines,
        {"Traceback (most recent call last):", "  File \"a.py\", line 7, in main", "OSError: no space"});
  }
  const auto runs = runs_of(lines, 6);
  ASSERT_EQ(runs.size(), 3U);
  for (const int run : {0, 1, 2}) EXPECT_EQ(runs.at(run).state, RunState::failed) << run;
  EXPECT_EQ(runs.at(2).iteration, 700);
  EXPECT_DOUBLE_EQ(step_time(runs.at(2)), 1);
}

// Nothing says that the first one ended, but torch's processes come together once more.
TEST(Restarts, WhoseProcessesComeTogetherAgainAreOtherRuns) {
  Lines lines;
  Clock clock;
  for (const int last : {500, 0, 500}) {
    for (int rank = 0; rank < 2; ++rank)
      lines.push_back(
          clock.after(5, written("Added key: store_based_barrier_key:1 to store for rank: %d", rank)));
    for (int step = 0; step <= last; step += 100)
      lines.push_back(clock.after(75, written("step %d, loss: 4.0125", step)));
  }
  const auto runs = runs_of(lines, 10);
  EXPECT_DOUBLE_EQ(step_time(runs.begin()->second), 0.75);
  EXPECT_EQ(runs.rbegin()->second.iteration, 500);
  EXPECT_DOUBLE_EQ(step_time(runs.rbegin()->second), 0.75);
}

// What was done until then was done by another run.
TEST(Restarts, ThatGoOnFarAheadBehindADeathAreOtherRuns) {
  Clock clock;
  Lines lines = detection(clock, 0, 1);
  add(lines, {"C++ Traceback (most recent call last):", "Error Message Summary:",
              "FatalError: `Termination signal` is detected by the operating system."});
  for (const std::string& line : detection(clock, 80, 8)) lines.push_back(line);
  const auto runs = runs_of(lines, 5);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).state, RunState::stopped);
  EXPECT_EQ(runs.at(1).first_iteration, 16'000);
  EXPECT_EQ(runs.at(1).iteration, 16'700);
  EXPECT_DOUBLE_EQ(step_time(runs.at(1)), 1);
}

// Steps that begin again are those of the next epoch where they do so under its heading, but not where the training is
// done.
TEST(Restarts, BehindATrainingThatIsDoneCountNoNextEpoch) {
  Lines lines;
  Clock clock;
  for (const int step_time : {2, 4, 3}) {
    for (int epoch = 0; epoch < 3; ++epoch) {
      lines.push_back(clock.after(20, written("Epoch %d/3", epoch + 1)));
      for (int step = 10; step <= 50; step += 10)
        lines.push_back(clock.after(10 * step_time, written("step %d, loss: 4.0125", step)));
    }
    lines.push_back(clock.after(30, "complete training: the model was saved"));
  }
  const auto runs = runs_of(lines, 30);
  ASSERT_EQ(runs.size(), 3U);
  for (const int run : {0, 1, 2}) EXPECT_EQ(runs.at(run).iteration, 150) << run;
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 2);
  EXPECT_DOUBLE_EQ(step_time(runs.at(1)), 4);
  EXPECT_DOUBLE_EQ(step_time(runs.at(2)), 3);
}

// A script may call each of its epochs a training.
TEST(Restarts, AreNoneWhereEachEpochIsSaidToBeDone) {
  Lines lines;
  Clock clock;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    lines.push_back(clock.after(20, written("Epoch %d/4", epoch)));
    for (int step = 10; step <= 50; step += 10)
      lines.push_back(clock.after(20, written("step %d, loss: 4.0125", step)));
    lines.push_back(clock.after(1, "complete training of the epoch"));
  }
  EXPECT_EQ(only_run(lines).iteration, 200);
}

// Steps that count on over the ends of epochs are no epoch's where they fall back, nor those behind a setting that looks
// like a heading.
TEST(Restarts, OfStepsThatCountThroughTheEpochsAreOtherRuns) {
  for (const bool headed : {false, true}) {
    Lines lines;
    Clock clock;
    for (const int step_time : {2, 4, 3, 5}) {
      lines.push_back(clock.after(20, "hyperparameters"));
      if (!headed) lines.push_back(clock.after(0, " * epoch: 15"));
      for (int step = 10; step <= 150; step += 10) {
        if (headed && step % 50 == 10) lines.push_back(clock.after(0, written("Epoch %d", 1 + step / 50)));
        lines.push_back(clock.after(10 * step_time, written("global step %d: loss: 4.0125", step)));
      }
    }
    const auto runs = runs_of(lines, 30);
    ASSERT_EQ(runs.size(), 4U) << headed;
    for (int run = 0; run < 4; ++run) EXPECT_EQ(runs.at(run).iteration, 150) << headed << run;
    EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 2) << headed;
    EXPECT_DOUBLE_EQ(step_time(runs.at(1)), 4) << headed;
    EXPECT_DOUBLE_EQ(step_time(runs.at(2)), 3) << headed;
    EXPECT_DOUBLE_EQ(step_time(runs.at(3)), 5) << headed;
  }
}

std::string mmcv_record(int epoch, int iteration, double seconds = 0.25) {
  return written(
      R"({"mode": "train", "epoch": %d, "iter": %d, "lr": 0.001, "data_time": 0.01, "loss": 1.25, "time": %.2f})",
      epoch, iteration, seconds);
}

std::string d2_record(int iteration, double left) {
  return written(
      R"({"data_time": 0.001, "eta_seconds": %.1f, "iteration": %d, "time": 0.5, "total_loss": 1.25})", left,
      iteration);
}

// A file of records goes on with the next start. Of one that came to its first record that is all there is.
TEST(Restarts, OfRecordsThatDoNotStandBehindTheLastAreOtherRuns) {
  Lines lines;
  for (const int epochs : {2, 0, 3, 3}) {
    if (epochs == 0) lines.push_back(mmcv_record(1, 100));
    for (int epoch = 1; epoch <= epochs; ++epoch)
      for (const int iteration : {100, 200}) lines.push_back(mmcv_record(epoch, iteration));
  }
  const auto runs = runs_of(lines, 5);
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_EQ(runs.at(1).iteration, 100);
  EXPECT_EQ(runs.at(3).iteration, 600);
  EXPECT_DOUBLE_EQ(step_time(runs.at(3)), 0.25);
}

TEST(Restarts, OfTrainingsOfOneRecordAreOtherRuns) {
  const Lines lines{d2_record(9, 0),    d2_record(9, 0),  d2_record(19, 90), d2_record(39, 80),
                    d2_record(59, 70.), d2_record(9, 80), d2_record(29, 70)};
  const auto runs = runs_of(lines, 2);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs.at(0).state, RunState::finished) << "nothing was left to do";
  EXPECT_EQ(runs.at(1).state, RunState::lost);
  EXPECT_EQ(runs.at(1).iteration, 59);
  EXPECT_EQ(runs.at(2).iteration, 29);
}

// Its loader starts again with each epoch: what a record states is the mean of the steps since the one before.
TEST(Restarts, OfALoaderAreTimeOfTheTraining) {
  Lines lines;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int iteration = 10; iteration <= 50; iteration += 10)
      lines.push_back(mmcv_record(epoch, iteration, iteration == 10 ? 1 : 0.25));
    lines.push_back(
        written(R"({"mode": "val", "epoch": %d, "iter": 25, "lr": 0.001, "bbox_mAP": 0.25})", epoch));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.train.iterations, 190);
  EXPECT_NEAR(step_time(run), (3 * 10 * 1 + 16 * 10 * 0.25) / 190, 1e-9);
}

// The bar of a tokenizer is no base for the steps of the training behind it.
TEST(Restarts, BehindABarOfDataCountFromTheBeginning) {
  Lines lines;
  for (int second = 1; second <= 60; ++second)
    lines.push_back(written("%3d%%|###       | %d/60000 [00:%02d<00:%02d, 1000.00it/s]", second * 100 / 60,
                            second * 1000, second, 60 - second));
  Clock clock;
  for (int step = 50; step <= 500; step += 50)
    lines.push_back(clock.after(100, written("global step %d: loss: 4.0125", step)));
  const auto runs = runs_of(lines, 62);
  ASSERT_FALSE(runs.empty());
  const etad::Run& training = runs.rbegin()->second;
  EXPECT_EQ(training.iteration, 500);
  EXPECT_DOUBLE_EQ(step_time(training), 2);
}

// PaddleOCR says of each start how many steps its epochs have.
TEST(Restarts, OfPaddlesThatComeNoFurtherThanALineAreRuns) {
  Lines lines;
  Clock clock;
  for (const int last : {20, 10, 10, 400}) {
    const auto say = [&](int seconds, const std::string& what) {
      std::string stamped = clock.after(seconds, what);
      lines.push_back("[2026/03/04 " + stamped.substr(11, 8) + "] ppocr INFO: " + what);
    };
    say(30, "train dataloader has 200 iters");
    for (int step = 10; step <= last; step += 10)
      say(20, written("epoch: [%d/40], global_step: %d, lr: 0.0005, loss: 1.25, avg_reader_cost: 0.001 s, "
                      "avg_batch_cost: %s s, avg_samples: 8.0, ips: 4.0 samples/s, eta: 1:12:00",
                      1 + step / 201, step, last == 400 ? "2.0" : "3.0"));
  }
  const auto runs = runs_of(lines, 20);
  ASSERT_EQ(runs.size(), 4U);
  for (const int run : {0, 1, 2}) EXPECT_NEAR(step_time(runs.at(run)), 3, 0.05) << run;
  EXPECT_EQ(runs.at(3).iteration, 400);
  EXPECT_NEAR(step_time(runs.at(3)), 2, 0.05);
}

// Its settings stand before its start, also behind one that came to nothing long before: sums over four steps are divided
// by ten.
TEST(Restarts, OfPaddlesHaveTheSettingsBeforeThem) {
  Lines lines;
  Clock clock;
  const auto say = [&](int seconds, const std::string& what) {
    lines.push_back("[2026/03/04 " + clock.after(seconds, "").substr(11, 8) + "] ppocr INFO: " + what);
  };
  for (const int wait : {0, 900}) {
    say(wait, "    print_batch_step : 10");
    say(1, "train dataloader has 4 iters");
  }
  for (int step = 4; step <= 80; step += 4)
    say(4, written("epoch: [%d/20], global_step: %d, lr: 0.0005, loss: 1.25, avg_reader_cost: 0.001 s, "
                   "avg_batch_cost: 0.4 s, avg_samples: 3.2, ips: 8.0 samples/s, eta: 0:01:00",
                   step / 4, step));
  const auto runs = runs_of(lines, 5);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(1).iteration, 80);
  EXPECT_NEAR(step_time(runs.at(1)), 1, 0.01);
}

// As its Trainer's bars do, of which the first is broken off.
TEST(Restarts, OfPaddlesTrainerAreOtherRuns) {
  Lines lines;
  Clock clock;
  for (const int last : {43, 400}) {
    for (const std::string what :
         {"***** Running training *****", "  Instantaneous batch size per device = 8",
          "  Total optimization steps = 400"})
      lines.push_back("[" + clock.after(1, "").substr(0, 23) + "] [    INFO] - " + what);
    for (int step = 1; step <= last; ++step)
      lines.push_back(written(" %d%%|##| %d/400 [%02d:%02d<10:00,  2.00s/it]", step / 4, step, step * 2 / 60,
                              step * 2 % 60));
    if (last < 400) add(lines, {"Traceback (most recent call last):", "TypeError: missing argument"});
  }
  const auto runs = runs_of(lines, 30);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).framework, "paddle");
  EXPECT_EQ(runs.at(0).iteration, 43);
  EXPECT_EQ(runs.at(0).state, RunState::failed);
  EXPECT_EQ(runs.at(1).iteration, 400);
  EXPECT_NEAR(step_time(runs.at(1)), 2, 0.02);
}

// The first epoch is told of once more when another such may be over; of several processes each tells at once.
TEST(Restarts, BehindAnEpochTellOfItOnceMore) {
  for (const int later : {0, 200}) {
    Lines lines;
    Clock clock;
    const auto tell = [&](int after, int epoch, double took) {
      lines.push_back(
          clock.after(after, written("Epoch: %d, Avg_loss: 0.412, Duration: %.2fs", epoch, took)));
    };
    tell(200, 1, 143);
    tell(later, 1, 144.5);
    for (int epoch = 2; epoch <= 8; ++epoch) tell(200, epoch, 150);
    const auto runs = runs_of(lines, 3);
    ASSERT_EQ(runs.size(), later > 0 ? 2U : 1U);
    EXPECT_EQ(runs.rbegin()->second.iteration, 8);
  }
}

// The time of an epoch is told of every one of them, and one far ahead comes too soon.
TEST(Restarts, FarAheadOfEpochsOneByOneAreOtherRuns) {
  const auto runs_where = [](int ahead, int gap) {
    Lines lines;
    Clock clock;
    for (const int from : {1, ahead})
      for (int epoch = from; epoch < from + 5; ++epoch)
        lines.push_back(clock.after(epoch == ahead ? gap : 100, written("Epoch %d took 90.25s", epoch)));
    return runs_of(lines, 3);
  };
  const auto runs = runs_where(35, 400);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 5);
  EXPECT_EQ(runs.at(1).train.iterations, 5);
  EXPECT_EQ(runs_where(35, 3000).size(), 1U) << "the lines between may be missing";
}

// A line that says itself that it trains is no test's, whatever it counts out of, though the epoch before it was over.
TEST(Restarts, InTheFirstEpochOutOfOtherNumbersAreOtherRuns) {
  const auto runs_behind = [](int steps, int epochs) {
    Clock clock;
    Lines lines;
    const auto start = [&](int shown, int of_steps, int of_epochs) {
      for (int i = 0; i < shown; ++i)
        lines.push_back(
            "[" + clock.after(5, "").substr(0, 19) +
            written(
                " swin_tiny] (main.py 223): INFO Train: [%d/%d][%d/%d]\teta 0:00:20 lr 0.000\ttime 0.5000 "
                "(0.5000)\tloss 0.7500 (0.7500)",
                i / 4, of_epochs, i % 4 * 10, of_steps));
    };
    start(4, 40, 70);
    clock.after(90, "");
    start(12, steps, epochs);
    return runs_of(lines, 6);
  };
  for (const auto& runs : {runs_behind(49, 70), runs_behind(40, 20)}) {
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs.begin()->second.train.iterations, 30);
    EXPECT_EQ(runs.rbegin()->second.first_iteration, 0);
  }
}

}  // namespace
}  // namespace etad::test
