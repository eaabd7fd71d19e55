// Runs that broke off, of formats whose rules say nothing of errors: what a Python traceback at the end says of
// them, and what stands behind a run's end.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

std::vector<etad::Run> runs_in_order(const Lines& lines, bool restarting = false) {
  std::vector<etad::Run> out;
  for (auto& run : runs_of(lines, [&](std::size_t) { return restarting; }))
    out.push_back(std::move(run.second));
  return out;
}

// So many steps, out of 2000.
Lines steps(int from, int to) {
  Lines lines;
  for (int i = from; i <= to; i += 20) {
    char text[256];
    std::snprintf(
        text, sizeof text,
        "[03/04 05:%02d:%02d d2.utils.events]:  eta: 0:12:30  iter: %d  total_loss: 1.25  time: 0.5",
        6 + i / 120, i / 2 % 60, i);
    lines.push_back(text);
  }
  return lines;
}

Lines operator+(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Lines keras_epochs(int count) {
  Lines lines;
  for (int i = 1; i <= count; ++i) {
    lines.push_back("Epoch " + std::to_string(i) + "/40");
    lines.push_back("64/64 - 4s - 62ms/step - accuracy: 0.7500 - loss: 0.5000 - val_accuracy: 0.5000");
  }
  return lines;
}

const Lines kTraceback = {"Traceback (most recent call last):",
                          "  File \"train.py\", line 20, in <module>",
                          "    step(batch)",
                          "OSError: [Errno 28] No space left on device",
                          "",
                          "During handling of the above exception, another exception occurred:",
                          "",
                          "Traceback (most recent call last):",
                          "  File \"train.py\", line 30, in <module>",
                          "RuntimeError: the helper is gone"};

TEST(BrokenRuns, FailWithTheFirstException) {
  for (const bool restarting : {false, true}) {
    const auto runs = runs_in_order(steps(20, 200) + kTraceback, restarting);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].state, RunState::failed);
    EXPECT_EQ(runs[0].message, "OSError: [Errno 28] No space left on device");
  }
}

TEST(BrokenRuns, GoOnBehindATracebackThatIsAnothers) {
  const auto runs = runs_in_order(steps(20, 200) + kTraceback + steps(220, 400));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::lost);
  EXPECT_EQ(runs[0].message, "");
  EXPECT_EQ(runs[0].iteration, 400);
}

TEST(BrokenRuns, AreStoppedByAnInterrupt) {
  const auto runs =
      runs_in_order(steps(20, 200) + Lines{"Traceback (most recent call last):",
                                           "  File \"train.py\", line 20, in <module>", "KeyboardInterrupt"});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::stopped);
}

TEST(BrokenRuns, AreStoppedOrFailedBySlurm) {
  const auto stopped =
      runs_in_order(steps(20, 200) + Lines{"slurmstepd: error: *** JOB 71 ON node3 CANCELLED AT "
                                           "2026-03-04T05:30:00 DUE TO TIME LIMIT ***"});
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_EQ(stopped[0].state, RunState::stopped);
  const auto amid_a_line =
      runs_in_order(steps(20, 200) +
                    Lines{"2026-03-04 05:30:00,250 - INFO - Step 21/200 | loslurmstepd: error: *** JOB 71 ON "
                          "node3 CANCELLED AT 2026-03-04T05:30:00 DUE TO TIME LIMIT ***"});
  ASSERT_EQ(amid_a_line.size(), 1U);
  EXPECT_EQ(amid_a_line[0].state, RunState::stopped);
  const auto failed = runs_in_order(
      steps(20, 200) + Lines{"slurmstepd: error: Detected 1 oom-kill event(s) in StepId=71.batch."});
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].state, RunState::failed);
  EXPECT_NE(failed[0].message.find("oom-kill"), std::string::npos);
}

