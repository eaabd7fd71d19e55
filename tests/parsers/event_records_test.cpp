// Event files of TensorBoard, whole, cut anywhere, and damaged, to lines; and what becomes of those.
#include "parsers/lines/event_records.h"

#include <gmock/gmock.h>

#include <random>

#include "parsers/log/log_parser.h"
#include "tests/parsers/event_files.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kStart = 1'700'000'000.25;
constexpr std::size_t kLimit = 65536;

std::vector<std::string> event_text(std::string_view file) {
  std::vector<std::string> lines;
  take_records(RecordFile::tensorboard, {file, 0, file.size(), false}, kLimit, lines);
  return lines;
}

TEST(EventRecords, AreKnownByTheFirst) {
  const std::string file = version_record(kStart);
  EXPECT_TRUE(begins_event_file(file));
  EXPECT_TRUE(begins_event_file(file.substr(0, kRecordHead)));
  EXPECT_FALSE(begins_event_file(file.substr(0, kRecordHead - 1)));
  for (const std::string& other :
       {std::string("I1017 07:36:17.3 solver"), std::string(100, '\0'), std::string(100, '\xff')})
    EXPECT_FALSE(begins_event_file(other));
}

TEST(EventRecords, EachThingThatARuleMayReadIsALine) {
  const std::string plugin =
      bytes(1, bytes(1, "hparams") +
                   bytes(2, bytes(3, bytes(1, bytes(1, "batch_size") + bytes(2, real(2, 32))) +
                                         bytes(1, bytes(1, "opt \"x\"") + bytes(2, bytes(3, "adam"))) +
                                         bytes(1, bytes(1, "amp") + bytes(2, number(4, 1))))));
  const std::string ending = bytes(1, bytes(1, "hparams") + bytes(2, bytes(4, number(1, 1))));
  const std::string file =
      version_record(kStart) + scalar_record(kStart + 1, 200, "train/loss", 0.5F) +
      event_record(kStart + 2, 201,
                   bytes(1, "a b") +
                       bytes(8, number(1, 1) + bytes(4, little(std::bit_cast<std::uint32_t>(2.5F), 4)))) +
      event_record(
          kStart + 2, 201,
          bytes(1, "d") + bytes(8, number(1, 2) + bytes(6, little(std::bit_cast<std::uint64_t>(1.25), 8)))) +
      event_record(kStart + 3, 0,
                   bytes(1, "args/text_summary") + bytes(8, number(1, 7) + bytes(8, "{\"a\":\n 1}"))) +
      event_record(kStart + 4, 0, bytes(1, "_hparams_/session_start_info") + bytes(9, plugin)) +
      event_record(kStart + 5, 0, bytes(1, "_hparams_/session_end_info") + bytes(9, ending)) +
      event_record(kStart + 6, 7, bytes(1, "image") + bytes(4, std::string(1000, 'x'))) +
      record(real(1, kStart) + bytes(4, "graph"));
  EXPECT_THAT(
      event_text(file),
      ElementsAre(
          "1700000000.250000 tfevents file_version brain.Event:2",
          "1700000001.250000 tfevents step 200 train/loss = 0.5",
          "1700000002.250000 tfevents step 201 a_b = 2.5", "1700000002.250000 tfevents step 201 d = 1.25",
          "1700000003.250000 tfevents step 0 args/text_summary : {\"a\":  1}",
          "1700000004.250000 tfevents hparams {\"batch_size\": 32, \"opt 'x'\": \"adam\", \"amp\": true}",
          "1700000005.250000 tfevents session_end 1"));
}

TEST(EventRecords, OnlyWholeOnesAreTakenWhereverTheFileEnds) {
  const std::string first = version_record(kStart), second = scalar_record(kStart, 1, "loss", 1),
                    file = first + second;
  for (std::size_t end = 0; end <= file.size(); ++end) {
    std::vector<std::string> lines;
    const auto taken = take_event_records(std::string_view(file).substr(0, end), 0, kLimit, lines);
    const std::size_t whole = end == file.size() ? end : end >= first.size() ? first.size() : 0;
    ASSERT_EQ(taken.passed, whole) << end;
    ASSERT_FALSE(taken.damaged);
    ASSERT_EQ(lines.size(), whole == 0 ? 0U : whole == end && end == file.size() ? 2U : 1U);
    if (end - whole >= kRecordHead) {
      ASSERT_EQ(taken.next, whole == 0 ? first.size() : second.size());
    }
  }
}

TEST(EventRecords, DamageIsWaitedForAndThenPassedOver) {
  const std::string first = version_record(kStart), lost = scalar_record(kStart, 1, "loss", 1),
                    last = scalar_record(kStart, 2, "loss", 1);
  for (std::size_t at = 0; at < lost.size(); ++at) {
    std::string file = first + lost + last;
    file[first.size() + at] = static_cast<char>(file[first.size() + at] ^ 0x11);
    std::vector<std::string> lines;
    auto taken = take_event_records(file, first.size(), kLimit, lines);
    EXPECT_TRUE(taken.damaged) << at;
    EXPECT_EQ(taken.passed, first.size());
    lines.clear();
    taken = take_event_records(file, file.size(), kLimit, lines);
    EXPECT_FALSE(taken.damaged);
    EXPECT_EQ(taken.passed, file.size());
    EXPECT_EQ(taken.skipped, lost.size()) << at;
    EXPECT_THAT(lines, ::testing::SizeIs(2));
  }
}

