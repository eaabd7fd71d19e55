// Whole logs of tool boxes: MMEngine, OpenPCDet, CoreNet, I-JEPA, HRNet, Tinker, reid-strong-baseline, Theano's tutorials.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

std::string clock_past_five(int seconds) {
  return written("05:%02d:%02d", seconds / 60 % 60, seconds % 60);
}

// A training that goes on from a saved state shows a later epoch first; they are counted from 1 all the same.
TEST(Toolboxes, MMEngineCountsEpochsFromOneWhereverItGoesOn) {
  Lines lines = {
      "System environment:",
      "    GPU 0: Tesla T4",
      "    GPU number: 2",
      "train_cfg = dict(max_epochs=4, type='EpochBasedTrainLoop', val_interval=1)",
      "03/04 05:00:00 - mmengine - INFO - resumed epoch: 2, iter: 200",
      "03/04 05:00:00 - mmengine - INFO - Checkpoints will be saved to /home/user/work_dirs/tiny_r18."};
  int now = 0;
  for (int epoch = 3; epoch <= 4; ++epoch)
    for (int batch = 10; batch <= 100; batch += 10)
      lines.push_back(
          "03/04 " + clock_past_five(now += 5) +
          written(" - mmengine - INFO - Epoch(train)  [%d][%3d/100]  base_lr: 2.5000e-05 lr: 2.5000e-05  "
                  "eta: 0:02:05  time: 0.5000  data_time: 0.0125  memory: 4096  loss: 1.2500",
                  epoch, batch));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).network, "tiny_r18");
  EXPECT_EQ(runs.at(0).devices, 2);
  EXPECT_EQ(runs.at(0).first_iteration, 200);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_EQ(runs.at(0).max_iterations, 400);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.01);
}

TEST(Toolboxes, OpenPCDetCountsIterationsThroughItsEpochs) {
  Lines lines = {"2026-03-04 05:00:00,000   INFO  Training in distributed mode : total_batch_size: 16",
                 "2026-03-04 05:00:00,000   INFO  batch_size       4",
                 "2026-03-04 05:00:00,000   INFO  **********************Start training "
                 "kitti_models/pillars(first_try)**********************"};
  int now = 0;
  for (int epoch = 1; epoch <= 3; ++epoch)
    for (int batch = 50; batch <= 200; batch += 50)
      lines.push_back(
          "2026-03-04 " + clock_past_five(now += 100) +
          written(",000   INFO  Train:    %d/3 ( 15%%) [ %3d/200 (  4%%)]  Loss: 2.125 (2.25)  LR: "
                  "3.125e-05  Time cost: 00:25/10:12 [10:25/3:00:12]  Acc_iter %d        Data time: "
                  "0.20(0.49)  Forward time: 0.25(0.50)  Batch time: 0.51(0.62)",
                  epoch, batch - 1, (epoch - 1) * 200 + batch));
  const auto broken = runs_of(lines);
  lines.push_back(
      "2026-03-04 05:30:00,000   INFO  **********************End training "
      "kitti_models/pillars(first_try)**********************");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).network, "pillars");
  EXPECT_EQ(runs.at(0).devices, 4);
  EXPECT_EQ(runs.at(0).iteration, 600);
  EXPECT_EQ(runs.at(0).max_iterations, 600);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 2);
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken.at(0).max_iterations, 600);
}

