// scripts/gpu-campaign and the shipped PyTorch rules understand each other: the log is one that the script's
// own code wrote, with a clock of 0.86 ms a step in place of a GPU.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

TEST(GpuCampaign, ItsLogIsReadByThePyTorchRules) {
  const auto format = format_named("pytorch");
  const Records records =
      records_of(*format, lines_of(file_text(std::string(ETAD_TEST_DATA) + "/pytorch/gpu_campaign.log")));
  ASSERT_FALSE(records.runs.empty());
  const etad::Run& run = records.runs.back();
  EXPECT_EQ(run.ordinal, 0) << "one run a log";
  EXPECT_EQ(run.network, "resnet_like");
  EXPECT_EQ(run.device, "NVIDIA Example 24GB");
  EXPECT_EQ(run.devices, 1);
  EXPECT_EQ(run.train.samples_per_iteration, 64);
  std::int64_t iterations = 0;
  double seconds = 0;
  for (const auto& [ordinal, segment] : records.segments) {
    if (segment.phase != Phase::train) continue;
    iterations += segment.iterations;
    seconds += to_seconds(segment.duration);
  }
  EXPECT_GE(iterations, 50);
  EXPECT_NEAR(seconds / static_cast<double>(iterations), 0.000858, 0.00001);
}

}  // namespace
}  // namespace etad::test
