// Whole logs of tool boxes: InsightFace, Marian, XLM, rsl_rl, Chainer, CenterNet, VITS, AllenNLP, LCCNet, baselines,
// YOLOX, PyTorch/XLA, MADDPG.
#include <gtest/gtest.h>

#include <string>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

std::string clock(int seconds) {
  return written("05:%02d:%02d", seconds / 60 % 60, seconds % 60);
}

// A verification behind every 200th step takes half a minute.
TEST(MoreToolboxes, InsightFaceTestsBehindSteps) {
  Lines lines;
  int now = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("Training: 2022-03-04 " + clock(now) + ",250-" + what);
  };
  say(": total_step               800");
  say(": batch_size               128");
  say(": network                  r50");
  for (int i = 20; i <= 780; i += 20) {
    now += 8;
    say(written(
        "Speed 320.00 samples/sec   Loss 12.2500   LearningRate 0.100000   Epoch: 0   Global Step: %d   "
        "Fp16 Grad Scale: 65536   Required: 1 hours",
        i));
    if (i % 200 != 0) continue;
    now += 30;
    say(written("[lfw][%d]Accuracy-Flip: 0.91250+-0.00125", i));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.network, "r50");
  EXPECT_EQ(run.train.batch_size, 128);
  EXPECT_EQ(run.iteration, 780);
  EXPECT_EQ(run.max_iterations, 800);
  EXPECT_NEAR(step_time(run), 0.4, 1e-9);
}

TEST(MoreToolboxes, MarianSaysTheTimeOfEachInterval) {
  Lines lines;
  for (int i = 1; i <= 10; ++i)
    lines.push_back(
        "[2020-05-19 " + clock(40 * i) +
        written("] Ep. 1 : Up. %d : Sen. 12,345 : Cost 8.12500000 : Time 37.50s : 1280.50 words/s", 500 * i));
  lines.push_back("[2020-05-19 " + clock(401) + "] Training finished");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 5000);
  EXPECT_NEAR(step_time(run), 0.075, 1e-9);
  EXPECT_EQ(run.state, RunState::finished);
}

TEST(MoreToolboxes, XlmCountsTheStepsOfAnEpoch) {
  Lines lines;
  int now = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("INFO - 05/19/20 " + clock(now) + written(" - 0:%02d:%02d - ", now / 60, now % 60) +
                    what);
  };
  for (int epoch = 0; epoch < 2; ++epoch) {
    say(written("============ Starting epoch %d ... ============", epoch));
    for (int i = 5; i <= 100; i += 5) {
      now += 2;
      say(written("%7d -   50.25 sent/s -  1280.50 words/s - MLM-en:  5.1250 || LR: model - lr: 1.0000e-04",
                  i));
    }
    say(written("============ End of epoch %d ============", epoch));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 200);
  EXPECT_NEAR(step_time(run), 0.4, 1e-9);
}

TEST(MoreToolboxes, RslRlsBlocks) {
  Lines lines;
  for (int i = 0; i < 40; ++i) {
    lines.push_back(written("                      Learning iteration %d/40                       ", i));
    lines.emplace_back(
        "                       Computation: 45123 steps/s (collection: 1.512s, learning 0.412s)");
    lines.push_back(written("                        Total time: %.2fs", 1.75 * (i + 1)));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 40);
  EXPECT_NEAR(step_time(run), 1.75, 1e-9);
  EXPECT_EQ(run.state, RunState::finished);
}

TEST(MoreToolboxes, ChainersTable) {
  Lines lines = {"epoch       iteration   main/loss   validation/main/loss  elapsed_time"};
  for (int i = 1; i <= 8; ++i)
    lines.push_back(written("%d           %d         0.8125      0.912500              %.4f       ", i,
                            600 * i, 12.5 * i));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 4800);
  EXPECT_NEAR(step_time(run), 12.5 / 600, 1e-9);
}

TEST(MoreToolboxes, CenterNetsBarsAndItsMinutes) {
  Lines bars, table;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (int i = 0; i < 500; ++i) {
      const int spent = (i + 1) / 2;
      bars.push_back(
          written("ctdet/my_exp |####    | train: [%d][%d/500]|Tot: 0:%02d:%02d |ETA: 0:02:05 |loss 2.1250 "
                  "|hm_loss 1.2500 |Data 0.001s(0.005s) |Net 0.500s",
                  epoch, i, spent / 60, spent % 60));
    }
    table.push_back(
        written("2020-03-04-05-06: epoch: %d |loss 2.125000 | hm_loss 1.250000 | time 4.250000 |", epoch));
  }
  EXPECT_NEAR(step_time(only_run(bars)), 0.5, 0.005);
  EXPECT_NEAR(step_time(only_run(table)), 255, 1e-9);
}

