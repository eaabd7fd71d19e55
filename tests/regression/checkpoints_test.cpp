#include "regression/checkpoints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace etad::regression {
namespace {

TEST(Checkpoints, TheFractionIsOfTheWholeTime) {
  EXPECT_DOUBLE_EQ(*time_fraction(10, 30), 0.25);
  EXPECT_DOUBLE_EQ(*time_fraction(0, 30), 0);
  EXPECT_DOUBLE_EQ(*time_fraction(10, 0), 1);
  EXPECT_DOUBLE_EQ(*time_fraction(-5, 30), 0);
  EXPECT_DOUBLE_EQ(*time_fraction(1e308, 1e308), 0.5);
}

TEST(Checkpoints, NoFractionOfNothing) {
  EXPECT_FALSE(time_fraction(0, 0));
  EXPECT_FALSE(time_fraction(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_FALSE(time_fraction(1, std::numeric_limits<double>::infinity()));
}

TEST(Checkpoints, EachIsReachedOnce) {
  EXPECT_EQ(checkpoint_reached(0.0, std::nullopt), 0.0);
  EXPECT_FALSE(checkpoint_reached(0.01, 0.0));
  EXPECT_EQ(checkpoint_reached(0.051, 0.0), 0.05);
  EXPECT_FALSE(checkpoint_reached(0.06, 0.05));
  EXPECT_EQ(checkpoint_reached(0.25, 0.05), 0.25);
  EXPECT_EQ(checkpoint_reached(0.51, 0.05), 0.5) << "a checkpoint in between may have been missed";
}

TEST(Checkpoints, OneThatWasPassedUnseenIsNotMadeUp) {
  EXPECT_FALSE(checkpoint_reached(0.4, 0.05));
  EXPECT_FALSE(checkpoint_reached(0.9, std::nullopt));
  EXPECT_FALSE(checkpoint_reached(0.2, std::nullopt));
}

TEST(Checkpoints, TheFirstLookBehindOneIsItsMomentWhereTheRunWasWatched) {
  EXPECT_EQ(checkpoint_reached(0.28, 0.05, 0.2), 0.25);
  EXPECT_EQ(checkpoint_reached(0.12, std::nullopt, 0.0), 0.05);
  EXPECT_FALSE(checkpoint_reached(0.28, 0.05, 0.26)) << "it was there for the looking";
  EXPECT_FALSE(checkpoint_reached(0.4, 0.05, 0.2)) << "too far behind it";
}

TEST(Checkpoints, AFractionThatFallsBackReachesNothingTwice) {
  EXPECT_EQ(checkpoint_reached(0.25, 0.05), 0.25);
  EXPECT_FALSE(checkpoint_reached(0.06, 0.25));
  EXPECT_FALSE(checkpoint_reached(0.255, 0.25));
}

TEST(Checkpoints, NoNumberReachesNoCheckpoint) {
  EXPECT_FALSE(checkpoint_reached(std::numeric_limits<double>::quiet_NaN(), std::nullopt));
  EXPECT_FALSE(checkpoint_reached(-0.1, std::nullopt));
}

}  // namespace
}  // namespace etad::regression
