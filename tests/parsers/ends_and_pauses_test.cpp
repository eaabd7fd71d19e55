// Ends that are written right behind a bar, programs that say of a failed run that it is done, and times in which a
// training stood still.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// Of a training of 100 steps of a second each the first 60; what comes behind the last state ends its line.
Lines bar_and(const std::string& behind) {
  Lines lines{"***** Running training *****"};
  for (int step = 1; step <= 60; ++step)
    lines.push_back(
        written("%d%%|##| %d/100 [%02d:%02d<01:00,  1.00s/it]", step, step, step / 60, step % 60));
  lines.back() += behind;
  return lines;
}

TEST(Ends, AreReadBehindABarThatEndsNoLine) {
  const Lines frames{"  File \"train.py\", line 71, in <module>", "RuntimeError: device-side assert"};
  Lines failed = bar_and("Traceback (most recent call last):");
  failed.insert(failed.end(), frames.begin(), frames.end());
  EXPECT_EQ(only_run(failed).state, RunState::failed);
  EXPECT_EQ(only_run(failed).message, "RuntimeError: device-side assert");
  Lines interrupted = bar_and("^CTraceback (most recent call last):");
  interrupted.insert(interrupted.end(), {frames.front(), "KeyboardInterrupt"});
  EXPECT_EQ(only_run(interrupted).state, RunState::stopped);
  EXPECT_EQ(only_run(bar_and("Killed")).state, RunState::failed);
  EXPECT_EQ(only_run(bar_and("Terminated")).state, RunState::stopped);
  for (const char* const slurms :
       {"slurmstepd: error: *** JOB 4711 ON n3 CANCELLED AT 2026-03-04T05:06:07 DUE TO TIME LIMIT ***",
        "slurmstepd: error: *** STEP 4711.0 ON n[3-4] CANCELLED AT 2026-03-04T05:06:07 ***",
        "[2026-03-04T05:06:07.250] error: *** JOB 4711 ON n3 CANCELLED AT 2026-03-04T05:06:07 DUE to SIGNAL "
        "Terminated ***",
        "srun: error: n3: task 0: Terminated"})
    EXPECT_EQ(only_run(bar_and(slurms)).state, RunState::stopped) << slurms;
  EXPECT_EQ(only_run(bar_and("srun: error: n3: task 0: Exited with exit code 1")).state, RunState::failed);
  EXPECT_EQ(only_run(bar_and("srun: error: n3: task 0: Out Of Memory")).state, RunState::failed);
  const char* const killed =
      "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step "
      "tasks have been OOM Killed.";
  EXPECT_EQ(only_run(bar_and(killed)).state, RunState::failed);
  EXPECT_EQ(only_run(bar_and(" saved.")).state, RunState::lost);
  EXPECT_EQ(only_run(bar_and("")).state, RunState::lost);
  EXPECT_EQ(only_run(bar_and("Unkilled")).state, RunState::lost);
}

// Slurm's daemons stamp their lines, and do not name themselves.
TEST(Ends, OfJobsThatSlurmCancelsNeedNoName) {
  Lines lines = bar_and("");
  lines.emplace_back(
      "[2026-03-04T05:06:07.250] error: *** STEP 4711.0 ON n3 CANCELLED AT 2026-03-04T05:06:07 ***");
  EXPECT_EQ(only_run(lines).state, RunState::stopped);
  lines.back() = "[2026-03-04T05:06:07.250] error: *** JOB 4711 ON n3 was not CANCELLED ***";
  EXPECT_EQ(only_run(lines).state, RunState::lost);
}

// LSF's mail may say no more than that; where it says why, that counts.
TEST(Ends, OfAJobAreInTheSubjectOfItsMail) {
  const auto state_behind = [](const Lines& mail) {
    Lines lines = bar_and("");
    lines.insert(lines.end(), {"", "Sender: LSF System <lsfadmin@n3>"});
    lines.insert(lines.end(), mail.begin(), mail.end());
    return only_run(lines).state;
  };
  const std::string subject = "Subject: Job 4711: <pretrain> in cluster <north> ";
  EXPECT_EQ(state_behind({subject + "Exited"}), RunState::stopped);
  EXPECT_EQ(state_behind({subject + "Exited", "Exited with exit code 1."}), RunState::failed);
  EXPECT_EQ(state_behind({subject + "Done"}), RunState::stopped) << "less than was planned";
  EXPECT_EQ(state_behind({subject + "Started"}), RunState::lost);
}