TEST(BrokenRuns, AreEndedBySignalsThatAShellTellsOf) {
  const std::map<std::string, RunState> told = {
      {"Killed", RunState::failed},
      {"./run.sh: line 12:  4711 Killed                  python train.py", RunState::failed},
      {"Terminated", RunState::stopped},
      {"run.sh: line 3: 4711 Terminated              python train.py", RunState::stopped},
      {"Killed by nobody", RunState::lost},
      {"note: line 3 says Killed", RunState::lost},
  };
  for (const auto& [line, state] : told) {
    const auto runs = runs_in_order(steps(20, 200) + Lines{line});
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].state, state) << line;
  }
}

TEST(BrokenRuns, SayNothingByAnExceptionsNameAlone) {
  const auto runs = runs_in_order(steps(20, 200) + Lines{"RuntimeError: said by nobody"});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::lost);
}

TEST(BrokenRuns, AreNoneWhereTheNextStepShownWouldBeBeyondThePlan) {
  const auto log = [](int last) {
    Lines lines;
    for (int i = 9; i <= last; i += 10) {
      char text[256];
      std::snprintf(text, sizeof text, "Epoch:[1/1](%d/12507) loss:5.125 lr:0.0005 epoch_Time:%d.0min:", i,
                    (12507 - i) * 3 / 60);
      lines.push_back(text);
    }
    return lines;
  };
  const auto runs = runs_in_order(log(12499));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::finished);
  const auto broken = runs_in_order(log(12489));
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].state, RunState::lost);
}

// A bar is drawn once more where the program ends: that is no sign of life.
TEST(BrokenRuns, FailThoughTheirBarIsDrawnOnceMore) {
  Lines lines = {"{'loss': 1.25, 'learning_rate': 1.25e-05, 'epoch': 0.5}"};
  const auto bar = [](int step) {
    char text[256];
    std::snprintf(text, sizeof text, " 10%%|##        | %d/300 [%02d:%02d<54:06, 10.00s/it]", step, step / 6,
                  step % 6 * 10);
    return std::string(text);
  };
  for (int i = 1; i <= 40; ++i) lines.push_back(bar(i));
  for (const bool restarting : {false, true}) {
    const auto failed = runs_in_order(lines + kTraceback + Lines{bar(40)}, restarting);
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_EQ(failed[0].state, RunState::failed);
    EXPECT_EQ(failed[0].message, "OSError: [Errno 28] No space left on device");
    const auto alive = runs_in_order(lines + kTraceback + Lines{bar(41)}, restarting);
    ASSERT_EQ(alive.size(), 1U);
    EXPECT_EQ(alive[0].state, RunState::lost);
  }
}

// What begins the next run is no life of this one.
TEST(BrokenRuns, FailThoughAnotherBeginsBehindThem) {
  for (const bool restarting : {false, true}) {
    const auto runs = runs_in_order(steps(20, 200) + kTraceback + steps(20, 400), restarting);
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].state, RunState::failed);
    EXPECT_EQ(runs[0].message, "OSError: [Errno 28] No space left on device");
    EXPECT_EQ(runs[1].state, RunState::lost);
  }
}

TEST(BrokenRuns, AreStoppedBySomebodyWhateverTheirHelpersSayOfIt) {
  const auto state_behind = [](const Lines& words, bool restarting) {
    const auto runs = runs_in_order(steps(20, 200) + words, restarting);
    EXPECT_EQ(runs.size(), 1U);
    return runs.empty() ? RunState::running : runs[0].state;
  };
  for (const bool restarting : {false, true}) {
    EXPECT_EQ(state_behind({"[2026-03-04 05:30:00,250] [INFO] [launch.py:324:sigkill_handler] Main process "
                            "received SIGTERM, exiting"},
                           restarting),
              RunState::stopped);
    EXPECT_EQ(
        state_behind(kTraceback + Lines{"Keyboard interruption. Exiting from early training"}, restarting),
        RunState::stopped);
    EXPECT_EQ(state_behind({"Traceback (most recent call last):", "  File \"run.py\", line 7, in <module>",
                            "torch.distributed.elastic.multiprocessing.api.SignalException: Process 4711 got "
                            "signal: 15"},
                           restarting),
              RunState::stopped);
    EXPECT_EQ(state_behind({"C++ Traceback (most recent call last):", "0   main",
                            "FatalError: `Termination signal` is detected by the operating system."},
                           restarting),
              RunState::stopped);
    EXPECT_EQ(state_behind({"Traceback (most recent call last):", "  File \"run.py\", line 7, in <module>",
                            "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Terminated. "},
                           restarting),
              RunState::stopped);
    EXPECT_EQ(state_behind({"SIGTERM handler installed", "an interrupt controller"}, restarting),
              RunState::lost);
  }
}

