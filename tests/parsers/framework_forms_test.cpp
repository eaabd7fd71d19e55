// Forms of today's frameworks, as their code prints them: resumed runs, devices told in several ways, times rounded up,
// bars cut by a narrow console, launchers' labels before settings.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

std::string after_five(int seconds) {
  return time_of_day(5, seconds);
}

// "5 epochs completed" are those since it went on; a validation of 119.7 s is shown as "1:60".
TEST(FrameworkForms, UltralyticsGoesOnAndRoundsUp) {
  Lines lines = {
      "Ultralytics 8.3.200 Python-3.11.9 torch-2.4.0+cu121 CUDA:0 (Tesla T4, 15102MiB)",
      "engine/trainer: amp=True, batch=32, device=None, epochs=10, mode=train, model=yolo11n.pt, name=None",
      "Resuming training runs/detect/train/weights/last.pt from epoch 6 to 10 total epochs",
      "Starting training for 10 epochs...",
  };
  for (int epoch = 6; epoch <= 10; ++epoch) {
    lines.push_back(
        written("      %d/10      2.5G      1.25      1.10      0.90        40        640: 100%% ━━━━ "
                "200/200 3.3it/s 60.0s",
                epoch));
    lines.push_back(
        "      Class     Images  Instances      Box(P          R      mAP50): 100% ━━━━ 20/20 6.0s/it 1:60");
  }
  lines.push_back("5 epochs completed in 0.250 hours.");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 2000);
  EXPECT_EQ(run.max_iterations, 2000);
  EXPECT_EQ(run.devices, 1);
  EXPECT_EQ(run.train.iterations, 1000);
  EXPECT_NEAR(step_time(run), 0.3, 1e-9);
  EXPECT_EQ(run.test.iterations, 100);
  EXPECT_EQ(run.state, RunState::finished);
}

// Its command line is there twice, and the one without a stamp stands behind the last line of the run before.
TEST(FrameworkForms, StartsOfDetectron2BehindAnotherRunAreOneEach) {
  const std::string arguments =
      "Namespace(config_file='configs/retina_R18.yaml', eval_only=False, num_gpus=1, opts=[])";
  Lines lines;
  for (const int hour : {5, 9}) {
    const std::string at = written("[03/04 %02d", hour);
    lines.insert(lines.end(), {"Command Line Args: " + arguments,
                               at + ":00:05 detectron2]: Rank of current process: 0. World size: 4",
                               "  - NVCC architecture flags: -gencode;arch=compute_70,code=sm_70",
                               at + ":00:08 detectron2]: Command line arguments: " + arguments,
                               at + ":00:30 d2.engine.train_loop]: Starting training from iteration 0"});
    for (int i = 1; i <= 20; ++i)
      lines.push_back(
          at + written(":%02d:%02d d2.utils.events]:  eta: 1:00:00  iter: %d  total_loss: 2.5  time: 0.5000",
                       1 + i / 6, i % 6 * 10, 20 * i));
  }
  const auto runs = runs_of(lines, 7);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.devices, 4) << ordinal;
    EXPECT_EQ(run.network, "retina_R18") << ordinal;
    EXPECT_EQ(run.iteration, 400) << ordinal;
  }
}

// The configuration between the environment and the first step may be longer than what is kept of a log that is not
// recognised yet.
TEST(FrameworkForms, MmengineTellsItsDevicesFarAboveItsSteps) {
  Lines lines = {
      "03/04 05:00:00 - mmengine - INFO - ",
      "System environment:",
      "    GPU 0,1: NVIDIA A40",
      "Runtime environment:",
      "    GPU number: 2",
      "03/04 05:00:00 - mmengine - INFO - Config:",
  };
  for (int i = 0; i < 2000; ++i)
    lines.push_back(written("    dict(type='PackInputs', meta_keys=('image_%d', 'shape')),", i));
  lines.push_back("train_cfg = dict(max_epochs=2, type='EpochBasedTrainLoop', val_interval=1)");
  lines.push_back(
      "03/04 05:00:01 - mmengine - INFO - Checkpoints will be saved to /home/user/work_dirs/retina_r18.");
  for (int i = 1; i <= 4; ++i)
    lines.push_back(
        "03/04 " + after_five(50 * i) +
        written(" - mmengine - INFO - Epoch(train)  [%d][%3d/100]  base_lr: 1.0000e-02 lr: 1.0000e-02  "
                "eta: 0:00:00  time: 1.0000  data_time: 0.0100  memory: 1234  loss: 1.2500",
                (i + 1) / 2, i % 2 != 0 ? 50 : 100));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.devices, 2);
  EXPECT_EQ(run.device, "NVIDIA A40");
  EXPECT_EQ(run.max_iterations, 200);
  EXPECT_NEAR(step_time(run), 1, 1e-9);
}