// Validations and saved files lie between the only lines that show steps.
TEST(Toolboxes, CoreNetsStepsAreWithoutItsValidations) {
  Lines lines = {"2026-03-04 05:00:00 - LOGS    - Available GPUs: 4"};
  int now = 10;
  const auto say = [&](int at, const std::string& what) {
    lines.push_back("2026-03-04 " + clock_past_five(at) + " - LOGS    - " + what);
  };
  for (int epoch = 0; epoch < 5; ++epoch, now += 100) {
    say(now,
        written(
            "Epoch: %3d [%8d/10000000], loss: {'classification': 1.25, 'total_loss': 1.5}, LR: [1e-06], Avg. "
            "batch load time: 0.250, Elapsed time:  0.50",
            epoch, epoch * 120));
    say(now + 60, written("*** Training summary for epoch %d", epoch));
    say(now + 84, written("Epoch: %3d [     400/    2150], loss: {'classification': 1.25, 'total_loss': "
                          "1.5}, top1: 12.5, LR: "
                          "[1e-06], Avg. batch load time: 0.250, Elapsed time: 20.25",
                          epoch));
    say(now + 85, written("*** Validation summary for epoch %d", epoch));
    say(now + 90, "Last training checkpoint is saved at: results/training_checkpoint_last.pt");
    say(now + 90,
        written("Training checkpoint for epoch %d/iteration %d is saved at: results/checkpoint_%d.pt", epoch,
                epoch * 120 + 120, epoch));
  }
  say(now, "Training took 00:08:20.25");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).devices, 4);
  EXPECT_EQ(runs.at(0).iteration, 600);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.01);
  lines.insert(lines.end() - 1,
               "2026-03-04 05:30:00 - LOGS    - Keyboard interruption. Exiting from early training");
  EXPECT_EQ(runs_of(lines).at(0).state, RunState::stopped);
}

// The last steps of an epoch are not displayed; a training that came to its plan has done them.
TEST(Toolboxes, JepasTimeIsTheMeanOfTheEpochSoFar) {
  Lines lines = {"                        'epochs': 2,", "INFO:root:Initialized (rank/world-size) 0/4"};
  for (int epoch = 1; epoch <= 2; ++epoch)
    for (int batch = 0; batch < 190; batch += 20)
      lines.push_back(
          written("INFO:root:[%d, %5d/  190] train_loss: 1.250 [wd: 5.00e-02] [lr: 2.50e-04] [mem: "
                  "1.25e+04] (%.1f ms)",
                  epoch, batch, 500 + 1000. / (batch + 1)));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).devices, 4);
  EXPECT_EQ(runs.at(0).iteration, 380);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.01);
}

TEST(Toolboxes, HRNetsTimeIsTheMeanOfTheEpochSoFar) {
  Lines lines = {"GPUS: (0, 1)"};
  for (int epoch = 0; epoch < 2; ++epoch)
    for (int batch = 0; batch < 200; batch += 10)
      lines.push_back(
          written("Epoch: [%d/2] Iter:[%d/200], Time: 0.51, lr: [0.0125], Loss: 1.250000, Acc:0.712500",
                  epoch, batch));
  lines.emplace_back("Hours: 1");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).devices, 2);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 0.51, 0.01);
}

// The total holds an evaluation each tenth step. A training that is found to be complete is no run.
TEST(Toolboxes, TinkersTablesTellEachStep) {
  const std::string plan =
      "tinker_cookbook.supervised.train:226 [INFO] Training for 6 batches x 5 epochs = 30 steps";
  const std::string end = "tinker_cookbook.supervised.train:265 [INFO] Training completed successfully";
  Lines lines = {plan};
  for (int i = 0; i < 30; ++i) {
    lines.emplace_back("│ num_sequences                  │ 16       │");
    lines.emplace_back("│ time/step                      │ 1.250000 │");
    lines.emplace_back(i % 10 == 0 ? "│ time/total                     │ 7.250000 │"
                                   : "│ time/total                     │ 1.262500 │");
  }
  lines.insert(lines.end(), {end, plan, end});
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 30);
  EXPECT_EQ(runs.at(0).max_iterations, 30);
  EXPECT_EQ(runs.at(0).train.samples_per_iteration, 16);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 1.25);
}

