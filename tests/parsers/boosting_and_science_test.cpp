// Trainings of trees, of physics and of chemistry, and newer forms of language models' trainers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

TEST(Boosting, CatBoostsTreesByTheTimeSoFar) {
  for (const bool early : {false, true}) {
    Lines lines;
    for (int tree = 0; tree < 400; tree += tree == 380 ? 19 : 20)
      lines.push_back(
          written("%d:\tlearn: 0.6812500\ttest: 0.6825000\tbest: 0.6825000 (%d)\ttotal: %.3gs\t"
                  "remaining: %.3gs",
                  tree, tree, 0.5 * (tree + 1), 0.5 * ((early ? 999 : 399) - tree)));
    if (early) lines.emplace_back("Stopped by overfitting detector  (50 iterations wait)");
    lines.insert(lines.end(), {"", "bestTest = 0.2125", "bestIteration = 399"});
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.framework, "catboost");
    EXPECT_EQ(run.iteration, 400);
    EXPECT_NEAR(step_time(run), 0.5, 0.01);
    EXPECT_EQ(run.state, RunState::finished);
  }
}

TEST(Boosting, LightGbmsIterationsByTheTimeSoFar) {
  Lines lines;
  for (int i = 1; i <= 200; ++i) {
    lines.push_back(written("[LightGBM] [Info] Iteration:%d, training auc : 0.8125", i));
    lines.push_back(written("[LightGBM] [Info] %.6f seconds elapsed, finished iteration %d", 0.0625 * i, i));
  }
  lines.emplace_back("[LightGBM] [Info] Finished training");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "lightgbm");
  EXPECT_EQ(run.iteration, 200);
  EXPECT_EQ(run.train.iterations, 200);
  EXPECT_NEAR(step_time(run), 0.0625, 1e-9);
  EXPECT_EQ(run.state, RunState::finished);
}

// The second training goes on with the first one's steps, and its time is its own.
TEST(Science, DeepXdesStepsByTheTimeOfAllOfThem) {
  Lines lines;
  const auto train = [&lines](int from, int to, int apart, const char* took) {
    lines.insert(lines.end(), {"Compiling model...", "'compile' took 0.012500 s", "", "Training model...", "",
                               "Step      Train loss    Test loss     Test metric   "});
    for (int step = from; step <= to; step += apart)
      lines.push_back(written("%-10d[1.25e-01]    [1.25e-01]    [5.12e-01]    ", step));
    lines.push_back(written("'train' took %s s", took));
  };
  train(0, 10000, 1000, "62.500000");
  train(10000, 11000, 100, "40.000000");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 10000);
  EXPECT_NEAR(step_time(runs.at(0)), 0.00625, 1e-9);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_EQ(runs.at(1).iteration, 11000);
  EXPECT_EQ(runs.at(1).train.iterations, 1000);
  EXPECT_NEAR(step_time(runs.at(1)), 0.04, 1e-9);
}

TEST(Science, NequIpsEpochs) {
  Lines lines{"! Starting training ...", "! Initial Validation          0    3.125    0.005    1.01    1.01"};
  for (int epoch = 1; epoch <= 30; ++epoch) {
    lines.emplace_back("training");
    lines.emplace_back("# Epoch batch         loss       loss_f");
    lines.push_back(written("%7d   100        0.812        0.812", epoch));
    for (const char* const name : {"Train     ", "Validation"})
      lines.push_back(
          written("! %s %10d %8.3f    0.005        0.812        0.712", name, epoch, 3.125 + 41.25 * epoch));
  }
  lines.emplace_back("! Stop training: max epochs");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 30);
  EXPECT_NEAR(step_time(run), 41.25, 1e-6);
  EXPECT_EQ(run.state, RunState::finished);
}