// Lines that no rule of their format knows.
TEST(RunsEnds, AreToldByTheLastWordsOfTheProgram) {
  const auto state_behind = [](const Lines& words, bool restarting) {
    const auto runs = runs_in_order(keras_epochs(6) + words, restarting);
    EXPECT_EQ(runs.size(), 1U);
    return runs.empty() ? RunState::running : runs[0].state;
  };
  for (const bool restarting : {false, true}) {
    EXPECT_EQ(state_behind({}, restarting), RunState::lost);
    EXPECT_EQ(state_behind({"Epoch 6: early stopping"}, restarting), RunState::finished);
    EXPECT_EQ(
        state_behind({"EarlyStopping: Training stopped early as no improvement observed in last 5 epochs."},
                     restarting),
        RunState::finished);
    EXPECT_EQ(
        state_behind({"Stopping training early as no improvement observed in last 5 epochs."}, restarting),
        RunState::finished);
    EXPECT_EQ(state_behind({"2026-03-01 10:00:12,250 - INFO - Early stopping triggered!"}, restarting),
              RunState::finished);
    for (const char* word :
         {"Early stopping: no improvement for 5 epochs.", "Early stopping (no improvement for 5 epochs)",
          "Terminating due to lack of improvement in dev fscore."})
      EXPECT_EQ(state_behind({word}, restarting), RunState::finished) << word;
    EXPECT_EQ(state_behind({"EarlyStopping counter: 3 out of 10"}, restarting), RunState::lost);
    // Six epochs of the forty planned.
    EXPECT_EQ(state_behind({"2026-03-01 10:00:12,250 - main - INFO - Training time: 6.25 min"}, restarting),
              RunState::stopped);
  }
}

// A line like those before it, which said nothing, is heard all the same where a traceback stands before it.
TEST(RunsEnds, AreToldByLinesThatSaidNothingBefore) {
  const auto error = [](int worker) { return "pool.Exceptional: no worker " + std::to_string(worker); };
  for (const bool restarting : {false, true}) {
    const auto runs =
        runs_in_order(keras_epochs(6) + Lines{error(3), error(4), "Traceback (most recent call last):",
                                              "  File \"run.py\", line 7, in <module>", error(5)},
                      restarting);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].state, RunState::failed);
    EXPECT_EQ(runs[0].message, error(5));
  }
}

// What is before a line as a launcher's label may be a word of its own.
TEST(RunsEnds, AreToldByLinesThatSaidNothingWithoutWhatStandsBeforeThem) {
  const auto runs =
      runs_in_order(keras_epochs(6) + Lines{"the job is CANCELLED", "slurmstepd-17: the job is CANCELLED"});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::stopped);
}

// Steps whose plan nothing tells.
Lines nanogpt_steps(int from, int to) {
  Lines lines;
  for (int i = from; i <= to; i += 10)
    lines.push_back("iter " + std::to_string(i) + ": loss 2.5125, time 500.25ms");
  return lines;
}

