// Runs alone: which run a line belongs to, when one begins, and which are told of.
#include <gtest/gtest.h>

#include <limits>

#include "parsers/training/tracker_parts.h"
#include "tests/parsers/hand_log.h"

namespace etad::track {
namespace {

using namespace std::chrono_literals;
using test::hand_event;
using test::hand_instant;

struct TrackedRuns : ::testing::Test {
  // A line amid the log, at `seconds`.
  Moment at(double seconds, const Event& event) {
    now = hand_instant(seconds);
    return {event, now, records};
  }

  std::optional<Instant> now;
  Parts parts{{"hand", "testhost", "prototext", {}}};
  Runs& runs = parts.runs;
  Records records;
  const Event line = hand_event({}, EventKind::progress, {});
};

TEST_F(TrackedRuns, AHeaderBeginsARunThatNobodyHearsOfUntilItIsDeclared) {
  EXPECT_EQ(runs.open(), nullptr);
  RunTrack& run = runs.for_header(at(0, line));
  EXPECT_EQ(run.run.framework, "hand");
  EXPECT_EQ(run.stage, Stage::described);
  EXPECT_FALSE(runs.running());
  runs.flush(records);
  EXPECT_TRUE(records.runs.empty());
  EXPECT_EQ(&runs.for_header(at(1, line)), &run) << "the next header line is of the same run";
  runs.declare(run);
  EXPECT_TRUE(runs.running());
  runs.flush(records);
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.runs[0].ordinal, 0);
  runs.flush(records);
  EXPECT_EQ(records.runs.size(), 1u) << "nothing has changed";
}

TEST_F(TrackedRuns, AStageNeverGoesBack) {
  RunTrack& run = runs.for_progress(at(0, line));
  EXPECT_EQ(run.stage, Stage::progressed);
  run.reach(Stage::declared);
  EXPECT_EQ(run.stage, Stage::progressed);
  run.reach(Stage::ended);
  EXPECT_EQ(runs.open(), nullptr);
  EXPECT_EQ(runs.ended(), &run);
}

TEST_F(TrackedRuns, ARunThatAnotherFollowsIsLostUnlessItHadDoneItsPlan) {
  RunTrack& first = runs.for_measurement(at(0, line));
  first.run.max_iterations = first.run.iteration = 100;
  RunTrack& second = runs.begin(at(10, line));
  runs.declare(second);
  second.run.max_iterations = 100;
  second.run.iteration = 50;
  runs.begin(at(20, line));
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].state, RunState::finished);
  EXPECT_EQ(records.runs[1].state, RunState::lost);
  EXPECT_EQ(records.runs[1].ordinal, 1);
}

TEST_F(TrackedRuns, WhatWasSaidOfTheNextRunIsItsOrElseTheCurrentOnes) {
  runs.for_measurement(at(0, line));
  runs.upcoming().run.network = "next";
  EXPECT_EQ(runs.begin(at(10, line)).run.network, "next");
  RunTrack& second = runs.for_measurement(at(11, line));
  runs.upcoming().run.network = "third";
  runs.add_segment(second, {Phase::train, 0, 10, 8, 1s, {}}, records);
  EXPECT_TRUE(runs.begin(at(20, line)).run.network.empty()) << "the run that was measured goes on";
}

TEST_F(TrackedRuns, AMeasurementCountsInItsRunAndIsTold) {
  RunTrack& run = runs.for_measurement(at(0, line));
  runs.add_segment(run, {Phase::train, 0, 10, 8, 2s, {}}, records);
  runs.add_segment(run, {Phase::test, 0, 5, 8, 1s, {}}, records);
  EXPECT_EQ(run.run.train.iterations, 10);
  EXPECT_EQ(run.run.train.duration, 2s);
  EXPECT_EQ(run.run.test.segments, 1);
  EXPECT_EQ(records.segments.size(), 2u);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
  runs.add_segment(run, {Phase::train, 0, most, 8, 2s, {}}, records);
  EXPECT_EQ(run.run.train.iterations, 10) << "the sum would overflow";
  EXPECT_EQ(records.rejected, 1);
}

TEST_F(TrackedRuns, ALossIsAPointAndOneThatIsNoNumberIsRemembered) {
  RunTrack& run = runs.for_measurement(at(0, line));
  runs.add_loss(run, 5, at(1, line));
  EXPECT_TRUE(records.points.empty()) << "the line shows none";
  const Event number = hand_event({}, EventKind::progress, {{Field::loss, "0.5"}});
  runs.add_loss(run, 10, at(2, number));
  EXPECT_FALSE(run.run.loss_is_nan);
  const Event nan = hand_event({}, EventKind::progress, {{Field::loss, "nan"}});
  runs.add_loss(run, 20, at(3, nan));
  EXPECT_TRUE(run.run.loss_is_nan);
  ASSERT_EQ(records.points.size(), 2u);
  EXPECT_EQ(records.points[0].value.iteration, 10);
  EXPECT_DOUBLE_EQ(records.points[0].value.loss, 0.5);
}

