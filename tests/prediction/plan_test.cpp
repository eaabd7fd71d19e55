#include "prediction/plan.h"

#include <gtest/gtest.h>

#include "regression/anomaly.h"

namespace etad::prediction {
namespace {

TEST(PlanOfSeen, WhatHappenedCountsByTheShareOfTheIterationsAtHand) {
  etad::Run run;
  run.train.iterations = 1000;
  regression::Plan plan;
  plan.snapshots = 20;
  plan.snapshot_seconds = 100;
  plan.waits = 40;
  std::vector<regression::RunInterval> seen = {
      {false, 200, 20, 750}, {true, 50, 5, 900}, {false, 50, 5, 950}};
  const auto of_a_quarter = plan_of_seen(plan, run, seen);
  EXPECT_EQ(of_a_quarter.snapshots, 5);
  EXPECT_EQ(of_a_quarter.snapshot_seconds, 25);
  EXPECT_EQ(of_a_quarter.waits, 10);
  seen.front().iterations = 950;
  EXPECT_EQ(plan_of_seen(plan, run, seen), plan);
  EXPECT_EQ(plan_of_seen(plan, run, {}), plan) << "nothing is at hand yet";
}

// Runs that cost 5 s once, and 10 ms an iteration.
regression::Model with_a_cost_per_run() {
  regression::Dataset runs;
  for (const double n : {500., 1000., 2000., 4000., 8000., 500., 2000., 1000.}) {
    regression::RunObservation run;
    run.iterations = n;
    run.samples = 64;
    run.seconds = 5 + 0.01 * n;
    runs.push_back(run);
  }
  return *regression::fit(runs);
}

double an_iteration(double done, double left) {
  return per_iteration(with_a_cost_per_run(), {}, Phase::train, done, left, 0.9)->seconds;
}

TEST(PerIteration, WhatARunCostsOnceIsCountedBeforeItBegins) {
  EXPECT_NEAR(an_iteration(0, 1000), 0.015, 1e-4);
  EXPECT_NEAR(an_iteration(100, 1000), 0.01, 1e-4);
  EXPECT_NEAR(an_iteration(999, 1), 0.01, 1e-4);
}

TEST(PerIteration, WhereNoEndIsKnownARunIsAsLongAsOthersOrAsItself) {
  EXPECT_NEAR(an_iteration(0, 0), 85.0 / 8000, 1e-4);
  EXPECT_NEAR(an_iteration(100'000, 0), 0.01, 1e-4);
}

// Its bound was that of a run of one iteration, cost per run included.
TEST(PerIteration, ARunOfUnknownEndIsSeenToBeSlow) {
  std::vector<regression::RunInterval> seen;
  for (int i = 0; i < 20; ++i) seen.push_back({false, 100, 4, 100.0 * i});
  const auto model = per_iteration(with_a_cost_per_run(), {}, Phase::train, 2000, 0, 0.9);
  const auto anomaly = regression::anomaly(seen, *model);
  ASSERT_TRUE(anomaly);
  EXPECT_NEAR(anomaly->slowdown, 4, 0.1);
}

}  // namespace
}  // namespace etad::prediction
