#include "prediction/plan.h"

#include <gtest/gtest.h>

#include "regression/anomaly.h"

namespace etad::prediction {
namespace {

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