TEST(RunsEnds, OfNoPlanAreWhereTheTrainingIsSaidToBeDone) {
  const Lines told = {"Training time: 6.25 min"};
  const auto done = runs_in_order(nanogpt_steps(10, 90) + told + Lines{"Saving the last weights"});
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].state, RunState::finished);
  // A program that says it of each of its parts says nothing of the end.
  const auto amid = runs_in_order(nanogpt_steps(10, 90) + told + nanogpt_steps(100, 190) + told);
  ASSERT_EQ(amid.size(), 1U);
  EXPECT_EQ(amid[0].state, RunState::lost);
}

// What the end counts are the iterations since the snapshot.
TEST(RunsEnds, OfATrainingThatGoesOnFromASnapshotCountFromThere) {
  const Lines begin = {"[03/04 05:06:00 d2.engine.train_loop]: Starting training from iteration 1000"};
  const Lines end = {"[03/04 05:16:00 d2.engine.hooks]: Overall training speed: 998 iterations in 0:08:19"};
  const Lines plan = {"[03/04 05:05:50 detectron2]: Full config:", "  MAX_ITER: 2000"};
  const auto runs = runs_in_order(plan + begin + steps(1019, 1999) + end);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].first_iteration, 1000);
  EXPECT_EQ(runs[0].state, RunState::finished);
}

// A program that steps a solver itself goes beyond what the solver's file says.
TEST(RunsEnds, APlanThatIsLeftBehindIsNone) {
  auto lines = lines_by(41, [](int i) {
    return written("I0301 10:%02d:%02d.250000 1 solver.cpp:243] Iteration %d, loss = 1.25", i / 6, i % 6 * 10,
                   100 * i);
  });
  lines.insert(
      lines.begin(),
      {"I0301 09:59:59.250000 1 solver.cpp:48] Initializing solver from parameters: ", "max_iter: 2000", ""});
  const auto runs = runs_in_order(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].iteration, 4000);
  EXPECT_FALSE(runs[0].max_iterations);
  EXPECT_EQ(runs[0].state, RunState::lost);
  lines.resize(3 + 21);
  EXPECT_EQ(runs_in_order(lines).at(0).max_iterations, 2000);
  EXPECT_EQ(runs_in_order(lines).at(0).state, RunState::finished);
}

// detectron2's table of metrics tells of no plan, but of the time that is left: none at its last line, or in earlier
// versions that of one iteration. Some of its first lines say none, too.
TEST(RunsEnds, AreReachedWhereNothingIsLeftToDo) {
  const auto metrics = [](int count, double behind) {
    return lines_by(count, [&](int i) {
      const double left = i == 0 ? 0 : 0.5 * (20 * (40 - i) + behind);
      return written(
          R"({"data_time": 0.001, "eta_seconds": %.3f, "iteration": %d, "time": 0.5, "total_loss": 1.25})",
          left, 20 * i + 19);
    });
  };
  for (const double behind : {0., 1.}) {
    const auto done = runs_in_order(metrics(41, behind));
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].max_iterations, 819);
    EXPECT_EQ(done[0].state, RunState::finished) << behind;
    const auto broken = runs_in_order(metrics(40, behind));
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_FALSE(broken[0].max_iterations);
    EXPECT_EQ(broken[0].state, RunState::lost) << behind;
  }
}

Lines yolo_epochs(int count) {
  Lines lines;
  for (int i = 1; i <= count; ++i)
    lines.push_back("      " + std::to_string(i) + "/4     2.55G   1.125   0.7525   1.025   25   640: " +
                    "100% 480/480 [02:00<00:00,  4.00it/s]");
  return lines;
}

// A log that begins behind the arguments still says how many epochs there will be.
TEST(RunsEnds, AreKnownWhereTheFirstWordsAreThePlan) {
  const Lines plan = {"Starting training for 4 epochs..."};
  const auto done = runs_in_order(plan + yolo_epochs(4));
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].max_iterations, 4 * 480);
  EXPECT_EQ(done[0].state, RunState::finished);
  const auto broken = runs_in_order(plan + yolo_epochs(3));
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].state, RunState::lost);
}

