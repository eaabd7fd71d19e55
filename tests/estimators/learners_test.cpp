// The rivals that learn a form instead of assuming one.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/estimators/estimator.h"
#include "regression/estimators/solvers.h"
#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

Reply ask(const Estimator& estimator, const History& history, const Case& what) {
  EXPECT_EQ(estimator.learn(history, Target::seconds).missing, "");
  return estimator.learn(history, Target::seconds).fitted->predict(what);
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
  EXPECT_NE(gupta().learn(one, Target::seconds).missing, "");
}

TEST(Gupta, IsAsSureOfBytesAsOfSeconds) {
  History history;
  for (int i = 0; i < 12; ++i) add(history, a_case("net", 8 << (i % 4)), 3e9 + 1e7 * (8 << (i % 4)));
  EXPECT_NEAR(value(ask(gupta(), history, a_case("net", 48))), 3.48e9, 1e6);
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

// Networks that took the same times, in another order: their means differ by rounding alone, and between such numbers
// there is none to split at.
TEST(Dao, ComesToAnEndWhereFactsAreAlikeButForRounding) {
  History history;
  for (int network = 0; network < 8; ++network)
    for (int i = 0; i < 6; ++i)
      add(history, a_case("net" + std::to_string(network), 8),
          0.1 * (1 + (i * (network % 5 + 1) + network) % 7));
  EXPECT_TRUE(ask(dao(), history, a_case("net3", 8)).estimate);
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

// A known law of two settings and their product, and what takes no part.
TEST(Stargazer, RecoversALawOfSettings) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 4);
  History history;
  const auto law = [](double width, double height) {
    return std::exp(0.5 + 0.3 * width + 0.2 * height + 0.05 * width * height);
  };
  const auto with = [](double width, double height, double dust) {
    Case out = a_case("net", 32);
    out.settings = {"dust=" + std::to_string(dust), "height=" + std::to_string(height),
                    "width=" + std::to_string(width)};
    return out;
  };
  for (int i = 0; i < 60; ++i) {
    const double width = uniform(random), height = uniform(random);
    add(history, with(width, height, uniform(random)), law(width, height));
  }
  EXPECT_NEAR(value(ask(stargazer(), history, with(1, 3, 2))) / law(1, 3), 1, 0.02);
  EXPECT_NEAR(value(ask(stargazer(), history, with(3, 1, 0.5))) / law(3, 1), 1, 0.02);
  EXPECT_FALSE(ask(stargazer(), history, a_case("net", 32)).estimate) << "it says no width";
  EXPECT_EQ(ask(stargazer(), history, with(5, 1, 2)).why, "beyond the settings that ran");
  history.resize(19);
  EXPECT_EQ(stargazer().learn(history, Target::seconds).missing,
            "no network has 20 runs on one machine over settings that are numbers");
}

// Runs at narrow and at very wide settings: between them a spline may be anywhere.
TEST(Stargazer, AbstainsInAGapOfTheDesignSpace) {
  History history;
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.1);
  const auto with = [](double width) {
    Case out = a_case("net", 32);
    out.settings = {"width=" + std::to_string(width)};
    return out;
  };
  for (int i = 0; i < 40; ++i) {
    const double width = i < 36 ? i % 9 : 1e6 + i;
    add(history, with(width), std::exp((width < 9 ? 0.3 * std::abs(width - 4) : 0) + noise(random)));
  }
  EXPECT_TRUE(ask(stargazer(), history, with(4.5)).estimate);
  EXPECT_TRUE(ask(stargazer(), history, with(1e6 + 38)).estimate);
  EXPECT_EQ(ask(stargazer(), history, with(4e5)).why, "beyond the settings that ran");
}

// The textbook's two columns that vary together: one component, along the diagonal, holds nearly all.
TEST(PrincipalComponents, OfTwoColumnsThatVaryTogether) {
  Eigen::MatrixXd rows(4, 3);
  rows << 1, 20, 7, 2, 40, 7, 3, 60, 7, 4, 80.1, 7;
  const Components found = principal_components(rows, 0.95);
  ASSERT_EQ(found.directions.cols(), 1);
  EXPECT_NEAR(std::abs(found.directions(0, 0)), std::sqrt(0.5), 1e-3);
  EXPECT_NEAR(found.directions(0, 0), found.directions(1, 0), 1e-3);
  EXPECT_NEAR(found.directions(2, 0), 0, 1e-12) << "does not vary";
  EXPECT_NEAR(found.of(rows.colwise().mean())(0), 0, 1e-12);
}

Case described_case(const std::string& network, double layers, double width, double batch) {
  Case out = a_case(network, batch);
  auto costs = std::make_shared<Costs>();
  for (int i = 0; i < static_cast<int>(layers); ++i) {
    LayerCosts layer;
    layer.operations = width * width, layer.backward_operations = 2 * layer.operations;
    layer.elements = 3 * width, layer.outputs = width, layer.weights = width;
    costs->layers.push_back(layer);
  }
  out.costs = std::move(costs);
  return out;
}

TEST(Kerr, ExplainsANetworkByTheOthers) {
  History history;
  const auto law = [](double layers, double width, double batch) {
    return 1e-9 * layers * width * width * batch;
  };
  for (const double layers : {4.0, 8.0, 16.0, 32.0})
    for (const double width : {100.0, 300.0, 1000.0})
      for (const double batch : {8.0, 64.0})
        add(history, described_case("net" + std::to_string(layers * width), layers, width, batch),
            law(layers, width, batch));
  EXPECT_NEAR(value(ask(kerr(), history, described_case("new", 12, 500, 32))) / law(12, 500, 32), 1, 0.25);
  EXPECT_FALSE(ask(kerr(), history, a_case("unknown", 32)).estimate) << "nobody described it";
  history.resize(14);
  EXPECT_NE(kerr().learn(history, Target::seconds).missing, "")
      << "7 networks can't tell 7 characteristics apart";
}

TEST(Described, FindsWhatTheDeviceTakesAnyway) {
  History history;
  const auto law = [](double width,
                      double batch) {  // 10 layers: 3 copies of the weights, outputs and their gradients
    return 0.7e9 + 1.2 * 4 * (3 * 10 * width + 2 * 10 * width * batch);
  };
  for (const double width : {1e5, 1e6, 4e6})
    for (const double batch : {4.0, 16.0})
      add(history, described_case("net" + std::to_string(width), 10, width, batch), law(width, batch));
  const auto fitted = described().learn(history, Target::peak_bytes).fitted;
  EXPECT_NEAR(value(fitted->predict(described_case("new", 10, 2e6, 8))) / law(2e6, 8), 1, 0.1);
  EXPECT_NEAR(value(fitted->predict(described_case("net1000000.000000", 10, 1e6, 64))) / law(1e6, 64), 1,
              0.05);
  EXPECT_FALSE(fitted->predict(a_case("unknown", 32)).estimate);
  EXPECT_EQ(described().learn(history, Target::seconds).fitted, nullptr);

  const Reply cold =
      described().learn({}, Target::peak_bytes).fitted->predict(described_case("new", 10, 4e6, 64));
  ASSERT_TRUE(cold.estimate) << "the description alone";
  EXPECT_GT(cold.estimate->deviation, 0.3);
}

}  // namespace
}  // namespace etad::estimators