// W&B's output.log is what a terminal would show: a bar drawn over the traceback's head leaves its frames.
TEST(Ends, AreReadOfATracebackWhoseHeadABarHides) {
  Lines lines = bar_and("");
  lines.insert(lines.end(), {"  File \"train.py\", line 71, in <module>", "    trainer.train()",
                             "RuntimeError: device-side assert"});
  EXPECT_EQ(only_run(lines).state, RunState::failed);
  EXPECT_EQ(only_run(lines).message, "RuntimeError: device-side assert");
  lines.erase(lines.end() - 3);
  EXPECT_EQ(only_run(lines).state, RunState::lost) << "an exception's name alone";
}

// A loss that waited in a program's buffer comes behind its traceback; where the bar moves on, another program failed.
TEST(Ends, AreNotUndoneByALossThatWasPrintedLate) {
  Lines lines = bar_and("Traceback (most recent call last):");
  lines.insert(lines.end(), {"  File \"train.py\", line 71, in <module>", "OSError: Disk quota exceeded",
                             "{'loss': 1.25, 'learning_rate': 1.25e-05, 'epoch': 0.5}"});
  EXPECT_EQ(only_run(lines).state, RunState::failed);
  lines.emplace_back("70%|##| 70/100 [01:10<00:30,  1.00s/it]");
  EXPECT_EQ(only_run(lines).state, RunState::lost);
}

TEST(Ends, AreToldByTheNameOfAnExceptionOrASignalAndNotByWhatDidNotHappen) {
  Lines failed = bar_and("");
  failed.insert(failed.end(),
                {"Traceback (most recent call last):", "  File \"train.py\", line 71, in <module>",
                 "loss: 0.5", "mylib.errors.LossIsNaN: nan at step 60"});
  EXPECT_EQ(only_run(failed).state, RunState::failed);
  EXPECT_EQ(only_run(failed).message, "mylib.errors.LossIsNaN: nan at step 60");
  const auto state_behind = [](const std::string& word) {
    Lines lines = bar_and("");
    lines.push_back(word);
    return only_run(lines).state;
  };
  for (const char* const word :
       {"[rank: 0] Received SIGTERM: 15", "*** SIGTERM received at time=1772618767 on cpu 7 ***",
        "[2026-03-04 10:06:07,250 E 71 71] logging.cc:460: *** SIGINT received at time=1772618767 on cpu 7 "
        "***",
        "Caught signal 15 (SIGTERM), shutting down",
        "2026-03-04 10:06:07 - INFO - Received SIGTERM, saving."})
    EXPECT_EQ(state_behind(word), RunState::stopped) << word;
  for (const char* const word : {"*** SIGABRT received at time=1772618767 on cpu 7 ***",
                                 "*** SIGSEGV (@0x7f12) received by PID 71 (TID 0x7f12) from PID 18 ***"})
    EXPECT_EQ(state_behind(word), RunState::failed) << word;
  EXPECT_EQ(state_behind("Installing handlers of SIGTERM and SIGINT"), RunState::lost);
  EXPECT_EQ(state_behind("Early stopping."), RunState::finished);
  EXPECT_EQ(state_behind("No early stopping."), RunState::lost);
  EXPECT_EQ(state_behind("[2026-03-04 05:06:07] Done!"), RunState::stopped);
  EXPECT_EQ(state_behind("[2026-03-04 05:06:07] Not yet Done!"), RunState::lost);
}

// What a program logs of an exception it has caught; whether it lives on, the first one shows.
TEST(Ends, AreNoneBehindWhatTheProgramLogsAndSurvives) {
  const auto state = [](const std::string& first, const std::string& last) {
    Lines lines{"***** Running training *****"};
    for (int step = 1; step <= 60; ++step) {
      lines.push_back(
          written("%d%%|##| %d/100 [%02d:%02d<01:00,  1.00s/it]", step, step, step / 60, step % 60));
      if (step == 30 || step == 60)
        lines.insert(lines.end(), {(step == 30 ? first : last) + "Traceback (most recent call last):",
                                   "  File \"rollout.py\", line 71, in act", "TypeError: no action"});
    }
    return only_run(lines).state;
  };
  const std::string logged = "ERROR:2026-03-01 10:00:12,250:";
  EXPECT_EQ(state(logged, logged), RunState::lost);
  EXPECT_EQ(state(logged, ""), RunState::failed);
  EXPECT_EQ(state("", logged), RunState::failed);
}

