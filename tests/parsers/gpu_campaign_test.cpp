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

// The tables that it made on two GPUs, an H100 and an H200.
TEST(GpuCampaign, ItsTablesAreRead) {
  for (const auto& [name, runs] : {std::pair("gpu_h100.csv", 169), std::pair("gpu_h200.csv", 136)}) {
    const std::string text = file_text(std::string(ETAD_TEST_DATA) + "/measurements/" + name);
    const auto read = runs_of(lines_of(text));
    ASSERT_EQ(read.size(), static_cast<std::size_t>(runs)) << name;
    for (const auto& [ordinal, run] : read) {
      const std::string which = std::string(name) + " " + std::to_string(ordinal);
      EXPECT_TRUE(run.settings.at("precision") == "fp32" || run.settings.at("precision") == "bf16") << which;
      for (const PhaseSummary* phase : {&run.train, &run.test}) {
        EXPECT_GE(phase->iterations, 40) << which;
        EXPECT_GT(phase->duration, Duration::zero()) << which;
        EXPECT_TRUE(phase->samples_per_iteration) << which;
      }
    }
  }
}

}  // namespace
}  // namespace etad::test
