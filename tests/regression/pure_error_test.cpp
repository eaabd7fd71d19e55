#include "regression/pure_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/model.h"

namespace etad::regression {
namespace {

struct Measured {
  Observations rows;
  std::vector<double> residuals;

  void add(double b, double residual) {
    rows.push_back({100, b, 1, 0, rows.size(), 1});
    residuals.push_back(residual);
  }
};

TEST(PureErrorTest, SpreadIsThatOfTheRunsNotOfTheMisfit) {
  std::mt19937 random(1);
  std::normal_distribution<double> luck(0, 0.01);
  Measured m;
  for (int size = 0; size < 8; ++size) {
    const double misfit = size % 2 ? 0.2 : -0.2;
    for (int i = 0; i < 40; ++i) m.add(size + 1, misfit + luck(random));
  }
  const PureError spread = pure_error(m.rows, m.residuals);
  EXPECT_NEAR(spread.scale, 0.01, 0.001);
  EXPECT_EQ(spread.degrees, 312);
}

TEST(PureErrorTest, OneStalledRunSpoilsItsOwnPairsOnly) {
  Measured m;
  for (int size = 1; size <= 4; ++size) {
    for (const double r : {-0.01, 0.0, 0.01}) m.add(size, r);
  }
  const double before = pure_error(m.rows, m.residuals).scale;
  m.residuals[4] = 1.4;
  EXPECT_LT(pure_error(m.rows, m.residuals).scale, 2 * before);
}

TEST(PureErrorTest, AChangeOfTheDeploymentIsNotNoise) {
  Measured m;
  for (int i = 0; i < 30; ++i) m.add(8, (i < 15 ? 0.0 : 0.5) + (i % 3) * 0.01);
  EXPECT_LT(pure_error(m.rows, m.residuals).scale, 0.02);
}

TEST(PureErrorTest, NothingRepeatedSaysNothing) {
  Measured m;
  for (int size = 1; size <= 5; ++size) m.add(size, 0.1 * size);
  EXPECT_EQ(pure_error(m.rows, m.residuals).degrees, 0);
}

TEST(PureErrorTest, RunsThatNoLongerCountAreLeftOut) {
  Measured m;
  for (const double r : {0.0, 0.02, 5.0}) m.add(8, r);
  m.rows[2].weight = 0;
  EXPECT_EQ(pure_error(m.rows, m.residuals).degrees, 1);
}

}  // namespace
}  // namespace etad::regression
