#include "parsers/lines/launcher_label.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

std::string behind_label(std::string_view line) {
  const auto label = launcher_label(line);
  return std::string(line.substr(label ? label->length : 0));
}

TEST(LauncherLabel, EachLaunchersFormIsTakenOff) {
  for (const std::string label : {"0: ",
                                  " 0: ",
                                  "  12: ",
                                  "[rank0]: ",
                                  "[rank12]:",
                                  "[default0]:",
                                  "[1,0]<stdout>:",
                                  "[1,3]<stderr>:",
                                  "[1,mpirank:0,algo-1]<stdout>:",
                                  "trainer-1  | ",
                                  "web_trainer_2 | ",
                                  "(pid=71) ",
                                  "(RayTrainWorker pid=71, ip=10.0.0.2) ",
                                  "(Actor(3) pid=9) ",
                                  "[pod/train-0/main] ",
                                  "10.0.0.2: ",
                                  "node-3: ",
                                  "localhost: ",
                                  "trainer-1  | [rank0]: ",
                                  "3: [default3]:",
                                  "[trainer0]:",
                                  "trainer  | ",
                                  "[prterun-host-71@1,0]<stdout>: "})
    EXPECT_EQ(behind_label(label + "Iteration 100, loss = 0.5"), "Iteration 100, loss = 0.5") << label;
}

TEST(LauncherLabel, WhatAProgramWritesItselfIsNone) {
  for (const std::string_view line :
       {"Iteration 100, loss = 0.5", "I1121 00:16:38.258493 18451 solver.cpp:239] Iteration 0", "epoch: 1",
        "[2026-03-01 10:00:00] step 1", "| epoch 001 | loss 2", "(1, 2) done", "[rank0] nothing behind it",
        "", "   ", "12", "3/30  2.5G  1.125", "loss-1", "trainer | one blank", "0  | conv1  | Conv2d",
        "[trainer0] no colon", "[a b0]: blank", "{'loss': 1.25}", "2026-03-01 10:00:00,250 run"})
    EXPECT_FALSE(launcher_label(line)) << line;
}

TEST(LauncherLabel, TellsTheSpeakersApart) {
  EXPECT_EQ(launcher_label("[1,0]<stdout>:a")->speaker, launcher_label("[1,0]<stderr>:b")->speaker);
  EXPECT_EQ(launcher_label(" 0: a")->speaker, launcher_label("0: b")->speaker);
  EXPECT_NE(launcher_label("0: a")->speaker, launcher_label("1: a")->speaker);
  EXPECT_FALSE(launcher_label("120: 12.5, 15.25 avg loss")->certain);
  EXPECT_TRUE(launcher_label("[rank0]: a")->certain);
  EXPECT_FALSE(launcher_label("[trainer0]: a")->certain);
  EXPECT_FALSE(launcher_label("trainer  | a")->certain);
}

std::string numbered(const char* form, int i) {
  char text[256];
  std::snprintf(text, sizeof text, form, i, i, i, i);
  return text;
}

std::vector<std::string> log_of(const std::string& format) {
  std::vector<std::string> lines;
  if (format == "huggingface") lines.push_back("***** Running training *****");
  for (int i = 1; i <= 9; ++i) {
    if (format == "caffe") {
      lines.push_back(
          numbered("I1017 07:3%d:17.370688 31333 solver.cpp:228] Iteration %d00, loss = 0.757952", i));
    } else if (format == "pytorch") {
      lines.push_back(
          numbered("Epoch: [1][%d0/500]\tTime 0.500 (0.500)\tData 0.010 (0.010)\tLoss 0.5 (0.5)", i));
    } else if (format == "detectron2") {
      lines.push_back(numbered(
          "[03/04 05:0%d:30 d2.utils.events]:  eta: 0:12:30  iter: %d9  total_loss: 1.25  time: 0.512", i));
    } else if (format == "huggingface") {
      lines.push_back(numbered(" 10%%|#         | %d0/100 [0%d:00<09:00,  6.00s/it]", i));
    } else if (format == "keras") {
      lines.push_back(numbered("Epoch %d/10", i));
      lines.push_back("64/64 [==============================] - 4s 62ms/step - loss: 0.5");
    } else if (format == "nanogpt") {
      lines.push_back(numbered("iter %d: loss 2.5125, time 31.25ms, mfu 12.50%%", i));
    } else if (format == "megatron") {
      lines.push_back(
          numbered(" iteration       %d0/    2000 | consumed samples:   320 | elapsed time per iteration "
                   "(ms): 1250.5 | global batch size:    32 | lm loss: 7.5E+00 |",
                   i));
    } else if (format == "tqdm") {
      lines.push_back(
          numbered("Epoch %d: 100%%|####| 250/250 [02:05<00:00,  2.00it/s, loss=0.5, v_num=1]", i));
    } else if (format == "generic") {
      lines.push_back(
          numbered("2026-03-01 10:00:0%d,750 - INFO - Epoch [2/30], Step [%d0/500], Loss: 1.25", i));
    } else {
      lines.push_back(numbered("Epoch %d/40, Train Loss: 0.8125, Time: 62.5s", i));
    }
  }
  return lines;
}