// Nothing says how long an epoch of MXNet's is, but how many there will be: behind the end of the last one it is done.
TEST(Toolboxes, MXNetEndsWithTheLastEpochPlanned) {
  const Lines plans = {
      "INFO:root:start with arguments Namespace(batch_size=128, gpus='0', network='resnet', num_epochs=3)",
      "INFO:root:Namespace(batch_size=8, dataset='voc', epochs=3, gpus='0', network='vgg16')"};
  const Lines steps = {"INFO:root:Epoch[%d] Batch [%d]\tSpeed: 1280.50 samples/sec\taccuracy=0.5",
                       "INFO:root:[Epoch %d][Batch %d], Speed: 1280.500 samples/sec, CrossEntropy=3.1"};
  const Lines ends = {"INFO:root:Epoch[%d] Time cost=39.1",
                      "INFO:root:[Epoch %d] Training cost: 39.1, CrossEntropy=3.1"};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (const int epochs : {2, 3}) {
      Lines lines = {plans[i]};
      for (int epoch = 0; epoch < epochs; ++epoch) {
        for (int batch = 20; batch <= 200; batch += 20)
          lines.push_back(written(steps[i].c_str(), epoch, batch));
        lines.push_back(written(ends[i].c_str(), epoch));
      }
      const auto runs = runs_of(lines);
      ASSERT_EQ(runs.size(), 1U) << plans[i];
      EXPECT_EQ(runs.at(0).state, epochs == 3 ? RunState::finished : RunState::lost) << plans[i];
      EXPECT_EQ(runs.at(0).max_iterations, epochs == 3 ? std::optional<std::int64_t>(600) : std::nullopt);
    }
  }
}

// Each process labels its lines; of the rollouts only the trainer waits.
TEST(Toolboxes, SlimesStepsWithTheirRollouts) {
  Lines lines = {"(MegatronTrainRayActor pid=100)   num_rollout .................................. 6"};
  for (int i = 0; i < 6; ++i) {
    lines.push_back(
        written("(RolloutManager pid=200) [2026-04-15 07:%02d:10] rollout.py:1193 - perf %d: "
                "{'rollout/response_len/mean': 2773.5, 'perf/rollout_time': 61.5}",
                2 * i, i));
    lines.push_back(
        written("(MegatronTrainRayActor pid=100) [2026-04-15 07:%02d:50] train_metric_utils.py:44 - perf %d: "
                "{'perf/train_wait_time': 70.5, 'perf/train_time': 40.25, 'perf/step_time': 110.75}",
                2 * i, i));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_EQ(runs.at(0).max_iterations, 6);
  EXPECT_EQ(runs.at(0).train.iterations, 5) << "the first step sets up";
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 110.75);
}

// The bars of a narrow terminal are cut off before their times: the end alone tells how long all epochs took.
TEST(Toolboxes, EpochsOfUltralyticsWhoseBarsAreCutOff) {
  std::vector<std::string> lines = {
      "Ultralytics 8.1.20 Python-3.10.2 torch-2.1.0 CUDA:0 (Quadro P4000, 8117MiB)",
      "Starting training for 500 epochs...",
      "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size"};
  for (int epoch = 1; epoch <= 30; ++epoch)
    lines.push_back(
        written("     %d/500      9.25G      2.125       3.75      1.875        612        640:", epoch));
  lines.emplace_back("30 epochs completed in 0.125 hours.");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 30);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_NEAR(step_time(runs.at(0)), 15, 1e-9);
  lines.back() = "30 epochs completed in 0.002 hours.";
  EXPECT_EQ(runs_of(lines).at(0).train.segments, 0) << "rounded by a quarter";
}