Lines torchtitan(const Lines& head) {
  Lines lines;
  for (const std::string& line : head)
    lines.push_back("[rank0]:[titan] 2026-03-04 05:00:00,500 - root - INFO - " + line);
  for (int i = 10; i <= 50; i += 10)
    lines.push_back("[rank0]:[titan] 2026-03-04 " + after_five(i) +
                    written(",500 - root - INFO - step: %d  loss:  7.12500  grad_norm:  1.2500  memory: "
                            "40.25GiB(50.31%%)  tps: 6,125  tflops: 350.25  mfu: 35.40%%",
                            i));
  return lines;
}

TEST(FrameworkForms, TorchtitanSharesItsWorkInSeveralWays) {
  const etad::Run two = only_run(torchtitan({"Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]"}));
  EXPECT_EQ(two.devices, 8);
  const etad::Run today = only_run(torchtitan({
      "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=2, ep=1",
      "Trainer is initialized with 16384 tokens per DP rank, 131072 tokens per train step, gradient "
      "accumulation "
      "steps 1, maximum context length 8192, total steps 50 (warmup 2)",
      "Training starts at step 1",
  }));
  EXPECT_EQ(today.devices, 16);
  EXPECT_EQ(today.max_iterations, 50);
  EXPECT_NEAR(step_time(today), 1, 1e-9);
}

// A process that may use one device uses it, unless it is one of several.
TEST(FrameworkForms, LightningTellsItsDevices) {
  const Lines alone = {
      "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
      "Epoch 0: 100%|##########| 200/200 [00:50<00:00,  4.00it/s, v_num=0, train_loss=0.5]",
  };
  EXPECT_EQ(only_run(alone).devices, 1);
  Lines of_two = {"Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2"};
  of_two.insert(of_two.end(), alone.begin(), alone.end());
  EXPECT_EQ(only_run(of_two).devices, 2);
}

TEST(FrameworkForms, LightningsRichBarInANarrowConsole) {
  const etad::Run run = only_run({
      "Epoch 0/0  ━━━━━━━ 500/500 0:02:05 4.00i… v_num:   ",
      "                           •              0.000    ",
      "Traceback (most recent call last):",
      "RuntimeError: DataLoader worker (pid(s) 4711) exited unexpectedly",
  });
  EXPECT_EQ(run.iteration, 500);
  EXPECT_NEAR(step_time(run), 0.25, 1e-9);
  EXPECT_EQ(run.state, RunState::failed);
}

// "0: " may be a program's own words; an argument in the line does not make it so.
TEST(FrameworkForms, SettingsBehindALaunchersLabel) {
  Lines lines = {
      "0: ***** Running training *****",
      "0:   Instantaneous batch size per device = 4",
      "0:   Total train batch size (w. parallel, distributed & accumulation) = 32",
      "0:   Gradient Accumulation steps = 2",
      "0:   Total optimization steps = 300",
  };
  for (int i = 1; i <= 300; ++i)
    lines.push_back(
        written("0: %3d%%|##########| %d/300 [%02d:%02d<00:00,  1.00it/s]", i / 3, i, i / 60, i % 60));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.train.samples_per_iteration, 32);
  EXPECT_EQ(run.devices, 4);
}

