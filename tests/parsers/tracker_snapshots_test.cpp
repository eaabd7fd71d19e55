// What a snapshot costs, and what becomes of the window around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/parsers/hand_log.h"

namespace etad::test {
namespace {

HandLog& start(HandLog& log) {
  return log.line(0, EventKind::run_start, {{Field::batch_size, "8"}, {Field::max_iter, "400"}});
}

double snapshot_seconds(const Records& records) {
  return to_seconds(records.runs.at(0).snapshot_time);
}

TEST(Snapshots, TakeWhatTheClockShowsUpToTheTest) {
  HandLog log;
  const Records& records = start(log)
                               .iteration(2, "0")
                               .iteration(102, "100")
                               .line(200, EventKind::snapshot, {{Field::iteration, "200"}})
                               .line(200.25, EventKind::none)  // the solver's state
                               .line(200.5, EventKind::test_start, {{Field::iteration, "200"}})
                               .line(210.5, EventKind::test_result)
                               .iteration(212.5, "200")
                               .end();
  EXPECT_DOUBLE_EQ(snapshot_seconds(records), 0.5) << "not the 100 seconds of the window";
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(train[1].iterations, 100);
  EXPECT_DOUBLE_EQ(to_seconds(train[1].duration), 100);
}

TEST(Snapshots, AreToldWithTheMomentTheyBeganOnceHoweverManyFilesTheyHave) {
  HandLog log;
  const Records& records = start(log)
                               .iteration(2, "0")
                               .iteration(102, "100")
                               .line(150, EventKind::snapshot, {{Field::iteration, "150"}})
                               .line(150.2, EventKind::snapshot, {{Field::iteration, "150"}})
                               .line(std::nullopt, EventKind::snapshot, {{Field::iteration, "160"}})
                               .end();
  const auto saved = std::count_if(records.points.begin(), records.points.end(),
                                   [](const auto& point) { return point.value.snapshot; });
  EXPECT_EQ(saved, 1) << "a line without a time tells no moment";
  EXPECT_TRUE(records.points.back().value.snapshot);
  EXPECT_EQ(records.points.back().value.iteration, 150);
  EXPECT_EQ(records.points.back().value.at, HandLog::instant(150));
  EXPECT_TRUE(std::isnan(records.points.back().value.loss));
}

TEST(Snapshots, OrUpToTheDisplayOfTheirIterationLessTheOneItHasComputed) {
  HandLog log;
  const Records& records = start(log)
                               .iteration(1, "0")
                               .line(100, EventKind::snapshot, {{Field::iteration, "100"}})
                               .line(102, EventKind::none)
                               .iteration(105, "100")
                               .end();
  EXPECT_DOUBLE_EQ(snapshot_seconds(records), 4) << "99 iterations took 99 s";
  EXPECT_DOUBLE_EQ(total_seconds(segments_of(records, Phase::train)), 100);
  HandLog other;  // whose lines leave no room for another iteration
  const Records& close = start(other)
                             .iteration(1, "0")
                             .line(100, EventKind::snapshot, {{Field::iteration, "100"}})
                             .line(105, EventKind::none)
                             .iteration(105, "100")
                             .end();
  EXPECT_DOUBLE_EQ(snapshot_seconds(close), 5);
}

TEST(Snapshots, ALogThatSavesAtEveryWindowKeepsItsIterations) {
  HandLog log;
  start(log).iteration(1, "1");
  for (int i = 1; i <= 3; ++i) {  // TensorFlow's Estimator: it saves, then shows the next step
    const std::string n = std::to_string(100 * i), shown = std::to_string(100 * i + 1);
    log.line(105 * i - 4, EventKind::snapshot, {{Field::iteration, n}});
    log.line(105 * i + 0.9, EventKind::none);
    log.iteration(105 * i + 1, shown);
  }
  const Records& records = log.end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 3u);
  EXPECT_NEAR(total_seconds(train), 300, 0.5);
  EXPECT_NEAR(snapshot_seconds(records), 15, 0.5);
}

TEST(Snapshots, WhoseEndNoLineShowsAreWhatTheirWindowTookLonger) {
  HandLog log;
  const Records& records = start(log)
                               .iteration(2, "0")
                               .iteration(12, "100")
                               .line(17, EventKind::snapshot, {{Field::iteration, "160"}})
                               .iteration(25, "200")
                               .iteration(35, "300")
                               .end();
  EXPECT_EQ(segments_of(records, Phase::train).size(), 2u) << "that window is left out";
  EXPECT_DOUBLE_EQ(snapshot_seconds(records), 3);
  EXPECT_EQ(records.runs.at(0).snapshots, 1);
}

TEST(Snapshots, WhereAllWindowsAreSuchTheyCountAsTheyAre) {
  HandLog log;
  start(log).iteration(2, "0");
  for (int i = 1; i <= 3; ++i) {
    log.line(10 * i, EventKind::snapshot, {{Field::iteration, std::to_string(100 * i - 40)}});
    log.iteration(10 * i + 2, std::to_string(100 * i));
  }
  const Records& records = log.end();
  EXPECT_EQ(records.runs.at(0).train.iterations, 300);
  EXPECT_DOUBLE_EQ(total_seconds(segments_of(records, Phase::train)), 30);
  EXPECT_EQ(snapshot_seconds(records), 0);
}

TEST(Snapshots, TheLastOneEndsWithItsRun) {
  HandLog log;
  const Records& records = start(log)
                               .iteration(2, "0")
                               .iteration(12, "100")
                               .line(12, EventKind::snapshot, {{Field::iteration, "100"}})
                               .line(15, EventKind::run_end)
                               .end();
  EXPECT_DOUBLE_EQ(snapshot_seconds(records), 3);
}

TEST(Snapshots, AreNotClockedByWhenALineArrived) {
  HandLog log;
  log.arrives(0)
      .line({}, EventKind::run_start)
      .arrives(1)
      .iteration({}, "0")
      .arrives(11)
      .iteration({}, "100");
  const Records& records = log.arrives(20)
                               .line({}, EventKind::snapshot, {{Field::iteration, "200"}})
                               .arrives(27)
                               .iteration({}, "200")
                               .end();
  EXPECT_DOUBLE_EQ(snapshot_seconds(records), 6);
  EXPECT_EQ(segments_of(records, Phase::train).size(), 1u);
}

TEST(Startup, HoldsNoIterationsOfAProgressThatBeginsLate) {
  HandLog log;
  const Records& records = start(log).iteration(81, "50").iteration(140, "100").iteration(199, "150").end();
  EXPECT_DOUBLE_EQ(to_seconds(*records.runs.at(0).startup), 22) << "50 iterations took 59 s";
}

TEST(Startup, IsNotKnownBeforeAWindowShowsWhatThoseIterationsTook) {
  HandLog log;
  EXPECT_FALSE(start(log).iteration(81, "50").end().runs.at(0).startup);
}

}  // namespace
}  // namespace etad::test