TEST(MoreToolboxes, VitsListsItsLosses) {
  Lines lines;
  for (int i = 0; i < 10; ++i) {
    lines.push_back("2021-06-10 " + clock(50 * i) +
                    written(",250\tmy_voice\tINFO\tTrain Epoch: 1 [%d%%]", 10 * i));
    lines.push_back("2021-06-10 " + clock(50 * i) +
                    written(",251\tmy_voice\tINFO\t[2.5, 2.125, 8.125, %d, 0.0002]", 200 * i));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 1800);
  EXPECT_NEAR(step_time(run), 0.25, 1e-9);
}

// Epochs are numbered from 0 up to the number told as the last one's.
TEST(MoreToolboxes, AllenNlpsEpochs) {
  Lines lines;
  for (int i = 0; i < 5; ++i) {
    const std::string logger = ",250 - INFO - allennlp.training.trainer - ";
    lines.push_back("2020-05-19 " + clock(60 * i) + logger + written("Epoch %d/4", i));
    lines.push_back("2020-05-19 " + clock(60 * i + 50) + logger + "Epoch duration: 0:00:50.125000");
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 5);
  EXPECT_EQ(run.max_iterations, 5);
  EXPECT_NEAR(step_time(run), 50.125, 1e-9);
}

// Its tests count steps of their own.
TEST(MoreToolboxes, LccNetsTestsBeginNoRun) {
  Lines lines;
  for (int epoch = 0; epoch < 3; ++epoch) {
    lines.push_back(written("This is %d-th epoch", epoch));
    for (int i = 50; i <= 750; i += 50)
      lines.push_back(
          written("Iter %d/751 training loss = 0.412, time = 0.2512, time for 50 iter: 12.5612", i));
    for (int i = 50; i <= 150; i += 50) lines.push_back(written("Iter %d val loss = 0.412 , time = 0.12", i));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 2253);
  EXPECT_NEAR(step_time(run), 12.5612 / 50, 1e-6);
}

// 1,024 steps in 1.5 s; the tables have three digits of both.
TEST(MoreToolboxes, BaselinesTablesOfThreeDigits) {
  Lines lines;
  for (int i = 1; i <= 400; ++i) {
    lines.emplace_back("--------------------------------------");
    lines.push_back(written("| misc/nupdates           | %-8.3g |", 1.0 * i));
    lines.push_back(written("| misc/serial_timesteps   | %-8.3g |", 128.0 * i));
    lines.push_back(written("| misc/time_elapsed       | %-8.3g |", 1.5 * i));
    lines.push_back(written("| misc/total_timesteps    | %-8.3g |", 1024.0 * i));
    lines.emplace_back("--------------------------------------");
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "tensorflow");
  EXPECT_EQ(run.iteration, 410000);
  EXPECT_NEAR(step_time(run), 1.5 / 1024, 1e-5);
}

// PPO1 and TRPO, whose tables have no time as others name it.
TEST(MoreToolboxes, BaselinesTablesInCapitals) {
  Lines lines;
  for (int i = 1; i <= 40; ++i) {
    lines.push_back(written("********** Iteration %d ************", i - 1));
    lines.emplace_back("| EpThisIter      | 2        |");
    lines.push_back(written("| TimeElapsed     | %-8.3g |", 2.5 * i));
    lines.push_back(written("| TimestepsSoFar  | %-8.3g |", 2000.0 * i));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 80000);
  EXPECT_NEAR(step_time(run), 2.5 / 2000, 1e-6);
}

// A bar without a name is a training's where skrl's logger has spoken.
TEST(MoreToolboxes, SkrlsBars) {
  for (const bool named : {true, false}) {
    Lines lines = {named ? "[skrl:INFO] Seed: 42" : "Seed: 42"};
    for (int i = 1; i <= 60; ++i)
      lines.push_back(written("%3d%%|███       | %d/24000 [%02d:%02d<20:00, 16.00it/s]", i * 100 / 60,
                              400 * i, 25 * i / 60, 25 * i % 60));
    const auto runs = runs_of(lines);
    EXPECT_EQ(runs.size(), named ? 1U : 0U);
    if (!named) continue;
    EXPECT_EQ(runs.at(0).iteration, 24000);
    EXPECT_NEAR(step_time(runs.at(0)), 0.0625, 1e-6);
  }
}