// An epoch of 49 updates of two seconds, its validation of 40, and its files of 3: the last updates before them count.
TEST(Toolboxes, FairseqsEpochsUnderHydra) {
  std::vector<std::string> lines;
  int now = 0;
  const auto say = [&](const std::string& text) {
    lines.push_back(written("[2022-03-04 0%d:%02d:%02d,000]", 5 + now / 3600, now / 60 % 60, now % 60) +
                    text);
  };
  for (int update = 1; update <= 392; ++update) {
    now += 2;
    if (update % 20 == 0)
      say(written(R"([train_inner][INFO] - {"epoch": %d, "loss": "6.5", "ups": "0.5", "num_updates": "%d"})",
                  (update - 1) / 49 + 1, update));
    if (update % 49 != 0) continue;
    say(R"([fairseq_cli.train][INFO] - begin validation on "valid" subset)");
    now += 40;
    say(R"([valid][INFO] - {"epoch": 1, "valid_loss": "6.25"})");
    say(written("[fairseq.checkpoint_utils][INFO] - Preparing to save checkpoint for epoch 1 @ %d updates",
                update));
    say("[fairseq.trainer][INFO] - Saving checkpoint to checkpoints/checkpoint_best.pt");
    now += 3;
    say(written("[fairseq.checkpoint_utils][INFO] - Saved checkpoint a.pt (epoch 1 @ %d updates, score 3)",
                update));
    say(written(R"([train][INFO] - {"epoch": 1, "train_loss": "6.5", "train_num_updates": "%d"})", update));
  }
  const auto runs = runs_of(lines, 23);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 372);
  EXPECT_NEAR(step_time(runs.at(0)), 2, 1e-6);
}

// Each fit of skorch's has a table of its own.
TEST(Toolboxes, TablesOfSkorch) {
  std::vector<std::string> lines;
  for (int fit = 0; fit < 3; ++fit) {
    lines.push_back("  epoch    train_loss    valid_acc    valid_loss    cp     dur");
    lines.push_back("-------  ------------  -----------  ------------  ----  ------");
    for (int epoch = 1; epoch <= 8; ++epoch)
      lines.push_back(written("%7d        0.6125       0.6250        0.5512  %4s  %d.5000", epoch,
                              epoch % 2 == 1 ? "+" : "", fit + 1));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  for (int fit = 0; fit < 3; ++fit) {
    EXPECT_EQ(runs.at(fit).iteration, 8);
    EXPECT_NEAR(step_time(runs.at(fit)), fit + 1.5, 1e-9);
  }
}

// ParlAI's updates by the time since the training began, of which evaluations are taken out.
TEST(Toolboxes, UpdatesOfParlAi) {
  std::vector<std::string> lines = {"10:00:00 | training..."};
  for (int i = 1; i <= 12; ++i)
    lines.push_back(written("10:%02d:00 | time:%ds total_exs:%d total_steps:%d epochs:0.%02d time_left:900s",
                            i, 60 * i, 640 * i, 40 * i, i));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 480);
  EXPECT_NEAR(step_time(run), 1.5, 1e-9);
  EXPECT_EQ(run.train.samples_per_iteration, 16);
}

// Tables that state whole seconds make long windows, and a training may begin anew before the first one is over.
TEST(Toolboxes, AShortTrainingAndItsRestartAreTwo) {
  std::vector<std::string> lines;
  for (const int tables : {9, 60})
    for (int i = 1; i <= tables; ++i) {
      lines.insert(lines.end(), {"------------------------------", "| time/              |          |"});
      lines.push_back(written("|    iterations      | %-8d |", i));
      lines.push_back(written("|    time_elapsed    | %-8d |", 2 * i));
      lines.push_back(written("|    total_timesteps | %-8d |", 4096 * i));
      lines.emplace_back("------------------------------");
    }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 9 * 4096);
  EXPECT_EQ(runs.at(1).iteration, 60 * 4096);
  EXPECT_NEAR(step_time(runs.at(1)), 2.0 / 4096, 1e-6);
}

