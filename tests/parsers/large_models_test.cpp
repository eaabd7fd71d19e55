// Trainers of language and image models, whose logs need more than their rules' samples show.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

// Its console tells the plan in a line that W&B's copy of the output lacks: the bar does, too.
TEST(LargeModels, TheFirstStateOfVerlsBarTellsThePlan) {
  std::vector<std::string> lines = {"Training Progress:   0%|          | 0/250 [00:00<?, ?it/s]"};
  for (int step = 1; step <= 5; ++step)
    lines.push_back(
        written("step:%d - actor/pg_loss:0.125 - timing_s/gen:12.500 - timing_s/step:40.250 - a:1", step));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).max_iterations, 250);
  EXPECT_NEAR(step_time(runs.at(0)), 40.25, 1e-9);
}

// torchtune's bar is drawn anew for each epoch, and names the step of all; the configuration tells the plan.
TEST(LargeModels, TorchtunesEpochsMakeItsPlan) {
  std::vector<std::string> lines = {"batch_size: 2", "epochs: 3", "gradient_accumulation_steps: 8"};
  for (int step = 1; step <= 600; ++step) {
    const int done = (step - 1) % 200 + 1;
    lines.push_back(written("%d|%d|Loss: 1.25: %3d%%|####| %d/200 [%02d:%02d<00:03,  3.00s/it]",
                            (step - 1) / 200 + 1, step, done / 2, done, done * 3 / 60, done * 3 % 60));
  }
  const auto runs = runs_of(lines, 250);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 600);
  EXPECT_EQ(runs.at(0).max_iterations, 600);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_EQ(runs.at(0).train.samples_per_iteration, 16);
  EXPECT_NEAR(step_time(runs.at(0)), 3, 0.01);
}

// A bar whose name becomes the loss once there is one.
TEST(LargeModels, ABarThatIsRenamedToItsLossIsTheSame) {
  std::vector<std::string> lines = {"{'model': 'tiny-gpt', 'batch_size': 4}"};
  for (int step = 1; step <= 400; ++step) {
    const std::string name = step <= 10 ? "Training" : written("Loss: 1.%04d | Acc: 0.75 | GPU: 6.5GB", step);
    lines.push_back(written("%s: %3d%%|####| %d/400 [%02d:%02d<00:03,  3.00s/it]", name.c_str(), step / 4,
                            step, step * 3 / 60, step * 3 % 60));
  }
  const auto runs = runs_of(lines, 100);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_EQ(runs.at(0).max_iterations, 400);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 3, 0.01);
}

// OpenCLIP counts samples: the batch makes steps of them, or else the first line of a run, which is its first step's.
TEST(LargeModels, OpenClipsSamplesAreCountedInSteps) {
  for (const bool told : {false, true}) {
    std::vector<std::string> lines;
    if (told)
      for (const char* line : {"batch_size: 64", "epochs: 2", "world_size: 4"})
        lines.push_back(written("2025-03-04,05:00:00 | INFO |   %s", line));
    int seconds = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (int batch = 1; batch <= 1001; batch += 100) {
        if (batch > 1) seconds += 50;
        lines.push_back(written(
            "2025-03-04,05:%02d:%02d | INFO | Train Epoch: %d [%6d/256256 (%d%%)] Data (t): 0.020 Batch (t): "
            "0.500, 512.000/s, 128.000/s/gpu LR: 0.000010 Logit Scale: 14.286 Loss: 5.5125 (5.6125)",
            seconds / 60, seconds % 60, epoch, 256 * batch, batch / 10));
      }
      seconds += 30;
      lines.push_back(
          written("2025-03-04,05:%02d:%02d | INFO | Eval Epoch: %d imagenet-zeroshot-val-top1: 0.125",
                  seconds / 60, seconds % 60, epoch + 1));
    }
    const auto runs = runs_of(lines, 8);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 2002) << told;
    EXPECT_EQ(runs.at(0).train.samples_per_iteration, 256) << told;
    EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.001) << told;
    if (!told) continue;
    EXPECT_EQ(runs.at(0).state, RunState::finished);
    EXPECT_EQ(runs.at(0).devices, 4);
  }
}

