// Forms of today's logs: autoresearch's summary, an evaluation behind LLaMA-Factory's training, evaluations of Swin
// alone, the last epoch of a training whose end only its last words tell, and bars of Keras in a script's own loop.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

TEST(RecentForms, AutoresearchSaysHowManyStepsItTook) {
  Lines lines;
  for (int i = 0; i < 40; ++i)
    lines.push_back(
        written("step %05d (%.1f%%) | loss: 4.512500 | lrm: 1.00 | dt: 1250ms | tok/sec: 44,250 | mfu: "
                "12.5%% | epoch: 1 | remaining: %ds    ",
                i, 2.5 * i, 300 - i));
  lines.insert(lines.end(),
               {"---", "val_bpb:          0.912500", "training_seconds: 50.0", "num_steps:        40"});
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 40);
  EXPECT_NEAR(step_time(run), 1.25, 1e-9);
  EXPECT_EQ(run.state, RunState::finished);
}

// A step is logged more seldom than there are steps.
TEST(RecentForms, LlamaFactorysOnlyLineTellsOfAllSteps) {
  const etad::Run run =
      only_run({"{\"current_steps\": 120, \"total_steps\": 120, \"epoch\": 3.0, \"percentage\": "
                "100.0, \"elapsed_time\": \"0:10:00\", \"remaining_time\": \"0:00:00\"}"});
  EXPECT_EQ(run.train.iterations, 120);
  EXPECT_NEAR(step_time(run), 5, 1e-9);
}

// BERT-NER-Pytorch's bars, under headings as the Trainer's examples have them.
TEST(RecentForms, BarsOfEpochsUnderATrainersHeadings) {
  Lines lines = {"03/01/2026 10:00:00 - INFO - root -   ***** Running training *****",
                 "03/01/2026 10:00:00 - INFO - root -     Num Epochs = 3",
                 "03/01/2026 10:00:00 - INFO - root -     Total optimization steps = 60"};
  for (int epoch = 1; epoch <= 3; ++epoch)
    lines.insert(lines.end(), {"[Training] 20/20 [==============================] 2.5s/step  loss: 0.5125 ",
                               "03/01/2026 10:00:50 - INFO - root -   ***** Running evaluation  *****",
                               "[Evaluating] 5/5 [==============================] 1.0s/step"});
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 60);
  EXPECT_EQ(run.max_iterations, 60);
  EXPECT_NEAR(step_time(run), 2.5, 1e-9);
}

TEST(RecentForms, LlamaFactorysEvaluationBehindTheTrainingIsNoTraining) {
  Lines lines;
  for (int i = 1; i <= 20; ++i)
    lines.push_back(
        written("{\"current_steps\": %d, \"total_steps\": 200, \"loss\": 1.25, \"eval_loss\": null, "
                "\"learning_rate\": 2.5e-05, \"epoch\": 0.5, \"percentage\": 10.0, \"elapsed_time\": "
                "\"0:%02d:00\", \"remaining_time\": \"0:20:00\"}",
                10 * i, i));
  lines.emplace_back(
      "{\"current_steps\": 30, \"total_steps\": 30, \"loss\": null, \"eval_loss\": 1.125, "
      "\"learning_rate\": null, \"epoch\": 1.0, \"percentage\": 100.0, \"elapsed_time\": "
      "\"0:20:26\", \"remaining_time\": \"0:00:00\"}");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 200);
  EXPECT_NEAR(step_time(run), 6, 0.1);
  EXPECT_EQ(run.state, RunState::finished);
}

// What is logged last of a training bears no loss. Amid one such a line is another's, as of an evaluation without a loss.
TEST(RecentForms, LlamaFactorysTrainingThatEndsBeforeItsPlan) {
  const auto line = [](int step, const char* loss) {
    return written(
        "{\"current_steps\": %d, \"total_steps\": 500, \"loss\": %s, \"eval_loss\": null, "
        "\"predict_loss\": null, \"epoch\": 0.5, \"percentage\": 10.0, \"elapsed_time\": "
        "\"0:%02d:%02d\", \"remaining_time\": \"0:20:00\"}",
        step, loss, step / 20, step * 3 % 60);
  };
  Lines lines;
  for (int step = 5; step <= 60; step += 5) lines.push_back(line(step, "1.25"));
  EXPECT_EQ(only_run(lines).state, RunState::lost);
  Lines amid = lines;
  lines.push_back(line(62, "null"));
  EXPECT_EQ(only_run(lines).state, RunState::stopped);
  EXPECT_EQ(only_run(lines).iteration, 62);
  EXPECT_NEAR(step_time(only_run(lines)), 3, 1e-9);
  amid.insert(amid.end(), {line(60, "null"), line(65, "1.25")});
  EXPECT_EQ(only_run(amid).state, RunState::lost);
}