// A heading, steps without times, and all of the epoch's time behind them.
TEST(MoreToolboxes, EpochsThatSayTheirTimeUnderAHeading) {
  Lines lines;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    lines.push_back(written("[INFO] Epoch %d/4 started", epoch));
    for (int step = 20; step <= 140; step += 20)
      lines.push_back(written("[INFO] step=%d/144 loss=4.5", step));
    lines.push_back("[INFO] Epoch train finished, avg_loss=4.4, time=36.5s");
    lines.push_back("[INFO] val results: Top-1: 0.0625");
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 4 * 144);
  EXPECT_EQ(run.max_iterations, 4 * 144);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), 36.5 / 144, 1e-9);
}

// veRL's configuration stands far above its first step, and names several pairs of devices and nodes.
TEST(MoreToolboxes, OfVerlTheTrainersDevicesAreTaken) {
  const std::string label = "(TaskRunner pid=4711)";
  std::vector<std::string> lines = {label + " {'actor_rollout_ref': {'actor': {'clip_ratio': 0.2,",
                                    label + "   'n_gpus_per_node': 4,",
                                    label + "   'nnodes': 0}},",
                                    label + "   'train_batch_size': 128,",
                                    label + "   'n_gpus_per_node': 8,",
                                    label + "   'nnodes': 2,"};
  for (int i = 0; i < 2000; ++i)
    lines.push_back("(WorkerDict pid=4712) loading part " + std::to_string(i) + " of 2000");
  for (int i = 1; i <= 4; ++i)
    lines.push_back(label + written(" step:%d - actor/loss:0.5 - timing_s/step:40.250 - perf/x:1", i));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).devices, 16);
  EXPECT_EQ(runs.at(0).train.samples_per_iteration, 128);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 40.25);
}

// Means of the last twenty steps, at an epoch's beginning of fewer: the first step, which waits for its data, counts once.
TEST(MoreToolboxes, OfMetricLoggersShortEpochsTheFirstStepCountsOnce) {
  for (const int steps : {2, 45}) {
    std::vector<std::string> lines;
    for (int epoch = 0; epoch < 8; ++epoch)
      for (int i = 0; i < steps; ++i) {
        if (i % 10 != 0 && i + 1 < steps) continue;
        const double mean = i < 20 ? (4.5 + 0.5 * i) / (i + 1) : 0.5;
        lines.push_back(
            written("Epoch: [%d]  [%2d/%d]  eta: 0:00:05  lr: 0.000100  loss: 1.2500 (1.5000)  time: %.4f  "
                    "data: 0.0125  max mem: 5120",
                    epoch, i, steps, mean));
      }
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).train.iterations, 8 * steps - 1);
    const double all = 8 * (4.5 + 0.5 * (steps - 1)) - 4.5;  // what lies before the first line is not known
    EXPECT_NEAR(step_time(runs.at(0)), all / (8 * steps - 1), 0.002) << steps;
  }
}

// A bar of unknown length an epoch: its rate tells a short epoch's time more finely than its whole seconds.
TEST(MoreToolboxes, TianshousEpochs) {
  Lines lines;
  for (int epoch = 1; epoch <= 5; ++epoch) {
    lines.push_back(
        written("Epoch #%d: 1001it [00:02, 403.50it/s, env_step=%d, len=200, n/ep=1, n/st=10, rew=200.00]",
                epoch, 1000 * epoch));
    lines.push_back(written("Epoch #%d: test_reward: 200.000000, best_reward: 200.000000 in #1", epoch));
  }
  const auto run = only_run(lines);
  EXPECT_EQ(run.iteration, 5 * 1001);
  EXPECT_EQ(run.train.iterations, 5 * 1001);
  EXPECT_NEAR(step_time(run), 1 / 403.5, 1e-6);
}

// Without its configuration the log tells of the plan where nothing is left to do.
TEST(MoreToolboxes, MMEngineIsDoneWhereNothingIsLeft) {
  Lines lines = {
      "03/04 05:00:00 - mmengine - INFO - Checkpoints will be saved to /home/user/work_dirs/tiny_r18."};
  for (int epoch = 1; epoch <= 5; ++epoch)
    lines.push_back(
        "03/04 " + clock(5 * epoch) +
        written(" - mmengine - INFO - Epoch(train)  [%d][8/8]  base_lr: 1.0000e-02 lr: 1.0000e-04  "
                "eta: 0:00:%02d  time: 0.6250  data_time: 0.1250  memory: 500  loss: 1.2500",
                epoch, 5 * (5 - epoch)));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 40);
  EXPECT_EQ(run.max_iterations, 40);
  EXPECT_EQ(run.state, RunState::finished);
}

