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