// Levanter's bar counts to three digits, and evaluations have one of their own.
TEST(LargeModels, LevantersBarCountsToThreeDigits) {
  std::vector<std::string> lines;
  for (int step = 10; step <= 4000; step += 10) {
    const std::string done = step < 1000 ? written("%dit", step) : written("%.2fkit", step / 1000.0);
    lines.push_back(
        written("INFO:tqdm_logging:Progress on:train %s/4.00kit rate:1.3it/s remaining:10:00 "
                "elapsed:%02d:%02d postfix:loss=5.5",
                done.c_str(), step * 3 / 4 / 60, step * 3 / 4 % 60));
    if (step % 1000 == 0)
      lines.emplace_back(
          "INFO:tqdm_logging:Progress on:eval 20.0it/50.0it rate:2.0it/s remaining:00:15 "
          "elapsed:00:10 postfix:loss=5.5");
  }
  const auto runs = runs_of(lines, 100);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 4000);
  EXPECT_EQ(runs.at(0).max_iterations, 4000);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 0.75, 0.01);
}

// The first step behind a checkpoint compiles, as step 0 does.
TEST(LargeModels, NanochatsFirstResumedStepIsLeftOut) {
  std::vector<std::string> lines = {"Resuming optimization from step 4000",
                                    "Tokens / micro-batch / rank: 16 x 2048 = 32,768"};
  for (int i = 0; i < 5; ++i)
    lines.push_back(
        written("step %05d/21400 (18.70%%) | loss: 2.750000 | lrm: 1.00 | dt: %.2fms | tok/sec: 131,072",
                4000 + i, i == 0 ? 60000.0 : 500.0));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 4);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-9);
}

// A training that was gone on with, of which more is planned now, in the same file: its time begins anew.
TEST(LargeModels, LlamaFactorysTrainingGoneOnWithToAnotherPlan) {
  std::vector<std::string> lines;
  for (int step = 10; step <= 400; step += 10) {
    const int seconds = 4 * (step <= 200 ? step : step - 200);
    lines.push_back(
        written("{\"current_steps\": %d, \"total_steps\": %d, \"loss\": 1.25, \"percentage\": 1.0, "
                "\"elapsed_time\": \"0:%02d:%02d\", \"remaining_time\": \"1:00:00\"}",
                step, step <= 200 ? 4000 : 9000, seconds / 60, seconds % 60));
  }
  const auto runs = runs_of(lines, 25);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 200);
  EXPECT_EQ(runs.at(0).max_iterations, 4000);
  EXPECT_EQ(runs.at(1).iteration, 400);
  EXPECT_EQ(runs.at(1).max_iterations, 9000);
  EXPECT_EQ(runs.at(1).train.iterations, 190);
  EXPECT_NEAR(step_time(runs.at(1)), 4, 0.05);
}

// 0.016 steps a second may be 24.2 or 25.7 of them: 25, for they are whole.
TEST(LargeModels, ARateOfFewDigitsMayLeaveOneNumberOfSteps) {
  std::vector<std::string> lines = {
      "{'loss': 0.5, 'grad_norm': 0.25, 'learning_rate': 2e-06, 'epoch': 0.02}"};
  lines.emplace_back(
      "{'train_runtime': 1559.75, 'train_samples_per_second': 0.128, 'train_steps_per_second': 0.016, "
      "'epoch': 0.1}");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 25);
  EXPECT_NEAR(step_time(runs.at(0)), 62.39, 1e-9);
}