// Contrastive unpaired translation leaves out the images at an epoch's end that do not fill a batch.
TEST(MoreToolboxes, CutsEpochsAreOfFullBatches) {
  Lines lines = {"----------------- Options ---------------", "                 CUT_mode: CUT",
                 "               batch_size: 16                            \t[default: 1]",
                 "The number of training images = 127"};
  for (int epoch = 1; epoch <= 3; ++epoch) {
    lines.push_back(written("(epoch: %d, iters: 64, time: 0.125, data: 0.025) G_GAN: 1.250 ", epoch));
    lines.push_back(written("End of epoch %d / 3 \t Time Taken: 14 sec", epoch));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 21);
  EXPECT_EQ(runs.at(0).max_iterations, 21);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 2);
}

// fastai tells behind the table of a fit() how long all of it took.
TEST(MoreToolboxes, FastaisTotalTimeEndsARun) {
  Lines lines;
  for (int fit = 0; fit < 2; ++fit) {
    lines.push_back("epoch     train_loss  valid_loss  accuracy  time    ");
    for (int epoch = 0; epoch < 3; ++epoch)
      lines.push_back(written("%d         0.512500    0.412500    0.812500  01:05   ", epoch));
    lines.push_back("Total time: 03:15");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.iteration, 3);
    EXPECT_EQ(run.state, RunState::finished);
  }
}

// Chainer's progress bar tells of iterations, where the table between its states counts epochs alone.
TEST(MoreToolboxes, ChainersBarTellsMoreThanItsTable) {
  Lines lines = {"epoch       main/loss   validation/main/loss  elapsed_time"};
  for (int iteration = 100; iteration <= 2000; iteration += 100) {
    lines.push_back("     total [#####.............................................] 10.00%");
    lines.push_back(written("%10d iter, %d epoch / 20 epochs", iteration, iteration / 500));
    lines.push_back(iteration == 100 ? "       inf iters/sec. Estimated time to finish: 0:00:00."
                                     : "         4 iters/sec. Estimated time to finish: 0:40:00.125.");
    if (iteration % 500 == 0)
      lines.push_back(written("%d           1.25        1.50                  %d       ", iteration / 500,
                              iteration / 4));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 2000);
  EXPECT_DOUBLE_EQ(step_time(run), 0.25);
}

// DARTS' kin number the epochs of what follows a search without their learning rate.
TEST(MoreToolboxes, DartsEpochsGoOnWithoutALearningRate) {
  Lines lines;
  for (int epoch = 0; epoch < 8; ++epoch) {
    lines.push_back(written("2026-03-11 17:%02d:00,250 epoch %d%s", 10 + epoch, epoch % 4,
                            epoch < 4 ? " lr 2.500000e-02" : ""));
    for (int step = 0; step <= 100; step += 50)
      lines.push_back(written("2026-03-11 17:%02d:%02d,250 train %03d 1.250000e+00 10.500000 56.250000",
                              10 + epoch, 5 + step / 5, step));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) EXPECT_DOUBLE_EQ(step_time(run), 0.2);
}

// icefall's processes all write; what they validate in between is no training.
TEST(MoreToolboxes, IcefallsProcessesTellOneRun) {
  Lines lines;
  const auto say = [&lines](int second, const char* what) {
    for (int rank = 0; rank < 2; ++rank)
      lines.push_back("2026-03-11 " + clock(second) +
                      written(",%d25 INFO [train.py:904] (%d/2) %s", rank, rank, what));
  };
  say(0, "Training started");
  for (int epoch = 1, second = 1; epoch <= 3; ++epoch)
    for (int batch = 0; batch <= 200; batch += 50, second += 25) {
      say(second, written("Epoch %d, batch %d, loss[loss=1.25, over 5.00 frames. ], tot_loss[loss=1.5, ",
                          epoch, batch)
                      .c_str());
      if (batch != 100) continue;
      say(second, "Computing validation loss");
      say(second += 60, written("Epoch %d, validation: loss=1.5, over 9.00 frames. ", epoch).c_str());
    }
  say(3599, "Done!");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.devices, 2);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), 0.5, 0.005);
}

