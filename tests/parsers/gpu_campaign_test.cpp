// scripts/gpu-campaign and the shipped PyTorch rules understand each other: the log is one that the script's
// own code wrote, with a clock of 0.86 ms a step (0.29 ms in testing) in place of a GPU.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"
#include "tests/places.h"

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
  EXPECT_EQ(run.test.samples_per_iteration, 64);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_TRUE(run.started_at && run.ended_at) << "dated, to be found among nvidia-smi's samples";
  EXPECT_EQ(run.train.iterations, 59) << "all but the first";
  EXPECT_NEAR(to_seconds(run.train.duration) / 59, 0.000858, 0.00001);
  EXPECT_EQ(run.test.segments, 1);
  EXPECT_EQ(run.test.iterations, 40);
  EXPECT_NEAR(to_seconds(run.test.duration) / 40, 0.000286, 0.00001);
}

}  // namespace
}  // namespace etad::test