// Hugging Face's Trainer prints the loss beside its bar, with an epoch for a place.
TEST(LargeModels, LossPrintedBesideABarIsOfItsStep) {
  std::vector<std::string> lines = {"***** Running training *****", "  Total optimization steps = 400"};
  for (int step = 40; step <= 400; step += 40) {
    lines.push_back(
        written(" %d%%|## | %d/400 [%02d:%02d<00:00,  1.00s/it]", step / 4, step, step / 60, step % 60));
    lines.push_back(written("{'loss': '%.2f', 'grad_norm': '0.5', 'learning_rate': '4e-05', 'epoch': '%.2f'}",
                            4.0 - step / 200.0, step / 400.0));
  }
  const Records records = records_of(*shipped_formats().find("huggingface"), lines);
  std::map<std::int64_t, double> losses;
  for (const auto& point : records.points)
    if (!std::isnan(point.value.loss)) losses[point.value.iteration] = point.value.loss;
  ASSERT_EQ(losses.size(), 10U);
  EXPECT_DOUBLE_EQ(losses.at(40), 3.8);
  EXPECT_DOUBLE_EQ(losses.at(200), 3.0);
}

// torchrun's processes put their ranks before what they say, also before what broke them off.
TEST(LargeModels, WhatBreaksOneOfSeveralProcessesOff) {
  const std::vector<std::pair<std::string, RunState>> ends = {
      {"torch.OutOfMemoryError: CUDA out of memory.", RunState::failed},
      {"RuntimeError: DataLoader worker (pid 4711) is killed by signal: Terminated. ", RunState::stopped}};
  for (const auto& [error, state] : ends)
    for (const int rank : {0, 3}) {
      std::vector<std::string> lines = lines_by(20, [](int i) {
        return written("Epoch %d: 100%%|██████████| 250/250 [02:05<00:00,  2.00it/s, v_num=0, loss=0.5125]",
                       i);
      });
      lines.push_back(written("[rank%d]: Traceback (most recent call last):", rank));
      lines.push_back(written("[rank%d]:   File \"train.py\", line 7, in <module>", rank));
      lines.push_back(written("[rank%d]: ", rank) + error);
      const auto runs = runs_of(lines);
      ASSERT_EQ(runs.size(), 1U);
      EXPECT_EQ(runs.at(0).iteration, 5000);
      EXPECT_EQ(runs.at(0).state, state) << rank << error;
    }
}

// The first process of a Megatron by DeepSpeed shows steps, and the last one how long they take and how many there are.
TEST(LargeModels, TheProcessThatStatesTimesIsListenedTo) {
  std::vector<std::string> lines;
  for (int step = 1; step <= 10; ++step) {
    lines.push_back(
        written("node-1: [2026-03-04 05:06:%02d,250] [INFO] [logging.py:96:log_dist] [Rank 0] "
                "step=%d, skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]",
                3 * step, step));
    lines.push_back(
        written("node-2:  iteration %8d/      50 | consumed samples: %12d | elapsed time per "
                "iteration (ms): 2500.5 | learning rate: 1.000E-05 | global batch size:     8 |",
                step, 8 * step));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 10);
  EXPECT_EQ(runs.at(0).max_iterations, 50);
  EXPECT_EQ(runs.at(0).train.samples_per_iteration, 8);
  EXPECT_NEAR(step_time(runs.at(0)), 2.5005, 1e-9);
}

// nanochat tells one step's time and that of all so far, but for the first eleven: of lines that leave out steps the latter
// counts, once its hundredths of a minute tell enough.
TEST(LargeModels, NanochatsStepsThatNoLineShows) {
  const auto line = [](int step, double seconds, double minutes) {
    return written(
        "step %05d/00600 (%.2f%%) | loss: 2.512500 | lrm: 1.00 | dt: %.2fms | tok/sec: 1,086,000 | "
        "mfu: 48.25 | total time: %.2fm",
        step, step / 6.0, 1000 * seconds, minutes);
  };
  std::vector<std::string> lines{line(0, 40, 0)};
  for (int step = 100; step <= 500; step += 100)
    lines.push_back(line(step, 1, 1.2 * (step - 10) / 60.0));  // the shown ones happen to be faster
  for (const std::size_t restart : {0U, 3U}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 501);
    EXPECT_EQ(runs.at(0).train.iterations, 490);
    EXPECT_NEAR(step_time(runs.at(0)), 1.2, 0.01);
  }
  // Each step shown: its own time.
  std::vector<std::string> each;
  for (int step = 0; step <= 40; ++step)
    each.push_back(line(step, 1, step > 10 ? 1.2 * (step - 10) / 60.0 : 0));
  EXPECT_NEAR(step_time(runs_of(each).at(0)), 1, 1e-9);
  each.erase(each.end() - 10);  // a line that is missing
  EXPECT_EQ(runs_of(each).at(0).train.iterations, 39);
  // Too soon for hundredths of a minute to tell: the steps shown are all there is.
  std::vector<std::string> few{line(0, 40, 0)};
  for (int step = 20; step <= 80; step += 20) few.push_back(line(step, 0.05, 0.06 * (step - 10) / 60.0));
  const auto runs = runs_of(few);
  EXPECT_EQ(runs.at(0).train.iterations, 4);
  EXPECT_NEAR(step_time(runs.at(0)), 0.05, 1e-9);
}

