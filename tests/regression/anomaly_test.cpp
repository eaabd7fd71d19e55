#include "regression/anomaly.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace etad::regression {
namespace {

const Prediction kModel{0.5, 0.45, 0.56, {}};

void train(std::vector<RunInterval>& seen, int windows, double step_time) {
  static std::mt19937 random{11};
  std::normal_distribution<double> spread(0, 0.003);
  double iteration = 0;
  for (const RunInterval& s : seen)
    if (!s.test) iteration = s.first_iteration + s.iterations;
  for (int i = 0; i < windows; ++i, iteration += 20)
    seen.push_back({false, 20, 20 * step_time * std::exp(spread(random)), iteration});
}

TEST(Anomaly, ARunAtItsModelsPaceIsNone) {
  std::vector<RunInterval> seen;
  train(seen, 100, 0.55);  // slow, but within the interval
  EXPECT_FALSE(anomaly(seen, kModel));
}

TEST(Anomaly, ASlowRunIsOneFromItsStart) {
  std::vector<RunInterval> seen;
  train(seen, 100, 0.65);
  const auto found = anomaly(seen, kModel);
  ASSERT_TRUE(found);
  EXPECT_LE(found->since_iteration, 20);
  EXPECT_NEAR(found->slowdown, 1.3, 0.01);
  EXPECT_NEAR(found->lost_seconds, 0.15 * 20 * 99, 10);
}

TEST(Anomaly, SaysSinceWhen) {
  std::vector<RunInterval> seen{{true, 50, 30, 0}};
  train(seen, 200, 0.5);
  train(seen, 40, 0.8);
  const auto found = anomaly(seen, kModel);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->since_iteration, 4000, 100);
  EXPECT_NEAR(found->since_seconds, 30 + 2000, 60);
  EXPECT_NEAR(found->slowdown, 1.6, 0.05);
}

TEST(Anomaly, OneThatIsOverIsNone) {
  std::vector<RunInterval> seen;
  train(seen, 100, 0.8);
  train(seen, 100, 0.5);
  EXPECT_FALSE(anomaly(seen, kModel));
}

TEST(Anomaly, AShortStallIsNone) {
  std::vector<RunInterval> seen;
  train(seen, 100, 0.5);
  train(seen, 2, 5);
  EXPECT_FALSE(anomaly(seen, kModel));
  train(seen, 100, 0.5);
  EXPECT_FALSE(anomaly(seen, kModel));
}

TEST(Anomaly, AFewWindowsProveNothing) {
  std::vector<RunInterval> seen;
  train(seen, 5, 5);
  EXPECT_FALSE(anomaly(seen, kModel));
}

TEST(Anomaly, UselessPredictionsAndStretchesAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<RunInterval> seen;
  train(seen, 50, 5);
  EXPECT_FALSE(anomaly(seen, Prediction{}));
  EXPECT_FALSE(anomaly(seen, Prediction{nan, nan, nan, {}}));
  EXPECT_FALSE(anomaly({}, kModel));
  EXPECT_FALSE(anomaly(std::vector<RunInterval>(20, RunInterval{false, nan, nan, nan}), kModel));
}

}  // namespace
}  // namespace etad::regression
