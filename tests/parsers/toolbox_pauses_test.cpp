// Whole logs of tool boxes that validate, evaluate or make images between steps: that is no training.
#include <gtest/gtest.h>

#include <string>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// What is planned is told in words: the bar of a validation before the first step, of another length, is no run.
TEST(ToolboxPauses, DiffusersValidationsAreNoRun) {
  Lines lines = {"01/30/2026 09:38:30 - INFO - __main__ - ***** Running training *****",
                 "01/30/2026 09:38:30 - INFO - __main__ -   Instantaneous batch size per device = 1",
                 "01/30/2026 09:38:30 - INFO - __main__ -   Total optimization steps = 500",
                 "Steps:   0%|          | 0/500 [00:00<?, ?it/s]"};
  for (int i = 1; i <= 28; ++i)
    lines.push_back(written(" %2d%%|##        | %d/28 [00:%02d<00:20,  1.09it/s]", i * 100 / 28, i, i));
  for (int i = 20; i <= 500; i += 20)
    lines.push_back(written("Steps: %3d%%|##        | %d/500 [%02d:%02d<20:00,  2.92s/it, loss=0.5125]",
                            i / 5, i, 3 * i / 60, 3 * i % 60));
  const auto run = only_run(lines);
  EXPECT_EQ(run.max_iterations, 500);
  EXPECT_EQ(run.iteration, 500);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), 3, 0.03);
}

// What lies between an epoch's end and the next one's first line are evaluations, and the model is saved.
TEST(ToolboxPauses, FlairEvaluatesBetweenItsEpochs) {
  Lines lines;
  int now = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back(written("2020-03-04 05:%02d:%02d,250 ", now / 60 % 60, now % 60) + what);
  };
  say("Model: \"SequenceTagger(");
  say(" - mini_batch_size: \"16\"");
  say(" - max_epochs: \"150\"");
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int i = 0; i < 120; i += 12) {
      say(written("epoch %d - iter %d/120 - loss 4.12500000 - samples/sec: 31.25", epoch, i));
      now += 6;
    }
    say(written("EPOCH %d done: loss 4.1250 - lr 0.1000", epoch));
    for (const char* const result :
         {"DEV  : loss 4.5 - f-score 0.7125 - acc 0.6250", "TEST : loss 4.75", "saving best model"}) {
      now += 20;
      say(result);
    }
  }
  say("learning rate too small - quitting training!");
  say("Testing using best model ...");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.network, "SequenceTagger");
  EXPECT_EQ(run.max_iterations, 150 * 120);
  EXPECT_EQ(run.train.samples_per_iteration, 16);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), 0.5, 1e-9);
}

// SECOND states a mean over the steps since the line before, an evaluation among them where there was one.
TEST(ToolboxPauses, SecondsEvaluationsAreInNoStepsTime) {
  Lines lines = {"  batch_size: 4", "  steps: 1000"};
  for (int step = 50; step <= 1000; step += 50) {
    lines.push_back(
        written("runtime.step=%d, runtime.steptime=%s, runtime.prep_time=0.125, "
                "loss.cls_loss=2.125, misc.lr=0.000125",
                step, step > 50 && step % 250 == 50 ? "7.25" : "1.25"));
    if (step % 250 == 0) lines.push_back("eval.kitti.official.Car.bbox@0.70=[90.5, 89.5, 88.5]");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 1000);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 1.25);
}

// TensorFlow's retraining of a last layer shows every tenth step, and validates behind it.
TEST(ToolboxPauses, RetrainedStepsGoByTheirStampsWithoutValidations) {
  Lines lines;
  for (int step = 0; step <= 200; step += 10) {
    const int now = 3 * step / 10;
    for (const char* what : {"Train accuracy = 87.5%", "Cross entropy = 0.812500"})
      lines.push_back(written("2017-03-04 05:%02d:%02d.250125: Step %d: %s", now / 60, now % 60, step, what));
    lines.push_back(written("2017-03-04 05:%02d:%02d.250125: Step %d: Validation accuracy = 75.0%% (N=100)",
                            (now + 1) / 60, (now + 1) % 60, step));
  }
  lines.push_back("Final test accuracy = 87.5% (N=512)");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 200);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.2);
}

