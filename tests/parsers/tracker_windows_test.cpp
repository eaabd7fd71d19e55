// What counts as training and what as testing.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/parsers/hand_log.h"

namespace etad::test {
namespace {

HandLog& start_testing(HandLog& log) {
  return log.line(0, EventKind::run_start, {{Field::batch_size, "8"}, {Field::test_iter, "5"}})
      .line(0.5, EventKind::setting, {{Field::test_batch_size, "20"}, {Field::max_iter, "300"}});
}

TEST(Windows, FromOneDisplayedIterationToTheNext) {
  HandLog log;
  const Records& records =
      start_testing(log).iteration(2, "0").iteration(12, "100").iteration(23, "200").end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(train[0].first_iteration, 0);
  EXPECT_EQ(train[0].iterations, 100);
  EXPECT_EQ(train[0].samples_per_iteration, 8);
  EXPECT_EQ(to_seconds(train[0].duration), 10);
  EXPECT_EQ(train[0].started_at, HandLog::instant(2));
  EXPECT_EQ(to_seconds(train[1].duration), 11);
  ASSERT_EQ(records.points.size(), 3u);
  EXPECT_EQ(records.points[2].value.iteration, 200);
  EXPECT_TRUE(std::isnan(records.points[2].value.loss));
  EXPECT_EQ(to_seconds(*records.runs.at(0).startup), 2);
  EXPECT_EQ(records.runs[0].first_iteration, 0);
}

TEST(Windows, ATestInsideIsTakenOut) {
  HandLog log;
  const Records& records =
      start_testing(log)
          .iteration(2, "0")
          .line(10, EventKind::test_start, {{Field::iteration, "100"}, {Field::net, "0"}})
          .line(11, EventKind::none)     // another thread's line
          .line(11.5, EventKind::stall)  // does not end it either
          .line(13, EventKind::test_result)
          .line(13.1, EventKind::test_result)
          .iteration(15, "100")
          .end();
  EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 10);
  const auto test = segments_of(records, Phase::test);
  ASSERT_EQ(test.size(), 1u);
  EXPECT_EQ(to_seconds(test[0].duration), 3);
  EXPECT_EQ(test[0].iterations, 5);
  EXPECT_EQ(test[0].samples_per_iteration, 20);
  EXPECT_EQ(test[0].first_iteration, 100);
}

TEST(Windows, EachTestNetHasItsOwnIterationsAndBatch) {
  HandLog log;
  log.line(0, EventKind::section, {{Field::section, "solver"}}).body("test_iter: 5").body("test_iter: 7");
  for (const auto* net : {"0", "1"})
    log.line(0, EventKind::section, {{Field::section, "test_net"}, {Field::net, net}})
        .line(0, EventKind::section, {{Field::section, "net"}})
        .body(net[0] == '0' ? "layer { top: 'd' data_param { batch_size: 10 } }"
                            : "layer { top: 'd' data_param { batch_size: 30 } }");
  const Records& records = log.line(1, EventKind::test_start, {{Field::iteration, "0"}, {Field::net, "0"}})
                               .line(2, EventKind::test_result)
                               .line(3, EventKind::test_start, {{Field::iteration, "0"}, {Field::net, "1"}})
                               .line(5, EventKind::test_result)
                               .end();
  const auto test = segments_of(records, Phase::test);
  ASSERT_EQ(test.size(), 2u);
  EXPECT_EQ(test[0].iterations, 5);
  EXPECT_EQ(test[0].samples_per_iteration, 10);
  EXPECT_EQ(test[1].iterations, 7);
  EXPECT_EQ(test[1].samples_per_iteration, 30);
  EXPECT_EQ(records.runs.at(0).settings.at("test_iter"), "5,7");
}

TEST(Windows, ATestOfUnknownLengthIsTakenOutButNoSegment) {
  HandLog log;
  const Records& records = log.iteration(0, "0")
                               .line(10, EventKind::test_start, {{Field::iteration, "50"}})
                               .line(14, EventKind::test_result)
                               .iteration(20, "50")
                               .end();
  EXPECT_TRUE(segments_of(records, Phase::test).empty());
  EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 16);
}

TEST(Windows, ATestThatNeverEndsSpoilsTheWindowOnly) {
  HandLog log;
  const Records& records = start_testing(log)
                               .iteration(2, "0")
                               .line(10, EventKind::test_start, {{Field::iteration, "100"}})
                               .iteration(15, "100")
                               .iteration(25, "200")
                               .end();
  EXPECT_TRUE(segments_of(records, Phase::test).empty());
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 1u);
  EXPECT_EQ(train[0].first_iteration, 100);
}

