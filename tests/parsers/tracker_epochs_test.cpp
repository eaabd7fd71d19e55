// Epochs that progress bars and epoch lines state as a whole, and where one run ends and the next begins
// when a log has no other start lines.
#include <gtest/gtest.h>

#include "tests/parsers/hand_log.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

// A bar at its end: `count` of something, each of them and all together so long.
HandLog& bar(HandLog& log, std::string_view count, std::string_view each, std::string_view all,
             Values more = {}) {
  std::vector<std::pair<Field, std::string_view>> values = {
      {Field::since, "epoch"}, {Field::iterations, count}, {Field::seconds, each}, {Field::lapse, all}};
  values.insert(values.end(), more.begin(), more.end());
  return log.line({}, EventKind::step_time, values);
}

HandLog& epoch(HandLog& log, std::string_view number, std::string_view of) {
  return log.line({}, EventKind::epoch, {{Field::epoch, number}, {Field::epochs, of}});
}

TEST(Epochs, ABarIsOfTheEpochAnnouncedOrElseATests) {
  HandLog log(std::map<std::string, std::string>{{"batch_size", "32"}});
  epoch(log, "1", "3");
  bar(log, "40", "250ms", "10");
  epoch(log, "2", "3");
  bar(log, "40", "202ms", "8");
  bar(log, "12", "50ms", "1");
  const Records& records = log.end();
  const auto train = segments_of(records, Phase::train), test = segments_of(records, Phase::test);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(train[1].first_iteration, 40);
  EXPECT_EQ(train[1].samples_per_iteration, 32);
  EXPECT_EQ(to_seconds(train[1].duration), 8.08) << "202 ms is finer than 8 s";
  ASSERT_EQ(test.size(), 1u);
  EXPECT_EQ(test[0].iterations, 12);
  const etad::Run& run = records.runs.at(0);
  EXPECT_EQ(run.iteration, 80);
  EXPECT_EQ(run.max_iterations, 120);
  EXPECT_EQ(run.state, RunState::lost);
}

TEST(Epochs, OfWhichOnlyHeadingsTellAreMeasuredByTheirArrival) {
  HandLog log;
  for (const char* number : {"0", "1", "2", "3"})
    log.arrives(30.0 * (number[0] - '0'))
        .line({}, EventKind::epoch, {{Field::epoch, number}, {Field::epochs, "3"}, {Field::unit, "epoch"}});
  const Records& records = log.end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 3u);
  EXPECT_EQ(train[2].first_iteration, 2);
  EXPECT_EQ(to_seconds(train[2].duration), 30);
  EXPECT_EQ(records.runs.back().iteration, 3);
  EXPECT_EQ(records.runs.back().max_iterations, 4);  // the total is the number of the last one
}

TEST(Epochs, WithoutAnyEpochABarIsATestUnlessItSaysOtherwise) {
  HandLog alone;
  bar(alone, "12", "50ms", "1");
  EXPECT_EQ(alone.end().runs.at(0).job, Job::test);
  HandLog validated;
  bar(validated, "12", "50ms", "1", {{Field::phase, "train"}});
  EXPECT_EQ(validated.end().runs.at(0).job, Job::train);
}

TEST(Epochs, WhatIsRoundedAwayIsNoMeasurement) {
  HandLog log;
  epoch(log, "1", "1");
  bar(log, "40", "0ms", "0");
  EXPECT_TRUE(log.end().segments.empty());
}

TEST(Epochs, BarsThatCountSamples) {
  const auto train_of = [](std::map<std::string, std::string> labels) {
    HandLog log(std::move(labels));
    log.line({}, EventKind::setting, {{Field::dataset_size, "1000"}});
    epoch(log, "1", "2");
    bar(log, "1000", "20ms", "20");
    return segments_of(log.end(), Phase::train);
  };
  const auto by_epoch = train_of({});
  ASSERT_EQ(by_epoch.size(), 1u);
  EXPECT_EQ(by_epoch[0].iterations, 1) << "nothing says of how many steps, so the epoch is what is counted";
  EXPECT_EQ(to_seconds(by_epoch[0].duration), 20);
  const auto by_batch = train_of({{"batch_size", "64"}});
  ASSERT_EQ(by_batch.size(), 1u);
  EXPECT_EQ(by_batch[0].iterations, 16) << "the last one is smaller";
  EXPECT_EQ(to_seconds(by_batch[0].duration), 20);
  EXPECT_EQ(train_of({{"steps_per_epoch", "10"}}).at(0).iterations, 10);
}

TEST(Epochs, CountedFromTheBeginningAgainTheyAreAnotherRuns) {
  HandLog log;
  log.line({}, EventKind::setting, {{Field::device, "Quadro P4000"}});
  for (int fit = 0; fit < 2; ++fit) {
    for (const std::string_view number : {"1", "2"}) {
      epoch(log, number, "2");
      epoch(log, number, "2");  // by another process of the same job
      bar(log, "40", "250ms", "10");
    }
  }
  const Records& records = log.end();
  auto runs = runs_of(records);
  ASSERT_EQ(runs.size(), 2u);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.state, RunState::finished) << "all that was planned is done";
    EXPECT_EQ(run.train.segments, 2);
    EXPECT_EQ(run.device, "Quadro P4000");
  }
}

TEST(Epochs, WhatIsSaidBetweenTwoRunsIsOfTheSecond) {
  HandLog log;
  log.line(0, EventKind::setting, {{Field::device, "Quadro P4000"}, {Field::batch_size, "8"}});
  log.iteration(1, "0").iteration(2, "10");
  log.line(60, EventKind::setting, {{Field::device, "Quadro K2200"}, {Field::batch_size, "4"}});
  log.iteration(61, "0").iteration(62, "10");
  auto runs = runs_of(log.end());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].device, "Quadro P4000");
  EXPECT_EQ(runs[0].train.batch_size, 8);
  EXPECT_EQ(runs[1].device, "Quadro K2200");
  EXPECT_EQ(runs[1].train.batch_size, 4);
}

TEST(Epochs, WhatIsSaidAmidARunAddsToItWithoutChangingIt) {
  HandLog log;
  log.line(0, EventKind::setting, {{Field::device, "Quadro P4000"}});
  log.iteration(1, "0").iteration(2, "10");
  log.line(3, EventKind::setting, {{Field::device, "Quadro K2200"}, {Field::batch_size, "4"}});
  log.iteration(4, "20").iteration(5, "0").iteration(6, "10");
  auto runs = runs_of(log.end());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].device, "Quadro P4000");
  EXPECT_EQ(runs[0].train.batch_size, 4);
  EXPECT_EQ(runs[1].device, "Quadro P4000") << "it runs where it ran";
}

TEST(Epochs, ARateAtTheEndServesWhereNothingElseWasMeasured) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start, {{Field::global_batch_size, "16"}, {Field::max_iter, "10"}})
          .line(1, EventKind::throughput,
                {{Field::iteration, "10"}, {Field::samples_per_second, "0.5"}, {Field::since, "start"}})
          .line(2, EventKind::run_end, {{Field::outcome, "finished"}, {Field::samples_per_second, "0.512"}})
          .end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 1u) << "0.5 is too coarse";
  EXPECT_EQ(train[0].iterations, 10);
  EXPECT_EQ(to_seconds(train[0].duration), 312.5);
}

}  // namespace
}  // namespace etad::test
