#include "regression/step_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/changes.h"
#include "regression/forecast.h"
#include "regression/test_cost.h"

namespace etad::regression {
namespace {

std::vector<double> level(std::size_t n, double value, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> spread(value, noise);
  std::vector<double> out(n);
  for (double& v : out) v = spread(random);
  return out;
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(LevelChanges, NoneInNoise) {
  for (unsigned seed = 0; seed < 50; ++seed)
    EXPECT_EQ(level_changes(level(128, 1.0, 0.01, seed)), (std::vector<std::size_t>{0})) << seed;
}

TEST(LevelChanges, FindsAStep) {
  const auto changes = level_changes(joined(level(60, 1.0, 0.01, 1), level(40, 1.3, 0.01, 2)));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0], 0u);
  EXPECT_EQ(changes[1], 60u);
}

TEST(LevelChanges, FindsThereAndBack) {
  const auto series =
      joined(joined(level(40, 1.0, 0.005, 1), level(20, 0.8, 0.005, 2)), level(40, 1.0, 0.005, 3));
  EXPECT_EQ(level_changes(series), (std::vector<std::size_t>{0, 40, 60}));
}

TEST(LevelChanges, ShortSeriesHaveNone) {
  EXPECT_TRUE(level_changes({}).empty());
  EXPECT_EQ(level_changes({1}), (std::vector<std::size_t>{0}));
  EXPECT_EQ(level_changes({1, 5, 1, 5}), (std::vector<std::size_t>{0}));
}

TEST(LevelChanges, AConstantSeriesHasNone) {
  EXPECT_EQ(level_changes(std::vector<double>(100, 3.0)), (std::vector<std::size_t>{0}));
}

TEST(ErrorLaw, QuantilesInvertTheDistribution) {
  const ErrorLaw law{0.01, 0.1, 0.05, 0.12, 0.12};
  for (const double p : {0.001, 0.05, 0.3, 0.5, 0.9, 0.95, 0.999})
    EXPECT_NEAR(law.cumulative(law.quantile(p)), p, 1e-9) << p;
  EXPECT_GT(law.quantile(0.95), -law.quantile(0.05)) << "slower is likelier than faster";
}

TEST(ErrorLaw, QuantilesOfAnyLawInvertIt) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0, 0.45), exponent(-4, 1);
  const auto size = [&] { return std::pow(10, exponent(random)); };
  for (int i = 0; i < 2000; ++i) {
    const ErrorLaw law{size(), share(random), share(random), size(), size()};
    for (const double p : {0.001, 0.01, 0.05, 0.4, 0.6, 0.95, 0.99, 0.999})
      ASSERT_NEAR(law.cumulative(law.quantile(p)), p, 1e-9)
          << p << ": " << law.usual << " " << law.slower << " " << law.slower_size << " " << law.faster << " "
          << law.faster_size;
  }
}

TEST(ErrorLaw, WithoutTheUsualErrorHasAJump) {
  const ErrorLaw law{0, 0.2, 0.1, 0.12, 0.12};
  EXPECT_NEAR(law.quantile(0.5), 0, 1e-9);
  EXPECT_NEAR(law.quantile(0.9), 0.12 * std::log(2), 1e-9);
}

TEST(ErrorLaw, IsNormalWithoutTails) {
  const ErrorLaw law{0.02};
  EXPECT_NEAR(law.quantile(0.95), 0.02 * 1.6449, 1e-5);
  EXPECT_NEAR(law.quantile(0.5), 0, 1e-9);
}

TEST(ErrorLaw, IsTheDrawnErrorsLaw) {
  const ErrorLaw law{0.01, 0.2, 0.1, 0.12, 0.12};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> choose(0, 1);
  std::exponential_distribution<double> tail(1 / law.slower_size);
  std::normal_distribution<double> usual(0, law.usual);
  const double low = law.quantile(0.05), high = law.quantile(0.95);
  int within = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double c = choose(random);
    const double e = c < 0.2 ? tail(random) : c < 0.3 ? -tail(random) : usual(random);
    within += e >= low && e <= high;
  }
  EXPECT_NEAR(static_cast<double>(within) / kDraws, 0.9, 0.01);
}

std::vector<RunInterval> windows(const std::vector<double>& step_times) {
  std::vector<RunInterval> out;
  for (const double step_time : step_times)
    out.push_back({false, 20, 20 * step_time, 20 * static_cast<double>(out.size())});
  return out;
}