TEST(Ends, OfAFoldAreItsTrainings) {
  for (const char* const said :
       {"[FOLD 3] COMPLETED | Best F1: 0.89", "Fold 3/5 finished.", "fold 3: done"}) {
    Lines lines = bar_and("");
    lines.emplace_back(said);
    EXPECT_EQ(only_run(lines).state, RunState::stopped) << said << ": less than was planned";
  }
  Lines lines = bar_and("");
  lines.emplace_back("[FOLD 3] not COMPLETED");
  EXPECT_EQ(only_run(lines).state, RunState::lost);
}

// The program had written it before.
TEST(Ends, OfAnInterruptedProgramStandBeforeWhatItsBufferHeld) {
  Lines lines = bar_and("Traceback (most recent call last):");
  lines.insert(lines.end(), {"  File \"train.py\", line 71, in <module>", "KeyboardInterrupt",
                             "{'loss': 0.5, 'learning_rate': 0.001, 'epoch': 0.5}"});
  EXPECT_EQ(only_run(lines).state, RunState::stopped);
}

// detectron2 sums up its speed, whatever ends the training.
TEST(Ends, ThatSumUpLessThanWasPlannedBehindAnExceptionAreFailures) {
  const auto run_ended = [](const std::string& why) {
    Lines lines{"[03/04 05:05:50 detectron2]: Full config:", "  MAX_ITER: 2000"};
    for (int iteration = 19; iteration < 1000; iteration += 20)
      lines.push_back("[03/04 " + time_of_day(5, 360 + iteration / 2) +
                      " d2.utils.events]:  eta: 0:08:19  iter: " + std::to_string(iteration) +
                      "  total_loss: 1.25  time: 0.5000  data_time: 0.0125  lr: 0.001");
    lines.insert(
        lines.end(),
        {"ERROR [03/04 05:15:00 d2.engine.train_loop]: Exception during training:",
         "Traceback (most recent call last):", "  File \"train.py\", line 71, in <module>", why,
         "[03/04 05:15:00 d2.engine.hooks]: Overall training speed: 998 iterations in 0:08:19 (0.5000 s / "
         "it)"});
    return only_run(lines);
  };
  EXPECT_EQ(run_ended("AssertionError").state, RunState::failed);
  EXPECT_EQ(run_ended("AssertionError").message, "AssertionError");
  EXPECT_EQ(run_ended("KeyboardInterrupt").state, RunState::stopped);
}

// YOLOX says of each training that it is done, and then what broke it off.
TEST(Ends, ARunThatIsDoneWithoutAStepAndFailsAtOnceHasFailed) {
  const std::string at = "2026-03-04 05:06:";
  const Lines lines{at + "07.250 | INFO     | yolox.core.trainer:before_train:130 - args: "
                         "Namespace(batch_size=8, devices=2, "
                         "exp_file='exps/tiny.py')",
                    at + "17.250 | INFO     | yolox.core.trainer:before_epoch:203 - ---> start train epoch1",
                    at + "20.250 | INFO     | yolox.core.trainer:after_train:195 - Training of experiment is "
                         "done and the best "
                         "AP is 0.00",
                    at + "20.500 | ERROR    | yolox.core.launch:_distributed_worker:147 - An error has been "
                         "caught in function "
                         "'_distributed_worker', process 'SpawnProcess-1' (71), thread 'MainThread' (1):"};
  EXPECT_EQ(only_run(lines).state, RunState::failed);
}

// Trainings in one log, of which no line tells how many epochs they have, nor that they are over, as those of a
// cross-validation.
std::vector<RunState> states_of_folds(const std::vector<int>& epochs, std::size_t restart = 0) {
  Lines lines;
  for (const int count : epochs)
    for (int epoch = 1; epoch <= count; ++epoch)
      for (const int batch : {200, 400})
        lines.push_back(
            written("| epoch %3d | %5d/  500 batches | lr 20.00 | ms/batch 250.00 | loss  7.62 | ppl 204.25",
                    epoch, batch));
  std::vector<RunState> out;
  for (const auto& [ordinal, run] : runs_of(lines, restart)) out.push_back(run.state);
  return out;
}

