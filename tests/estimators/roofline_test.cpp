#include "regression/estimators/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "regression/estimators/estimator.h"
#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

using roofline::Parameters;

// A network of `depth` convolutions, activations and an inner product, `width` wide.
std::shared_ptr<const Costs> net(double depth, double width) {
  auto out = std::make_shared<Costs>();
  for (int i = 0; i < static_cast<int>(depth); ++i) {
    out->layers.push_back({.kind = 0,
                           .matrix = true,
                           .operations = width * 1e6,
                           .backward_operations = (i == 0 ? 1 : 2) * width * 1e6,
                           .lowered = 2e4 * width,
                           .elements = 4e3 * width,
                           .weights = 1e3 * width});
    out->layers.push_back(
        {.kind = 4, .operations = 2e3 * width, .backward_operations = 2e3 * width, .elements = 4e3 * width});
  }
  out->layers.push_back({.kind = 1,
                         .matrix = true,
                         .operations = width * 1e5,
                         .backward_operations = 2 * width * 1e5,
                         .elements = 2e3,
                         .weights = width * 1e5});
  return out;
}

Parameters machine() {
  Parameters at = Parameters::Zero();
  at(roofline::kPeak) = std::log(30e9);
  at(roofline::kBandwidth) = std::log(8e9);
  at(roofline::kScalar) = std::log(0.4e9);
  at(roofline::kIteration) = std::log(2e-3);
  at(roofline::kLayer) = std::log(2e-5);
  return at;
}

Case of(const std::string& name, std::shared_ptr<const Costs> costs, double samples, const char* phase) {
  Case out = a_case(name, samples);
  out.phase = phase;
  out.costs = std::move(costs);
  return out;
}

const std::vector<std::pair<double, double>> kNets = {{2, 4}, {4, 2}, {6, 8}, {12, 3}, {20, 6}, {9, 10}};

// Runs of the first `count` networks, each off by a factor of its own and of luck.
History runs_of(std::size_t count, double between, double luck) {
  History out;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < count; ++i) {
    const auto costs = net(kNets[i].first, kNets[i].second);
    const double own = between * normal(random);
    for (const char* phase : {"train", "test"})
      for (const double samples : {4, 16, 64}) {
        const Case what = of("net" + std::to_string(i), costs, samples, phase);
        add(out, what, roofline::predict(what, machine()).value * std::exp(own + luck * normal(random)));
      }
  }
  return out;
}

double log_error(const Estimator& estimator, const History& history, const Case& what, double truth) {
  const auto reply = estimator.learn(history, Target::seconds).fitted->predict(what);
  EXPECT_TRUE(reply.estimate) << reply.why;
  return reply.estimate ? std::fabs(reply.estimate->log_mean - std::log(truth)) : 9;
}

TEST(Roofline, TheDerivativesAreThoseOfTheFormula) {
  for (const char* phase : {"train", "test"}) {
    const Case what = of("n", net(5, 3), 16, phase);
    const auto [seconds, gradient] = roofline::predict(what, machine());
    for (int i = 0; i < roofline::kParameters; ++i) {
      Parameters at = machine();
      at(i) += 1e-6;
      const double slope = (std::log(roofline::predict(what, at).value) - std::log(seconds)) / 1e-6;
      EXPECT_NEAR(gradient(i), slope, 1e-5) << i;
    }
  }
}

// Two layers by hand: one is bound by arithmetic, the other by memory.
TEST(Roofline, ALayerTakesTheLongerOfArithmeticAndMemory) {
  auto costs = std::make_shared<Costs>();
  costs->layers.push_back({.kind = 0, .matrix = true, .operations = 3e9, .elements = 1});
  costs->layers.push_back({.kind = 1, .matrix = true, .operations = 1, .weights = 4e9});
  const double seconds = roofline::predict(of("n", costs, 2, "test"), machine()).value;
  EXPECT_NEAR(seconds, 2e-3 + 2 * 2e-5 + 2 * 3e9 / 30e9 + 4 * 4e9 / 8e9, 1e-6);
}