// Steps are told in thousands, rounded, and their time beside them.
TEST(FrameworkForms, LerobotStatesItsStepTimes) {
  Lines lines = {
      "INFO 2026-03-04 05:00:00 bot_train.py:614 Effective batch size: 8 x 4 dp workers x 1 grad accum = 32 "
      "(topology: "
      "dp_replicate=4, dp_shard=1)",
  };
  for (int i = 200; i <= 4000; i += 200)
    lines.push_back(
        "INFO 2026-03-04 " + after_five(i / 5 * 2) +
        (i < 1000 ? written(" bot_train.py:769 step:%d", i)
                  : written(" bot_train.py:769 step:%.0fK", i / 1000.)) +
        " smpl:3K ep:4 epch:0.08 loss:1.250 grdn:2.5 lr:1.0e-05 data_s:0.010 updt_s:0.380 step_s:0.400");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 4000);
  EXPECT_EQ(run.devices, 4);
  EXPECT_EQ(run.train.samples_per_iteration, 32);
  EXPECT_NEAR(step_time(run), 0.4, 1e-9);
}

Lines pipeline(bool by_megatron) {
  Lines lines;
  if (by_megatron)
    lines.push_back("using world size: 8, data-parallel-size: 2, tensor-model-parallel size: 4");
  for (int i = 1; i <= 10; ++i) {
    lines.push_back(written("steps: %d loss: 2.1250 iter time (s): 0.500 samples/sec: 62.500", i));
    if (by_megatron)
      lines.push_back(written(
          " iteration %8d/      10 | consumed samples: %12d | elapsed time per iteration (ms): 520.0 | "
          "learning rate: 1.000E-04 | global batch size:    32 | lm loss: 2.125000E+00 |",
          i, 32 * i));
  }
  return lines;
}

// What trains by Megatron says its steps twice.
TEST(FrameworkForms, DeepspeedsPipelines) {
  const etad::Run alone = only_run(pipeline(false));
  EXPECT_EQ(alone.iteration, 10);
  EXPECT_NEAR(step_time(alone), 0.5, 1e-9);
  const etad::Run run = only_run(pipeline(true));
  EXPECT_EQ(run.iteration, 10);
  EXPECT_EQ(run.devices, 8);
  EXPECT_EQ(run.train.samples_per_iteration, 32);
  EXPECT_NEAR(step_time(run), 0.52, 1e-9);
  Lines too_short = {"using world size: 8, data-parallel-size: 2, tensor-model-parallel size: 4"};
  for (const std::string& line : pipeline(false)) too_short.push_back(line);
  EXPECT_NEAR(step_time(only_run(too_short)), 0.5, 1e-9) << "Megatron's own lines come every hundred steps";
}

// GPT-NeoX's configuration counts the machine's, of which a training may be given some.
TEST(FrameworkForms, TheWorldGoesBeforeAConfigurationsDevices) {
  for (const bool world : {false, true}) {
    Lines lines = {"  global_num_gpus ................. 16...........................updated"};
    if (world)
      lines.push_back(
          "NeoXArgs.configure_distributed_args() using world size: 4 and model-parallel size: 1 ");
    for (int i = 1; i <= 5; ++i)
      lines.push_back(
          written(" samples/sec: 60.250 | iteration %8d/     500 | elapsed time per iteration (ms): 530.5 | "
                  "learning rate: 1.000E-04 | lm loss: 2.125000E+00 |",
                  10 * i));
    EXPECT_EQ(only_run(lines).devices, world ? 4 : 16);
  }
}

// The line below the bars tells the epoch's results, and is no heading of the next one.
TEST(FrameworkForms, SpeechbrainAnnouncesItsEpochs) {
  Lines lines;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    lines.push_back(written("speechbrain.utils.epoch_loop - Going into epoch %d", epoch));
    lines.push_back("100%|##########| 120/120 [01:00<00:00,  2.00it/s, train_loss=1.25]");
    lines.push_back("100%|##########| 20/20 [00:04<00:00,  5.00it/s]");
    lines.push_back(written(
        "speechbrain.utils.train_logger - epoch: %d, lr: 1.00e-04 - train loss: 1.25 - valid loss: 1.5",
        epoch));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 480);
  EXPECT_EQ(run.train.iterations, 480);
  EXPECT_EQ(run.test.iterations, 80);
  EXPECT_NEAR(step_time(run), 0.5, 1e-9);
}