// A part of the step stands in front of its time; what was over later does not.
TEST(LargeModels, VerlsStepsAreWithoutTheirSavingsAndTests) {
  const auto line = [](int step, const char* inside, double seconds, const char* behind) {
    return written(
        "(TaskRunner pid=4711) step:%d - actor/pg_loss:0.125 - timing_s/gen:12.500%s - timing_s/step:%.3f%s "
        "- a:1",
        step, inside, seconds, behind);
  };
  std::vector<std::string> lines;
  for (int step = 1; step <= 20; ++step) {
    if (step == 10) {
      lines.push_back(line(step, " - timing_s/testing:80.5 - timing_s/save_checkpoint:30.25", 150.75, ""));
    } else if (step == 20) {
      lines.push_back(line(step, "", 40, " - timing_s/testing:80.5 - timing_s/save_checkpoint:30.25"));
    } else {
      lines.push_back(line(step, "", 40, ""));
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 20);
  EXPECT_NEAR(step_time(runs.at(0)), 40, 1e-9);
}

// The engines' timers stop at the last ten; where batches are gathered, a step is as many.
TEST(LargeModels, DeepSpeedChatCountsWhatItGeneratesAndTrainsOn) {
  for (const int gathered : {1, 2}) {
    std::vector<std::string> lines = {
        written("[2026-03-04 05:06:07,250] [INFO] [config.py:957:print]   gradient_accumulation_steps .. %d",
                gathered),
        "***** Running training *****", "Beginning of Epoch 1/1, Total Generation Batches 48"};
    for (int batch = 0; batch < 48; ++batch) {
      const int step = (batch + 1) / gathered;
      if ((batch + 1) % (10 * gathered) == 0)
        lines.push_back(written(
            "[2026-03-04 05:%02d:%02d,250] [INFO] [timer.py:199:stop] epoch=0/micro_step=%d/global_step=%d, "
            "RunningAvgSamplesPerSec=12.5, CurrSamplesPerSec=12.8, MemAllocated=4.25GB, "
            "MaxMemAllocated=10.25GB",
            7 + batch / 24, batch * 5 / 2 % 60, batch + 1, step));
      lines.push_back(
          written("epoch: 0|step: %d|ppo_ep: 1|act_loss: 0.125|cri_loss: 0.25|unsuper_loss: 0.0", batch));
      lines.emplace_back(
          "|E2E latency=2.50s |Gather latency=0.00s (0.00%) |Generate time=1.50s (60.00%) |Training "
          "time=0.75s (30.00%) "
          "|Others=0.25 (10.00%)|CurSamplesPerSec=12.80 |AvgSamplesPerSec=12.50");
    }
    const auto run = only_run(lines);
    EXPECT_EQ(run.iteration, 48 / gathered) << gathered;
    EXPECT_EQ(run.max_iterations, 48 / gathered) << gathered;
    EXPECT_EQ(run.state, RunState::finished) << gathered;
    EXPECT_NEAR(step_time(run), 2.5 * gathered, 1e-9) << gathered;
  }
}

}  // namespace
}  // namespace etad::test
