// Trainings that are gone on with in the same log, by a second start of their program: two runs, the second of which
// begins where the first was saved.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

void append(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

// The steps from..to of 400 by a bar that counts time from where it began, behind so many seconds of skipping.
Lines bar_that_began_at(int from, int to, double step, double skipping = 0) {
  Lines lines;
  for (int i = from + 1; i <= to; ++i) {
    const int took = static_cast<int>(skipping + step * (i - from));
    lines.push_back(written("%3d%%|####      | %d/400 [%02d:%02d<10:00, %5.2fs/it]", i / 4, i, took / 60,
                            took % 60, step));
  }
  return lines;
}

TEST(Resumed, HuggingFacesBarBeginsAnewAmidItsSteps) {
  for (const bool headed : {false, true})
    for (const bool failed : {false, true})
      for (const double skipping : {0.0, 30.0}) {
        const Lines head{"***** Running training *****", "  Total optimization steps = 400"};
        Lines lines;
        if (headed) append(lines, head);
        append(lines, bar_that_began_at(0, 250, 0.3));
        if (failed)
          append(lines,
                 {"Traceback (most recent call last):", "torch.OutOfMemoryError: CUDA out of memory."});
        if (headed) append(lines, head);
        if (headed) lines.emplace_back("  Continuing training from global step 200");
        append(lines, bar_that_began_at(200, 400, 0.3, skipping));
        lines.emplace_back("{'train_runtime': 90.5, 'train_steps_per_second': 4.42, 'epoch': 2.0}");
        const auto runs = runs_of(lines);
        const auto which = testing::Message() << headed << failed << skipping;
        ASSERT_EQ(runs.size(), 2U) << which;
        EXPECT_EQ(runs.at(0).iteration, 250) << which;
        EXPECT_EQ(runs.at(0).state, failed ? RunState::failed : RunState::lost) << which;
        EXPECT_EQ(runs.at(1).iteration, 400) << which;
        EXPECT_EQ(runs.at(1).state, RunState::finished) << which;
        EXPECT_NEAR(step_time(runs.at(1)), 0.3, 0.01) << which;
      }
}

// Steps of which a line tells every so many, of a training whose heading says nothing of where it goes on.
TEST(Resumed, TheFirstLineShowsThatOthersWereDoneBefore) {
  for (const int first : {100, 60100}) {
    Lines lines{"[11/24 10:00:00] ppgan INFO: Configs: {'total_iters': 100000}"};
    for (int i = 0; i < 5; ++i)
      lines.push_back(written(
          "[11/24 10:%02d:30] ppgan.engine.trainer INFO: Iter: %d/100000 lr: 2.000e-04 loss_pixel: 2.125 "
          "batch_cost: 0.60000 sec reader_cost: 0.00125 sec ips: 31.2 images/s eta: 0:34:10",
          i + 1, first + 100 * i));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).first_iteration, first - 100);
    ASSERT_TRUE(runs.at(0).startup);
    EXPECT_NEAR(to_seconds(*runs.at(0).startup), 30, 0.5);
  }
}

// Amid the tables that count the time stand those of evaluations, which do not.
TEST(Resumed, TheFirstLinesTimeIsThatOfTheStepsBetweenIt) {
  const auto first_iteration = [](int done, int first_took) {
    Lines lines;
    for (int i = 1; i <= 5; ++i) {
      lines.push_back(written("|    iterations      | %d      |", i));
      lines.push_back(written("|    time_elapsed    | %d      |", first_took + 40 * (i - 1)));
      lines.push_back(written("|    total_timesteps | %d      |", done + 2048 * i));
      lines.push_back(written("|    total_timesteps | %d      |", done + 2048 * i + 500));
    }
    const auto runs = runs_of(lines);
    return runs.size() == 1 ? runs.at(0).first_iteration : std::nullopt;
  };
  EXPECT_EQ(first_iteration(102400, 38), 102400);
  EXPECT_EQ(first_iteration(102400, 2000), 104448) << "all was done by this program";
  EXPECT_EQ(first_iteration(0, 38), 2048);
}

// torchtitan names the first step to come.
TEST(Resumed, TorchtitanGoesOn) {
  for (const int done : {0, 4800}) {
    Lines lines{
        written("[titan] 2026-03-01 10:00:00,250 - root - INFO - Training starts at step %d", done + 1)};
    for (const int step : {1, 10, 20, 30, 40})
      lines.push_back(written(
          "[titan] 2026-03-01 10:00:%02d,250 - root - INFO - step: %2d  loss:  7.1250  grad_norm:  1.25  "
          "memory: 20.25GiB(25.50%%)  tps: 1,250  tflops: 50.25  mfu: 12.50%%",
          10 + step, done + step));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).first_iteration, done);
    EXPECT_EQ(runs.at(0).iteration, done + 40);
  }
}