TEST_F(TrackedRuns, WhatGoesOnAmidAStoppedTrainingIsWhatItWas) {
  RunTrack& run = runs.for_measurement(at(0, line));
  run.run.network = "tiny";
  run.run.settings["type"] = "Adam";
  run.known.batch_size = 32;
  run.epochs.steps = 100;
  run.run.state = RunState::stopped;
  run.reach(Stage::ended);
  const Event amid = hand_event({}, EventKind::progress, {{Field::iteration, "500"}});
  const RunTrack& next = runs.begin_or_go_on(at(10, amid));
  EXPECT_EQ(next.run.network, "tiny");
  EXPECT_EQ(next.run.settings.at("type"), "Adam");
  EXPECT_EQ(next.known.batch_size, 32);
  EXPECT_EQ(next.epochs.steps, 100);
  EXPECT_TRUE(next.resumed);
}

TEST_F(TrackedRuns, WhatBeginsFromTheStartBehindAStoppedTrainingIsNew) {
  RunTrack& run = runs.for_measurement(at(0, line));
  run.run.network = "tiny";
  run.run.state = RunState::stopped;
  run.reach(Stage::ended);
  const Event start = hand_event({}, EventKind::progress, {{Field::iteration, "0"}});
  const RunTrack& next = runs.begin_or_go_on(at(10, start));
  EXPECT_TRUE(next.run.network.empty());
  EXPECT_FALSE(next.resumed);
}

TEST_F(TrackedRuns, TheSameProgramBeginsAgainWhereItRan) {
  RunTrack& run = runs.for_measurement(at(0, line));
  run.run.device = "Tesla K80";
  run.run.host = "node7";
  run.known.devices = 4;
  run.run.network = "tiny";
  const RunTrack& next = runs.begin_again(at(10, line));
  EXPECT_EQ(next.run.device, "Tesla K80");
  EXPECT_EQ(next.run.host, "node7");
  EXPECT_EQ(next.known.devices, 4);
  EXPECT_TRUE(next.run.network.empty()) << "what it computes now it has to say";
  EXPECT_EQ(next.run.ordinal, 1);
}

TEST_F(TrackedRuns, AreNumberedFromWhereTheyAreToldToBe) {
  RunTrack& run = runs.for_measurement(at(0, line));
  runs.number_from(7, {});
  EXPECT_EQ(run.run.ordinal, 7);
  EXPECT_EQ(runs.next_ordinal(), 8);
}

TEST_F(TrackedRuns, AnErrorBehindAPlanThatIsDoneIsAnotherPrograms) {
  const Event error = hand_event({}, EventKind::error, {{Field::message, "out of memory"}});
  RunTrack& failed = runs.for_measurement(at(0, line));
  runs.fail(at(1, error));
  EXPECT_EQ(failed.run.state, RunState::failed);
  EXPECT_EQ(failed.run.message, "out of memory");
  RunTrack& done = runs.for_measurement(at(2, line));
  done.run.max_iterations = done.run.iteration = 100;
  runs.fail(at(3, error));
  EXPECT_EQ(done.run.state, RunState::finished);
  EXPECT_TRUE(done.run.message.empty());
}

TEST_F(TrackedRuns, AStateThatIsPutBackGoesOnWithTheSameRun) {
  RunTrack& run = runs.for_measurement(at(0, line));
  run.run.network = "tiny";
  runs.upcoming().run.network = "next";
  Parts other({"hand", "testhost", "prototext", {}});
  other.state = parts.state;
  ASSERT_NE(other.runs.open(), nullptr);
  EXPECT_EQ(other.runs.open()->run.network, "tiny");
  EXPECT_EQ(other.runs.upcoming().run.network, "next");
  EXPECT_EQ(other.runs.next_ordinal(), 1);
}

// A log that counts what it writes, of which the plan is none.
TEST(Runs, AnEndFarFromThePlanDoesNotSayThatAllWasDone) {
  test::HandLog log;
  const Records& records = log.line(0, EventKind::run_start, {{Field::max_iter, "400000"}})
                               .iteration(1, "1")
                               .iteration(2, "2")
                               .line(3, EventKind::run_end, {{Field::outcome, "finished"}})
                               .end();
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.runs[0].state, RunState::finished);
  EXPECT_EQ(records.runs[0].iteration, 2);
}

// A log that begins anew without a word: the first run was over long before the line that shows the second.
TEST(Runs, ARunIsOverWithItsOwnLastLine) {
  test::HandLog log;
  const Records& records = log.iteration(0, "10")
                               .iteration(10, "20")
                               .iteration(20, "30")
                               .iteration(9000, "10")
                               .iteration(9010, "20")
                               .end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].ended_at, test::hand_instant(20));
  EXPECT_EQ(records.runs[1].started_at, test::hand_instant(9000));
}

}  // namespace
}  // namespace etad::track
