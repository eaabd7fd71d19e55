// The rivals that learn a form instead of assuming one.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/estimators/methods.h"
#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

Reply ask(const Estimator& estimator, const History& history, const Case& what) {
  EXPECT_EQ(estimator.needs(history), std::nullopt);
  return estimator.fit(history, Target::seconds)->predict(what);
}

double value(const Reply& reply) {
  EXPECT_TRUE(reply.estimate) << reply.why;
  return reply.estimate ? std::exp(reply.estimate->log_mean) : 0;
}

TEST(Gupta, RecoversALine) {
  History history;
  for (int i = 0; i < 12; ++i) add(history, a_case("net", 8 << (i % 4)), 0.02 + 0.003 * (8 << (i % 4)));
  EXPECT_NEAR(value(ask(gupta(), history, a_case("net", 48))), 0.02 + 0.003 * 48, 1e-4);
  EXPECT_FALSE(ask(gupta(), history, a_case("other", 48)).estimate);
  History one;
  add(one, a_case("net", 8), 1);
  EXPECT_TRUE(gupta().needs(one));
}

// A line through all runs would say 1.5 times as much.
TEST(Gupta, ForgetsWhatTheMachineUsedToBe) {
  History history;
  for (int i = 0; i < 200; ++i) {
    add(history, a_case("net", 8 << (i % 4)), (i < 100 ? 2 : 1) * (0.02 + 0.003 * (8 << (i % 4))));
    history.back().started_at = i;
  }
  EXPECT_NEAR(value(ask(gupta(), history, a_case("net", 48))), 0.02 + 0.003 * 48, 0.05 * 0.164);
}

// The textbook's case for trees: a step that no line can follow.
TEST(Dao, FollowsAStep) {
  History history;
  for (int batch = 1; batch <= 64; ++batch) add(history, a_case("net", batch), batch <= 32 ? 1 : 3);
  EXPECT_NEAR(value(ask(dao(), history, a_case("net", 10))), 1, 0.05);
  EXPECT_NEAR(value(ask(dao(), history, a_case("net", 50))), 3, 0.15);
}

TEST(Dao, TellsNetworksApartAndKnowsNothingOfOthers) {
  History history;
  for (int batch = 1; batch <= 16; ++batch) {
    add(history, a_case("small", batch), 0.01);
    add(history, a_case("large", batch), 1);
  }
  EXPECT_NEAR(std::log(value(ask(dao(), history, a_case("small", 7)))), std::log(0.01), 0.5);
  EXPECT_NEAR(std::log(value(ask(dao(), history, a_case("large", 7)))), 0, 0.5);
  EXPECT_FALSE(ask(dao(), history, a_case("another", 7)).estimate);
}

TEST(Bitirgen, AnswersWhereItsMembersAgreeAndNotWhereTheyDoNot) {
  std::mt19937 random(5);
  std::normal_distribution<double> luck(0, 0.05);
  History history;
  for (int i = 0; i < 24; ++i) {
    const double batch = 4 << (i % 6);
    add(history, a_case("net", batch), 0.01 * std::pow(batch, 0.9) * std::exp(luck(random)));
  }
  EXPECT_NEAR(value(ask(bitirgen(), history, a_case("net", 24))), 0.01 * std::pow(24, 0.9), 0.01);
  const Reply far = ask(bitirgen(), history, a_case("net", 1e7));
  EXPECT_FALSE(far.estimate);
  EXPECT_NE(far.why.find("contradict"), std::string::npos);
}

}  // namespace
}  // namespace etad::estimators
