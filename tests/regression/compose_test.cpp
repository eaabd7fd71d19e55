#include "regression/compose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace etad::regression {
namespace {

TEST(Compose, IsNarrowerThanTheSumOfBoundsAndWiderThanStrangers) {
  const std::vector<Prediction> parts{{100, 90, 112, {"batch_size"}},
                                      {50, 45, 56, {"batch_size", "iterations"}}};
  const Prediction total = compose(parts);
  EXPECT_DOUBLE_EQ(total.seconds, 150);
  EXPECT_LT(total.upper, 168);
  EXPECT_GT(total.upper, 150 + std::sqrt(12.0 * 12 + 6 * 6));
  EXPECT_GT(total.lower, 135);
  EXPECT_EQ(total.extrapolates, (std::vector<std::string>{"batch_size", "iterations"}));
}

TEST(Compose, OfOnePartIsThatPart) {
  const Prediction part{100, 90, 112, {}};
  const Prediction total = compose(std::vector<Prediction>{part});
  EXPECT_DOUBLE_EQ(total.lower, 90);
  EXPECT_DOUBLE_EQ(total.upper, 112);
}

TEST(Compose, OfNothingIsNothing) {
  EXPECT_EQ(compose({}).upper, 0);
}

}  // namespace
}  // namespace etad::regression