// Whatever the format: the same run behind each launcher's label.
TEST(LauncherLabel, HidesNoFormat) {
  for (const std::string format : {"caffe", "pytorch", "detectron2", "huggingface", "keras", "nanogpt",
                                   "megatron", "tqdm", "generic", "generic_epochs"}) {
    const auto plain = runs_of(log_of(format));
    ASSERT_EQ(plain.size(), 1U) << format;
    ASSERT_GE(plain.at(0).train.segments, 3) << format;
    for (const std::string label :
         {" 0: ", "12: ", "[rank0]: ", "[default0]:", "[trainer0]:", "[1,0]<stdout>:",
          "[prterun-host-71@1,0]<stdout>: ", "trainer-1  | ", "trainer  | ", "(main pid=71) ",
          "(RayTrainWorker pid=71, ip=10.0.0.2) ", "[pod/train-0/main] ",
          "node-3: ", "localhost: ", "trainer-1  | [rank0]: "}) {
      auto lines = log_of(format);
      for (std::string& line : lines) line.insert(0, label);
      const auto labelled = runs_of(lines);
      ASSERT_EQ(labelled.size(), 1U) << format << " behind " << label;
      EXPECT_EQ(labelled.at(0).framework, plain.at(0).framework) << label;
      EXPECT_EQ(labelled.at(0).iteration, plain.at(0).iteration) << format << " behind " << label;
      EXPECT_EQ(labelled.at(0).train.segments, plain.at(0).train.segments) << format << " behind " << label;
      EXPECT_EQ(labelled.at(0).train.duration, plain.at(0).train.duration) << format << " behind " << label;
    }
  }
}

// Of the lines that describe a net none is known by itself, and a label may as well be their own words.
TEST(LauncherLabel, HidesNoNetThatIsDescribedInManyLines) {
  const auto log = caffe_log("lenet_b32_i500_tb50_ti50.log");
  const etad::Run plain = only_run(log);
  ASSERT_GT(plain.test.iterations, 0);
  for (const std::string label : {" 0: ", "node-3: ", "trainer  | ", "[rank0]: "}) {
    auto lines = log;
    for (std::string& line : lines) line.insert(0, label);
    for (const std::size_t restart : {std::size_t{0}, std::size_t{40}}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U) << label;
      const etad::Run& labelled = runs.at(0);
      EXPECT_EQ(labelled.architecture, plain.architecture) << label;
      EXPECT_EQ(labelled.settings, plain.settings) << label;
      EXPECT_EQ(labelled.max_iterations, plain.max_iterations) << label;
      EXPECT_EQ(labelled.test.iterations, plain.test.iterations) << label;
    }
  }
}

// Four processes, each of which writes every line.
TEST(LauncherLabel, ARunThatAllRanksWriteIsNotDoubled) {
  std::vector<std::string> lines;
  for (int step = 0; step <= 100; step += 10)
    for (int rank = 0; rank < 4; ++rank)
      lines.push_back(" " + std::to_string(rank) + ": iter " + std::to_string(step) +
                      ": loss 2.5125, time 31.25ms, mfu 12.50%");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 100);
  EXPECT_EQ(runs.at(0).train.segments, 10);
}

// Some of the lines say something with the label in them, too, but not when.
TEST(LauncherLabel, HidesNoHeader) {
  std::vector<std::string> plain;
  int now = 0;
  const auto say = [&](int seconds, const std::string& what) {
    now += seconds;
    plain.push_back("[INFO] 2026-03-01 " + time_of_day(20, now) + ",457 : Epoch:  " + what);
  };
  for (int epoch = 1; epoch <= 12; ++epoch) {
    say(160, std::to_string(epoch) + ", loss: 8.836");
    say(50, std::to_string(epoch) + " Dev Bleu Score: 12.5");
  }
  auto labelled = plain;
  for (std::string& line : labelled) line.insert(0, " 0: ");
  EXPECT_EQ(only_run(labelled).train.duration, only_run(plain).train.duration);
}

TEST(LauncherLabel, ALineThatOnlyLooksLabelledIsReadAsItStands) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 5; ++i)
    lines.push_back(" " + std::to_string(i) + ": 12.5, 15.25 avg loss, 0.0001 rate, 0.5125 seconds, " +
                    std::to_string(64 * i) + " images");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).framework, "darknet");
  EXPECT_EQ(runs.at(0).iteration, 5);
}

// Ray's workers: the first start fails, and another process is the second one.
TEST(LauncherLabel, OfAnotherProcessBehindAFailedRunIsAnotherStart) {
  std::vector<std::string> lines;
  const auto steps = [&lines](const char* label, int to) {
    for (int i = 0; i <= to; i += 10)
      lines.push_back(
          written("%sEpoch: [0][%d/500]\tTime 0.412 (0.412)\tData 0.001 (0.001)\tLoss 4.1 (4.1)", label, i));
  };
  const char* const first = "(RayTrainWorker pid=71, ip=10.0.0.2) ";
  steps(first, 200);
  for (const char* const line :
       {"Traceback (most recent call last):", "  File \"train.py\", line 7, in <module>",
        "RuntimeError: CUDA out of memory."})
    lines.push_back(std::string(first) + line);
  steps("(RayTrainWorker pid=93, ip=10.0.0.2) ", 300);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).state, RunState::failed);
  EXPECT_GE(runs.at(1).iteration, 300);
  // Who was heard beside it all the time goes on after it.
  std::vector<std::string> beside;
  for (std::size_t i = 0; i < 21; ++i) {
    beside.push_back(lines[i]);
    beside.push_back(std::string("(RayTrainWorker pid=93, ip=10.0.0.2) ") +
                     lines[i].substr(lines[i].find("Epoch")));
  }
  beside.insert(beside.end(), lines.begin() + 21, lines.end());
  EXPECT_EQ(runs_of(beside).size(), 1U);
}

}  // namespace
}  // namespace etad::test