// Epochs of 90 batches of half a second each, of which every twentieth is told; behind every other one a minute's
// validation.
TEST(Toolboxes, ReidBaselinesEpochsWithoutTheirValidations) {
  Lines lines = {"2026-03-01 10:00:00,250 reid_baseline INFO: Using 1 GPUS",
                 "SOLVER:",
                 "  IMS_PER_BATCH: 64",
                 "  MAX_EPOCHS: 4",
                 "TEST:",
                 "  IMS_PER_BATCH: 128"};
  int now = 0;  // in halves of a second
  const auto say = [&](const std::string& what) {
    lines.push_back(written("2026-03-01 10:%02d:%02d,%d reid_baseline.train INFO: ", now / 120, now / 2 % 60,
                            now % 2 == 0 ? 250 : 750) +
                    what);
  };
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int batch = 20; batch <= 80; batch += 20) {
      now += 20;
      say(written("Epoch[%d] Iteration[%d/90] Loss: 4.125, Acc: 0.125, Base Lr: 3.50e-05", epoch, batch));
    }
    now += 10;
    say(written("Epoch %d done. Time per batch: 0.500[s] Speed: 128.0[samples/s]", epoch));
    if (epoch % 2 != 0) continue;
    now += 120;
    say(written("Validation Results - Epoch: %d", epoch));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.devices, 1);
  EXPECT_EQ(run.train.batch_size, 64);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.iteration, 360);
  EXPECT_EQ(run.max_iterations, 360);
  EXPECT_NEAR(step_time(run), 0.5, 1e-6);
}

// No line of the training bears a time; each is a run of its own, stopped where it no longer improves.
TEST(Toolboxes, TheanosTutorialsByTheTimeOfAll) {
  Lines lines = {"... finetunning the model"};
  for (const int epochs : {40, 30}) {
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      lines.push_back(written("epoch %d, minibatch 120/120, validation error 8.125000 %%", epoch));
      lines.push_back(
          written("     epoch %d, minibatch 120/120, test error of best model 8.250000 %%", epoch));
    }
    lines.emplace_back(
        "Optimization complete with best validation score of 8.125000 %, on iteration 1200, with test "
        "performance 8.250000 %");
    lines.push_back(written("The training code for file SdA.py ran for %d.00m", epochs));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.state, RunState::finished);
    EXPECT_EQ(run.iteration, ordinal == 0 ? 4800 : 3600);
    EXPECT_NEAR(step_time(run), 0.5, 1e-6);
  }
}

// It says how long all of the training still takes, and not of how many epochs it is: the last one is over where its
// last lines leave no time for another.
TEST(Toolboxes, PaddleDetectionIsDoneWithTheEpochThatLeavesNoTime) {
  constexpr int kSteps = 450, kEpochs = 3, kLinesOfEpoch = 5;
  const auto log_of = [](int lines_shown) {
    Lines lines;
    for (int i = 0; i < lines_shown; ++i) {
      const int epoch = i / kLinesOfEpoch, batch = 100 * (i % kLinesOfEpoch), done = epoch * kSteps + batch;
      const int left = (kEpochs * kSteps - done) / 2;
      lines.push_back(
          written("[03/04 %s] ppdet.engine INFO: Epoch: [%d] [%3d/450] learning_rate: 0.001 loss: "
                  "2.5 eta: 0:%02d:%02d batch_cost: 0.5000 data_cost: 0.0002 ips: 4.0 images/s",
                  clock_past_five(done / 2).c_str(), epoch, batch, left / 60, left % 60));
    }
    return lines;
  };
  const etad::Run whole = only_run(log_of(kEpochs * kLinesOfEpoch));
  EXPECT_EQ(whole.state, RunState::finished);
  EXPECT_EQ(whole.iteration, kEpochs * kSteps);
  const etad::Run broken = only_run(log_of(2 * kLinesOfEpoch));
  EXPECT_EQ(broken.state, RunState::lost);
  EXPECT_FALSE(broken.max_iterations);
}