TEST(RecentForms, SwinsEvaluationsAlone) {
  Lines lines;
  for (int batch = 0; batch <= 390; batch += 10)
    lines.push_back(
        written("[2026-03-04 05:%02d:%02d swin_tiny_patch4_window7_224] (main.py 268): INFO Test: "
                "[%d/391]\tTime 0.125 (0.125)\tLoss 0.6250 (0.7500)\tAcc@1 84.375 (83.250)\tAcc@5 96.875 "
                "(96.250)\tMem 2000MB",
                batch / 480, batch / 8 % 60, batch));
  lines.emplace_back(
      "[2026-03-04 05:00:49 swin_tiny_patch4_window7_224] (main.py 274): INFO  * Acc@1 83.250 Acc@5 "
      "96.250");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.train.iterations, 0);
  EXPECT_EQ(run.test.iterations, 391);
}

TEST(RecentForms, TheLastEpochIsOverWhereTheProgramSaysThatItIsDone) {
  for (const bool done : {false, true}) {
    Lines lines;
    for (int epoch = 1; epoch <= 10; ++epoch) {
      lines.push_back(written("2026-03-04 05:%02d:00,250 - INFO - Starting epoch %d/10", epoch, epoch));
      lines.push_back(written("2026-03-04 05:%02d:45,250 - INFO - Validation loss: 1.125", epoch));
    }
    if (done) lines.emplace_back("2026-03-04 05:11:30,250 - INFO - Finetuning completed successfully!");
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, done ? 10 : 9);
    EXPECT_NEAR(step_time(run), 60, 0.1);
    EXPECT_EQ(run.state, done ? RunState::finished : RunState::lost);
  }
}

// A bar of half an hour, whose losses are the evaluation's and whose loggers are called after the trainer.
TEST(RecentForms, HuggingFacesEvaluationAloneIsNoTraining) {
  for (const std::string logger : {"", "[INFO|trainer.py:3819] 2026-03-04 05:06:07,250 >> "})
    for (const bool one_dictionary : {true, false}) {
      Lines lines{logger + "***** Running Evaluation *****", logger + "  Num examples = 3200",
                  logger + "  Batch size = 8"};
      for (int i = 2; i <= 400; ++i)
        lines.push_back(
            written("%3d%%|####      | %d/400 [%02d:%02d<10:00,  5.00s/it]", i / 4, i, i / 12, 5 * i % 60));
      if (one_dictionary)
        lines.emplace_back("{'eval_loss': 0.7512, 'eval_accuracy': 0.8125, 'eval_runtime': 2000.25}");
      else
        lines.emplace_back("  eval_loss               =     0.7512");
      EXPECT_TRUE(runs_of(lines).empty()) << logger << one_dictionary;
      // The same of a loss without such a name.
      lines.back() = "  train_loss              =     0.7512";
      EXPECT_EQ(runs_of(lines).size(), 1U) << logger << one_dictionary;
    }
}

TEST(RecentForms, HuggingFacesTrainerWaitsForWhatIsGeneratedInItsEvaluations) {
  for (const bool by_steps : {false, true}) {
    Lines lines{"***** Running training *****", "  Total optimization steps = 60"};
    int seconds = 0;
    for (int step = 1; step <= 60; ++step) {
      seconds += 20;
      const bool generates = by_steps || step % 20 == 10;
      if (generates && !by_steps) seconds += 300;
      if (generates) lines.emplace_back("Generate: 100%|##########| 40/40 [05:00<00:00,  7.50s/it]");
      lines.push_back(written("%d%%|####      | %d/60 [%02d:%02d<10:00, 20.00s/it]", step * 100 / 60, step,
                              seconds / 60, seconds % 60));
    }
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 60);
    EXPECT_NEAR(step_time(run), 20, 0.1) << "in each step it is a part of it: " << by_steps;
  }
}

