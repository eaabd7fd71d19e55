// Logs whose rates and step times are means since the training's beginning: CleanRL, A2C of OpenAI's baselines, Detectron.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// The first half at 500 steps a second, the second at 1000: what is measured is what each step took.
TEST(MeanRates, CleanRLsOfTheEnvironmentsSteps) {
  Lines lines;
  double elapsed = 0;
  for (int update = 1; update <= 400; ++update) {
    elapsed += update <= 200 ? 2 : 1;
    lines.push_back(written("global_step=%d, episodic_return=[17.]", 1000 * update - 7));
    lines.push_back(written("global_step=%d, episodic_return=[19.]", 1000 * update));
    lines.push_back(written("SPS: %d", static_cast<int>(1000 * update / elapsed)));
  }
  const auto runs = runs_of(lines, 600);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).framework, "pytorch");
  EXPECT_EQ(runs.at(0).iteration, 400'000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.0015, 0.00003);
  EXPECT_GT(runs.at(0).train.segments, 10);
}

TEST(MeanRates, ManiSkillsBelowItsUpdates) {
  Lines lines;
  for (int update = 1; update <= 200; ++update) {
    lines.push_back(written("Epoch: %d, global_step=%d", update, 25'600 * (update - 1)));
    lines.emplace_back("SPS: 1280, pg_loss=-0.0125, v_loss=0.0625");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(step_time(runs.at(0)), 1.0 / 1280, 1e-6);
}

// Three digits of each number.
TEST(MeanRates, OfA2CsTables) {
  Lines lines;
  for (int i = 1; i <= 60; ++i) {
    lines.emplace_back("| explained_variance | 0.0125   |");
    lines.emplace_back("| fps                | 1.25e+03 |");
    lines.push_back(written("| nupdates           | %-8.3g |", 100.0 * i));
    lines.push_back(written("| total_timesteps    | %-8.3g |", 8000.0 * i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).framework, "tensorflow");
  EXPECT_EQ(runs.at(0).iteration, 480'000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.0008, 0.00001);
}

// The first iteration sets up, and stays in the mean.
TEST(MeanRates, OfDetectronsStepTimes) {
  Lines lines = {" 'NUM_GPUS': 2,", "  'IMS_PER_BATCH': 4,", "            'MAX_ITER': 2000,"};
  for (int i = 0; i <= 100; ++i)
    lines.push_back(
        written("json_stats: {\"eta\": \"0:10:00\", \"iter\": %d, \"loss\": 0.4125, \"lr\": 0.0025, "
                "\"mb_qsize\": 64, \"mem\": 6309, \"time\": %.6f}",
                20 * i, (15 + 0.25 * 20 * i) / (20 * i + 1)));
  lines.emplace_back("INFO net.py: 143: Saving parameters and momentum to /out/model_final.pkl");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_EQ(runs.at(0).devices, 2);
  EXPECT_EQ(runs.at(0).train.samples_per_iteration, 8);
  EXPECT_EQ(runs.at(0).max_iterations, 2000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.25, 0.0025);
}

// ms-swift's second version: two processes, of which the first one speaks, and an evaluation in the mean.
TEST(MeanRates, OfSwiftsSteps) {
  Lines lines;
  double elapsed = 6;
  for (int step = 5; step <= 400; step += 5) {
    elapsed += 10;
    for (const double later : {0., 4.})
      lines.push_back(written(
          R"x({"loss": 1.25, "acc": 0.5, "train_speed(iter/s)": %.6f, "epoch": 0.5, "global_step": %d})x",
          step / (elapsed - later), step));
    if (step != 200) continue;
    lines.emplace_back(R"({"eval_loss": 0.75, "eval_runtime": 300.0, "epoch": 1.0, "global_step": 200})");
    elapsed += 300;
  }
  lines.push_back(written(R"({"train_runtime": %.2f, "train_loss": 0.5, "global_step": 400})", elapsed));
  const auto runs = runs_of(lines, 50);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 2, 0.04);
}

// Parameter Golf's, by the tokens of a step: the second half takes twice as long, and then the time is over.
TEST(MeanRates, OfParameterGolfsTokens) {
  Lines lines = {"  train_batch_tokens: 262144", "  world_size: 8"};
  double elapsed = 0;
  for (int step = 1; step <= 2000; ++step) {
    elapsed += step <= 1000 ? 0.1 : 0.2;
    if (step > 5 && step % 250 != 0) continue;
    lines.push_back(written("%d/9000 train_loss: 3.1250 train_time: %.1fm tok/s: %.0f", step, elapsed / 60,
                            step * 262144 / elapsed));
  }
  lines.emplace_back("2010/9000 val_loss: 3.1250 val_bpb: 1.2500");
  lines.emplace_back("stopping_early: wallclock_cap train_time: 302000ms step: 2010/9000");
  const auto runs = runs_of(lines, 7);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).devices, 8);
  EXPECT_EQ(runs.at(0).iteration, 2010);
  EXPECT_EQ(runs.at(0).max_iterations, 9000);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 0.15, 0.0005);
}

}  // namespace
}  // namespace etad::test
