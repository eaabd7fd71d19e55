// Whatever a history holds: no crash, no NaN, no interval that does not hold its own estimate.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "regression/model.h"

namespace etad::regression {
namespace {

RunObservation odd_run(double n, double b, double t, double at = 0, const char* covariate = "") {
  RunObservation run;
  run.samples = b;
  run.iterations = n;
  run.seconds = t;
  run.started_at = at;
  run.covariates = {std::string("type=") + covariate};
  return run;
}

void expect_sane(const Dataset& data) {
  const auto model = fit(data);
  if (!model) return;
  EXPECT_TRUE(std::isfinite(model->noise) && std::isfinite(model->error_percent.value_or(0)) &&
              std::isfinite(model->coverage));
  for (const Coefficient& c : model->coefficients) EXPECT_TRUE(std::isfinite(c.value + c.standard_error));

  for (const double n : {1e-3, 1.0, 1e3, 1e15}) {
    for (const double b : {1e-3, 1.0, 32.0, 1e12}) {
      const auto p = model->predict(n, b, 0.9);
      if (!p) continue;
      EXPECT_TRUE(std::isfinite(p->seconds) && p->seconds > 0);
      EXPECT_LE(p->lower, p->seconds);
      EXPECT_GE(p->upper, p->seconds);
      EXPECT_FALSE(std::isnan(p->upper));
    }
  }
}

TEST(Edge, DegenerateHistories) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  expect_sane({odd_run(1, 1, 1)});
  expect_sane({odd_run(1, 0, 1), odd_run(2, 0, 2)});
  expect_sane({odd_run(1, 0, 1), odd_run(2, 8, 2)});
  expect_sane({odd_run(1e12, 1e12, 1e12), odd_run(1e-12, 1e-12, 1e-12)});
  expect_sane({odd_run(nan, 1, 1), odd_run(1, nan, 1), odd_run(1, 1, infinity), odd_run(1, 1, 5)});
  expect_sane({odd_run(10, 8, 1), odd_run(10, 8, 1), odd_run(10, 8, 1)});
  expect_sane({odd_run(10, 8, 5), odd_run(10, 16, 3), odd_run(10, 32, 1)});
  expect_sane({odd_run(10, 8, 1, 0, "SGD"), odd_run(10, 8, 9, 0, "Adam"), odd_run(10, 8, 4, 0, "")});
}

// What no run told is not known to be like anything.
TEST(Edge, ABatchSizeThatNoRunToldIsOutsideWhatWasSeen) {
  const auto model = fit({odd_run(100, 0, 10), odd_run(200, 0, 20), odd_run(300, 0, 30)});
  ASSERT_TRUE(model);
  const auto told = model->predict(150, 64, 0.9), untold = model->predict(150, std::nullopt, 0.9);
  ASSERT_TRUE(told && untold);
  EXPECT_EQ(told->extrapolates, std::vector<std::string>{"batch_size"});
  EXPECT_TRUE(untold->extrapolates.empty());
}

TEST(Edge, RandomHistories) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(-6, 12);
  for (int round = 0; round < 60; ++round) {
    Dataset data;
    for (int i = 0; i < 1 + round % 17; ++i) {
      data.push_back(odd_run(std::pow(10, exponent(random)), std::pow(10, exponent(random) / 3),
                             std::pow(10, exponent(random)), i, i % 3 ? "a" : "b"));
    }
    expect_sane(data);
  }
}

TEST(Edge, UnknownBatchSizeIsAnsweredOnlyWhereOneWasSeen) {
  const auto one = fit({odd_run(10, 8, 1), odd_run(20, 8, 2)});
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->predict(10, std::nullopt, 0.9));
  const auto several = fit({odd_run(10, 8, 1), odd_run(20, 16, 4)});
  ASSERT_TRUE(several);
  EXPECT_FALSE(several->predict(10, std::nullopt, 0.9));
}

TEST(Edge, OutsideTheRangeIsWiderAndSaysSo) {
  std::mt19937 random(2);
  std::normal_distribution<double> noise(0, 0.02);
  Dataset data;
  for (int i = 0; i < 20; ++i) {
    const double b = 8 << (i % 3);
    data.push_back(odd_run(100, b, 100 * (0.1 + 0.02 * b) * std::exp(noise(random))));
  }
  const auto model = fit(data);
  const auto inside = model->predict(100, 16, 0.9), outside = model->predict(100, 256, 0.9);
  EXPECT_TRUE(inside->extrapolates.empty());
  EXPECT_EQ(outside->extrapolates, std::vector<std::string>{"batch_size"});
  EXPECT_GT(outside->upper / outside->seconds, inside->upper / inside->seconds);
}

}  // namespace
}  // namespace etad::regression