TEST(Windows, ASnapshotOrATestMayShowHowFarItCame) {
  HandLog log;
  const Records& records = start_testing(log)
                               .line(5, EventKind::snapshot, {{Field::iteration, "60"}})
                               .line(9, EventKind::test_start, {{Field::iteration, "80"}})
                               .end();
  EXPECT_EQ(records.runs.at(0).iteration, 80) << "a run that displays nothing";
  EXPECT_TRUE(records.segments.empty());
}

TEST(Windows, TheLogsWordCountsWhereTheClockWasSet) {
  HandLog log;
  const Records& records = start_testing(log)
                               .iteration(2, "0")
                               .iteration(3612, "100", {{Field::lapse, "10.25"}})  // to summer time
                               .iteration(22.5, "200", {{Field::lapse, "10.5"}})   // and back
                               .iteration(32.5, "300", {{Field::lapse, "10.001"}})
                               .end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 3u);
  EXPECT_EQ(to_seconds(train[0].duration), 10.25);
  EXPECT_EQ(to_seconds(train[1].duration), 10.5);
  EXPECT_EQ(to_seconds(train[2].duration), 10) << "the finer of two that agree";
  EXPECT_EQ(records.rejected, 0);
}

TEST(Windows, AClockSetDuringATestIsPutRight) {
  for (const double shift : {3600.0, -3600.0}) {
    HandLog log;
    const Records& records = start_testing(log)
                                 .iteration(2, "0")
                                 .line(10, EventKind::test_start, {{Field::iteration, "100"}})
                                 .line(13 + shift, EventKind::test_result)
                                 .iteration(15 + shift, "100", {{Field::lapse, "13"}})
                                 .end();
    EXPECT_EQ(total_seconds(segments_of(records, Phase::test)), 3) << shift;
    EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 10) << shift;
    EXPECT_EQ(records.rejected, 0);
  }
}

TEST(Windows, WhatCannotBeIsCountedAndNotStored) {
  HandLog log;
  const Records& records =
      start_testing(log)
          .iteration(20, "0")
          .iteration(15, "100")  // the clock went back, and nothing says how long it took
          .iteration(16, "300")
          .line(18, EventKind::test_start, {{Field::iteration, "300"}})
          .line(17, EventKind::test_result)
          .end();
  EXPECT_EQ(segments_of(records, Phase::train).size(), 1u);
  EXPECT_TRUE(segments_of(records, Phase::test).empty());
  EXPECT_EQ(records.rejected, 2);
}

TEST(Windows, LinesStampedWithTheSameSecondAreMeasuredTogether) {
  HandLog log;
  const Records& records = start_testing(log)
                               .iteration(20, "0")
                               .iteration(20, "100")
                               .iteration(20, "200")
                               .iteration(22, "300")
                               .iteration(22, "400")
                               .iteration(23, "500")
                               .end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2U);
  EXPECT_EQ(train[0].iterations, 300);
  EXPECT_EQ(to_seconds(train[0].duration), 2.0);
  EXPECT_EQ(train[1].iterations, 200);
  EXPECT_EQ(to_seconds(train[1].duration), 1.0);
  EXPECT_EQ(records.rejected, 0);
}

TEST(Windows, WithoutTimesTheLogsWordIsAllThereIs) {
  HandLog log;
  const Records& records = log.iteration({}, "0")
                               .iteration({}, "10", {{Field::lapse, "4"}})
                               .iteration({}, "20", {{Field::rate, "5"}})
                               .iteration({}, "30", {{Field::seconds, "0.3"}})
                               .iteration({}, "40", {{Field::elapsed, "100.0"}})
                               .iteration({}, "50", {{Field::elapsed, "105.0"}})
                               .end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 4u);
  EXPECT_EQ(to_seconds(train[0].duration), 4);
  EXPECT_EQ(to_seconds(train[1].duration), 2);
  EXPECT_EQ(to_seconds(train[2].duration), 3);
  EXPECT_EQ(to_seconds(train[3].duration), 5);
}

TEST(Windows, FollowedLiveTheTimeOfArrivalDatesThem) {
  HandLog log;
  const Records& records = log.arrives(1).iteration({}, "0").arrives(5).iteration({}, "10").end();
  EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 4);
}