// Where arithmetic and memory take as long as each other, neither hides the other altogether.
TEST(Roofline, ALayerBoundByBothTakesTheRootOfTheSquares) {
  auto costs = std::make_shared<Costs>();
  costs->layers.push_back({.kind = 0, .matrix = true, .operations = 30e9, .elements = 2e9});
  const double seconds = roofline::predict(of("n", costs, 1, "test"), machine()).value;
  EXPECT_NEAR(seconds, 2e-3 + 2e-5 + std::sqrt(2), 1e-6);
}

TEST(Roofline, ANetworkThatNeverRanIsEstimatedFromTheOthers) {
  const History history = runs_of(5, 0.05, 0.02);
  for (const char* phase : {"train", "test"}) {
    const Case what = of("unseen", net(9, 10), 32, phase);
    EXPECT_LT(log_error(layer_roofline(), history, what, roofline::predict(what, machine()).value), 0.1);
  }
}

// Two networks can't tell the kinds of their layers apart: the multipliers stay near what is assumed of them.
TEST(Roofline, TwoNetworksAreEnough) {
  const Case what = of("unseen", net(9, 10), 32, "train");
  const double truth = roofline::predict(what, machine()).value;
  EXPECT_LT(log_error(layer_roofline(), runs_of(2, 0.05, 0.02), what, truth), 0.3);
}

// Its own factor is known from another batch size, or from its training, as far as such factors reach.
TEST(Roofline, OneRunOfANetworkTellsOfItsOtherBatchSizesAndPhase) {
  History history = runs_of(5, 0.15, 0.01);
  const auto costs = net(9, 10);
  const auto truth = [&](const Case& what) { return 1.5 * roofline::predict(what, machine()).value; };
  const Case other = of("mine", costs, 64, "train"), tests = of("mine", costs, 64, "test");
  const double cold = log_error(layer_roofline(), history, other, truth(other));
  const Case seen = of("mine", costs, 16, "train");
  add(history, seen, truth(seen));
  EXPECT_LT(log_error(layer_roofline(), history, other, truth(other)), 0.5 * cold);
  EXPECT_LT(log_error(layer_roofline(), history, tests, truth(tests)), 0.7 * cold);
}

TEST(Roofline, AnUnseenNetworkIsLessSureThanASeenOne) {
  const History history = runs_of(6, 0.2, 0.02);
  const auto fitted = layer_roofline().learn(history, Target::seconds).fitted;
  const auto seen = fitted->predict(history.front().what).estimate;
  const auto unseen = fitted->predict(of("unseen", net(7, 5), 16, "train")).estimate;
  ASSERT_TRUE(seen && unseen);
  EXPECT_LT(2 * seen->deviation, unseen->deviation);
  EXPECT_EQ(unseen->rests_on.networks, 6);
}

// Multipliers of kinds that never ran are as unsure as they are assumed to be: two of them, each of half of the time,
// have half of the variance of one.
TEST(Roofline, IsAsUnsureOfAKindOfLayerThatNeverRanAsBeforehand) {
  constexpr double kKindPrior = 0.6;
  const auto fitted = layer_roofline().learn(runs_of(6, 0.05, 0.02), Target::seconds).fitted;
  const auto variance_of = [&](std::initializer_list<int> kinds) {
    auto costs = std::make_shared<Costs>();
    for (const int kind : kinds) costs->layers.push_back({.kind = kind, .matrix = true, .operations = 1e15});
    const auto said = fitted->predict(of("unseen", costs, 16, "test")).estimate;
    return said ? said->deviation * said->deviation : NAN;
  };
  EXPECT_NEAR(variance_of({9}) - variance_of({9, 10}), kKindPrior * kKindPrior / 2, 1e-5);
}