// A training that was started anew before its second line; two loggers tell each line.
TEST(FrameworkForms, StartedAnewBeforeItsSecondLine) {
  Lines lines;
  const auto say = [&](int seconds, int iteration) {
    for (int i = 0; i < 2; ++i)
      lines.push_back(
          "26-03-04 " + after_five(seconds) +
          written(".%03d : <epoch:  0, iter: %7d, lr:2.000e-04> G_loss: 2.231e-02 ", 745 + i, iteration));
  };
  say(0, 200);
  say(1800, 200);
  for (int i = 1; i <= 10; ++i) say(1800 + 100 * i, 200 + 200 * i);
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 2200);
  EXPECT_NEAR(step_time(run), 0.5, 1e-3);
}

// An epoch's lines are several, and far apart: none of them is another start.
TEST(FrameworkForms, AnEpochsOtherLinesAreNoStartAnew) {
  Lines lines;
  for (int epoch = 0; epoch < 8; ++epoch) {
    const auto say = [&](int seconds, const char* what) {
      lines.push_back("2026-03-04 " + after_five(180 * epoch + seconds) +
                      written(",125 - INFO - epoch: %d", epoch) + what);
    };
    say(0, " start, learning rate: 0.01");
    say(150, " end, loss: 2.166128297422274");
    say(180, " validation, acc: 0.6014876869215923, loss: 2.1533369740644157");
  }
  const etad::Run run = only_run(lines);
  EXPECT_GE(run.train.iterations, 6);
  EXPECT_NEAR(step_time(run), 150, 1);
}

TEST(FrameworkForms, DinoCountsTheStepsOfAllTheTraining) {
  Lines lines;
  for (int i = 0; i <= 200; i += 10)
    lines.push_back(
        "I20260304 " + after_five(i / 2) +
        written(" 4711 dinov2 helpers.py:102] Training  [   %3d/125000]  eta: 17:20:04  lr: 0.0001 (0.0001)  "
                "total_loss: 12.1250 (12.2500)  time: 0.500000  data: 0.000125  max mem: 12345",
                i));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 200);
  EXPECT_EQ(run.max_iterations, 125000);
  EXPECT_NEAR(step_time(run), 0.5, 1e-9);
}

// ms-swift's trainings by Megatron print such a line beside the bar, each with a time since the beginning.
TEST(FrameworkForms, SwiftsStepsByMegatronAreCountedOnce) {
  Lines lines = {"[INFO:swift] logging_path: out/logging.jsonl"};
  for (int i = 5; i <= 200; i += 5) {
    lines.push_back(written("Train:  %2d%%|##", i / 2) + written("        | %d/200 [", i) +
                    after_five(3 * i).substr(3) + "<00:00,  3.00s/it]");
    lines.push_back("{'loss': 1.25, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'iteration': '" +
                    written("%d/200", i) + "', 'elapsed_time': '" + written("%dm ", 3 * i / 60) +
                    written("%ds", 3 * i % 60) + "', 'memory(GiB)': 40.25, 'train_speed(s/it)': 3.0}");
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 200);
  EXPECT_EQ(run.max_iterations, 200);
  EXPECT_LE(run.train.iterations, 200);
  EXPECT_NEAR(step_time(run), 3.0, 0.1);
}

