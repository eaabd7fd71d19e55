// PyTorch-Ignite and MONAI: engines that train, and run others that evaluate.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

std::string minute_of(int seconds) {
  return written("%02d:%02d", seconds / 60, seconds % 60);
}

// In each epoch 17 s of training, then 11 and 15 s of evaluating.
TEST(Ignite, EvaluationsAreTakenOutOfAnEpoch) {
  Lines lines;
  int now = 0;
  const auto say = [&](const char* engine, const std::string& what) {
    lines.push_back("2026-03-01 10:" + minute_of(now) + ",250 " + engine + " INFO: " + what);
  };
  say("Trainer", "Engine run starting with max_epochs=10.");
  for (int epoch = 1; epoch <= 10; ++epoch) {
    now += 17;
    for (const int took : {11, 15}) {
      const char* const engine = took == 11 ? "Train Evaluator" : "Val Evaluator";
      say(engine, "Engine run starting with max_epochs=1.");
      now += took;
      say(engine, "Epoch[1] Complete. Time taken: 00:" + minute_of(took));
      say(engine, "Engine run complete. Time taken: 00:" + minute_of(took));
    }
    say("Trainer", written("Epoch[%d] Complete. Time taken: 00:00:43", epoch));
  }
  say("Trainer", "Engine run complete. Time taken: 00:07:10");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.iteration, 10);
  EXPECT_EQ(run.max_iterations, 10);
  EXPECT_NEAR(step_time(run), 17, 1e-6);
}

// Without times of their own: an epoch of ten steps takes 20 s, every other one 8 s more to evaluate.
TEST(Ignite, SoTheyAreWhereOnlyTheEnginesSayTheTime) {
  const std::string trainer = "INFO:ignite.engine.engine.SupervisedTrainer:",
                    evaluator = "INFO:ignite.engine.engine.SupervisedEvaluator:";
  Lines lines{trainer + "Engine run resuming from iteration 0, epoch 0 until 20 epochs"};
  for (int epoch = 1; epoch <= 20; ++epoch) {
    const bool evaluates = epoch % 2 == 0;
    for (int step = 1; step <= 10; ++step)
      lines.push_back(trainer + written("Epoch: %d/20, Iter: %d/10 -- train_loss: 0.8125 ", epoch, step));
    if (evaluates) {
      lines.push_back(evaluator + written("Engine run resuming from iteration 0, epoch %d until %d epochs",
                                          epoch - 1, epoch));
      lines.push_back(evaluator + written("Epoch[%d] Complete. Time taken: 00:00:08.000", epoch));
      lines.push_back(evaluator + "Engine run complete. Time taken: 00:00:08.000");
    }
    lines.push_back(trainer +
                    written("Epoch[%d] Complete. Time taken: 00:00:%d.000", epoch, evaluates ? 28 : 20));
  }
  lines.push_back(trainer + "Engine run complete. Time taken: 00:08:00.000");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.iteration, 200);
  EXPECT_EQ(run.train.segments, 20);
  EXPECT_NEAR(step_time(run), 2, 1e-6);
}

}  // namespace
}  // namespace etad::test
