// Several estimators' answers as one: who has which part in it, and what it says.
#include "regression/estimators/combined.h"

#include <gtest/gtest.h>

#include <cmath>

namespace etad::estimators {
namespace {

Reply says(double log_mean, double deviation = 0.1, int runs = 1) {
  return {Estimate{log_mean, deviation, {runs, 1, 1}}, {}};
}

TEST(Combined, ErrorsOfOppositeSignsCancel) {
  const auto weights = weights_of({{0.1, 0.1, 0.1}, {-0.1, -0.1, -0.1}});
  EXPECT_NEAR(weights[0], 0.5, 0.051);
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-9);
  const Reply reply = combine(weights, [](std::size_t i) { return says(i == 0 ? 0.1 : -0.1); });
  EXPECT_NEAR(reply.estimate->log_mean, 0, 0.011);
  EXPECT_NEAR(reply.estimate->deviation, std::hypot(0.1, 0.1), 0.01) << "what they differ by is doubt, too";
}

TEST(Combined, WhoOnlyAddsErrorHasNoPart) {
  const auto weights = weights_of({{0.01, -0.01, 0.02}, {0.5, 0.4, 0.6}});
  EXPECT_DOUBLE_EQ(weights[1], 0);
}

TEST(Combined, OfEstimatorsThatSayTheSameTheSimplestCounts) {
  const auto weights = weights_of({{0.1, -0.1, 0.1}, {0.1, -0.1, 0.1}});
  EXPECT_NEAR(weights[0], 1, 1e-9);
  EXPECT_DOUBLE_EQ(weights[1], 0);
}

// Right where it answers, but it seldom does: it has a part, and where it abstains the other has all.
TEST(Combined, WhoAbstainsLeavesItsPartToTheOthers) {
  const auto weights = weights_of({{NAN, NAN, NAN, 0.0, 0.0}, {0.01, 0.01, 0.01, 0.3, 0.3}});
  EXPECT_GT(weights[0], 0);
  EXPECT_GT(weights[1], 0);
  const Reply reply =
      combine(weights, [](std::size_t i) { return i == 0 ? abstain("too few runs") : says(2); });
  EXPECT_DOUBLE_EQ(reply.estimate->log_mean, 2);
}

TEST(Combined, AWildOneMovesItByNoMoreThanAFactor) {
  const std::vector<double> weights = {0.4, 0.6};
  const Reply reply = combine(weights, [](std::size_t i) { return says(i == 0 ? 20 : 1); });
  EXPECT_LE(reply.estimate->log_mean, 1 + 0.4 * 0.4 + 1e-9);
  EXPECT_GT(reply.estimate->deviation, 5) << "and nobody knows how far the truth is from either";
}

TEST(Combined, RestsOnWhatTheHeaviestRestsOn) {
  const std::vector<double> weights = {0.7, 0.3};
  const Reply reply = combine(weights, [](std::size_t i) { return says(1, 0.1, i == 0 ? 7 : 3); });
  EXPECT_EQ(reply.estimate->rests_on.runs, 7);
}

TEST(Combined, WithoutAnswersThereIsNone) {
  EXPECT_EQ(weights_of({{NAN, NAN}, {NAN, NAN}}), (std::vector<double>{0, 0}));
  EXPECT_TRUE(weights_of({}).empty());
  EXPECT_EQ(weights_of({{}, {}}), (std::vector<double>{0, 0}));
  const std::vector<double> weights = {1, 0};
  const Reply reply = combine(weights, [](std::size_t) { return abstain("too few runs"); });
  EXPECT_FALSE(reply.estimate);
  EXPECT_EQ(reply.why, "too few runs");
}

}  // namespace
}  // namespace etad::estimators