// 90 steps of training and 10 of validation in one bar, or each in its own.
TEST(RecentForms, ValidationsThatABarCountsAreNoSteps) {
  for (const bool before_2 : {true, false}) {
    const char* const values = before_2 ? "loss=0.5, v_num=0" : "v_num=0, train_loss=0.5";
    const int all = before_2 ? 100 : 90;
    Lines lines;
    for (int epoch = 0; epoch < 8; ++epoch) {
      const auto bar = [&](int step, int seconds) {
        lines.push_back(written("Epoch %d: %3d%%|#####     | %d/%d [%02d:%02d<00:05,  2.00it/s, %s]", epoch,
                                100 * step / all, step, all, seconds / 60, seconds % 60, values));
      };
      for (int step = 10; step <= 90; step += 10) bar(step, 5 * step / 10);
      for (int step = 2; step <= 10; step += 2) {
        lines.push_back(
            written("Validating: %3d%%|#####     | %d/10 [00:%02d<00:00,  1.00it/s]", 10 * step, step, step));
        if (before_2) bar(90 + step, 45 + step);
      }
      if (!before_2) bar(90, 55);
    }
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 8 * 90);
    EXPECT_NEAR(step_time(run), 0.5, 0.01) << before_2;
    EXPECT_EQ(run.test.iterations, 80);
  }
}

TEST(RecentForms, HuggingFacesTrainingsAreToldApartWhereOnlyTheirEvaluationsAreLogged) {
  Lines lines;
  for (int training = 0; training < 3; ++training) {
    for (int step = 1; step <= 40; ++step) {
      const int seconds = 20 * step;
      lines.push_back(written("%d%%|####      | %d/50 [%02d:%02d<05:00, 20.00s/it]", 2 * step, step,
                              seconds / 60, seconds % 60));
      lines.push_back(
          written("{'eval_loss': 1.25, 'eval_runtime': 1.5, 'eval_samples_per_second': 10.5, "
                  "'eval_steps_per_second': 1.25, 'epoch': %d.0}",
                  step));
    }
  }
  const auto runs = runs_of(lines);
  EXPECT_EQ(runs.size(), 3);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.iteration, 40);
    EXPECT_NEAR(step_time(run), 18.5, 0.1) << "without the evaluations";
  }
}

// A test behind Lightning's training says that it is over; one amid it, as of each fold, says nothing of the end.
TEST(RecentForms, LightningsTestsComeWhenTheTrainingIsOver) {
  const auto epochs = [](int from, int to) {
    Lines lines;
    for (int epoch = from; epoch < to; ++epoch)
      lines.push_back(written(
          "Epoch %d: 100%%|██████████| 250/250 [01:40<00:00,  2.50it/s, loss=0.512, v_num=3]", epoch));
    return lines;
  };
  const Lines forms[] = {
      {"Testing: 100%|██████████| 50/50 [00:10<00:00,  5.00it/s]", "DATALOADER:0 TEST RESULTS",
       "{'test_acc': 0.9125}"},
      {"┃        Test metric        ┃       DataLoader 0        ┃", "│         test_acc          │ 0.9125 │"},
      {"┃    Runningstage.testing   ┃                           ┃",
       "┃          metric           ┃       DataLoader 0        ┃"}};
  for (const Lines& test : forms) {
    Lines lines = epochs(0, 6);
    EXPECT_EQ(only_run(lines).state, RunState::lost);
    lines.insert(lines.end(), test.begin(), test.end());
    EXPECT_EQ(only_run(lines).state, RunState::finished) << test[0];
    const Lines more = epochs(6, 9);
    lines.insert(lines.end(), more.begin(), more.end());
    EXPECT_EQ(only_run(lines).state, RunState::lost) << test[0];
  }
}

// Bars without a number, too short to be measured by their states: those of one training, each drawn twice when full.
TEST(RecentForms, ShortBarsOfEpochsThatNothingNumbersCountOn) {
  for (const int full : {1, 2}) {
    Lines lines;
    for (int epoch = 0; epoch < 5; ++epoch) {
      for (int step = 11; step < 55; step += 11)
        lines.push_back(written("train:  %d%%|###   | %d/55 [00:%02d<00:05,  4.49it/s]", step * 100 / 55,
                                step, step * 12 / 55));
      for (int i = 0; i < full; ++i) lines.emplace_back("train: 100%|######| 55/55 [00:12<00:00,  4.49it/s]");
      lines.emplace_back("val: 100%|######| 20/20 [00:03<00:00,  6.67it/s]");
    }
    for (const std::size_t restart : {0U, 9U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U) << full;
      EXPECT_EQ(runs.at(0).iteration, 5 * 55);
      EXPECT_NEAR(step_time(runs.at(0)), 12.25 / 55, 0.001);
      EXPECT_EQ(runs.at(0).state, RunState::finished);
    }
  }
}