// Pointcept's evaluation behind each epoch is no training.
TEST(MoreToolboxes, PointceptsEvaluationsAreTests) {
  Lines lines;
  int now = 0;
  const auto say = [&](int seconds, const std::string& what) {
    now += seconds;
    lines.push_back("[2026-03-01 " + clock(now) + ",250 INFO misc.py line 119 11006] " + what);
  };
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (int batch = 1; batch <= 20; ++batch)
      say(2,
          written("Train: [%d/3][%d/20] Data 0.002 (0.003) Batch 2.000 (2.010) Remain 00:01:00 loss: 0.5302 "
                  "Lr: 0.00060",
                  epoch, batch));
    say(0, "Train result: loss: 0.5302 ");
    say(0, ">>>>>>>>>>>>>>>> Start Evaluation >>>>>>>>>>>>>>>>");
    for (int batch = 1; batch <= 5; ++batch) say(30, written("Test: [%d/5] Loss 0.8125 ", batch));
    say(0, "Val result: mIoU/mAcc/allAcc 0.3125/0.4125/0.7125.");
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 60);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), 2, 0.02);
}

// YOLOX says of every training that it is done, and then what broke it off.
TEST(MoreToolboxes, YoloxFailsBehindItsEnd) {
  Lines lines = {
      "2022-02-03 05:00:00 | INFO     | yolox.core.trainer:126 - args: Namespace(batch_size=24, cache=False, "
      "ckpt=None, devices=2, exp_file='exps/default/yolox_tiny.py', fp16=True)"};
  const auto say = [&](int now, const std::string& what) {
    lines.push_back("2022-02-03 " + clock(now) + what);
  };
  for (int i = 10; i <= 60; i += 10)
    say(i / 2, written(" | INFO     | yolox.core.trainer:246 - epoch: 1/80, iter: %d/62, mem: 2048Mb, "
                       "iter_time: 0.500s, data_time: 0.001s, total_loss: 8.5, ETA: 0:31:00",
                       i));
  const std::string caught =
      " | ERROR    | yolox.core.launch:98 - An error has been caught in function 'launch', process "
      "'MainProcess' "
      "(4711), thread 'MainThread' (1234):";
  Lines unheard = lines;
  unheard.push_back("2022-02-03 " + clock(32) + caught);
  say(31, " | INFO     | yolox.core.trainer:182 - Training of experiment is done and the best AP is 0.00");
  EXPECT_EQ(only_run(lines).state, RunState::stopped);
  Lines later = lines;
  later.push_back("2022-02-03 " + clock(600) + caught);  // of a start that came to nothing
  EXPECT_EQ(only_run(later).state, RunState::stopped);
  say(31, caught);
  EXPECT_EQ(only_run(lines).state, RunState::failed);
  EXPECT_EQ(only_run(lines).message, "An error has been caught in function 'launch'");
  EXPECT_EQ(only_run(unheard).state, RunState::lost);  // no end was said: the traceback below it tells
}

// Each device has its lines, in any order, and the time of day stands at their end.
TEST(MoreToolboxes, TorchXlaCountsOneDevicesStepsAndNoValidations) {
  Lines lines;
  int now = 0;
  for (int epoch = 1; epoch <= 2; ++epoch) {
    lines.push_back(written("Epoch %d train begin ", epoch) + clock(now));
    now += 45;  // compiles
    for (int step = 0; step <= 280; step += 20, now += 6)
      for (const int device : {1, 0, 3, 2})
        lines.push_back(written("| Training Device=xla:0/%d Epoch=%d Step=%d Loss=2.12500 Rate=412.50 "
                                "GlobalRate=320.25 Time=",
                                device, epoch, step) +
                        clock(now));
    lines.push_back(written("Epoch %d train end ", epoch) + clock(now));
    now += 60;
    lines.push_back(written("Epoch %d test end ", epoch) + clock(now) + ", Accuracy=51.25");
  }
  lines.emplace_back("Max Accuracy: 51.25%");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.iteration, 560);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), 0.3, 0.005);
}

// The time is that of the episodes since the line before, whichever step it shows.
TEST(MoreToolboxes, MaddpgsTimeIsOfItsInterval) {
  Lines lines;
  for (int i = 1; i <= 6; ++i)
    lines.push_back(
        written("steps: %d, episodes: %d, mean episode reward: -312.5, agent episode reward: "
                "[1.25, -3.5], time: %.1f",
                25000 * i - 25, 1000 * i, i == 1 ? 12.5 : 50));
  lines.emplace_back("...Finished total of 6001 episodes.");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 149975);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), 0.002, 1e-5);
}

}  // namespace
}  // namespace etad::test