// KAIR's tests stand between two of its lines. Each start writes its settings anew, of which `world_size` counts
// processes only.
TEST(FrameworkForms, KairsTestsAreNotInItsSteps) {
  Lines lines;
  int seconds = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("26-03-04 " + after_five(seconds) + ".250 : " + what);
  };
  for (const int devices : {8, 4}) {
    say("  task: sr_x2");
    lines.insert(lines.end(), {"      dataloader_batch_size: 32", written("  num_gpu: %d", devices),
                               "  rank: 0", "  world_size: 1", ""});
    seconds += 60;
  }
  for (int i = 200; i <= 2000; i += 200) {
    seconds += 50;
    say(written("<epoch: %2d", i / 25) + written(", iter:%8d, lr:2.000e-04> G_loss: 1.250e-02 ", i));
    if (i % 600 != 0) continue;
    say("Saving the model.");
    seconds += 32;
    say("---1-->   img1.png | 30.12dB");
    say(written("<epoch: %2d", i / 25) + written(", iter:%8d, Average PSNR : 30.12dB", i));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.devices, 4);
  EXPECT_EQ(run.iteration, 2000);
  EXPECT_NEAR(step_time(run), 0.25, 1e-9);
}

// Each of robomimic's bars stands above the line that tells what it was: four epochs of 100 steps in 200.25 s, each with
// a validation and rollouts behind it.
TEST(FrameworkForms, RobomimicsBarsStandAboveWhatTheyWere) {
  const auto bar = [](int steps) {
    return written("100%%|##########| %d/%d [00:40<00:00,  2.00s/it]", steps, steps);
  };
  Lines lines = {"============= New Training Run with Config =============",
                 "        \"epoch_every_n_steps\": 100,",
                 "        \"batch_size\": 16,",
                 "        \"num_epochs\": 4,",
                 "SequenceDataset: loading dataset into memory...",
                 bar(7)};
  for (int epoch = 1; epoch <= 4; ++epoch)
    lines.insert(lines.end(), {bar(100), written("Train Epoch %d", epoch), "{", "    \"Loss\": 0.5,",
                               "    \"Time_Epoch\": 3.3375,", "    \"Time_Train_Batch\": 1.0", "}", bar(10),
                               written("Validation Epoch %d", epoch), "{", "    \"Loss\": 0.5,",
                               "    \"Time_Epoch\": 0.3375", "}",
                               "rollout: env=Lift, horizon=400, use_goals=False, num_episodes=50", bar(50),
                               written("Epoch %d Rollouts took 2.0s (avg) with results:", epoch),
                               written("Epoch %d Memory Usage: 8403 MB", epoch)});
  lines.push_back("finished run successfully!");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 400);
  EXPECT_EQ(run.max_iterations, 400);
  EXPECT_EQ(run.train.iterations, 400);
  EXPECT_NEAR(step_time(run), 2.0025, 1e-9);
  EXPECT_EQ(run.state, RunState::finished);
}

// prime-rl's steps were counted from 0, today's are from 1.
TEST(FrameworkForms, PrimeRlsStepsHaveTheirOwnTime) {
  for (const int first : {0, 1}) {
    Lines lines = {"05:00:00 INFO Starting training loop (max_steps=40)"};
    for (int i = 0; i < 40; ++i)
      lines.push_back(after_five(90 * (i + 1)) + written(" SUCCESS Step %d | ", first + i) +
                      (i % 2 == 0 ? "  59.0s" : " 1m 1s") +
                      " | Loss 0.5125 | Grad. Norm 0.1250 | LR 1.00e-06 | Throughput 1250 tokens/s");
    lines.push_back("06:05:00 SUCCESS RL trainer finished!");
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 40) << first;
    EXPECT_EQ(run.max_iterations, 40) << first;
    EXPECT_NEAR(step_time(run), 60, 0.1) << first;
    EXPECT_EQ(run.state, RunState::finished) << first;
  }
}

// nanoVLM tells the run's steps beside the time of the epoch.
TEST(FrameworkForms, NanoVlmsStepsAreTheRuns) {
  Lines lines = {"Training summary (global): -8 samples, batch size 512, training on 8 GPUs"};
  for (int epoch = 0; epoch < 8; ++epoch) {
    lines.push_back(written("Step: %d, Val Loss: 1.2345, Tokens/s: 12000.50", 500 * (epoch + 1)));
    lines.push_back(written("Epoch: %d, Step: ", epoch) + written("%d/5000, ", 510 * (epoch + 1)) +
                    "Train Loss: 1.2345 | Time: 255.00s | T/s: 12000.50");
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 4080);
  EXPECT_EQ(run.max_iterations, 5000);
  EXPECT_EQ(run.devices, 8);
  EXPECT_NEAR(step_time(run), 0.5, 0.01);
}