TEST(Ends, FoldsThatComeEquallyFarAreFinished) {
  using enum RunState;
  for (std::size_t restart = 0; restart < 66; ++restart)
    EXPECT_EQ(states_of_folds({7, 7, 7, 6, 6}, restart),
              (std::vector{finished, finished, finished, finished, finished}))
        << restart;
  EXPECT_EQ(states_of_folds({7, 8, 9}), (std::vector{lost, lost, lost}));
  EXPECT_EQ(states_of_folds({7, 9, 7}), (std::vector{lost, lost, lost})) << "not one behind the other";
  EXPECT_EQ(states_of_folds({2, 2}), (std::vector{lost, lost})) << "so few may be chance";
}

// Behind each training, a report on the classes that it tells apart, one of which is trains.
TEST(Ends, AClassOfAReportIsNoEpoch) {
  Lines lines;
  int at = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("2026-03-04 " + time_of_day(5, at) + ",250 - INFO - " + what);
  };
  for (int epoch = 1; epoch <= 20; ++epoch) {
    say(written("[Epoch %d/20]", epoch));
    at += 50;
    say(written("Train Loss: 0.%d, Train Acc: 0.9431", 900 - epoch));
    say("Val   Loss: 0.6575, Val   Acc: 0.8147");
  }
  say("Classification Report:");
  for (const char* const of : {"bus", "car", "train", "walk"})
    lines.push_back(written("%12s       0.80      0.67      0.73      6872", of));
  EXPECT_EQ(only_run(lines).state, RunState::finished);
  EXPECT_EQ(only_run(lines).iteration, 20);
}

// Several models in one process, whose epochs end with the minutes since each began.
TEST(Pauses, MinutesSoFarThatFallBackAreAnotherTrainings) {
  Lines lines;
  for (const double minutes : {0.5, 0.25, 0.75}) {
    for (int epoch = 1; epoch <= 12; ++epoch) {
      lines.push_back(written("Epoch: %03d/012 | Current Learning Rate: 0.010000", epoch));
      lines.push_back(written("**Epoch: %03d/012 | Train. Acc.: 95.060%% | Loss: 0.1574", epoch));
      lines.push_back(written("Time elapsed: %.2f min", minutes * epoch));
    }
    lines.push_back(written("Total Training Time: %.2f min", minutes * 12));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_NEAR(step_time(runs.at(0)), 30, 0.1);
  EXPECT_NEAR(step_time(runs.at(1)), 15, 0.1);
  EXPECT_NEAR(step_time(runs.at(2)), 45, 0.1);
}

// Epochs of 100 s as Ultralytics' results.csv tells them, by the time so far, and in some of them a machine that sleeps.
Lines results_with_pauses(const std::vector<int>& before) {
  Lines lines{"epoch,time,train/box_loss,train/cls_loss,lr/pg0"};
  double at = 0;
  for (int epoch = 1; epoch <= 40; ++epoch) {
    at += 100 + epoch % 3;
    for (const int paused : before)
      if (paused == epoch) at += 36000;
    lines.push_back(written("%d,%.3f,1.25,2.5,0.001", epoch, at));
  }
  return lines;
}

TEST(Pauses, ByTheLogsOwnClockAreNoTraining) {
  const auto run = only_run(results_with_pauses({7, 30}));
  EXPECT_EQ(run.iteration, 40);
  EXPECT_EQ(run.train.iterations, 38);
  EXPECT_NEAR(step_time(run), 101, 0.1);
}

TEST(Pauses, ATrainingThatBecomesSlowIsSlow) {
  const auto run = only_run(results_with_pauses({31, 32, 33, 34, 35, 36, 37, 38, 39, 40}));
  EXPECT_GE(run.train.iterations, 35);
  EXPECT_GT(step_time(run), 2000);
}

// What is like the one before and behind it is no outlier.
TEST(Pauses, AStretchOfSlowOnesIsMeasuredToItsEnds) {
  const auto all = only_run(results_with_pauses({})).train.iterations;
  EXPECT_EQ(only_run(results_with_pauses({31, 32, 33, 34})).train.iterations, all);
  EXPECT_EQ(only_run(results_with_pauses({25, 26, 30})).train.iterations, all - 1);
}

// The loss of an epoch's first batch, told at once, is no end of it: what follows up to the validation's result is the
// epoch. The head of a second training is read while the last epoch of the first one is not yet known to be over.
TEST(Pauses, BetweenAnEpochsFirstLossAndItsResultAreTheEpoch) {
  Lines lines;
  int at = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("| 2026-03-04 " + time_of_day(5, at) + " | INFO | " + what);
  };
  for (const int epochs : {12, 8}) {
    say("Config");
    lines.push_back(written("  num_epochs:        %d", epochs));
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      say(written("Start epoch %d:", epoch));
      at += epoch % 2;
      say("Train Loss: 0.512, tp: 0, fn: 6, fp: 0, tn: 58, Acc: 0.906");
      at += 64;
      say("Validation loss: 0.250, acc: 0.858, F1: 0.462");
    }
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.train.iterations, ordinal == 0 ? 12 : 8);
    EXPECT_EQ(run.max_iterations, run.iteration);
    EXPECT_EQ(run.state, RunState::finished) << ordinal;
    EXPECT_NEAR(step_time(run), 64.5, 0.1);
  }
}

