// One batch over devices that differ.
#include "regression/estimators/qilin.h"

#include <gtest/gtest.h>

namespace etad::estimators {
namespace {

// The equations of the paper's section 4: with no fixed costs each device's share is in proportion to its rate.
TEST(Split, WithoutFixedCostsSharesAreRates) {
  const SplitBatch split = split_batch({{0, 0.01}, {0, 0.03}}, 64);
  EXPECT_NEAR(split.samples[0], 48, 1e-9);
  EXPECT_NEAR(split.samples[1], 16, 1e-9);
  EXPECT_NEAR(split.seconds, 0.48, 1e-9);
}

TEST(Split, AllAreReadyAtOnce) {
  const std::vector<DeviceLine> devices = {{0.1, 0.01}, {0.3, 0.004}, {0.05, 0.02}};
  const SplitBatch split = split_batch(devices, 128);
  double sum = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_NEAR(devices[i].fixed + devices[i].each * split.samples[i], split.seconds, 1e-9);
    sum += split.samples[i];
  }
  EXPECT_NEAR(sum, 128, 1e-9);
}

TEST(Split, WhoTakesTooLongToBeginTakesNothing) {
  const SplitBatch split = split_batch({{0.01, 0.001}, {5, 0.0001}}, 64);
  EXPECT_NEAR(split.samples[0], 64, 1e-9);
  EXPECT_EQ(split.samples[1], 0);
}

}  // namespace
}  // namespace etad::estimators
