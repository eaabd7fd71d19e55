#include "prediction/contradiction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace etad::prediction {
namespace {

using testing::ElementsAre;

// Runs of 1000 iterations each: samples and seconds of an iteration; their ids count from 1.
regression::Dataset runs(const std::vector<std::pair<double, double>>& all) {
  regression::Dataset out;
  for (const auto& [samples, seconds] : all) {
    regression::RunObservation run;
    run.run = static_cast<std::int64_t>(out.size()) + 1;
    run.samples = samples;
    run.iterations = 1000;
    run.seconds = 1000 * seconds;
    out.push_back(run);
  }
  return out;
}

ModelKey somewhere() {
  ModelKey key;
  key.network = "LeNet";
  return key;
}

ModelKey here() {
  ModelKey key = somewhere();
  key.host = "gpu1";
  return key;
}

TEST(Contradictions, RunsAlikeAreOneModel) {
  EXPECT_FALSE(contradiction_of(somewhere(), {}));
  EXPECT_FALSE(contradiction_of(somewhere(), runs({{64, 0.01}})));
  EXPECT_FALSE(contradiction_of(somewhere(), runs({{64, 0.01}, {64, 0.015}, {64, 0.012}})));
  EXPECT_FALSE(contradiction_of(somewhere(), runs({{32, 0.005}, {64, 0.01}, {128, 0.018}})));
}

TEST(Contradictions, RunsFarApartAreOfTwoDevices) {
  const auto found = contradiction_of(somewhere(), runs({{64, 0.01}, {64, 0.2}, {64, 0.011}, {64, 0.21}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->fast.runs, ElementsAre(1, 3));
  EXPECT_THAT(found->slow.runs, ElementsAre(2, 4));
  EXPECT_DOUBLE_EQ(found->fast.samples, 64);
  EXPECT_NEAR(found->slow.seconds, 0.21, 1e-12);
}

TEST(Contradictions, ADeviceThatIsKnownIsOneDevice) {
  ModelKey key = somewhere();
  key.device = "Tesla K80";
  EXPECT_FALSE(contradiction_of(key, runs({{64, 0.01}, {64, 0.2}})));
}

TEST(Contradictions, AKnownMachineMayBeSlowForAWhile) {
  EXPECT_TRUE(contradiction_of(somewhere(), runs({{64, 0.01}, {64, 0.03}})));
  EXPECT_FALSE(contradiction_of(here(), runs({{64, 0.01}, {64, 0.03}})));
  EXPECT_TRUE(contradiction_of(here(), runs({{64, 0.01}, {64, 0.05}})));
}

TEST(Contradictions, OneOfManyIsAnOutlier) {
  EXPECT_TRUE(contradiction_of(somewhere(), runs({{64, 0.01}, {64, 0.01}, {64, 0.01}, {64, 0.2}})));
  EXPECT_FALSE(
      contradiction_of(somewhere(), runs({{64, 0.01}, {64, 0.01}, {64, 0.01}, {64, 0.01}, {64, 0.2}})));
}

TEST(Contradictions, ALargerBatchIsNeitherMuchQuickerNorMuchSlowerASample) {
  EXPECT_TRUE(contradiction_of(somewhere(), runs({{32, 0.1}, {64, 0.01}})));
  EXPECT_TRUE(contradiction_of(somewhere(), runs({{32, 0.01}, {64, 0.1}})));
  EXPECT_FALSE(contradiction_of(somewhere(), runs({{32, 0.01}, {256, 0.1}})));
}

// What agrees with the first owner's by what is allowed of batch sizes and settings takes no model away.
TEST(Contradictions, AreOfTheRunsOfWhoWasThereFirst) {
  auto all = runs({{64, 0.01}, {64, 0.01}, {0, 0.002}, {0, 0.06}});
  all[2].owner = all[3].owner = 2;
  all[2].place = all[3].place = 7;
  EXPECT_FALSE(contradiction_of(somewhere(), all));
  all[0].place = all[1].place = 8;
  EXPECT_TRUE(contradiction_of(somewhere(), all));
}

TEST(Contradictions, OtherSettingsMayTakeAnotherTime) {
  auto all = runs({{64, 0.01}, {64, 0.1}});
  all[0].covariates = {"precision=fp16"};
  EXPECT_FALSE(contradiction_of(somewhere(), all));
}

}  // namespace
}  // namespace etad::prediction