TEST(BrokenRuns, AreStoppedByAnInterruptThatTheTrainerCatches) {
  const auto runs = runs_in_order(Lines{
      "Epoch 0:  40%|████      | 100/250 [00:50<01:15,  2.00it/s, loss=0.5, v_num=1]",
      "Epoch 0:  80%|████████  | 200/250 [01:40<00:25,  2.00it/s, loss=0.5, v_num=1]",
      "/opt/lib/lightning/trainer/call.py:54: UserWarning: Detected KeyboardInterrupt, attempting graceful "
      "shutdown..."});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::stopped);
}

TEST(RunsEnds, TheMachineNamedOnceMoreBeforeALastTestIsNoRun) {
  Lines lines;
  for (int i = 1; i <= 4; ++i) {
    lines.push_back(
        "      " + std::to_string(i) +
        "/4     2.55G   1.125   0.7525   1.025   25   640: 100% 480/480 [02:00<00:00,  4.00it/s]");
    lines.push_back(
        "        Class   Images  Instances   Box(P   R   mAP50  mAP50-95): 100% 8/8 [00:02<00:00]");
  }
  lines.push_back("4 epochs completed in 0.150 hours.");
  lines.push_back("Ultralytics 8.1.20 Python-3.10.2 torch-2.1.0 CUDA:0 (Quadro P4000, 8117MiB)");
  lines.push_back("                                          CUDA:1 (Quadro P4000, 8117MiB)");
  lines.push_back("        Class   Images  Instances   Box(P   R   mAP50  mAP50-95): 100% 8/8 [00:02<00:00]");
  const auto runs = runs_in_order(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::finished);
  EXPECT_EQ(runs[0].iteration, 4 * 480);
}

// An evaluation behind the end says its settings and draws a bar as long as one amid the training.
TEST(RunsEnds, AnEvaluationThatSaysItsSettingsIsNoRun) {
  const auto bar = [](int step, int of, int seconds) {
    char text[256];
    std::snprintf(text, sizeof text, " 10%%|##        | %d/%d [%02d:%02d<54:06, 10.00s/it]", step, of,
                  seconds / 60, seconds % 60);
    return std::string(text);
  };
  const std::string stamp = "[INFO|trainer.py:2313] 2026-03-01 10:00:00,250 >> ";
  Lines lines = {stamp + "***** Running training *****",
                 stamp + "  Num examples = 1,600",
                 stamp + "  Instantaneous batch size per device = 2",
                 stamp + "  Total train batch size (w. parallel, distributed & accumulation) = 16",
                 stamp + "  Gradient Accumulation steps = 4",
                 stamp + "  Total optimization steps = 100"};
  const auto evaluate = [&] {
    lines.push_back("***** Running Evaluation *****");
    lines.push_back(stamp + "  Num examples = 400");
    lines.push_back(stamp + "  Batch size = 2");
    for (int i = 20; i <= 200; i += 20) lines.push_back(bar(i, 200, i));
  };
  for (int i = 1; i <= 100; ++i) {
    lines.push_back(bar(i, 100, i * 10));
    if (i == 50) evaluate();
  }
  lines.push_back(
      "{'train_runtime': 1200.25, 'train_samples_per_second': 1.33, 'train_steps_per_second': 0.083}");
  evaluate();
  for (const bool restarting : {false, true}) {
    const auto runs = runs_in_order(lines, restarting);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].state, RunState::finished);
    EXPECT_EQ(runs[0].iteration, 100);
    // Sixteen samples, two on each device, four times.
    EXPECT_EQ(runs[0].devices, 2);
  }
}