// Of another owner who came later: of networks of his own, `times` as long as they take.
void add_of_another(History& history, std::size_t count, const std::function<double(std::size_t)>& times) {
  for (std::size_t i = 0; i < count; ++i) {
    const double n = static_cast<double>(i);
    const Case what = of("his" + std::to_string(i), net(3 + n, 2 + n / 2), 16, "train");
    add(history, what, roofline::predict(what, machine()).value * times(i));
    history.back().owner = 2;
    history.back().place = 2;
  }
}

TEST(Roofline, WhatALaterOwnerSaysOfTheMachineMovesNobodysAnswer) {
  const Case asked = of("new", net(8, 5), 32, "train");
  const double truth = roofline::predict(asked, machine()).value;
  const double alone = log_error(layer_roofline(), runs_of(5, 0.02, 0.02), asked, truth);
  const std::vector<std::function<double(std::size_t)>> lies = {
      [](std::size_t) { return 1 / 70.; }, [](std::size_t) { return 70; }, [](std::size_t) { return 1.25; },
      [](std::size_t) { return 1.9; }, [](std::size_t i) { return i % 2 == 0 ? 70 : 1 / 70.; }};
  for (std::size_t lie = 0; lie < lies.size(); ++lie) {
    History history = runs_of(5, 0.02, 0.02);
    add_of_another(history, 40, lies[lie]);
    EXPECT_LT(log_error(layer_roofline(), history, asked, truth), alone + 0.05) << lie;
  }
}

TEST(Roofline, WhoComesLaterAndAgreesIsListenedTo) {
  const Case asked = of("deep", net(40, 20), 32, "train");
  const double truth = roofline::predict(asked, machine()).value;
  History history = runs_of(2, 0.05, 0.05);
  const double alone = log_error(layer_roofline(), history, asked, truth);
  add_of_another(history, 20, [](std::size_t i) { return i % 2 == 0 ? 1.02 : 0.98; });
  EXPECT_LT(log_error(layer_roofline(), history, asked, truth), alone);
  const auto reply = layer_roofline().learn(history, Target::seconds).fitted->predict(asked);
  EXPECT_EQ(reply.estimate->rests_on.networks, 22);
}

TEST(Roofline, SaysWhatItLacks) {
  const History few = runs_of(2, 0.1, 0.02);
  EXPECT_EQ(layer_roofline().learn(few, Target::seconds).missing, "");
  EXPECT_THAT(layer_roofline().learn(runs_of(1, 0.1, 0.02), Target::seconds).missing,
              testing::HasSubstr("2 networks"));
  EXPECT_EQ(layer_roofline().learn(few, Target::joules).fitted, nullptr);
  const auto fitted = layer_roofline().learn(few, Target::seconds).fitted;
  EXPECT_FALSE(fitted->predict(a_case("undescribed", 8)).estimate);
  Case elsewhere = few.front().what;
  elsewhere.device = "P100";
  EXPECT_FALSE(fitted->predict(elsewhere).estimate);
}

// Costs of a hostile description, times of a broken log: estimates stay finite.
TEST(Roofline, SurvivesAnyNumbers) {
  History history = runs_of(5, 0.1, 0.02);
  auto vast = std::make_shared<Costs>();
  vast->layers.push_back(
      {.kind = 0, .matrix = true, .operations = 1e300, .elements = 1e300, .weights = 1e300});
  add(history, of("vast", vast, 1e9, "train"), 1e-9);
  add(history, of("endless", net(2, 2), 8, "train"), 1e12);
  add(history, of("nan", net(2, 2), 8, "train"), std::nan(""));
  const auto reply = layer_roofline().learn(history, Target::seconds).fitted->predict(history.front().what);
  ASSERT_TRUE(reply.estimate);
  EXPECT_NEAR(reply.estimate->log_mean, std::log(history.front().value), 0.3);
  const auto fitted = layer_roofline().learn(history, Target::seconds).fitted;
  EXPECT_FALSE(fitted->predict(of("vast", vast, 1e9, "train")).estimate);
}

}  // namespace
}  // namespace etad::estimators