// diffusers' and kohya's scripts make images amid the bar, and save weights: that is no training.
TEST(ToolboxPauses, ImagesMadeAmidABarOfStepsAreNoTraining) {
  for (const bool kohya : {false, true}) {
    std::vector<std::string> lines;
    int seconds = 0;
    for (int step = 1; step <= 1000; ++step) {
      seconds += 2;
      lines.push_back(written("%s: %3d%%|####| %d/1000 [%02d:%02d<00:01,  2.00s/it, loss=0.5125]",
                              kohya ? "steps" : "Steps", step / 10, step, seconds / 60, seconds % 60));
      if (step % 200 != 0) continue;
      lines.emplace_back(kohya ? "saving checkpoint: out/tiny.safetensors"
                               : " Generating 4 images with prompt: a red house.");
      seconds += 60;
    }
    const auto runs = runs_of(lines, 100);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).iteration, 1000);
    EXPECT_NEAR(step_time(runs.at(0)), 2, 0.01) << kohya;
  }
}

// MMSegmentation validates amid its iterations, and the time that it states of those behind holds the validation.
TEST(ToolboxPauses, MMSegmentationsValidationsAreInNoIterationsTime) {
  Lines lines;
  int now = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("2020-03-04 " + time_of_day(5, now) + ",250 - mmseg - INFO - " + what);
  };
  for (int i = 50; i <= 1000; i += 50) {
    const bool behind = i > 50 && i % 250 == 50;
    now += 25;
    say(
        written("Iter [%d/1000]\tlr: 1.389e-05, eta: 0:54:05, time: %s, data_time: 0.004, memory: 1912, "
                "decode.loss_ce: 0.1874, loss: 0.2707",
                i, behind ? "16.500" : "0.500"));
    if (i % 250 != 0) continue;
    now += 800;
    say("Iter(val) [357]\taAcc: 0.5125, mIoU: 0.2512");
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 1000);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(run), 0.5);
}

// Denoiser states a mean speed of the epoch so far, which is not that of the batches since the line before.
TEST(ToolboxPauses, DenoisersBatchesGoByTheirStamps) {
  Lines lines;
  int now = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("[2024-03-04 " + time_of_day(5, now) + ",250][denoiser.solver][INFO] - " + what);
  };
  for (int epoch = 1; epoch <= 3; ++epoch) {
    say("Training...");
    for (int i = 5; i <= 25; i += 5) {
      now += 135;
      say(written("Train | Epoch %d | %d/26 | %.1f sec/it | Loss 0.81250", epoch, i, 27.0 * i / (i + 1)));
    }
    now += 27;
    say(written("Train Summary | End of Epoch %d | Time 702.00s | Train Loss 0.81250", epoch));
    say("Cross validation...");
    now += 30;
    say(written("Valid | Epoch %d | 75/76 | 2.5 it/sec | Loss 0.91250", epoch));
    say(written("Valid Summary | End of Epoch %d | Time 732.00s | Valid Loss 0.91250", epoch));
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 78);
  EXPECT_NEAR(step_time(run), 27, 1e-9);
}

// Three lines an epoch, and a validation of which no line tells: two windows of the first one are without it.
TEST(ToolboxPauses, SwinsValidationsAreInNoStepsTimeWhereAnEpochShowsThreeLines) {
  Lines lines;
  int now = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("[2024-03-04 " + time_of_day(5, now) + " swin_tiny] (main.py 296): INFO " + what);
  };
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 100; step <= 300; step += 100) {
      now += 40;
      say(
          written("Train: [%d/300][%d/312]\teta 0:01:20 lr 0.000008\ttime 0.4000 (0.4000)\tloss 6.8952 "
                  "(6.9153)\tgrad_norm 1.0430 (1.1629)\tmem 15236MB",
                  epoch, step));
    }
    now += 5;
    say(written("EPOCH %d training takes 0:02:05", epoch));
    now += 35;
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 3 * 312);
  EXPECT_NEAR(step_time(run), 0.4, 1e-9);
}