TEST(Trainers, PicotronsTokensASecond) {
  Lines lines{"Tokens per step: 32.77K"};
  for (int step = 1; step <= 60; ++step)
    lines.push_back(
        written("[rank 0] Step: %-5d | Loss: 6.1250 | Global batch size:  32.77K | Tokens/s:  "
                "65.54K | Tokens/s/GPU:   8.19K | Tokens:   1.31M | MFU: 12.50%% | Memory usage:  "
                "12.25GB",
                step));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 60);
  EXPECT_NEAR(step_time(run), 0.5, 0.001);
}

TEST(Trainers, NemosPlan) {
  for (const bool by_last_number : {true, false}) {  // of versions that count from 0, and from 1
    Lines lines;
    for (int step = 0; step < 150; ++step)
      lines.push_back(
          written("Training epoch 0, iteration %d/%d | lr: 3e-05 | global_batch_size: 8 | "
                  "global_step: %d | reduced_train_loss: 1.25 | train_step_timing in s: 0.125",
                  step + (by_last_number ? 0 : 1), by_last_number ? 149 : 150, step));
    lines.emplace_back("`Trainer.fit` stopped: `max_steps=150` reached.");
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 150) << by_last_number;
    EXPECT_EQ(run.max_iterations, 150) << by_last_number;
    EXPECT_EQ(run.state, RunState::finished) << by_last_number;
  }
}

TEST(Trainers, NanotronsDevicesAreTheProductOfItsWaysOfSharing) {
  const std::string head = "01/17/2024 13:48:40 [INFO|DP=0|PP=0|TP=0]: ";
  Lines lines;
  for (const char* const line :
       {"Config:", "Config(general=GeneralArgs(project='debug',", "       parallelism=ParallelismArgs(dp=4,",
        "                                   pp=1,", "                                   tp=2,",
        "                                   pp_engine=None,"})
    lines.push_back(head + line);
  for (int i = 1; i <= 20; ++i)
    lines.push_back(head + written("iteration: %d / 20 | consumed_tokens: 640K | "
                                   "elapsed_time_per_iteration_ms: 512 | tokens_per_sec: 104K | "
                                   "global_batch_size: 24 | lm_loss: 10.5 | lr: 1e-05 |",
                                   i));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 20);
  EXPECT_EQ(run.devices, 8);
}

// Where veRL logs to W&B alone, its bar is all that it shows, below its configuration.
TEST(Trainers, VerlsBarAlone) {
  for (const bool logged : {false, true}) {
    Lines lines{"(TaskRunner pid=71) {'actor_rollout_ref': {'actor': {'strategy': 'fsdp',",
                "(TaskRunner pid=71)              'n_gpus_per_node': 8,",
                "(TaskRunner pid=71)              'nnodes': 1,",
                "(TaskRunner pid=71) Total training steps: 100"};
    for (int i = 1; i <= 100; ++i) {
      if (logged)
        lines.push_back(written(
            "(TaskRunner pid=71) step:%d - actor/pg_loss:0.125 - timing_s/gen:12.500 - timing_s/step:40.250",
            i));
      lines.push_back(
          written("(TaskRunner pid=71) Training Progress: %3d%%|####      | %d/100 "
                  "[%d:%02d:%02d<10:00, 42.00s/it]",
                  i, i, 42 * i / 3600, 42 * i / 60 % 60, 42 * i % 60));
    }
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 100) << logged;
    EXPECT_EQ(run.devices, 8) << logged;
    EXPECT_NEAR(step_time(run), logged ? 40.25 : 42, 0.01);
    EXPECT_EQ(run.state, RunState::finished) << logged;
  }
}

TEST(Trainers, HugeCtrsIterationsOutsideOfMlperf) {
  Lines lines;
  for (int i = 1000; i <= 20000; i += 1000)
    lines.push_back(
        written("[HUGECTR][08:%02d:%02d][INFO][RANK0]: Iter: %d Time(1000 iters): 5.125s Loss: "
                "0.125 lr:0.001",
                i / 12000, i / 200 % 60, i));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "hugectr");
  EXPECT_EQ(run.iteration, 20000);
  EXPECT_NEAR(step_time(run), 0.005125, 1e-9);
}

}  // namespace
}  // namespace etad::test