// One reading of such a log knows but the bars of the tests, and these are twice as many as the training's.
TEST(RecentForms, TestsAloneExplainALogLessThanItsTraining) {
  Lines lines;
  for (int epoch = 1; epoch <= 5; ++epoch) {
    lines.push_back(written("Epoch %d/5", epoch));
    for (int step = 11; step <= 55; step += 11)
      lines.push_back(written("Batches: %3d%%|###   | %d/55 [00:%02d<00:05,  4.49it/s, loss=0.5]",
                              step * 100 / 55, step, step * 12 / 55));
    lines.push_back(lines.back());
    for (int i = 0; i < 2; ++i)
      lines.emplace_back("Val batches: 100%|######| 20/20 [00:03<00:00,  6.67it/s]");
  }
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 5 * 55);
  EXPECT_NEAR(step_time(run), 12.0 / 55, 0.005);
}

// Every tenth update, by the mean time of all of them so far; the update's own and its parts' are others.
TEST(RecentForms, MadronaLearnsUpdates) {
  std::vector<std::string> lines = {"TrainConfig:", "  num_updates: 500", "  steps_per_update: 40"};
  for (int update = 10; update <= 60; update += 10) {
    lines.push_back(written("Update: %d", update));
    lines.push_back("    FPS: 32, Update Time: 1.75, Avg FPS: 27");
    lines.push_back(written("    Update Iter Timing     => CPU: %.3f", 1.5 + 0.5 / update));
    lines.push_back("      Collect Rollouts     => CPU: 1.250, GPU: 1.262");
  }
  const auto run = only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.iteration, 60);
  EXPECT_EQ(run.max_iterations, 500);
  EXPECT_EQ(run.train.iterations, 60);
  EXPECT_NEAR(step_time(run), 1.508, 0.001);
}

// What a step holds is its share of the tokens seen, and its time is by the tokens a second.
TEST(RecentForms, StepsOfAsManyTokensAsWereSeen) {
  const auto run = only_run(lines_by(8, [](int i) {
    return written("[log] loss: 4.125, step: %d, tokens_seen: %d, tokens_per_sec: 2048.00", 100 * (i + 1),
                   409600 * (i + 1));
  }));
  EXPECT_EQ(run.iteration, 800);
  EXPECT_EQ(run.train.iterations, 700);
  EXPECT_NEAR(step_time(run), 2, 1e-6);
}

// Ten iterations together, which are numbered on from epoch to epoch, and the time of the epoch.
TEST(RecentForms, SoManyIterationsAndTheirTime) {
  std::vector<std::string> lines;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    lines.push_back(written("Epoch %d/3", epoch));
    for (int i = 1; i <= 5; ++i)
      lines.push_back(
          written("Iteration %d || Loss: 4.1250 || 10iter: 2.5000 sec.", 50 * (epoch - 1) + 10 * i));
    lines.push_back(written("epoch %d || Epoch_TRAIN_Loss:1250.0000 ||Epoch_VAL_Loss:0.0000", epoch));
    lines.emplace_back("timer:  14.5000 sec.");
  }
  const auto run = only_run(lines);
  EXPECT_EQ(run.iteration, 150);
  EXPECT_NEAR(step_time(run), 0.25, 1e-6);
  EXPECT_EQ(run.state, RunState::finished);
}

// W&B's copy begins behind the first header; what has been trained is validated, and shows another.
TEST(RecentForms, UltralyticsTellsItsDevicesOnceMoreBehindItsEnd) {
  const auto devices = [](const std::string& header) {
    Lines lines;
    if (!header.empty()) lines.push_back(header);
    for (int epoch = 1; epoch <= 3; ++epoch)
      lines.push_back(
          written("        %d/3      2.5G      1.25      1.10      0.90        40        640: "
                  "100%%|##########| 200/200 [01:00<00:00,  3.33it/s]",
                  epoch));
    lines.insert(lines.end(),
                 {"3 epochs completed in 0.060 hours.", "Validating pots/train/weights/best.pt...",
                  "Ultralytics YOLOv8.2.10 Python-3.10.2 torch-2.1.0+cu121 CUDA:0 (Quadro P4000, 8117MiB)",
                  "                                              CUDA:1 (Quadro P4000, 8117MiB)",
                  "                                              CUDA:2 (Quadro P4000, 8117MiB)"});
    const etad::Run run = only_run(lines);
    return std::pair(run.device, run.devices);
  };
  EXPECT_EQ(devices(""), std::pair(std::string("Quadro P4000"), std::int64_t{3}));
  const auto known = devices("Ultralytics YOLOv8.2.10 Python-3.10.2 torch-2.1.0 CUDA:0 (Tesla T4, 15102MiB)");
  EXPECT_EQ(known, std::pair(std::string("Tesla T4"), std::int64_t{1}));
}

