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
  const auto failed = runs_in_order(
      steps(20, 200) + Lines{"slurmstepd: error: Detected 1 oom-kill event(s) in StepId=71.batch."});
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].state, RunState::failed);
  EXPECT_NE(failed[0].message.find("oom-kill"), std::string::npos);
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

// Lines that no rule of their format knows.
TEST(RunsEnds, AreToldByTheLastWordsOfTheProgram) {
  const auto state_behind = [](const Lines& words, bool restarting) {
    const auto runs = runs_in_order(keras_epochs(6) + words, restarting);
    EXPECT_EQ(runs.size(), 1U);
    return runs.empty() ? RunState::running : runs[0].state;
  };
  for (const bool restarting : {false, true}) {
    EXPECT_EQ(state_behind({}, restarting), RunState::lost);
    EXPECT_EQ(state_behind({"Epoch 6: early stopping"}, restarting), RunState::stopped);
    EXPECT_EQ(state_behind({"2026-03-01 10:00:12,250 - INFO - Early stopping triggered!"}, restarting),
              RunState::stopped);
    EXPECT_EQ(state_behind({"EarlyStopping counter: 3 out of 10"}, restarting), RunState::lost);
    // Six epochs of the forty planned.
    EXPECT_EQ(state_behind({"2026-03-01 10:00:12,250 - main - INFO - Training time: 6.25 min"}, restarting),
              RunState::stopped);
  }
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

}  // namespace
}  // namespace etad::test
