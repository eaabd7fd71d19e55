// One question for several values: which values, the best, the knee, and what can't be answered.
#include "prediction/what_if.h"

#include <gtest/gtest.h>

#include <map>

namespace etad::prediction {
namespace {

// Answers by a law of the batch size and the device, like a history would.
class WhatIfTest : public testing::Test {
 protected:
  Answer<Estimate> ask(const Question& question) {
    if (!question.batch_size) {
      Refusal refusal;
      refusal.kind = Refusal::Kind::batch_size_missing;
      refusal.batch_sizes = seen_;
      return refuse(refusal);
    }
    const std::string device = question.device.value_or("K80");
    if (!fixed_.contains(device)) {
      Refusal refusal;
      refusal.kind = Refusal::Kind::unknown_deployment;
      refusal.value = device;
      return refuse(refusal);
    }
    Estimate out;
    out.question = question;
    const auto batch = static_cast<double>(*question.batch_size);
    out.sum.seconds = static_cast<double>(question.iterations) * (fixed_[device] + each_[device] * batch);
    EstimatePart& part = out.parts.emplace_back();
    part.batch_size = batch;
    part.iterations = question.iterations;
    part.prediction = out.sum;
    if (!measured_) part.said.emplace().kind = estimators::Kind::batch_size;
    return out;
  }
  Answer<WhatIf> what_if_of(Vary vary, const std::vector<std::string>& values) {
    return what_if(question_, vary, values, [this](const Question& each) { return ask(each); });
  }

  Question question_ = [] {
    Question out;
    out.network = "LeNet";
    out.iterations = 100;
    return out;
  }();
  regression::Range seen_{12, 100};
  bool measured_ = true;
  std::map<std::string, double> fixed_ = {{"K80", 0.010}, {"V100", 0.002}};  // seconds of an iteration
  std::map<std::string, double> each_ = {{"K80", 0.001}, {"V100", 0.001}};   // and for each of its samples
};

TEST_F(WhatIfTest, UsualSizesReachFromHalfTheSmallestToTwiceTheLargest) {
  const auto answer = what_if_of(Vary::batch_size, {});
  ASSERT_TRUE(answer);
  std::vector<std::int64_t> sizes;
  for (const WhatIf::Row& row : answer->rows) sizes.push_back(*row.question.batch_size);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{8, 12, 16, 32, 64, 100, 128}));
}

TEST_F(WhatIfTest, KneeIsTheSmallestWithinFivePercentOfTheBest) {
  // samples a second: B / (0.01 + 0.001 B) = 1000 B / (10 + B); within 5 % of 512's 980.8: from B = 137 on.
  const auto answer = what_if_of(Vary::batch_size, {"512", "64", "128", "160", "256"});
  ASSERT_TRUE(answer);
  ASSERT_TRUE(answer->best && answer->knee);
  EXPECT_EQ(*answer->rows[*answer->best].question.batch_size, 512);
  EXPECT_EQ(*answer->rows[*answer->knee].question.batch_size, 160);
  EXPECT_EQ(answer->knee_within, kNear);
  EXPECT_NEAR(answer->rows[1].samples_per_second, 64'000 / 74.0, 1e-6);
}

TEST_F(WhatIfTest, AnEstimatedKneeKeepsHalfOfTheToleranceForWhatEstimatesAreOffBy) {
  measured_ = false;  // within 2.5 % of 512's 980.8: from B = 219 on
  const auto answer = what_if_of(Vary::batch_size, {"512", "160", "200", "256"});
  ASSERT_TRUE(answer && answer->knee);
  EXPECT_EQ(*answer->rows[*answer->knee].question.batch_size, 256);
  EXPECT_EQ(answer->knee_within, kNear / 2);
}

// Each device would be answered for a size of its own.
TEST_F(WhatIfTest, WithoutABatchSizeDevicesAreNotCompared) {
  question_.batch_size = std::nullopt;
  const auto answer = what_if(question_, Vary::device, {"V100", "K80"}, [this](Question each) {
    if (each.device == "V100") each.batch_size = 64;  // the only one that ran there
    return ask(each);
  });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Refusal::Kind::batch_size_missing);
}

// Its model would say the same of each.
TEST_F(WhatIfTest, WhereNoRunToldABatchSizeTheyAreNotCompared) {
  auto fitted = std::make_shared<FittedModel>();
  fitted->key.network = "LeNet";
  const auto ask_model = [&](const Question& each) {
    auto answer = ask(each);
    if (answer) answer->parts.front().model = fitted;
    return answer;
  };
  const auto refused = what_if(question_, Vary::batch_size, {"16", "64"}, ask_model);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Refusal::Kind::batch_sizes_unknown);
  EXPECT_EQ(refused.error().network, "LeNet");
  fitted->model.samples = {16, 64};
  EXPECT_TRUE(what_if(question_, Vary::batch_size, {"16", "64"}, ask_model));
}