// A script's own loop over Keras' bars: one over what it trains with, one over what it validates with. Some headings are
// lost.
TEST(RecentForms, BarsOfKerasInAScriptsOwnLoopSayWhatTheyAreOf) {
  for (const bool headed : {true, false}) {
    Lines lines{"Epoch 1/40:"};
    for (int epoch = 1; epoch <= 3; ++epoch) {
      if (headed && epoch > 1) lines.push_back(written("Epoch %d/40:", epoch));
      lines.push_back("200/200 [==============================] - 50s 250ms/step - train_loss: 1.2512");
      lines.push_back(
          "40/40 [==============================] - 4s 100ms/step - valid_loss: 2.2512 - train_loss: "
          "1.2512 - val_loss: 2.2512");
    }
    const etad::Run run = only_run(lines);
    EXPECT_NEAR(step_time(run), 0.25, 1e-9) << headed;
    EXPECT_EQ(run.test.iterations, 120) << headed;
    EXPECT_EQ(run.iteration, headed ? 600 : 200);
  }
}

TEST(RecentForms, ABarOfKerasThatIsBrokenOffTellsHowFarItCame) {
  Lines lines{"Epoch 1/30", "132/500 [======>.......................] - ETA: 1:25 - loss: 0.9712",
              "KeyboardInterrupt"};
  EXPECT_EQ(only_run(lines).iteration, 132);
  EXPECT_EQ(only_run(lines).state, RunState::stopped);
  lines.insert(lines.begin(), "Train on 500 samples");
  EXPECT_FALSE(only_run(lines).iteration) << "they are samples";
}

// An epoch has fewer steps than its data loader promised, as where samplers leave some out: of those that are missing at
// its end no time tells.
TEST(RecentForms, StepsThatAnEpochLacksTakeNoTime) {
  Lines lines;
  int now = 0;  // seconds
  const auto say = [&](const std::string& what) {
    lines.push_back("2026-03-01 " + time_of_day(10, now) + ",250 reid_baseline.train INFO: " + what);
  };
  for (int epoch = 1; epoch <= 6; ++epoch) {
    for (int batch = 50; batch <= 550; batch += 50) {
      now += 25;
      say(written("Epoch[%d] Iteration[%d/593] Loss: 4.125, Acc: 0.125, Base Lr: 3.50e-05", epoch, batch));
    }
    say(written("Epoch %d done. Time per batch: 0.500[s] Speed: 128.0[samples/s]", epoch));
  }
  EXPECT_NEAR(step_time(only_run(lines)), 0.5, 1e-6);
}

// A series beside the loss is written at the end of each epoch, and shows how far the training has come.
TEST(RecentForms, AnotherSeriesOfAnEventFileShowsTheLastSteps) {
  const auto iteration = [](int last) {
    Lines lines;
    const auto say = [&](int step, const char* series) {
      lines.push_back(written("17400000%02d.250000 tfevents step %d %s = 0.5125", step / 25, step, series));
    };
    for (int step = 49; step < 500; step += 50) {
      say(step, "train_loss");
      if (step % 100 == 99) say(step, "epoch");
    }
    say(last, "epoch");
    return only_run(lines).iteration;
  };
  EXPECT_EQ(iteration(539), 539);
  EXPECT_EQ(iteration(560), 499) << "it may count something else";
  EXPECT_EQ(iteration(9), 499);
}

// What detectron2 was about to write when its memory did not suffice stands behind the error.
TEST(RecentForms, AFailedStartsOwnLineBeginsNoRun) {
  Lines lines;
  for (int start = 0; start < 3; ++start) {
    const auto say = [&](const char* what) {
      lines.push_back(written("[03/04 05:%02d:06 d2.engine.hooks]: ", 10 + start) + what);
    };
    lines.emplace_back("  MAX_ITER: 18000");
    say("Starting training from iteration 0");
    say("Exception during training:");
    lines.insert(lines.end(), {"Traceback (most recent call last):", "  File \"a.py\", line 1, in train",
                               "RuntimeError: CUDA out of memory. Tried to allocate 12.00 MiB"});
    say("Total training time: 0:00:00 (0:00:00 on hooks)");
    say(" iter: 0  lr: N/A  max_mem: 4096M");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  for (const auto& [ordinal, run] : runs) EXPECT_EQ(run.state, RunState::failed) << ordinal;
}

}  // namespace
}  // namespace etad::test