// Each of MindSpore's devices says how long the epoch took, behind what it says of its last step.
TEST(FrameworkForms, MindSporesDevicesTellTheSameEpochs) {
  for (const int devices : {1, 8})
    for (const std::size_t restart : {0U, 5U}) {
      Lines lines;
      for (int epoch = 1; epoch <= 4; ++epoch)
        for (int i = 0; i < devices; ++i) {
          lines.push_back(written("epoch: %d step: 195, loss is 1.2512%d", epoch, i));
          lines.push_back(written("Train epoch time: 19500.12%d ms, per step time: 100.001 ms", i));
        }
      lines.emplace_back("train success");
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U);
      const etad::Run& run = runs.at(0);
      EXPECT_EQ(run.iteration, 780) << devices;
      EXPECT_EQ(run.train.iterations, 780) << devices;
      EXPECT_NEAR(step_time(run), 0.1, 1e-4) << devices;
      EXPECT_EQ(run.state, RunState::finished) << devices;
    }
}

// The time that DeePMD-kit tells is that of all batches since the line before, and mostly nothing stamps it.
TEST(FrameworkForms, DeepmdsTimesAreOfAllBatchesSinceTheLineBefore) {
  for (const char* form :
       {"DEEPMD INFO    batch %7d training time 3.20 s, testing time 0.02 s",
        "DEEPMD INFO    Batch %7d: total wall time = 3.20 s, eta = 0:01:33 at 2026-03-01 10:01"}) {
    Lines lines = {"DEEPMD INFO    Start to train 3000 steps."};
    for (int batch = 100; batch <= 3000; batch += 100) {
      lines.push_back(written("DEEPMD INFO    Batch %7d: trn: rmse = 1.25e+01, lr = 1.00e-03", batch));
      lines.push_back(written(form, batch));
    }
    lines.emplace_back("DEEPMD INFO    finished training");
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.framework, "deepmd");
    EXPECT_EQ(run.iteration, 3000);
    EXPECT_EQ(run.max_iterations, 3000);
    EXPECT_NEAR(step_time(run), 0.032, 1e-9);
    EXPECT_EQ(run.state, RunState::finished);
  }
}

// BMTrain's epochs count their steps from 0, and their tests say no time.
TEST(FrameworkForms, BmtrainsStepsOfEachEpoch) {
  Lines lines;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 100; ++i)
      lines.push_back(
          written("train | epoch %3d | Iter: %6d/   100 | loss: 0.4125 | lr: 1.2500e-05, scale: "
                  "1024.0000 | grad_norm: 1.2500 | time: 0.312",
                  epoch, i));
    for (int i = 0; i < 10; ++i)
      lines.push_back(written("dev | epoch %3d | Iter: %6d/    10 | loss: 0.5125", epoch, i));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.iteration, 299);
  EXPECT_NEAR(step_time(run), 0.312, 1e-9);
}

// Cellpose shows epochs 0, 5, 10, 20, 30, …, each with the time of all so far.
TEST(FrameworkForms, CellposesEpochsAreNotItsLines) {
  Lines lines = {"2026-03-01 10:00:00,250 [INFO] >>> n_epochs=200, n_train=40, n_test=4"};
  for (int epoch = 0; epoch < 200; epoch += epoch < 10 ? 5 : 10)
    lines.push_back("2026-03-01 " + time_of_day(10, 3 * (epoch + 1)) +
                    written(",250 [INFO] %d, train_loss=0.5125, test_loss=0.6125, LR=0.200000, time %d.00s",
                            epoch, 3 * (epoch + 1)));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.max_iterations, 200);
  EXPECT_EQ(run.train.iterations, 190);
  EXPECT_NEAR(step_time(run), 3, 1e-9);
}

}  // namespace
}  // namespace etad::test
