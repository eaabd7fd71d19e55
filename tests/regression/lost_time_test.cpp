#include "regression/lost_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "regression/remaining.h"

namespace etad::regression {
namespace {

// Windows of ten iterations and ten seconds, on a clock.
class Clocked {
 public:
  Clocked& train(int windows) {
    for (int i = 0; i < windows; ++i) {
      seen.push_back({false, 10, 10, iteration, now});
      iteration += 10;
      now += 10;
    }
    return *this;
  }
  Clocked& pass(double seconds) {
    now += seconds;
    return *this;
  }
  // A test at a display: its interval comes before that of the window around it, which begins before it.
  Clocked& test_within_window(double seconds) {
    seen.push_back({true, 50, seconds, iteration, now + 5});
    seen.push_back({false, 10, 10, iteration, now});
    iteration += 10;
    now += 10 + seconds;
    return *this;
  }
  Clocked& snapshot(double seconds) {  // within a window, which is no interval
    iteration += 10;
    now += 10 + seconds;
    return *this;
  }
  Plan plan(double max_iterations) const {
    Plan out;
    out.iteration = iteration;
    out.max_iterations = max_iterations;
    return out;
  }

  std::vector<RunInterval> seen;
  double iteration = 0, now = 1.4e9;
};

TEST(LostTime, NoneBetweenWindowsThatFollowEachOther) {
  Clocked run;
  run.train(20).test_within_window(30).train(20);
  EXPECT_EQ(lost_time(run.seen, Gap::between_neighbours).times, 0)
      << "a test that is an interval is not lost";
  EXPECT_EQ(lost_time(run.seen, Gap::around_missing).times, 0);
}

TEST(LostTime, NoneByStampsThatAreRoundedToTheSecond) {
  Clocked run;
  for (int i = 0; i < 300; ++i) {  // of 0.36 s
    run.seen.push_back({false, 10, 0.36, run.iteration, std::floor(run.now)});
    run.iteration += 10;
    run.now += i % 100 == 50 ? 0.36 + 4 : 0.36;
  }
  const LostTime lost = lost_time(run.seen, Gap::between_neighbours);
  EXPECT_NEAR(lost.seconds, 12, 1) << "what three of them waited, and no second of the stamps";
}

TEST(LostTime, TestsWithoutALengthComeAgain) {
  Clocked run;
  for (int i = 0; i < 10; ++i) run.train(10).pass(40);
  run.train(1);
  const LostTime lost = lost_time(run.seen, Gap::between_neighbours);
  EXPECT_EQ(lost.times, 10);
  EXPECT_NEAR(lost.seconds, 400, 1e-3);
  EXPECT_NEAR(lost.iterations, 990, 1e-9) << "the first window does not count";
  const auto r = remaining(run.seen, run.plan(2010), {}, {}, 0.9);
  ASSERT_TRUE(r);
  EXPECT_NEAR(r->other_seconds, 400, 5);
  EXPECT_NEAR(r->seconds, 1400, 5);
}

// MLPerf's logs: what is displayed is where a test begins, so that each window but the first begins with one.
TEST(LostTime, ATestAtEachDisplayButTheFirst) {
  Clocked run;
  run.train(1);
  for (int i = 0; i < 4; ++i) run.train(1).pass(2);
  run.train(1);
  const LostTime lost = lost_time(run.seen, Gap::between_neighbours);
  EXPECT_NEAR(lost.seconds / lost.iterations, 0.2, 1e-9);
}

// Evaluations of unknown length, whose windows are left out: two that took as long are no outliers.
TEST(LostTime, WhatTakesAsLongTwiceComesAgain) {
  Clocked once, twice;
  once.train(20).snapshot(120).train(20);
  twice.train(20).snapshot(120).train(20).snapshot(118).train(20);
  const auto after_one = remaining(once.seen, once.plan(once.iteration + 1000), {}, {}, 0.9);
  const auto after_two = remaining(twice.seen, twice.plan(twice.iteration + 1000), {}, {}, 0.9);
  ASSERT_TRUE(after_one && after_two);
  EXPECT_LT(after_one->other_seconds, 100);
  EXPECT_NEAR(after_two->other_seconds, 238.0 / 600 * 1000, 1);
}

// Whichever gaps are asked about: what was lost in both is spread over the same iterations.
TEST(LostTime, TheFirstWindowCountsWhereAnythingWasLostBehindIt) {
  Clocked run;
  for (int i = 0; i < 4; ++i) run.train(1).snapshot(120);
  run.train(1);
  const LostTime missing = lost_time(run.seen, Gap::around_missing);
  EXPECT_EQ(missing.times, 4);
  EXPECT_EQ(lost_time(run.seen, Gap::between_neighbours).iterations, missing.iterations);
}

TEST(LostTime, AnOutlierDoesNotComeAgain) {
  Clocked run;
  run.train(50).pass(36000).train(50).pass(7200).train(50);
  const auto r = remaining(run.seen, run.plan(3000), {}, {}, 0.9);
  ASSERT_TRUE(r);
  EXPECT_LT(r->seconds, 1.06 * 1500);
}

TEST(LostTime, SnapshotsAreWhatTheMissingWindowsTookLonger) {
  Clocked run;
  for (int i = 0; i < 5; ++i) run.train(19).snapshot(25);
  run.train(1);
  EXPECT_NEAR(lost_time(run.seen, Gap::around_missing).seconds, 5 * 25, 1e-3);
  Plan plan = run.plan(2010);
  plan.snapshots = 5;
  plan.snapshot_seconds = 5 * 25;
  const auto r = remaining(run.seen, plan, {}, {}, 0.9);  // the settings do not say how often
  ASSERT_TRUE(r);
  EXPECT_NEAR(r->snapshot_seconds, 5 * 25, 10);
  plan.snapshot_seconds = 0;
  EXPECT_NEAR(remaining(run.seen, plan, {}, {}, 0.9)->snapshot_seconds, 5 * 25, 10)
      << "the log does not say what they took";
}

TEST(LostTime, SnapshotsTakenOutOfTheirWindowsCountOnce) {
  Clocked run;
  for (int i = 0; i < 10; ++i) run.train(20).pass(5);
  run.train(1);
  Plan plan = run.plan(4010);
  plan.snapshot_interval = 200;
  plan.snapshots = 10;
  plan.snapshot_seconds = 10 * 5;
  const auto r = remaining(run.seen, plan, {}, {}, 0.9);
  ASSERT_TRUE(r);
  EXPECT_NEAR(r->snapshot_seconds, 10 * 5, 6);
  EXPECT_NEAR(r->other_seconds, 0, 1);
}

TEST(LostTime, ANightWithinASnapshotsWindowDoesNotComeAgain) {
  Clocked run;
  run.train(19).snapshot(36000).train(19).snapshot(2).train(1);
  Plan plan = run.plan(2000);
  plan.snapshot_interval = 200;
  plan.snapshots = 2;
  plan.snapshot_seconds = 36002;
  const auto r = remaining(run.seen, plan, {}, {}, 0.9);
  ASSERT_TRUE(r);
  EXPECT_LT(r->snapshot_seconds, 0.1 * r->seconds);
}

// Every k-th window, as a history keeps those of a long run.
std::vector<RunInterval> thinned(const std::vector<RunInterval>& seen, std::size_t k) {
  std::vector<RunInterval> out;
  for (std::size_t i = 0; i < seen.size(); i += k) out.push_back(seen[i]);
  return out;
}

TEST(OtherShare, IsOfTestsWithoutALengthAlsoFromSomeOfTheWindows) {
  Clocked run;
  for (int i = 0; i < 30; ++i) run.train(10).pass(25);  // 100 s each, and 25
  EXPECT_NEAR(other_share(run.seen, 1, 0).value(), 0.25, 0.01);
  EXPECT_NEAR(other_share(thinned(run.seen, 7), 1, 0).value(), 0.25, 0.01);
  EXPECT_NEAR(other_share(run.seen, 1, 0.1).value(), 0.15, 0.01) << "snapshots are measured";
}

TEST(OtherShare, ANightThatTheProcessSleptIsNone) {
  Clocked run;
  for (int i = 0; i < 30; ++i) run.train(10).pass(i == 11 ? 30'000 : 25);
  EXPECT_NEAR(other_share(thinned(run.seen, 10), 1, 0).value(), 0.25, 0.01);
  Clocked plain;
  plain.train(100).pass(30'000).train(100);
  EXPECT_EQ(other_share(plain.seen, 1, 0), 0);
}

TEST(OtherShare, IsUnknownWithoutTimesAndNoneUnderAHundredth) {
  Clocked run;
  run.train(1);
  EXPECT_FALSE(other_share(run.seen, 1, 0)) << "one window";
  for (int i = 0; i < 30; ++i) run.train(10).pass(0.5);
  EXPECT_EQ(other_share(run.seen, 1, 0), 0);
  EXPECT_EQ(other_share(run.seen, 1.1, 0), 0) << "less than nothing";
  for (RunInterval& each : run.seen) each.at = std::nan("");
  EXPECT_FALSE(other_share(run.seen, 1, 0));
}

// What such runs took before is expected until a tenth of the way, or until the run shows its own.
TEST(OtherShare, OfRunsBeforeIsExpectedOfARunThatBegins) {
  Plan plan;
  plan.max_iterations = 1000;
  plan.other_share = 0.25;
  const Prediction one{1, 0.9, 1.1, {}};
  const auto before = remaining(std::vector<RunInterval>{}, plan, one, {}, 0.9);
  ASSERT_TRUE(before);
  EXPECT_NEAR(before->other_seconds, 250, 1);
  EXPECT_NEAR(before->seconds, 1250, 5);
  Clocked run;
  run.train(5);
  EXPECT_NEAR(remaining(run.seen, plan, {}, {}, 0.9).value().other_seconds, 237.5, 1);
  run.train(10);
  EXPECT_EQ(remaining(run.seen, plan, {}, {}, 0.9).value().other_seconds, 0) << "it has none";
}

TEST(LostTime, GarbageIsNoTime) {
  const double bad[] = {0, -1, 1e300, std::nan(""), std::numeric_limits<double>::infinity()};
  for (const double a : bad)
    for (const double b : bad) {
      const std::vector<RunInterval> seen{
          {false, a, b, 0, a}, {true, 1, a, 5, b}, {false, 10, 10, a, b}, {false, 10, 10, b, a}};
      for (const Gap gap : {Gap::between_neighbours, Gap::around_missing}) {
        const double lost = lost_time(seen, gap).seconds;
        EXPECT_TRUE(std::isfinite(lost) && lost >= 0) << a << " " << b;
      }
      for (const double step : {0.0, 1.0, std::nan("")}) {
        const double share = other_share(seen, step, 0).value_or(0);
        EXPECT_TRUE(std::isfinite(share) && share >= 0) << a << " " << b;
      }
    }
}

}  // namespace
}  // namespace etad::regression