// PaddleOCR divides its sums by print_batch_step, also those of an epoch's last lines, which are of fewer steps.
TEST(Toolboxes, PaddleOcrsMeansOverFewerStepsThanItPrints) {
  std::vector<std::string> lines = {"[2022/05/06 07:00:00] ppocr INFO:     print_batch_step : 10",
                                    "[2022/05/06 07:00:00] ppocr INFO: train dataloader has 14 iters"};
  int now = 0, step = 0;
  for (int epoch = 1; epoch <= 5; ++epoch) {
    for (int last = step; step < 14 * epoch; ++step) {
      now += 2;
      const int done = step + 1 - last;
      if ((step + 1) % 10 != 0 && step + 1 != 14 * epoch) continue;
      last = step + 1;
      lines.push_back(
          written("[2022/05/06 07:%02d:%02d] ppocr INFO: epoch: [%d/5], global_step: %d, lr: 0.0005, "
                  "loss: 1.25, avg_reader_cost: 0.001 s, avg_batch_cost: %.5f s, avg_samples: %.1f, "
                  "ips: 32.0 samples/s, eta: 0:12:00",
                  now / 60, now % 60, epoch, step + 1, done * 0.2, done * 6.4));
    }
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 70);
  EXPECT_NEAR(step_time(run), 2, 1e-4);
  EXPECT_EQ(run.train.batch_size, 64);
}

// The last epoch's bar is broken off: its end would have measured it.
TEST(Toolboxes, StepsOfAnEpochThatUltralyticsDidNotComeToEnd) {
  std::vector<std::string> lines = {"Starting training for 50 epochs..."};
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (const int batch : {10, 40, 70, 75}) {
      if (epoch == 3 && batch > 40) break;
      lines.push_back(
          written("      %d/50      8.4G     0.5125     0.3125     0.8125         45        640: %d%% "
                  "\xe2\x94\x81\xe2\x94\x80 %d/75 2.0s/it %s",
                  epoch, batch * 100 / 75, batch,
                  batch == 75 ? "2:30" : written("%d:%02d<1:00", batch / 30, batch * 2 % 60).c_str()));
    }
  }
  lines.emplace_back("Traceback (most recent call last):");
  lines.emplace_back("KeyboardInterrupt");
  lines.push_back(lines.at(lines.size() - 3));  // drawn once more
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 190);
  EXPECT_EQ(run.max_iterations, 3750);
  EXPECT_EQ(run.train.iterations, 150);
  EXPECT_DOUBLE_EQ(step_time(run), 2);
  EXPECT_EQ(run.state, RunState::stopped);
}

// PaddleVideo shows steps 0 and 100 of each epoch of 149, and tells at its end how long it took and how fast it was.
TEST(Toolboxes, PaddleVideosEpochsAreAsLongAsTheirTimesTell) {
  std::vector<std::string> lines = {"[05/06 07:00:00]     batch_size : 64"};
  int now = 0;
  const auto say = [&](int wait, const std::string& what) {
    now += wait;
    lines.push_back("[05/06 " + time_of_day(7, now) + "] " + what);
  };
  const char* const step =
      "epoch:[ %2d/5 ] train step:%-3d  loss: 2.5 lr: 0.01 top1: 0.5 batch_cost: 1.0 sec, reader_cost: 0.0 "
      "sec, ips: 64.0 instance/sec.";
  for (int epoch = 1; epoch <= 5; ++epoch) {
    say(2, written(step, epoch, 0));
    say(200, written(step, epoch, 100));
    say(98, written("END epoch:%d   train loss_avg: 2.125  top1_avg: 0.5 avg_batch_cost: 2.0 sec, "
                    "batch_cost_sum: 298.00000 sec, avg_ips: 32.00000 instance/sec.",
                    epoch));
    say(5,
        written(
            "epoch:[ %2d/5 ] val step:0    loss: 2.5 top1: 0.5 batch_cost: 5.0 sec, ips: 12.8 instance/sec.",
            epoch));
    say(95, written("END epoch:%d   val loss_avg: 2.25  top1_avg: 0.5 avg_batch_cost: 0.5 sec, "
                    "batch_cost_sum: 100.00000 sec, avg_ips: 32.00000 instance/sec.",
                    epoch));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 745);
  EXPECT_EQ(run.max_iterations, 745);
  EXPECT_NEAR(step_time(run), 2, 0.02);
}

}  // namespace
}  // namespace etad::test
