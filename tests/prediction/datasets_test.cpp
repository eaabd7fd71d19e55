#include "prediction/datasets.h"

#include <gtest/gtest.h>

namespace etad::prediction {
namespace {

// A training of 40 windows, ten iterations of a second each, with `lost` seconds behind every fifth of them.
RunData run_that_lost(int lost) {
  RunData run;
  Instant at{std::chrono::seconds(1'800'000'000)};
  for (int i = 0; i < 40; ++i) {
    run.windows.push_back({Phase::train, 10 * i, 10, 8, from_seconds(10), at});
    at += std::chrono::seconds(10 + (i % 5 == 4 ? lost : 0));
  }
  run.iterations = 400;
  run.duration = from_seconds(400);
  return run;
}

TEST(Startup, IsWhatARunTookBesideAllThatItMeasuredWhereItsMeasurementsHaveNoClock) {
  RunData run = run_that_lost(10);
  run.tested = from_seconds(3);
  run.started_at = Instant{};
  run.ended_at = Instant{std::chrono::seconds{400 + 3 + 20}};
  EXPECT_FALSE(startup_of({run})) << "their clock would have told";
  for (Segment& each : run.windows) each.started_at.reset();
  EXPECT_NEAR(startup_of({run}).value().median, 20, 1e-6);
  run.startup = from_seconds(7);
  EXPECT_NEAR(startup_of({run}).value().median, 7, 1e-6);
  run.startup.reset();
  run.ended_at.reset();
  EXPECT_FALSE(startup_of({run}));
}

// `owner` began so many runs with these start-ups.
void add_started(std::vector<RunData>& runs, std::int64_t owner, int count, int startup) {
  for (int i = 0; i < count; ++i) {
    RunData& run = runs.emplace_back();
    run.owner = owner;
    run.place = owner;
    run.startup = std::chrono::seconds(startup);
  }
}

TEST(Startup, OfTwoOwnersIsThatOfWhoWasThereFirst) {
  std::vector<RunData> runs;
  add_started(runs, 2, 40, 900'000);
  add_started(runs, 1, 2, 20);
  EXPECT_NEAR(startup_of(runs)->upper, 20, 1e-6);
  EXPECT_EQ(startup_of(runs)->runs, 2);
}

TEST(Startup, OfSeveralOwnersIsThatOfTheOneInTheMiddle) {
  std::vector<RunData> runs;
  for (const std::int64_t owner : {2, 3, 4}) add_started(runs, owner, 1, 10 * static_cast<int>(owner));
  add_started(runs, 1, 40, 900'000);
  EXPECT_NEAR(startup_of(runs)->median, 30, 11);
}

// As of tables, of which no line has a clock.
TEST(Startup, IsNobodysAloneWhereOthersRunsTellNone) {
  std::vector<RunData> runs;
  add_started(runs, 2, 3, 900'000);
  RunData& first = runs.emplace_back();
  first.owner = first.place = 1;
  EXPECT_FALSE(startup_of(runs));
  add_started(runs, 3, 1, 20);
  EXPECT_NEAR(startup_of(runs).value().median, 20, 1e-6) << "of none, 20 and 900,000";
}

TEST(Other, IsTheShareThatMostRunsLost) {
  const auto other =
      other_of({run_that_lost(5), run_that_lost(10), run_that_lost(0), run_that_lost(11), run_that_lost(9)});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->runs, 5);
  EXPECT_NEAR(other->median, 0.16, 0.005);
  EXPECT_EQ(other->lower, 0);
  EXPECT_NEAR(other->upper, 0.2, 0.005);
}

TEST(Other, IsNeitherTestsNorSnapshotsNorOfRunsWithoutTimes) {
  RunData measured = run_that_lost(10);
  measured.tested = from_seconds(30);
  measured.snapshot_time = from_seconds(40);
  EXPECT_NEAR(other_of({measured}).value().median, 0, 0.01);
  RunData untimed = run_that_lost(10);
  for (Segment& each : untimed.windows) each.started_at.reset();
  EXPECT_FALSE(other_of({untimed}));
  EXPECT_EQ(other_of({untimed, run_that_lost(10)}).value().runs, 1);
}

}  // namespace
}  // namespace etad::prediction