// "(4 iter/s, 5s/20 iters)" where 60,000 lie between the two lines: parts of two logs, one behind the other.
TEST(Windows, LinesThatAreMissingMakeNoSegment) {
  HandLog log;
  const Records& records = log.iteration(0, "100")
                               .iteration(5, "120", {{Field::rate, "4"}, {Field::lapse, "5"}})
                               .iteration(200'000, "60120", {{Field::rate, "4"}, {Field::lapse, "5"}})
                               .iteration(200'005, "60140", {{Field::rate, "4"}, {Field::lapse, "5"}})
                               .end();
  EXPECT_EQ(segments_of(records, Phase::train).size(), 2u);
  EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 10);
  EXPECT_EQ(records.rejected, 1);
}

// A solver stepped from outside states what it did since it was called; the lines' times are right.
TEST(Windows, AStatementOfAPartIsNotTakenForTheWhole) {
  HandLog log;
  const Records& records = log.iteration(0, "0")
                               .iteration(25, "100", {{Field::rate, "4"}, {Field::lapse, "10"}})
                               .iteration(50, "200", {{Field::rate, "0"}, {Field::lapse, "0.2"}})
                               .end();
  EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 50);
}

TEST(Windows, ATestAnnouncedBeforeItBegins) {
  HandLog log;
  const Records& records = start_testing(log)
                               .line(1, EventKind::test_start, {{Field::iterations, "1"}})
                               .line(2, EventKind::test_start, {{Field::iteration, "0"}, {Field::net, "0"}})
                               .line(2.5, EventKind::test_result)
                               .iteration(3, "0")
                               .end();
  const auto test = segments_of(records, Phase::test);
  ASSERT_EQ(test.size(), 1u);
  EXPECT_EQ(test[0].iterations, 1) << "not test_iter";
  EXPECT_EQ(to_seconds(test[0].duration), 0.5);
}

TEST(Windows, AResultMaySayHowManyIterationsItTook) {
  HandLog log;
  const Records& records = start_testing(log)
                               .line(2, EventKind::test_start, {{Field::iteration, "0"}})
                               .line(2.5, EventKind::test_result)
                               .line(2.6, EventKind::test_result, {{Field::iterations, "1"}})
                               .iteration(3, "0")
                               .end();
  ASSERT_EQ(segments_of(records, Phase::test).size(), 1u);
  EXPECT_EQ(segments_of(records, Phase::test)[0].iterations, 1);
}

TEST(Windows, ShownTwiceIsShownOnce) {
  HandLog log;
  const Records& records = start_testing(log).iteration(2, "0").iteration(3, "0").iteration(12, "100").end();
  EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 10);
  EXPECT_EQ(records.points.size(), 2u);
}

TEST(Windows, EpochsAndBatchesAreMultipliedOut) {
  const auto at = [](HandLog& log, double seconds, std::string_view epoch, std::string_view batch) {
    log.line(seconds, EventKind::progress,
             {{Field::epoch, epoch}, {Field::batch, batch}, {Field::batches, "100"}});
  };
  HandLog from_zero;
  at(from_zero, 0, "0", "10");
  at(from_zero, 10, "0", "90");
  at(from_zero, 20, "2", "0");
  EXPECT_EQ(from_zero.end().runs.at(0).iteration, 200);
  HandLog from_one;
  at(from_one, 0, "1", "10");
  at(from_one, 10, "2", "10");
  EXPECT_EQ(from_one.end().runs.at(0).iteration, 110);
  EXPECT_EQ(segments_of(from_one.records(), Phase::train).at(0).iterations, 100);
}

TEST(Windows, ATestThatShowsItsBatches) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start, {{Field::batch_size, "8"}, {Field::test_batch_size, "16"}})
          .iteration(1, "0")
          .line(10, EventKind::test_start)
          .line(12, EventKind::progress,
                {{Field::phase, "test"}, {Field::batch, "0"}, {Field::batches, "20"}})
          .line(13, EventKind::progress,
                {{Field::phase, "test"}, {Field::batch, "10"}, {Field::batches, "20"}})
          .line(14, EventKind::test_result)
          .iteration(16, "100")
          .end();
  const auto test = segments_of(records, Phase::test);
  ASSERT_EQ(test.size(), 3u);
  EXPECT_EQ(test[0].iterations, 1);
  EXPECT_EQ(test[1].iterations, 10);
  EXPECT_EQ(test[2].iterations, 9);
  EXPECT_EQ(total_seconds(test), 4);
  EXPECT_EQ(test[0].samples_per_iteration, 16);
  EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 11);
}