// maskrcnn-benchmark's lines show the mean time since the beginning, and its validations are within it.
TEST(ToolboxPauses, MaskRcnnBenchmarksValidationsAreInNoIterationsTime) {
  Lines lines;
  int now = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back(
        written("2020-03-04 05:%02d:%02d,250 maskrcnn_benchmark INFO: ", now / 60 % 60, now % 60) + what);
  };
  say("Start training");
  for (int i = 50; i <= 1000; i += 50) {
    now += 25;
    say(written("eta: 0:10:00  iter: %d  loss: 0.5125 (0.6250)  lr: 0.0050  max mem: 5000", i));
    if (i % 250 != 0) continue;
    say("Start validating");
    say("Start evaluation on VG_val dataset(2500 images).");
    now += 500;
    say("Total run time: 0:08:20.250000 (0.2 s / img per device, on 1 devices)");
    now += 100;
    say("Validation Result: 0.2512");
  }
  const auto run = only_run(lines);
  EXPECT_EQ(run.iteration, 1000);
  EXPECT_NEAR(step_time(run), 0.5, 1e-9);
}

// MIRNet's lines count the time of their epoch, and what stands between two of them tells that it evaluated there.
TEST(ToolboxPauses, MirnetsEvaluationsAreInNoStepsTime) {
  Lines lines;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    double seconds = 0;
    for (int step = 200; step <= 6000; step += 200) {
      const bool evaluated = step % 1600 == 0;
      seconds += evaluated ? 250 : 115;
      if (evaluated)
        lines.push_back(
            written("[Ep %d it %d\t PSNR DATA: 31.2500\t] ----  [best_Ep_DATA %d best_it_DATA %d "
                    "Best_PSNR_DATA 31.2500] ",
                    epoch, step - 100, epoch, step - 100));
      lines.push_back(written("Epoch: %d\tBatch: %d/6000\tTime: %.4f\tLoss: 0.0125", epoch, step, seconds));
    }
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 18'000);
  EXPECT_NEAR(step_time(run), 0.575, 0.001);
}

// The bar of PaddleNLP's Trainer stands still while an evaluation's is drawn, and is drawn again behind it.
TEST(ToolboxPauses, PaddlesTrainerEvaluatesBesideItsBar) {
  Lines lines = {"[2026-03-04 05:00:00,250] [    INFO] - world_size                    : 4",
                 "[2026-03-04 05:00:00,250] [    INFO] - ***** Running training *****",
                 "[2026-03-04 05:00:00,250] [    INFO] -   Total optimization steps = 400"};
  int seconds = 0;
  const auto bar = [&](int step) {
    return written(" %d%%|##| %d/400 [%02d:%02d<10:00,  2.00s/it]", step / 4, step, seconds / 60,
                   seconds % 60);
  };
  for (int step = 1; step <= 400; ++step) {
    seconds += 2;
    lines.push_back(bar(step));
    if (step % 100 != 0 || step == 400) continue;
    lines.push_back(
        written("loss: 1.25, learning_rate: 1.25e-05, global_step: %d, interval_runtime: 200.5, "
                "interval_steps_per_second: 0.5, epoch: 0.5",
                step));
    lines.push_back("[2026-03-04 05:10:00,250] [    INFO] - ***** Running Evaluation *****");
    for (int batch = 1; batch <= 48; ++batch)
      lines.push_back(written("%d%%|##| %d/48 [00:%02d<00:20,  1.00it/s]", batch * 2, batch, batch));
    seconds += 50;
    lines.push_back(bar(step));
  }
  lines.push_back("[2026-03-04 05:20:00,250] [    INFO] - Training completed. ");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "paddle");
  EXPECT_EQ(run.devices, 4);
  EXPECT_EQ(run.iteration, 400);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_time(run), 2, 0.03);
}

}  // namespace
}  // namespace etad::test