TEST(StepTimeSegmentation, WorkIsBoundedHoweverLongTheRun) {
  for (const std::size_t n : {1u, 127u, 128u, 129u, 1000u, 100001u}) {
    const auto segmentation = segment_step_times(windows(std::vector<double>(n, 0.5)));
    ASSERT_TRUE(segmentation);
    EXPECT_LE(segmentation->blocks.size(), StepTimeSegmentation::kMaxBlocks);
    EXPECT_EQ(segmentation->windows, n < 4 ? n : n - 1);
    EXPECT_NEAR(segmentation->stall_factor, 1, 1e-9);
  }
}

TEST(StepTimeSegmentation, WindowsOfAnyLengthCountByTheirIterations) {
  std::vector<RunInterval> seen;
  for (int i = 0; i < 50; ++i) seen.push_back({false, i % 2 == 0 ? 10.0 : 30.0, i % 2 == 0 ? 5.0 : 15.0, 0});
  const auto segmentation = segment_step_times(seen);
  ASSERT_TRUE(segmentation);
  EXPECT_NEAR(forecast_step_time(*segmentation, 1000).seconds_per_iteration, 0.5, 1e-9);
}

TEST(StepTimeSegmentation, JitterIsThatOfThePresentStretch) {
  const auto segmentation =
      segment_step_times(windows(joined(level(300, 1.0, 0.06, 1), level(300, 0.4, 0.0004, 2))));
  ASSERT_TRUE(segmentation);
  EXPECT_NEAR(segmentation->jitter, 0.001, 0.0003);
}

TEST(StepTimeSegmentation, StallsAreNoJitter) {
  auto step_times = level(200, 0.5, 0.0005, 4);
  for (std::size_t i = 5; i < step_times.size(); i += 10) step_times[i] *= 2;
  EXPECT_NEAR(segment_step_times(windows(step_times))->jitter, 0.001, 0.0005);
}

TEST(StepTimeForecast, AFewWindowsTellLittleOfTheirNoise) {
  const auto scatter = [](std::size_t n) {
    const auto segmentation = segment_step_times(windows(std::vector<double>(n, 0.5)));
    return forecast_step_time(*segmentation, 1e6).scatter *
           std::sqrt(static_cast<double>(segmentation->windows));
  };
  EXPECT_GT(scatter(2), 2 * scatter(20));
  EXPECT_GT(scatter(20), scatter(200));
}

TEST(StepTimeForecast, AnOldChangeIsTrustedAFreshOneLess) {
  const auto at = [](std::size_t after) {
    const auto segmentation =
        segment_step_times(windows(joined(level(1000, 0.5, 0.001, 1), level(after, 1.0, 0.001, 2))));
    return forecast_step_time(*segmentation, 40000).seconds_per_iteration;
  };
  EXPECT_LT(at(2), 0.51);
  EXPECT_LT(at(24), at(100));
  EXPECT_LT(at(100), at(400));
  EXPECT_NEAR(at(900), 1.0, 0.02);
}

TEST(StepTimeForecast, TheRunsOwnUnrestWidensIt) {
  const auto steady = segment_step_times(windows(level(400, 0.5, 0.001, 1)));
  std::vector<double> restless;
  for (int i = 0; i < 8; ++i) restless = joined(restless, level(50, i % 2 == 0 ? 0.5 : 0.6, 0.001, 3));
  const auto unsteady = segment_step_times(windows(restless));
  EXPECT_GT(forecast_step_time(*unsteady, 1000).variation, 10 * forecast_step_time(*steady, 1000).variation);
}

TEST(TestCost, IntervalAndCostAreThoseSeen) {
  std::vector<RunInterval> seen;
  for (int i = 0; i < 6; ++i) {
    seen.push_back({true, 50, i == 0 ? 90.0 : 30.0, i * 1000.0});  // the first reads from a cold disk
    seen.push_back({false, 1000, 500, i * 1000.0});
  }
  const TestCost cost = test_cost(seen);
  EXPECT_EQ(cost.phases, 6);
  EXPECT_DOUBLE_EQ(cost.seconds, 30);
  EXPECT_DOUBLE_EQ(cost.interval, 1000);
  EXPECT_DOUBLE_EQ(cost.last_iteration, 5000);
  EXPECT_DOUBLE_EQ(cost.iterations, 50);
}

}  // namespace
}  // namespace etad::regression