TEST(Windows, ATestingJob) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start)
          .line(1, EventKind::test_start, {{Field::job, "test"}, {Field::iterations, "3"}})
          .line(2, EventKind::progress, {{Field::phase, "test"}, {Field::batch, "0"}})
          .line(2.1, EventKind::progress, {{Field::phase, "test"}, {Field::batch, "0"}})
          .line(3, EventKind::progress, {{Field::phase, "test"}, {Field::batch, "1"}})
          .line(4, EventKind::progress, {{Field::phase, "test"}, {Field::batch, "2"}})
          .line(9, EventKind::run_end, {{Field::outcome, "finished"}})
          .end();
  const etad::Run& run = records.runs.at(0);
  EXPECT_EQ(run.job, Job::test);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.test.iterations, 3);
  EXPECT_EQ(to_seconds(run.test.duration), 3);
  EXPECT_EQ(run.iteration, 3);
  EXPECT_EQ(run.max_iterations, 3);
  EXPECT_EQ(run.train.segments, 0);
}

TEST(Windows, NumbersBeyondReasonAreNotTaken) {
  HandLog log;
  const Records& records = start_testing(log)
                               .iteration(2, "0")
                               .iteration(3, "99999999999999999999")
                               .iteration(4, "-5")
                               .iteration(5, "900000000000000000")
                               .iteration(6, "10", {{Field::lapse, "nan"}})
                               .iteration(7, "20", {{Field::lapse, "inf"}})
                               .end();
  EXPECT_EQ(records.runs.at(0).iteration, 20);
  EXPECT_EQ(records.runs[0].train.iterations, 20);
}

TEST(Windows, BatchesCountedFromTheRunsBeginning) {
  HandLog log;
  const auto shown = [&](std::string_view epoch, std::string_view batch) {
    log.line({}, EventKind::progress,
             {{Field::epoch, epoch}, {Field::batch, batch}, {Field::seconds, "0.5"}});
  };
  shown("1", "10");
  shown("1", "20");
  shown("2", "30");
  shown("2", "40");
  const Records& records = log.end();
  EXPECT_EQ(segments_of(records, Phase::train).size(), 3u);
  EXPECT_EQ(records.runs.at(0).iteration, 40);
}

TEST(Windows, ABatchOfEpochsIsTheirPlan) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::progress,
               {{Field::epoch, "1"}, {Field::epochs, "4"}, {Field::batch, "10"}, {Field::batches, "50"}})
          .end();
  EXPECT_EQ(records.runs.at(0).max_iterations, 200);
}

TEST(Windows, LinesWhoseRoundingDrownsTheTimeBetweenThemAreTakenTogether) {
  HandLog log;
  for (int n = 1; n <= 100; ++n) {  // three steps a second, shown in whole seconds
    const std::string iteration = std::to_string(n), seconds = "00:" + std::to_string(100 + n / 3).substr(1);
    log.iteration({}, iteration, {{Field::elapsed, seconds}});
  }
  const Records& records = log.end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 1u);
  EXPECT_GE(train[0].iterations, 59);
  EXPECT_NEAR(to_seconds(train[0].duration) / static_cast<double>(train[0].iterations), 1.0 / 3, 0.017);
  EXPECT_EQ(records.points.size(), 100u);
  EXPECT_EQ(records.rejected, 0);
}

TEST(Windows, AMeanOverManySteps) {
  HandLog log;
  const auto shown = [&](std::string_view batch, std::string_view mean) {
    log.line({}, EventKind::progress,
             {{Field::epoch, "0"},
              {Field::batch, batch},
              {Field::batches, "5000"},
              {Field::seconds, mean},
              {Field::since, "epoch"}});
  };
  shown("999", "0.300");   // 300 s, give or take half a second
  shown("1009", "0.300");  // 3 s later, as uncertain
  shown("1999", "0.300");
  const Records& records = log.end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 1u);
  EXPECT_EQ(train[0].iterations, 1000);
  EXPECT_NEAR(to_seconds(train[0].duration), 300, 1e-6);
}

// Two trainings that write into one file: nothing of either can be told, and nothing wrong is.
TEST(Windows, TwoTrainingsInTurnsAreNoMeasurement) {
  HandLog log;
  log.line(0, EventKind::run_start);
  for (int i = 0; i < 20; ++i) {
    log.iteration(2.0 * i + 1, std::to_string(1000 + 10 * i));
    log.iteration(2.0 * i + 2, std::to_string(200 + 10 * i));
  }
  EXPECT_TRUE(log.end().segments.empty());
}