TEST_F(WhatIfTest, WhatDoesNotFitIsNeitherBestNorKnee) {
  const auto ask_it = [this](const Question& each) { return ask(each); };
  const auto up_to = [](double most) {
    return [most](const Estimate& estimate) {
      return std::optional(*estimate.parts.front().batch_size <= most);
    };
  };
  const std::vector<std::string> sizes = {"512", "64", "128", "160", "256"};
  auto answer = what_if(question_, Vary::batch_size, sizes, ask_it, up_to(160));
  ASSERT_TRUE(answer && answer->best && answer->knee);
  EXPECT_EQ(*answer->rows[*answer->best].question.batch_size, 160);
  EXPECT_EQ(*answer->rows[*answer->knee].question.batch_size, 128) << "98.5 % of 160's";
  EXPECT_EQ(answer->rows[0].fits, false);
  answer = what_if(question_, Vary::batch_size, sizes, ask_it, up_to(1));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->best || answer->knee);
}

TEST_F(WhatIfTest, DevicesSideBySideAndTheUnknownOneSaid) {
  question_.batch_size = 32;
  const auto answer = what_if_of(Vary::device, {"K80", "H100", "V100"});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->rows.size(), 2U);
  EXPECT_EQ(*answer->rows[*answer->best].question.device, "V100");
  EXPECT_FALSE(answer->knee);
  ASSERT_EQ(answer->unanswered.size(), 1U);
  EXPECT_EQ(answer->unanswered[0].value, "H100");
}

TEST_F(WhatIfTest, WhereNothingHasAnAnswerTheReasonIsTheFirstOnes) {
  question_.batch_size = 32;
  const auto answer = what_if_of(Vary::device, {"H100", "H200"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Refusal::Kind::unknown_deployment);
  EXPECT_EQ(answer.error().value, "H100");
}

TEST_F(WhatIfTest, ValuesThatAreNone) {
  for (const char* const value : {"0", "-3", "x", "1.5", "", "99999999999999999999"}) {
    EXPECT_FALSE(with(question_, Vary::batch_size, value)) << value;
    EXPECT_FALSE(with(question_, Vary::devices, value)) << value;
  }
  EXPECT_EQ(with(question_, Vary::batch_size, "48")->batch_size, 48);
}

TEST_F(WhatIfTest, ASplitMakesAllReadyAtOnceInWholeSamples) {
  question_.batch_size = 101;
  const auto of = [this](const Question& each) { return ask(each); };
  const auto answer = split(question_, {"K80", "V100"}, of);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->shares.size(), 2u);
  const auto slow = answer->shares[0].samples, fast = answer->shares[1].samples;
  EXPECT_EQ(slow + fast, 101);
  // 0.010 + 0.001 slow = 0.002 + 0.001 fast
  EXPECT_NEAR(static_cast<double>(fast - slow), 8, 1.01);
  EXPECT_NEAR(answer->seconds, 0.0565, 0.001);
  EXPECT_FALSE(split(question_, {"K80", "TPU"}, of)) << "a device that nothing is known of";
  question_.batch_size.reset();
  EXPECT_FALSE(split(question_, {"K80", "V100"}, of));
}

// The equations of Qilin's section 4: without fixed costs each one's share is in proportion to its rate.
TEST_F(WhatIfTest, ASplitOverDevicesThatDifferIsByTheirLines) {
  question_.batch_size = 64;
  const auto shares = [&](const std::vector<std::string>& devices) {
    const auto answer = split(question_, devices, [this](const Question& each) { return ask(each); });
    std::vector<std::int64_t> out;
    for (const Split::Share& share : answer->shares) out.push_back(share.samples);
    return out;
  };
  fixed_ = {{"fast", 0}, {"slow", 0}, {"late", 5}, {"later", 0.08}};
  each_ = {{"fast", 0.01}, {"slow", 0.03}, {"late", 0.0001}, {"later", 0.004}};
  EXPECT_EQ(shares({"fast", "slow"}), (std::vector<std::int64_t>{48, 16}));
  EXPECT_EQ(shares({"fast", "late"}), (std::vector<std::int64_t>{64, 0})) << "ready before it has begun";
  // 0.01 * 24 = 0.08 + 0.004 * 40
  EXPECT_EQ(shares({"later", "fast"}), (std::vector<std::int64_t>{40, 24}));
}

}  // namespace
}  // namespace etad::prediction