TEST(EventRecords, HostileMessagesGiveNothing) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string payload =
        real(1, kStart) +
        bytes(5, bytes(1, bytes(1, "t") + bytes(8, std::string(8, '\xff')) + bytes(9, "\x0a\xff")));
    for (int n = 0; n < 6; ++n) payload[random() % payload.size()] = static_cast<char>(random());
    event_text(record(payload));
  }
  for (const double time : {-1.0, 1e300, std::nan("")})
    EXPECT_THAT(event_text(scalar_record(time, 1, "loss", 1)), IsEmpty());
  EXPECT_THAT(event_text(record(real(1, kStart) + bytes(5, bytes(1, bytes(1, std::string(1 << 20, 'x')) +
                                                                        small_real(2, 1)))))[0],
              ::testing::SizeIs(kLimit));
}

Records read(const std::string& file) {
  LogOptions options;
  options.formats = &shipped_formats();
  LogParser parser(options);
  Records records;
  for (const std::string& line : event_text(file)) parser.feed(line, {}, Instant{}, records);
  read_to_end(parser, records);
  return records;
}

// A series said once, at the beginning, and one of the epochs do not disturb the one of the steps.
TEST(EventRecords, TheSeriesThatGoesOnIsTheRuns) {
  std::string file = version_record(kStart) + scalar_record(kStart, 0, "hp_metric", -1) +
                     scalar_record(kStart, 0, "once", 1);
  double at = kStart;
  for (int step = 10; step <= 200; step += 10) {
    at += 2.5;
    file += scalar_record(at, step, "train_loss", 1) + scalar_record(at + 0.001, step, "lr", 1);
    if (step % 100 == 0)
      file += scalar_record(at + 0.5, step / 100, "val_loss", 1) +
              scalar_record(at + 0.5, step / 100, "epoch", 1);
  }
  const Records records = read(file);
  ASSERT_FALSE(records.runs.empty());
  const etad::Run& run = records.runs.back();
  EXPECT_EQ(run.ordinal, 0);
  EXPECT_EQ(run.framework, "tensorboard");
  EXPECT_EQ(run.iteration, 200);
  EXPECT_NEAR(step_time(run), 0.25, 1e-6);
}

// Steps of half a second, and behind each tenth a test of eight.
TEST(EventRecords, WhatLiesBehindAStepsPointUpToItsTestsIsTheTest) {
  std::vector<std::string> lines;
  double time = 1'600'000'000;
  for (int step = 10; step <= 100; step += 10) {
    time += 5;
    lines.push_back(written("%.6f tfevents step %d train/loss = 2.5", time, step));
    lines.push_back(written("%.6f tfevents step %d train/epoch = 1.25", time, step));
    if (step % 20 != 0) continue;
    time += 8;
    lines.push_back(written("%.6f tfevents step %d eval/loss = 2.5", time, step));
    lines.push_back(written("%.6f tfevents step %d eval/runtime = 7.75", time, step));
    lines.push_back(written("%.6f tfevents step %d train/epoch = 1.25", time, step));
  }
  const auto runs = runs_of(lines, 17);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.iterations, 80);
  EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-6);
}

// The last steps of a Trainer's are not logged, or none of them is.
TEST(EventRecords, ASummarySaysHowFarTheTrainingCame) {
  for (const int logged : {8, 0}) {
    std::vector<std::string> lines;
    for (int i = 1; i <= logged; ++i)
      lines.push_back(
          written("%d.000000 tfevents step %d train/loss = 2.5", 1'600'000'000 + 50 * i, 100 * i));
    lines.emplace_back("1600000420.000000 tfevents step 840 train/train_runtime = 420.0");
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.at(0).state, RunState::finished);
    EXPECT_EQ(runs.at(0).iteration, 840);
    EXPECT_NEAR(step_time(runs.at(0)), 0.5, 1e-6);
  }
}

// A megabyte of one record could be half a million lines.
TEST(EventRecords, OneIsSoManyLinesAtMost) {
  std::string ends;
  for (int i = 0; i < 5000; ++i) ends += "\x08\x01";
  const std::string plugin = bytes(1, "hparams") + bytes(2, bytes(4, ends));
  const std::string value = bytes(1, "_hparams_/session_end_info") + bytes(9, bytes(1, plugin));
  const std::string file = record(real(1, 1'700'000'000.) + bytes(5, bytes(1, value)));
  std::vector<std::string> lines;
  const TakenRecords taken = take_event_records(file, file.size(), 1 << 16, lines);
  EXPECT_EQ(lines.size(), kMostLinesOfRecord);
  EXPECT_EQ(taken.truncated, 5000 - kMostLinesOfRecord);
}

}  // namespace
}  // namespace etad::test