// What is loaded before each of several trainings draws a bar that is full at once.
TEST(Pauses, BarsThatAreFullAtOnceAreNoTrainings) {
  Lines lines;
  for (int run = 0; run < 2; ++run) {
    lines.emplace_back("100%|##| 3/3 [00:00<00:00, 785.99it/s]");
    lines.emplace_back("[INFO|trainer.py:1430] 2026-03-04 05:06:07,250 >> ***** Running training *****");
    for (int step = 1; step <= 40; ++step)
      lines.push_back(
          written("%d%%|##| %d/40 [%02d:%02d<01:00,  5.00s/it]", step, step, step * 5 / 60, step * 5 % 60));
    lines.emplace_back("{'train_runtime': 200.5, 'train_steps_per_second': 0.2, 'epoch': 1.0}");
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 40);
  EXPECT_EQ(runs.at(1).iteration, 40);
}

// A data set's bar before the training's own, longer than it, at thousands a second.
TEST(Pauses, WhatIsDoneAThousandTimesASecondIsNoTraining) {
  Lines lines{"{'loss': 1.25, 'grad_norm': 0.5, 'learning_rate': 0.001, 'epoch': 0.0}"};
  for (int second = 1; second <= 21; ++second)
    lines.push_back(
        written("%d%%|##| %d/71514 [00:%02d<00:10, 3405.25it/s]", second * 4, second * 3405, second));
  for (int step = 1; step <= 200; ++step)
    lines.push_back(written("%d%%|##| %d/8264 [%02d:%02d<1:00:00,  7.00s/it]", step / 82, step, step * 7 / 60,
                            step * 7 % 60));
  const auto run = only_run(lines);
  EXPECT_EQ(run.iteration, 200);
  EXPECT_NEAR(step_time(run), 7, 0.05);
}

TEST(Pauses, SwinGoesOnInTheSameLog) {
  Lines lines;
  int at = 0;
  const auto say = [&](const std::string& what) {
    lines.push_back("[2026-03-04 " + time_of_day(5, at) + " swin_tiny] (main.py 247): INFO " + what);
  };
  const auto train = [&](int from, int to) {
    for (int epoch = from; epoch < to; ++epoch)
      for (int step = 0; step < 60; step += 10) {
        say(written("Train: [%d/30][%d/60]\teta 0:00:00 lr 0.000\ttime 0.5000 (0.5000)\tloss 1.2500 (1.5125)",
                    epoch, step));
        at += 5;
      }
  };
  train(1, 6);
  at += 600;
  say("auto resuming from out/swin_tiny/max_acc.pth");
  say("==============> Resuming form out/swin_tiny/max_acc.pth....................");
  train(5, 12);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.005);
  EXPECT_NEAR(step_time(runs.at(1)), 0.5, 0.005);
}