// As scripts do that write out what a trainer kept.
TEST(Windows, WhatIsToldAtOnceIsNoTraining) {
  HandLog log;
  for (int n = 1; n <= 9; ++n) log.iteration(1200 + 0.001 * n, std::to_string(100 * n));
  EXPECT_TRUE(segments_of(log.end(), Phase::train).empty());
  HandLog epochs;
  for (int n = 1; n <= 9; ++n)
    epochs.iteration(1200 + 0.001 * n, std::to_string(n), {{Field::unit, "epoch"}});
  EXPECT_TRUE(segments_of(epochs.end(), Phase::train).empty());
}

// "step_time 5.2s" beside every tenth step, which are 5.2 seconds apart, are not 52 seconds.
TEST(Windows, StepsTakeNoLongerThanTheClockShows) {
  HandLog log;
  for (int n = 0; n <= 9; ++n) log.iteration(5.2 * n, std::to_string(10 * n), {{Field::seconds, "5.2"}});
  const auto train = segments_of(log.end(), Phase::train);
  ASSERT_EQ(train.size(), 9u);
  for (const Segment& s : train) EXPECT_NEAR(to_seconds(s.duration), 5.2, 1e-9);
  HandLog behind;  // as a clock that is set back later does
  for (int n = 0; n <= 9; ++n)
    behind.iteration(5.2 * n - (n > 5 ? 15 : 0), std::to_string(10 * n), {{Field::seconds, "0.52"}});
  for (const Segment& s : segments_of(behind.end(), Phase::train))
    EXPECT_NEAR(to_seconds(s.duration), 5.2, 0.01);
}

TEST(Windows, AmidLinesThatAreStampedOneThatIsNotBeginsNoRun) {
  HandLog log;
  for (int n = 1; n <= 9; ++n) {
    log.iteration(5.0 * n, std::to_string(10 * n));
    log.iteration({}, "3");  // a recipe that a model writes
  }
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.runs[0].train.iterations, 80);
}

// Python keeps what goes to a file until there are 8 KiB of it: lines without stamps come in blocks, seen at one look.
TEST(Windows, LinesWithoutStampsThatComeInBlocksAreMeasuredFromBlockToBlock) {
  HandLog log;
  for (int n = 0; n < 500; ++n) log.arrives(2.0 * (n / 100)).iteration({}, std::to_string(10 * n));
  const Records& records = log.end();
  EXPECT_EQ(records.runs.at(0).train.iterations, 4000);
  EXPECT_NEAR(to_seconds(records.runs.at(0).train.duration), 8, 1e-9);
  EXPECT_EQ(records.rejected, 0);
}

TEST(Windows, ALeapAtAnotherPaceIsOfAnotherTraining) {
  HandLog log;
  for (int i = 0; i <= 5; ++i) log.iteration(i, std::to_string(10 * i));
  log.iteration(6, "5000").iteration(7, "5010");
  const Records& records = log.end();
  EXPECT_EQ(segments_of(records, Phase::train).size(), 6u);
  EXPECT_EQ(records.rejected, 1);
  HandLog lost;  // lines were lost, the training went on
  for (int i = 0; i <= 5; ++i) lost.iteration(i, std::to_string(10 * i));
  lost.iteration(500, "5000");
  EXPECT_EQ(segments_of(lost.end(), Phase::train).size(), 6u);
}

// The first steps are shown one by one and compile, and then every hundredth is shown.
TEST(Windows, OfLeapsInARowAtOnePaceOnlyTheFirstIsAnotherTrainings) {
  HandLog log;
  for (int i = 1; i <= 10; ++i) log.iteration(5.0 * i, std::to_string(i));
  for (int i = 1; i <= 9; ++i) log.iteration(50 + 50.0 * i, std::to_string(100 * i));
  const Records& records = log.end();
  EXPECT_EQ(records.runs.at(0).train.iterations, 9 + 800);
  EXPECT_EQ(records.rejected, 1);
  HandLog others;
  for (int i = 1; i <= 10; ++i) others.iteration(5.0 * i, std::to_string(i));
  others.iteration(100, "100").iteration(110, "1000");
  EXPECT_EQ(others.end().runs.at(0).train.iterations, 9) << "each at a pace of its own";
}

}  // namespace
}  // namespace etad::test
