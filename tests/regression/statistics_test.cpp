#include "regression/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "regression/interval.h"

namespace etad::regression {
namespace {

TEST(Statistics, MedianAndScale) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(robust_scale({-1, 1, -1, 100}), 1.4826);
}

// Tables of Student's t, two-sided 90 % (95 % quantile).
TEST(Statistics, StudentQuantiles) {
  EXPECT_NEAR(student_quantile(0.95, 1), 6.314, 2e-3);
  EXPECT_NEAR(student_quantile(0.95, 3), 2.353, 1e-3);
  EXPECT_NEAR(student_quantile(0.95, 10), 1.812, 1e-3);
  EXPECT_NEAR(student_quantile(0.05, 30), -1.697, 1e-3);
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-5);
  EXPECT_NEAR(student_cdf(student_quantile(0.7, 5), 5), 0.7, 1e-9);
}

TEST(Interval, FewScoresLeanOnThePriorManyOnThemselves) {
  EXPECT_NEAR(score_quantile({}, 0.9, 1), student_quantile(0.95, 3), 1e-3);
  std::vector<double> scores;
  for (int i = 0; i < 1000; ++i) scores.push_back(i / 1000.0);
  EXPECT_NEAR(score_quantile(scores, 0.9, 900), 0.9, 0.02);
}

// A thousand scores that say no more than two do are hardly believed.
TEST(Interval, ScoresThatAreAlikeCountForFewer) {
  const std::vector<double> scores(1000, 0.1);
  EXPECT_LT(score_quantile(scores, 0.9, 10), 0.2);
  EXPECT_GT(score_quantile(scores, 0.9, 10, 2), 1.5);
  EXPECT_NEAR(score_quantile(scores, 0.9, 10, 0), score_quantile({}, 0.9, 10), 1e-9);
}

TEST(Interval, GrowsWithConfidence) {
  const std::vector<double> scores{0.2, 0.5, 0.9, 1.4};
  EXPECT_LT(score_quantile(scores, 0.5, 3), score_quantile(scores, 0.9, 3));
  EXPECT_LT(score_quantile(scores, 0.9, 3), score_quantile(scores, 0.99, 3));
}

}  // namespace
}  // namespace etad::regression
