#include "regression/remaining.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

namespace etad::regression {
namespace {

// A run as its log tells it: windows of 20 iterations, a test phase every `test_interval`.
class Shown {
 public:
  Shown& train(int windows, double step_time, double noise = 0.002) {
    std::normal_distribution<double> spread(0, noise);
    for (int i = 0; i < windows; ++i) {
      if (test_interval > 0 && std::fmod(iteration, test_interval) == 0)
        seen.push_back({true, 50, test_seconds, iteration});
      seen.push_back({false, 20, 20 * step_time * std::exp(spread(random_)), iteration});
      iteration += 20;
    }
    return *this;
  }
  Shown& stall(double seconds) {
    seen.push_back({false, 20, seconds, iteration});
    iteration += 20;
    return *this;
  }
  Plan plan(double max_iterations) const {
    Plan p;
    p.iteration = iteration;
    p.max_iterations = max_iterations;
    p.test_interval = test_interval;
    p.test_iterations = 50;
    return p;
  }

  std::vector<RunInterval> seen;
  double iteration = 0;
  double test_interval = 0;
  double test_seconds = 30;

 private:
  std::mt19937 random_{7};
};

std::optional<Remaining> ask(const Shown& run, double max_iterations) {
  return remaining(run.seen, run.plan(max_iterations), {}, {}, 0.9);
}

void expect_sound(const Remaining& r) {
  for (const double x :
       {r.seconds, r.lower, r.upper, r.train_seconds, r.test_seconds, r.snapshot_seconds, r.other_seconds})
    EXPECT_TRUE(std::isfinite(x) && x >= 0) << x;
  EXPECT_LE(r.lower, r.seconds);
  EXPECT_LE(r.seconds, r.upper);
}

TEST(Remaining, NothingKnownIsNoAnswer) {
  Plan plan;
  plan.max_iterations = 1000;
  EXPECT_FALSE(remaining({}, plan, {}, {}, 0.9));
  Shown run;
  run.train(50, 0.5);
  EXPECT_FALSE(remaining(run.seen, Plan{}, {}, {}, 0.9)) << "no end is planned";
}

TEST(Remaining, ConstantPaceGoesOn) {
  Shown run;
  run.train(100, 0.5);
  const auto r = ask(run, 10000);
  ASSERT_TRUE(r);
  expect_sound(*r);
  EXPECT_NEAR(r->seconds, 4000, 20);
  EXPECT_DOUBLE_EQ(r->test_seconds, 0);
  EXPECT_LT(r->upper - r->lower, 0.25 * r->seconds);
}

TEST(Remaining, TestsAreCountedApart) {
  Shown run;
  run.test_interval = 500;
  run.train(100, 0.5);  // to 2000: the tests at 0, 500, 1000, 1500 are over, that at 2000 is not
  auto r = ask(run, 4000);
  ASSERT_TRUE(r);
  EXPECT_NEAR(r->train_seconds, 1000, 5);
  EXPECT_DOUBLE_EQ(r->test_seconds, 4 * 30.0) << "2500, 3000, 3500 and the one at the end";
  Plan plan = run.plan(4000);
  plan.test_at_end = false;
  EXPECT_DOUBLE_EQ(remaining(run.seen, plan, {}, {}, 0.9)->test_seconds, 3 * 30.0);
}

TEST(Remaining, ATestNotYetSeenCostsAForwardPassOfItsBatch) {
  Shown run;
  run.train(50, 0.6);
  Plan plan = run.plan(4000);
  plan.test_interval = 2000;
  plan.test_load = 0.25;
  EXPECT_NEAR(remaining(run.seen, plan, {}, {}, 0.9)->test_seconds, 2 * 50 * 0.6 / 3 / 4, 0.1);
}

TEST(Remaining, SeveralTestNetsAreOnePhase) {
  Shown run;
  run.train(50, 0.5);
  for (const double at : {0.0, 500.0}) {
    run.seen.push_back({true, 50, 10, at});
    run.seen.push_back({true, 20, 5, at});
  }
  Plan plan = run.plan(2000);
  plan.test_interval = 500;
  EXPECT_DOUBLE_EQ(remaining(run.seen, plan, {}, {}, 0.9)->test_seconds, 2 * 15.0);
}

double half_width(const Remaining& r) {
  return 0.5 * (r.upper - r.lower) / r.seconds;
}

TEST(Remaining, ARestlessRunsIntervalIsWider) {
  Shown steady, restless;
  steady.train(200, 0.5, 0.0005);
  restless.train(200, 0.5, 0.012);
  EXPECT_GT(half_width(*ask(restless, 40000)), 1.3 * half_width(*ask(steady, 40000)));
}

TEST(Remaining, OnceFedItIsTakenAtItsPace) {
  Shown run;
  run.train(100, 0.5, 0.06).train(300, 0.25, 0.0005);
  const auto r = ask(run, 40000);
  EXPECT_NEAR(expected_step_time(run.seen, run.plan(40000), {}, 0.9)->seconds, 0.25, 0.015);
  EXPECT_GT(r->lower, 0.6 * r->seconds);
}

TEST(Remaining, AStallThatEndedDoesNotCount) {
  Shown steady, stalled;
  steady.train(200, 0.5);
  stalled.train(100, 0.5).stall(4000).train(100, 0.5);
  EXPECT_NEAR(ask(stalled, 10000)->seconds, ask(steady, 10000)->seconds, 0.02 * ask(steady, 10000)->seconds);
}

TEST(Remaining, OrdinaryStallsCountAtTheirAverageCost) {
  Shown run;
  for (int i = 0; i < 100; ++i) run.train(9, 0.5).stall(20);  // one window in ten takes twice as long
  const auto r = ask(run, 40000);
  EXPECT_NEAR(r->seconds, 20000 * 0.55, 0.01 * 20000 * 0.55);
}

TEST(Remaining, WhatComesEveryHundredIterationsIsNoOutlier) {
  Shown run;
  for (int i = 0; i < 20; ++i) run.train(19, 0.5).stall(100);  // ten times a window
  const auto r = ask(run, run.iteration * 2);
  ASSERT_TRUE(r);
  EXPECT_NEAR(r->seconds, 20 * (19 * 10 + 100), 0.04 * r->seconds);
}

TEST(Remaining, ThreeNightsAreOutliers) {
  Shown run;
  for (int i = 0; i < 3; ++i) run.train(100, 0.5).stall(36000);
  run.train(100, 0.5);
  const auto r = ask(run, run.iteration * 2);
  ASSERT_TRUE(r);
  EXPECT_NEAR(r->seconds, 4000, 0.04 * r->seconds);
}

TEST(Remaining, WindowsOfTwoKindsCountAtTheirMean) {
  Shown run;
  for (int i = 0; i < 300; ++i)
    run.train(2, 0.5).stall(30);  // two fast ones, one at a third of the step time
  const auto r = ask(run, run.iteration * 2);
  ASSERT_TRUE(r);
  EXPECT_NEAR(r->seconds, 300 * 50, 0.02 * r->seconds);
}

TEST(Remaining, AStretchOfStallsThatEndsIsLeftBehind) {
  Shown run;
  run.train(50, 1.5, 0.08).train(100, 0.5);  // a cold cache at the start
  EXPECT_NEAR(ask(run, 20000)->seconds, 17000 * 0.5, 0.05 * 17000 * 0.5);
}

TEST(Remaining, ALastingSlowdownIsFollowed) {
  Shown run;
  run.train(200, 0.5);
  const double before = ask(run, 20000)->seconds;
  run.train(15, 0.8);
  const auto r = ask(run, 20000);
  const double truth = (20000 - run.iteration) * 0.8;
  EXPECT_GT(r->seconds, before * 1.15) << "within a few windows";
  run.train(50, 0.8);
  const auto later = ask(run, 20000);
  EXPECT_NEAR(later->seconds, (20000 - run.iteration) * 0.8, 0.1 * truth);
  EXPECT_GE(later->upper, (20000 - run.iteration) * 0.8);
  EXPECT_NEAR(expected_step_time(run.seen, run.plan(20000), {}, 0.9)->since, 4000, 100);
}

TEST(Remaining, AResumedRunHasOnlyTheRestToDo) {
  Shown run;
  run.iteration = 50000;
  run.train(50, 0.5);
  const auto r = ask(run, 60000);
  EXPECT_NEAR(r->seconds, 9000 * 0.5, 30);
}

TEST(Remaining, TheModelSpeaksBeforeTheFirstWindow) {
  Plan plan;
  plan.iteration = 5000;  // resumed
  plan.max_iterations = 10000;
  plan.test_interval = 1000;
  plan.test_iterations = 50;
  const Prediction train{0.4, 0.3, 0.5, {}}, test{0.2, 0.19, 0.21, {}};
  const auto r = remaining({}, plan, train, test, 0.9);
  ASSERT_TRUE(r);
  expect_sound(*r);
  EXPECT_DOUBLE_EQ(r->train_seconds, 2000);
  EXPECT_DOUBLE_EQ(r->test_seconds, 5 * 50 * 0.2);
  EXPECT_LT(r->lower, 1700);
  EXPECT_GT(r->upper, 2400);
}

TEST(Remaining, TheModelGivesWayToTheRunsOwnWindows) {
  const Prediction model{1.0, 0.8, 1.25, {}};
  double last = 1e9;
  for (const int windows : {2, 20, 200, 400}) {
    Shown run;
    run.train(windows, 0.5);
    const auto step_time = expected_step_time(run.seen, run.plan(10000), model, 0.9);
    const double excess = step_time->seconds / 0.5 - 1;
    EXPECT_GE(excess, -0.01);
    EXPECT_LT(excess, last);
    last = excess;
  }
  EXPECT_LT(last, 0.05);
}

TEST(Remaining, AModelThatContradictsTheRunIsNotOfIt) {
  Shown run;
  run.train(60, 0.5);
  const Prediction model{0.25, 0.23, 0.27, {}};
  const auto r = remaining(run.seen, run.plan(24000), model, {}, 0.9);
  const auto alone = ask(run, 24000);
  ASSERT_TRUE(r && alone);
  EXPECT_NEAR(r->seconds, alone->seconds, 0.03 * alone->seconds);
  EXPECT_LT(r->upper - r->lower, 1.3 * (alone->upper - alone->lower));
}

TEST(Remaining, SnapshotsCostWhatTheLogShowsOfThem) {
  Shown run;
  run.train(100, 0.5);
  Plan plan = run.plan(10000);
  plan.snapshot_interval = 1000;
  plan.snapshots = 2;
  plan.snapshot_seconds = 2 * 4;
  const auto r = remaining(run.seen, plan, {}, {}, 0.9);
  EXPECT_NEAR(r->snapshot_seconds, 7 * 4, 1) << "3000 to 9000";
  plan.snapshot_seconds = 86400;
  EXPECT_LT(remaining(run.seen, plan, {}, {}, 0.9)->snapshot_seconds, 0.05 * r->seconds) << "an outlier";
}

TEST(Remaining, TimeSinceTheLastLineIsTakenOffOnlyAsFarAsItWasUsed) {
  Shown run;
  run.train(100, 0.5);
  const Remaining then = *ask(run, 10000);
  EXPECT_NEAR(then.due, 10, 0.1) << "a window";
  EXPECT_NEAR(after_silence(then, 5).seconds, then.seconds - 5, 1e-6);
  const Remaining silent = after_silence(then, 3600);  // the run hangs
  expect_sound(silent);
  EXPECT_GT(silent.seconds, then.seconds - 15);
  EXPECT_GT(silent.upper, then.upper + 3000);
  EXPECT_FALSE(stalled(then.due, 5));
  EXPECT_FALSE(stalled(then.due, 90)) << "an ordinary stall";
  EXPECT_TRUE(stalled(then.due, 3600));
  EXPECT_FALSE(stalled(0, 1e9)) << "nothing is known of when a line is due";
}

TEST(Remaining, StartingUpCountsUntilTheFirstWindow) {
  Shown run;
  Plan plan = run.plan(1000);
  const Prediction model{0.5, 0.45, 0.55, {}};
  const double without = remaining({}, plan, model, {}, 0.9)->seconds;
  plan.startup = 30;
  EXPECT_NEAR(remaining({}, plan, model, {}, 0.9)->seconds, without + 30, 1e-6);
  run.train(10, 0.5);
  EXPECT_DOUBLE_EQ(remaining(run.seen, plan, model, {}, 0.9)->startup_seconds, 0);
}

TEST(Remaining, WithoutAnEndThereIsStillAPace) {
  Shown run;
  EXPECT_FALSE(expected_step_time({}, Plan{}, {}, 0.9));
  run.train(100, 0.5).train(100, 0.7);
  EXPECT_FALSE(ask(run, 0));
  const auto step_time = expected_step_time(run.seen, run.plan(0), {}, 0.9);
  ASSERT_TRUE(step_time);
  EXPECT_NEAR(step_time->seconds, 0.7, 0.02);
  EXPECT_NEAR(step_time->since, 2000, 400);
  EXPECT_LT(step_time->lower, step_time->seconds);
  EXPECT_GT(step_time->upper, step_time->seconds);
  EXPECT_NEAR(step_time->due, 14, 0.5);
  const Prediction model{0.5, 0.45, 0.55, {}};
  const auto before = expected_step_time({}, Plan{}, model, 0.9);
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->from_model_only);
  EXPECT_DOUBLE_EQ(before->seconds, 0.5);
}

// The log says with every window that the run waits for its data, as from a cold disk.
TEST(Remaining, ARunThatSaysItWaitsIsExpectedToGoFasterOnceItsDataAreInMemory) {
  Shown run;
  run.train(40, 0.5, 0.01);
  const auto steady = ask(run, 20000);
  Plan plan = run.plan(20000);
  plan.waits = 1;  // as nearly every run does once, at its start
  EXPECT_DOUBLE_EQ(remaining(run.seen, plan, {}, {}, 0.9)->seconds, steady->seconds);
  plan.waits = 100;
  const auto waiting = remaining(run.seen, plan, {}, {}, 0.9);
  ASSERT_TRUE(steady && waiting);
  EXPECT_LT(waiting->seconds, 0.8 * steady->seconds);
  EXPECT_LT(waiting->lower, 0.5 * steady->seconds) << "half the time is possible";
  EXPECT_GT(waiting->upper, steady->seconds) << "and so is that it goes on";
}

TEST(Remaining, ARunThatHasWaitedForHoursIsNotExpectedToStop) {
  Shown run;
  run.train(2000, 0.5, 0.01);
  Plan plan = run.plan(80000);
  const double steady = remaining(run.seen, plan, {}, {}, 0.9)->seconds;
  plan.waits = 5000;
  EXPECT_NEAR(remaining(run.seen, plan, {}, {}, 0.9)->seconds, steady, 0.03 * steady);
}

TEST(Remaining, NothingIsLeftAtTheEnd) {
  Shown run;
  run.train(100, 0.5);
  const auto r = ask(run, 2000);
  ASSERT_TRUE(r);
  EXPECT_DOUBLE_EQ(r->seconds, 0);
  EXPECT_DOUBLE_EQ(r->upper, 0);
  EXPECT_DOUBLE_EQ(ask(run, 1500)->seconds, 0) << "beyond what was planned";
}

TEST(Remaining, GarbageNeverMakesGarbage) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<double> odd{nan, inf, -inf, 0, -1, 1e300, 1e-300, 5e-324, 20, 0.5};
  std::mt19937 random(3);
  const auto pick = [&] { return odd[random() % odd.size()]; };
  int answered = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<RunInterval> seen(random() % 12);
    for (RunInterval& s : seen) s = {random() % 3 == 0, pick(), pick(), pick(), pick()};
    const Plan plan{pick(), pick(), pick(), pick(), pick(), random() % 2 == 0,
                    pick(), pick(), pick(), pick(), pick()};
    std::optional<Prediction> train, test;
    if (random() % 2 == 0) train = Prediction{pick(), pick(), pick(), {}};
    if (random() % 2 == 0) test = Prediction{pick(), pick(), pick(), {}};
    if (const auto r = remaining(seen, plan, train, test, pick())) {
      ++answered;
      expect_sound(*r);
      expect_sound(after_silence(*r, pick()));
      if (HasFailure()) return;
    }
    if (const auto step_time = expected_step_time(seen, plan, train, pick())) {
      EXPECT_TRUE(std::isfinite(step_time->upper) && std::isfinite(step_time->due));
      EXPECT_TRUE(0 <= step_time->lower && step_time->lower <= step_time->seconds &&
                  step_time->seconds <= step_time->upper);
    }
  }
  EXPECT_GT(answered, 1000);
}

}  // namespace
}  // namespace etad::regression