TEST(Resumed, VerlSaysWhereItGoesOn) {
  Lines lines;
  const auto steps = [&lines](int from, int to) {
    lines.emplace_back("(TaskRunner pid=71) Total training steps: 100");
    if (from > 0) lines.push_back(written("(TaskRunner pid=71) Setting global step to %d", from));
    for (int i = from + 1; i <= to; ++i)
      lines.push_back(
          written("(TaskRunner pid=71) step:%d - actor/pg_loss:0.125 - timing_s/gen:12.500 - "
                  "timing_s/step:%.3f",
                  i, i == from + 1 ? 90.5 : 40.25));
  };
  steps(0, 45);
  steps(40, 100);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 45);
  EXPECT_EQ(runs.at(0).state, RunState::lost);
  EXPECT_EQ(runs.at(1).iteration, 100);
  EXPECT_EQ(runs.at(1).first_iteration, 40);
  EXPECT_EQ(runs.at(1).train.iterations, 59);  // the first one sets up again
  EXPECT_NEAR(step_time(runs.at(1)), 40.25, 1e-9);
}

// Swin's line of a start shows neither that its epochs are numbered from 0 nor what the training was to do before.
TEST(Resumed, SwinGoesOnBehindItsEndByAnotherPlan) {
  const auto part = [](int hour, int from, int to, int of) {
    Lines lines;
    int at = 0;
    const auto say = [&](const std::string& what) {
      lines.push_back("[2026-03-04 " + time_of_day(hour, at) + " swin_tiny] (main.py 223): INFO " + what);
    };
    if (from > 0) say(written("auto resuming from out/swin_tiny/ckpt_epoch_%d.pth", from - 1));
    say("Start training");
    for (int epoch = from; epoch < to; ++epoch) {
      for (int step = 0; step < 60; step += 10, at += 5)
        say(written("Train: [%d/%d][%d/60]\teta 0:00:00 lr 0.000\ttime 0.5000 (0.5000)\tloss 1.2500 (1.5125)",
                    epoch, of, step));
      say(written("EPOCH %d training takes 0:00:30", epoch));
    }
    return lines;
  };
  Lines both = part(5, 0, 6, 6);
  const Lines second = part(6, 6, 10, 12);
  append(both, second);
  for (const Lines& lines : {both, second}) {
    const auto runs = runs_of(lines, 7);
    ASSERT_EQ(runs.size(), lines.size() > second.size() ? 2U : 1U);
    EXPECT_EQ(runs.begin()->second.state, lines.size() > second.size() ? RunState::finished : RunState::lost);
    const etad::Run& last = runs.rbegin()->second;
    EXPECT_EQ(last.first_iteration, 360);
    EXPECT_EQ(last.iteration, 600);
    EXPECT_EQ(last.max_iterations, 720);
    EXPECT_EQ(last.state, RunState::lost);
  }
}

TEST(Resumed, FairseqsTimeBetweenItsTwoLivesIsNoTraining) {
  Lines lines;
  const auto life = [&lines](int from, int to, int at) {
    const auto say = [&lines](int second, const std::string& text) {
      lines.push_back("2026-03-04 " + time_of_day(5, second) + " | INFO | " + text);
    };
    say(at, "fairseq_cli.train | training on 2 devices (GPUs/TPUs)");
    if (from > 0)
      say(at, written("fairseq.trainer | Loaded checkpoint out/last.pt (epoch 3 @ %d updates)", from));
    for (int i = from + 100; i <= to; i += 100)
      say(at + (i - from) / 4, written("train_inner | epoch 001:    %d / 5000 loss=9.5, ups=4.00, bsz=100, "
                                       "num_updates=%d, lr=1e-4, wall=%d",
                                       i, i, (i - from) / 4));
  };
  life(0, 1200, 0);
  life(1000, 2000, 900);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 1200);
  EXPECT_EQ(runs.at(1).first_iteration, 1000);
  EXPECT_EQ(runs.at(1).iteration, 2000);
  EXPECT_EQ(runs.at(1).devices, 2);
  for (const auto& [ordinal, run] : runs) EXPECT_NEAR(step_time(run), 0.25, 0.005) << ordinal;
}

}  // namespace
}  // namespace etad::test
