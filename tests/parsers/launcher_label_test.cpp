#include "parsers/lines/launcher_label.h"

#include <gtest/gtest.h>

#include "parsers/log/log_parser.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

std::string behind_label(std::string_view line) {
  const auto label = launcher_label(line);
  return std::string(line.substr(label ? label->length : 0));
}

TEST(LauncherLabel, EachLaunchersFormIsTakenOff) {
  for (const std::string label :
       {"0: ", " 0: ", "  12: ", "[rank0]: ", "[rank12]:", "[default0]:", "[1,0]<stdout>:", "[1,3]<stderr>:",
        "[1,mpirank:0,algo-1]<stdout>:", "trainer-1  | ", "web_trainer_2 | ", "(pid=71) ",
        "(RayTrainWorker pid=71, ip=10.0.0.2) ", "(Actor(3) pid=9) ", "[pod/train-0/main] ",
        "10.0.0.2: ", "node-3: ", "trainer-1  | [rank0]: ", "3: [default3]:"})
    EXPECT_EQ(behind_label(label + "Iteration 100, loss = 0.5"), "Iteration 100, loss = 0.5") << label;
}

TEST(LauncherLabel, WhatAProgramWritesItselfIsNone) {
  for (const std::string_view line :
       {"Iteration 100, loss = 0.5", "I1121 00:16:38.258493 18451 solver.cpp:239] Iteration 0", "epoch: 1",
        "[2026-03-01 10:00:00] step 1", "| epoch 001 | loss 2", "(1, 2) done", "[rank0] nothing behind it",
        "", "   ", "12", "3/30  2.5G  1.125", "loss-1", "{'loss': 1.25}", "2026-03-01 10:00:00,250 run"})
    EXPECT_FALSE(launcher_label(line)) << line;
}

TEST(LauncherLabel, TellsTheSpeakersApart) {
  EXPECT_EQ(launcher_label("[1,0]<stdout>:a")->speaker, launcher_label("[1,0]<stderr>:b")->speaker);
  EXPECT_EQ(launcher_label(" 0: a")->speaker, launcher_label("0: b")->speaker);
  EXPECT_NE(launcher_label("0: a")->speaker, launcher_label("1: a")->speaker);
  EXPECT_FALSE(launcher_label("120: 12.5, 15.25 avg loss")->certain);
  EXPECT_TRUE(launcher_label("[rank0]: a")->certain);
}

std::map<std::int64_t, etad::Run> runs_of(const std::vector<std::string>& lines) {
  LogOptions options;
  options.formats = &shipped_formats();
  LogParser parser(options);
  Records records;
  for (const std::string& line : lines) parser.feed(line, {}, reference_time(), records);
  parser.settle(records);
  parser.close(records);
  parser.flush(records);
  std::map<std::int64_t, etad::Run> runs;
  for (const etad::Run& run : records.runs) runs[run.ordinal] = run;
  return runs;
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

}  // namespace
}  // namespace etad::test
