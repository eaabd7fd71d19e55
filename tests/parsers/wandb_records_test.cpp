// W&B's run files: fragments, blocks, damage, and what becomes of their records.
#include "parsers/lines/wandb_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"
#include "tests/parsers/wandb_files.h"

namespace etad::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr double kBegun = 1'700'000'000;
constexpr std::size_t kLongestLine = 64 * 1024;

std::vector<std::string> wandb_text(const std::string& file) {
  std::vector<std::string> lines;
  take_records(RecordFile::wandb, {file, 0, file.size(), false}, kLongestLine, lines);
  return lines;
}

std::string step_record(std::int64_t n, const std::string& media = "null") {
  return wandb_history(kBegun + static_cast<double>(n), {{"_step", std::to_string(n)}, {"media", media}});
}

std::string step_line(std::int64_t n) {
  const std::string at = std::to_string(1'700'000'000 + n) + ".000000";
  return at + " wandb history {\"_step\": " + std::to_string(n) + ", \"media\": null, \"_timestamp\": " + at +
         "}";
}

TEST(WandbRecords, AreKnownByTheFirstBytes) {
  const std::string file = WandbFile().add(step_record(0)).content();
  EXPECT_EQ(record_file(file.substr(0, 7)), RecordFile::wandb);
  EXPECT_EQ(record_file(file.substr(0, 6)), RecordFile::none);
  EXPECT_EQ(record_file(":W&B is what I log to\n"), RecordFile::none);
}

TEST(WandbRecords, EachThingThatARuleMayReadIsALine) {
  WandbFile file;
  file.add(bytes(21, "header"))
      .add(wandb_run(kBegun, "n7", {{"batch_size", "32"}, {"model", "\"tiny\""}, {"layers", "[1, 2]"}}))
      .add(wandb_environment("NVIDIA H100", 8))
      .add(wandb_history(kBegun + 1.5,
                         {{"_step", "0"}, {"loss", "2.25"}, {"w", "{\"_type\": \"histogram\"}"}}))
      .add(bytes(13, bytes(3, "printed\n")))
      .add(wandb_exit(0))
      .add(wandb_exit(1));
  EXPECT_THAT(
      wandb_text(file.content()),
      ElementsAre(
          R"(1700000000.000000 wandb run {"name": "first", "host": "n7", "project": "tiny"})",
          R"(wandb config {"model": "tiny", "batch_size": 32})",
          R"(wandb environment {"gpu": "NVIDIA H100", "gpu_count": 8})",
          R"(1700000001.500000 wandb history {"loss": 2.25, "_step": 0, "_timestamp": 1700000001.500000})",
          R"(wandb exit {"runtime": 105, "exit_code": 0})",
          R"(wandb exit {"runtime": 105, "exit_code": 1})"));
}

// Whatever the end of a block cuts: a fragment's head, its data, or nothing.
TEST(WandbRecords, GoOnOverTheEndsOfBlocks) {
  for (std::size_t fill = 32'600; fill < 32'800; ++fill) {
    const std::string file = WandbFile()
                                 .add(bytes(13, std::string(fill - 200, 'x')))
                                 .add(step_record(1))
                                 .add(step_record(2))
                                 .content();
    EXPECT_THAT(wandb_text(file), ElementsAre(step_line(1), step_line(2))) << fill;
  }
}

// A record of several blocks, read in whatever pieces: none of it is passed before it is whole.
TEST(WandbRecords, OnlyWholeOnesArePassed) {
  const std::string long_text = '"' + std::string(100'000, 'x') + '"';
  const std::string file =
      WandbFile().add(step_record(1)).add(step_record(2, long_text)).add(step_record(3)).content();
  for (const std::size_t piece : {1'000U, 32'768U, 50'000U}) {
    std::vector<std::string> lines;
    std::size_t passed = 0;
    for (std::size_t end = piece; passed < file.size(); end += piece) {
      const std::string_view bytes = std::string_view(file).substr(passed, end - passed);
      passed += take_records(RecordFile::wandb, {bytes, static_cast<std::int64_t>(passed), 0, false},
                             kLongestLine, lines)
                    .passed;
    }
    ASSERT_THAT(lines, SizeIs(3)) << piece;
    EXPECT_EQ(lines.back(), step_line(3));
  }
}

TEST(WandbRecords, ALongerOneThanCanBeHeldIsPassedOver) {
  const std::string file =
      WandbFile().add(step_record(1)).add(bytes(13, std::string(200'000, 'x'))).add(step_record(2)).content();
  std::vector<std::string> lines;
  std::size_t truncated = 0;
  for (std::size_t passed = 0; passed < file.size();) {
    const std::string_view bytes = std::string_view(file).substr(passed, 64 * 1024);
    const auto taken = take_records(RecordFile::wandb,
                                    {bytes, static_cast<std::int64_t>(passed), 0, bytes.size() == 64 * 1024},
                                    kLongestLine, lines);
    ASSERT_GT(taken.passed, 0U);
    passed += taken.passed;
    truncated += taken.truncated;
  }
  EXPECT_THAT(lines, ElementsAre(step_line(1), step_line(2)));
  EXPECT_EQ(truncated, 1U);
}

TEST(WandbRecords, DamageIsWaitedForAndThenCostsTheRestOfItsBlock) {
  WandbFile intact;
  intact.add(step_record(1)).add(step_record(2)).add(bytes(13, std::string(40'000, 'x'))).add(step_record(3));
  std::string file = intact.content();
  const std::size_t second = 7 + (WandbFile().add(step_record(1)).content().size() - 7) + 20;
  file[second] = static_cast<char>(file[second] ^ 1);
  std::vector<std::string> lines;
  const auto waits = take_records(RecordFile::wandb, {file, 0, 0, false}, kLongestLine, lines);
  EXPECT_TRUE(waits.damaged);
  EXPECT_THAT(lines, ElementsAre(step_line(1)));
  lines.clear();
  const auto passes = take_records(RecordFile::wandb, {file, 0, file.size(), false}, kLongestLine, lines);
  EXPECT_FALSE(passes.damaged);
  EXPECT_EQ(passes.passed, file.size());
  EXPECT_GT(passes.skipped, 30'000U);
  EXPECT_THAT(lines, ElementsAre(step_line(1), step_line(3)));
}

TEST(WandbRecords, WhatIsLeftOutOfALongLineAreLongNames) {
  Items items = {{"_step", "7"}, {"loss", "0.5"}};
  for (int i = 0; i < 5'000; ++i) items["gradients/layer." + std::to_string(1'000 + i)] = "0.125";
  const auto lines = wandb_text(WandbFile().add(wandb_history(kBegun, items)).content());
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_LE(lines[0].size(), kLongestLine);
  EXPECT_THAT(lines[0], testing::StartsWith(R"(1700000000.000000 wandb history {"loss": 0.5, "_step": 7, )"));
  EXPECT_EQ(lines[0].back(), '}');
}

// Steps by the key that says them, evaluations taken out, whatever the calls' own count is.
TEST(WandbRecords, TheStepsOfATrainerAreTheRuns) {
  WandbFile file;
  file.add(wandb_run(kBegun, "n7", {{"per_device_train_batch_size", "8"}, {"max_steps", "400"}}));
  int call = 0;
  const auto log = [&](double at, Items items) {
    items["_step"] = std::to_string(call++);
    file.add(wandb_history(kBegun + at, items));
  };
  for (int i = 1; i <= 4; ++i) {
    const std::string done = std::to_string(100 * i);
    log(70.0 * i - 20, {{"train/loss", "2.5"}, {"train/global_step", done}});
    log(70.0 * i, {{"eval/loss", "2.75"}, {"eval/runtime", "20.0"}, {"train/global_step", done}});
  }
  file.add(wandb_exit(0));
  const auto runs = runs_of(wandb_text(file.content()));
  ASSERT_THAT(runs, SizeIs(1));
  const etad::Run& run = runs.begin()->second;
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.host, "n7");
  EXPECT_EQ(run.iteration, 400);
  EXPECT_EQ(run.max_iterations, 400);
  EXPECT_EQ(run.train.iterations, 300);
  EXPECT_NEAR(to_seconds(run.train.duration), 150, 0.01);
}

// A test's values are among those of a step that the training shows too.
TEST(WandbRecords, WhatATestEndsIsNoMeasureWhereOthersAre) {
  std::vector<std::string> lines;
  double time = 1'700'000'000;
  for (int step = 0; step <= 400; step += 20) {
    const bool tested = step % 100 == 0;
    time += tested ? 14 : 10;
    lines.push_back(written(R"(%.6f wandb history {"_step": %d, "train/loss": 2.25%s})", time, step,
                            tested ? R"(, "val/loss": 2.5)" : ""));
  }
  const auto runs = runs_of(lines, 13);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 0.005);
}

// A notebook's cells each train, all of them in one run of W&B's.
TEST(WandbRecords, StepsThatBeginAgainAreAnotherTrainings) {
  std::vector<std::string> lines = {R"(1700000000.000000 wandb run {"name": "first", "host": "n7"})"};
  double time = 1'700'000'000;
  for (const double each : {0.5, 0.25})
    for (int step = 10; step <= 200; step += 10, time += 10 * each)
      lines.push_back(
          written(R"(%.6f wandb history {"_step": %d, "train/loss": 2.25, "train/global_step": %d})", time,
                  step, step));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).train.iterations, 180);  // the first call shows no series that goes on
  EXPECT_EQ(runs.at(1).train.iterations, 190);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 0.5);
  EXPECT_DOUBLE_EQ(step_time(runs.at(1)), 0.25);
  for (const auto& [ordinal, run] : runs) EXPECT_EQ(run.iteration, 200);
}

// What was logged last is written behind the program's end.
TEST(WandbRecords, TheLastStepMayStandBehindTheEnd) {
  for (const char* const exit_code : {"0", "255"}) {
    std::vector<std::string> lines = {R"(1700000000.000000 wandb run {"name": "first", "host": "n7"})"};
    const auto step = [&lines](int n) {
      lines.push_back(written(R"(%.6f wandb history {"_step": %d, "loss": 2.25})", 1.7e9 + 0.5 * n, n));
    };
    for (int n = 0; n < 20; ++n) step(n);
    lines.push_back(written(R"(wandb exit {"runtime": 12, "exit_code": %s})", exit_code));
    step(20);
    for (const std::size_t restart : {0U, 22U}) {
      const auto runs = runs_of(lines, restart);
      ASSERT_EQ(runs.size(), 1U) << exit_code;
      EXPECT_EQ(runs.at(0).iteration, 20);
      EXPECT_EQ(runs.at(0).state, exit_code[0] == '0' ? RunState::finished : RunState::stopped);
      EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-6);
    }
  }
}

}  // namespace
}  // namespace etad::test
