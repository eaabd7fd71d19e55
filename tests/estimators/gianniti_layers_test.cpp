#include <gtest/gtest.h>

#include <cmath>

#include "regression/estimators/estimator.h"
#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

// Convolutions: 1 ms + 2e-10 an operation forward, 2 ms + 4e-10 backward; activations: 1e-9 an operation.
double forward(const LayerCosts& layer, double samples) {
  return layer.kind == 0 ? 1e-3 + 2e-10 * layer.operations * samples : 1e-9 * layer.operations * samples;
}
double backward(const LayerCosts& layer, double samples) {
  return layer.kind == 0 ? 2e-3 + 4e-10 * layer.backward_operations * samples
                         : 1e-9 * layer.backward_operations * samples;
}

// `timed`: samples of an iteration of which a run timed the layers.
Case net(const char* phase, std::vector<double> convolutions, double samples,
         std::vector<double> timed = {}) {
  auto costs = std::make_shared<Costs>();
  for (const double operations : convolutions) {
    costs->layers.push_back({.kind = 0, .operations = operations, .backward_operations = 2 * operations});
    costs->layers.push_back({.kind = 4, .operations = 1e5, .backward_operations = 1e5});
  }
  for (const double of : timed)
    for (std::size_t i = 0; i < costs->layers.size(); ++i)
      costs->timings.push_back(
          {static_cast<std::int64_t>(i), of, forward(costs->layers[i], of), backward(costs->layers[i], of)});
  Case out = a_case("timed", samples);
  out.phase = phase;
  out.costs = std::move(costs);
  return out;
}

History timing_runs() {
  History history;
  add(history, net("train", {1e6, 2e7}, 16, {8, 64}), 1);
  return history;
}

TEST(GiannitiLayers, ANetworkIsTheSumOfItsLayers) {
  const History history = timing_runs();
  ASSERT_EQ(gianniti_layers().learn(history, Target::seconds).missing, "");
  const auto fitted = gianniti_layers().learn(history, Target::seconds).fitted;
  for (const char* phase : {"train", "test"}) {
    const Case what = net(phase, {5e6, 8e6, 3e7}, 32);
    double truth = 0;
    for (const LayerCosts& layer : what.costs->layers)
      truth += forward(layer, 32) + (what.phase == "train" ? backward(layer, 32) : 0);
    const Reply reply = fitted->predict(what);
    ASSERT_TRUE(reply.estimate) << reply.why;
    EXPECT_NEAR(std::exp(reply.estimate->log_mean), truth, 1e-6 * truth);
  }
}

TEST(GiannitiLayers, SaysWhatItLacks) {
  History history;
  add(history, net("train", {1e6}, 8), 0.1);
  EXPECT_NE(gianniti_layers().learn(history, Target::seconds).missing, "");
  const auto fitted = gianniti_layers().learn(timing_runs(), Target::seconds).fitted;
  Case what = net("train", {1e6}, 8);
  EXPECT_TRUE(fitted->predict(what).estimate);
  what.device = "P100";
  EXPECT_FALSE(fitted->predict(what).estimate);
  auto pooled = std::make_shared<Costs>(*net("test", {1e6}, 8).costs);
  pooled->layers.front().kind = 2;
  what = net("test", {1e6}, 8);
  what.costs = pooled;
  EXPECT_FALSE(fitted->predict(what).estimate);  // no pooling was ever timed
  EXPECT_EQ(gianniti_layers().learn(timing_runs(), Target::joules).fitted, nullptr);
}

}  // namespace
}  // namespace etad::estimators
