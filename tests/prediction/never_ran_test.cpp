// A network that never ran here, from what it costs and what the machine's other networks took.
#include "prediction/never_ran.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace etad::prediction {
namespace {

// `depth` layers of `width` million multiply-adds a sample, and what they read and write.
std::shared_ptr<const estimators::Costs> costs(int depth, double width) {
  auto out = std::make_shared<estimators::Costs>();
  for (int i = 0; i < depth; ++i)
    out->layers.push_back({.matrix = true,
                           .operations = width * 1e6,
                           .backward_operations = 2 * width * 1e6,
                           .elements = 4e3 * width,
                           .weights = 1e3 * width});
  return out;
}

// On a machine of ten billion multiply-adds a second.
double seconds(int depth, double width, double batch, bool train) {
  return 1e-3 + depth * width * 1e6 * batch * (train ? 3 : 1) / 10e9;
}

ModelKey key(const std::string& network, Phase phase, const std::string& host) {
  ModelKey out;
  out.network = network;
  out.architecture = "a" + network;
  out.framework = "caffe";
  out.host = host;
  out.device = "CPU";
  out.phase = phase;
  return out;
}

class NeverRan : public testing::Test {
 protected:
  void add(const std::string& network, int depth, double width, const std::string& host = "vm",
           double slower = 1) {
    for (const Phase phase : {Phase::train, Phase::test}) {
      std::vector<RunData> runs;
      for (const int batch : {8, 64}) {
        RunData run;
        run.run_id = ++id_;
        run.iterations = 100;
        run.samples_per_iteration = batch;
        run.duration = from_seconds(slower * 100 * seconds(depth, width, batch, phase == Phase::train));
        runs.push_back(run);
      }
      data_[key(network, phase, host)] =
          data_of(key(network, phase, host), runs, kMostOfKey, costs(depth, width));
    }
  }
  Answer<Estimate> ask(const Question& question) {
    auto set = std::make_shared<ModelSet>();
    set->knowledge = Knowledge::of(data_, nullptr, [] {});
    return estimate(set, question);
  }
  static Question about(std::shared_ptr<const estimators::Costs> of) {
    Description net;
    net.framework = "caffe";
    net.name = "new";
    net.architecture = "anew";
    net.costs = std::move(of);
    if (!net.costs) net.unknown = "nobody counted";
    Question out;
    out.iterations = 1000;
    out.batch_size = 32;
    out.shown = std::make_shared<Description>(std::move(net));
    return out;
  }

  Knowledge::Data data_;
  std::int64_t id_ = 0;
};

TEST_F(NeverRan, IsToldByWhatItsLayersCost) {
  add("a", 2, 4), add("b", 4, 2), add("c", 6, 8), add("d", 12, 3);
  const auto answer = ask(about(costs(8, 5)));
  ASSERT_TRUE(answer);
  const double truth = 1000 * seconds(8, 5, 32, true);
  EXPECT_NEAR(answer->sum.seconds, truth, 0.15 * truth);
  EXPECT_LT(answer->sum.lower, truth);
  EXPECT_GT(answer->sum.upper, truth);
  const EstimatePart& part = answer->parts.front();
  ASSERT_TRUE(part.said);
  EXPECT_EQ(part.said->kind, estimators::Kind::network);
  EXPECT_EQ(part.model, nullptr);
  EXPECT_THAT(answer->sum.extrapolates, testing::ElementsAre("network"));
  EXPECT_EQ(answer->key.network, "new");
  EXPECT_EQ(answer->key.host, "vm");
  EXPECT_GT(part.said->tested_on, 0);
}

TEST_F(NeverRan, ATotalHasItsTests) {
  add("a", 2, 4), add("b", 4, 2), add("c", 6, 8);
  Question question = about(costs(8, 5));
  question.phase = Question::Phase::total;
  question.test_interval = 500;
  question.test_iterations = 10;
  const auto without = ask(question);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().parameter, "test_batch_size");
  question.test_batch_size = 16;
  const auto answer = ask(question);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->parts.size(), 2u);
  const double tests = 30 * seconds(8, 5, 16, false);
  EXPECT_NEAR(answer->parts[1].prediction.seconds, tests, 0.2 * tests);
}

TEST_F(NeverRan, WhatCannotBeCountedIsRefused) {
  add("a", 2, 4), add("b", 4, 2), add("c", 6, 8);
  const auto answer = ask(about(nullptr));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Refusal::Kind::costs_unknown);
  EXPECT_EQ(answer.error().value, "nobody counted");
}

TEST_F(NeverRan, OneOtherNetworkTellsNothing) {
  add("a", 2, 4);
  const auto answer = ask(about(costs(8, 5)));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Refusal::Kind::nothing_alike);
  EXPECT_THAT(answer.error().value, testing::HasSubstr("too few networks"));
}

TEST_F(NeverRan, BatchSizeComesFromTheDescriptionOrIsAskedFor) {
  add("a", 2, 4), add("b", 4, 2), add("c", 6, 8);
  Question question = about(costs(8, 5));
  question.batch_size.reset();
  const auto refused = ask(question);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Refusal::Kind::batch_size_missing);
  auto shown = std::make_shared<Description>(*question.shown);
  shown->batch_size = 16;
  question.shown = shown;
  const auto answer = ask(question);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->parts.front().batch_size, 16);
}

TEST_F(NeverRan, OfTwoMachinesOneMustBeNamed) {
  add("a", 2, 4), add("b", 4, 2), add("c", 6, 8);
  add("a", 2, 4, "box", 9), add("b", 4, 2, "box", 9), add("c", 6, 8, "box", 9);
  const auto refused = ask(about(costs(8, 5)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Refusal::Kind::ambiguous);
  ASSERT_EQ(refused.error().differences.size(), 1u);
  EXPECT_EQ(refused.error().differences.front().parameter, "host");
  Question question = about(costs(8, 5));
  question.host = "box";
  const auto answer = ask(question);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->key.host, "box");
}

TEST_F(NeverRan, TwoMachinesThatAnswerAlikeNeedNoName) {
  for (const char* host : {"vm", "box"}) add("a", 2, 4, host), add("b", 4, 2, host), add("c", 6, 8, host);
  const auto answer = ask(about(costs(8, 5)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->alike, 2u);
}

// Its runs know more of it than its description.
TEST_F(NeverRan, ANetworkThatRanIsItself) {
  add("a", 2, 4), add("b", 4, 2), add("c", 6, 8);
  Question question = about(costs(2, 4));
  auto shown = std::make_shared<Description>(*question.shown);
  shown->architecture = "ab";
  question.shown = shown;
  ModelSet set;
  set.knowledge = Knowledge::of(data_, nullptr, [] {});
  const Question meant = recognized(set, question);
  EXPECT_EQ(meant.shown, nullptr);
  EXPECT_EQ(meant.architecture, "ab");
}

}  // namespace
}  // namespace etad::prediction