// One word at the end of a log that says no plan; but not where the training went on behind it.
TEST(BrokenRuns, ASingleWordAtTheEndSaysThatItIsDone) {
  const auto state = [](const char* amid, const char* word) {
    auto lines = lines_by(10, [](int i) { return written("step %d loss 1.25 (0.25 s/step)", 10 * i + 10); });
    lines.insert(lines.begin() + 5, amid);
    lines.emplace_back(word);
    return runs_of(lines).at(0).state;
  };
  for (const char* word : {"Done", "Done.", "All done!", "DONE!", "Fine-tuning completed."}) {
    EXPECT_EQ(state("saved", word), RunState::finished) << word;
    EXPECT_EQ(state(word, "saved"), RunState::lost) << word;
  }
  for (const char* word : {"Done in 3 s", "one", "not done"})
    EXPECT_EQ(state("saved", word), RunState::lost) << word;
}

// What a cancelled job still had in its buffers comes behind Slurm's word; one that is put into the queue again goes on.
TEST(BrokenRuns, AFewLinesBehindSlurmsWordAreNoLife) {
  for (const int behind : {0, 3, 30}) {
    auto lines = lines_by(40 + behind, [](int i) {
      return written("2026-03-01 10:%02d:%02d,250 - INFO - step %d/5000 loss 1.25", i / 6, i % 6 * 10, i + 1);
    });
    lines.insert(lines.begin() + 40,
                 "slurmstepd: error: *** JOB 71 ON node3 CANCELLED AT 2026-03-01T10:06:40 ***");
    for (const std::size_t restart : {0U, 42U})
      EXPECT_EQ(runs_of(lines, restart).at(0).state, behind < 20 ? RunState::stopped : RunState::lost)
          << behind;
  }
}

// A launcher's line tells the processes of a node, and of how many nodes.
TEST(Launchers, ProcessesOfANodeAreMultipliedByTheNodes) {
  const auto devices = [](const char* launcher) {
    auto lines = lines_by(10, [](int i) { return written("step %d loss 1.25 (0.25 s/step)", 10 * i + 10); });
    lines.insert(lines.begin() + 1, launcher);
    return runs_of(lines).at(0).devices;
  };
  EXPECT_EQ(devices("+ torchrun --nnodes=4 --nproc_per_node=8 train.py"), 32);
  EXPECT_EQ(devices("+ torchrun --nproc-per-node 8 --nnodes 4 train.py"), 32);
  EXPECT_EQ(devices("+ torchrun --nproc_per_node=8 --nnodes=1:4 train.py"), 8) << "as many as there will be";
  EXPECT_EQ(devices("+ deepspeed --num_nodes 2 --num_gpus 8 train.py"), 16);
}

// What is evaluated or predicted behind the end of a training that stopped early is no life of it.
TEST(BrokenRuns, AnEvaluationBehindAnEarlyStopIsNoMoreOfIt) {
  Lines lines = keras_epochs(12);
  lines.push_back("Epoch 00012: early stopping");
  lines.push_back("118/118 [==============================] - 2s 19ms/step");
  const auto runs = runs_in_order(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::finished);
  EXPECT_EQ(runs[0].iteration, 12 * 64);
}

// PowerShell takes a warning for an error, and breaks what it says of it where the window ends.
TEST(BrokenRuns, WhatPowerShellSaysOfAWarningEndsNoTraining) {
  const auto runs =
      runs_in_order(Lines{"Model: \"lenet\"", "ErrorId : Native", "CommandError"} + keras_epochs(6));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].network, "lenet");
}

// Of steps counted from 0 that are shown at intervals the last one shown is one interval before the plan.
TEST(BrokenRuns, StepsCountedFromZeroAreDoneAtTheLastThatIsShown) {
  const auto shown_to = [](int last) {
    Lines lines;
    for (int i = 0; i <= last; i += 100)
      lines.push_back(written("Iter: [%d/2000]\tTime 0.625 (0.625)\tLoss 2.212 (2.372)", i));
    return runs_in_order(lines);
  };
  const auto done = shown_to(1900), broken = shown_to(1800);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].state, RunState::finished);
  EXPECT_EQ(done[0].iteration, 2000);
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].state, RunState::lost);
}

}  // namespace
}  // namespace etad::test