// A bar that is full may be one of several epochs', or what follows it be the training's, too: where a function that trains
// failed behind it, the training did.
TEST(Ends, AFullBarBehindWhichTheTrainingFailsIsNotItsEnd) {
  const auto state_of = [](const char* frame, const std::vector<std::string>& more) {
    std::vector<std::string> lines = {"epoch 0, training"};
    for (int i = 5; i <= 40; i += 5)
      lines.push_back(written("epo 0, iter %d, loss=0.5125: %3d%%|#  | %d/40 [01:%02d<00:10,  2.00s/it]", i,
                              i * 100 / 40, i, i));
    lines.emplace_back("Traceback (most recent call last):");
    lines.push_back(written("  File \"/opt/app/run.py\", line 58, in %s", frame));
    lines.emplace_back("    store()");
    lines.emplace_back("FileNotFoundError: [Errno 2] No such file or directory: 'out/last.pth'");
    lines.insert(lines.end(), more.begin(), more.end());
    return only_run(lines).state;
  };
  EXPECT_EQ(state_of("train", {}), RunState::failed);
  EXPECT_EQ(state_of("fit", {}), RunState::failed);
  EXPECT_EQ(state_of("export", {}), RunState::finished);
  EXPECT_EQ(state_of("train", {"If you suspect this is an IPython 8.1.0 bug, please report it at:",
                               "    https://github.com/ipython/ipython/issues",
                               "or send an email to the mailing list at ipython-dev@python.org"}),
            RunState::failed);
}

// Of bars of unknown length the last one is full where the line of its epoch stands below.
TEST(Ends, OfTheLastEpochOfUnknownLengthItsLineTells) {
  for (const bool told : {false, true}) {
    std::vector<std::string> lines;
    for (int epoch = 1; epoch <= 4; ++epoch) {
      lines.push_back(written("Epoch %d/4: 500it [02:05,  4.00it/s]", epoch));
      if (epoch < 4 || told)
        lines.push_back(written("Epoch %d: Train Loss: 0.0125, Val Loss: 0.0925", epoch));
    }
    const auto run = only_run(lines);
    EXPECT_EQ(run.train.iterations, 2000);
    EXPECT_EQ(run.state, told ? RunState::finished : RunState::lost);
  }
}

// W&B closes what the program wrote to it when that ends, as it does behind an exception.
TEST(Ends, AreToldByWandbWhereItClosesItsRun) {
  for (const bool fails : {false, true}) {
    Lines lines;
    for (int i = 1; i <= 20; ++i)
      lines.push_back(written("2026-03-04 05:%02d:00 - INFO - step %d, loss: 4.0125", i, 100 * i));
    if (fails) {
      lines.push_back("Traceback (most recent call last):");
      lines.push_back("OSError: no space");
    }
    lines.push_back("wandb: ");
    lines.push_back("wandb: Run summary:");
    lines.push_back("wandb:  loss 4.0125");
    EXPECT_EQ(only_run(lines).state, fails ? RunState::failed : RunState::finished);
  }
}

// Texts are made to look at amid the steps. Where each step makes some, they are its own.
TEST(Pauses, InWhichSamplesAreMadeAreNoTraining) {
  for (const int every : {1, 10}) {
    Lines lines;
    int seconds = 0;
    for (int step = 10; step <= 1000; step += 10) {
      seconds += 4;
      lines.push_back(written("Step %d, Loss: %.4f, Current Time: 2026-03-04 05:%02d:%02d", step, 5.0 / step,
                              6 + seconds / 60, seconds % 60));
      if (step / 10 % every != 0) continue;
      lines.insert(lines.end(), {"--- Generating sample texts ---", "Prompt: once", "Once upon a time"});
      seconds += 20;
    }
    for (const std::size_t restart : {0U, 15U}) {
      const auto run = runs_of(lines, restart).at(0);
      EXPECT_EQ(run.iteration, 1000);
      EXPECT_EQ(run.snapshots, 0);
      EXPECT_NEAR(step_time(run), every == 1 ? 2.4 : 0.4, 0.01) << restart;
    }
  }
}

// An author's callback, after Keras'.
TEST(Ends, AnEpochThatStopsEarlyMayAddAWord) {
  const auto state = [](const char* const said) { return only_run(bar_and(said)).state; };
  EXPECT_EQ(state("\nEpoch 00028: early stopping THR."), RunState::lost) << "no line of its own";
  Lines lines = bar_and("");
  lines.emplace_back("Epoch 00028: early stopping THR.");
  EXPECT_EQ(only_run(lines).state, RunState::finished);
  for (const char* const other : {"Epoch 28: early stopping counter", "Epoch 28: early stopping 3/5"}) {
    lines.back() = other;
    EXPECT_EQ(only_run(lines).state, RunState::lost) << other;
  }
}

}  // namespace
}  // namespace etad::test
