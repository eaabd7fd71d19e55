// Which runs of a long history an estimate of `effects` listens to.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>

#include "regression/estimators/estimator.h"
#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

// Eight networks on so many devices that may be many times as fast as others; both phases, two precisions, up to 8 GPUs.
class Machines {
 public:
  explicit Machines(int devices) {
    History history;
    for (int device = 0; device < devices; ++device)
      for (int network = 0; network < 8; ++network)
        for (const char* phase : {"train", "test"})
          for (const char* precision : {"precision=fp16", "precision=fp32"})
            for (const double gpus : {1., 2., 4., 8.}) {
              const Case what = case_of(network, device, phase, precision, gpus);
              if (network != 0 || device != 0) add(history, what, truth(network, device, what));
            }
    fitted_ = effects().learn(history, Target::seconds).fitted;
  }

  // Of the first network on the first device, where it never ran.
  double error(const char* phase, const char* precision, double gpus) const {
    const Case what = case_of(0, 0, phase, precision, gpus);
    const Reply reply = fitted_->predict(what);
    return reply.estimate ? std::abs(std::exp(reply.estimate->log_mean) / truth(0, 0, what) - 1) : INFINITY;
  }

 private:
  static Case case_of(int network, int device, const char* phase, const char* precision, double gpus) {
    Case out = a_case("net" + std::to_string(network), 32 * gpus, gpus, "gpu" + std::to_string(device));
    out.phase = phase;
    out.settings = {precision};
    return out;
  }

  static double truth(int network, int device, const Case& what) {
    constexpr std::array kSpeeds = {8., 1., 2., 3., 0.5, 1.5, 4., 2.5, 0.7};
    const double speed = kSpeeds[static_cast<std::size_t>(device) % kSpeeds.size()];
    return std::pow(1.7, network) / speed * (what.phase == "train" ? 3 : 1) *
           (what.settings.front() == "precision=fp16" ? 0.6 : 1) * (1 + 0.05 * std::log2(what.devices));
  }

  std::unique_ptr<const Fitted> fitted_;
};

// Four networks of one owner: on one device and four, in two precisions, tests of one.
History of_the_first_owner() {
  History history;
  for (int network = 0; network < 4; ++network)
    for (const double samples : {8., 16., 32., 64.}) {
      const double seconds = (20 + samples) * std::pow(1.5, network);
      const auto run = [&](double devices, const char* precision, const char* phase, double factor) {
        Case what = a_case("net" + std::to_string(network), samples * devices, devices);
        what.settings = {precision};
        what.phase = phase;
        add(history, what, seconds * factor);
        history.back().place = 1;
        history.back().owner = 1;
      };
      run(1, "precision=fp32", "train", 1);
      if (network == 0) continue;
      run(4, "precision=fp32", "train", 1.2);
      run(1, "precision=fp16", "train", 0.6);
      run(1, "precision=fp32", "test", 0.3);
    }
  return history;
}

struct Lie {
  const char* name;
  double devices;
  const char *precision, *phase;
};

// Of networks that nobody else has: all that they say of is what others are told of theirs.
TEST(EffectsHeard, WhatALaterOwnerSaysOfHisOwnNetworksMovesNobodyElses) {
  for (const Lie& lie :
       {Lie{"more devices", 4, "precision=fp32", "train"},
        Lie{"another precision", 1, "precision=fp16", "train"}, Lie{"tests", 1, "precision=fp32", "test"}}) {
    for (const int networks : {3, 40}) {
      History history = of_the_first_owner();
      Case asked = a_case("net0", 32 * lie.devices, lie.devices);
      asked.settings = {lie.precision};
      asked.phase = lie.phase;
      const double alone =
          effects().learn(history, Target::seconds).fitted->predict(asked).estimate->log_mean;
      for (int network = 0; network < networks; ++network)
        for (const double samples : {8., 64.})
          for (const bool lies : {false, true}) {
            Case what = a_case("his" + std::to_string(network), samples, 1);
            what.settings = {"precision=fp32"};
            if (lies) {
              what.samples = samples * lie.devices;
              what.devices = lie.devices;
              what.settings = {lie.precision};
              what.phase = lie.phase;
            }
            add(history, what, (20 + samples) * (lies ? 70 : 1));
            history.back().owner = history.back().place = 2;
          }
      const auto said = effects().learn(history, Target::seconds).fitted->predict(asked).estimate;
      EXPECT_NEAR(said->log_mean, alone, 0.1) << lie.name << ' ' << networks;
    }
  }
}

TEST(EffectsHeard, ALaterOwnerWhoAgreesIsListenedTo) {
  History history = of_the_first_owner();
  Case asked = a_case("net0", 32 * 16, 16);
  asked.settings = {"precision=fp32"};
  const auto error = [&] {
    const auto said = effects().learn(history, Target::seconds).fitted->predict(asked).estimate;
    return std::abs(said->log_mean - std::log(52 * 1.5));
  };
  const double alone = error();
  for (int network = 0; network < 6; ++network)
    for (const double devices : {1., 16.})
      for (const double samples : {8., 32.}) {
        Case what = a_case("his" + std::to_string(network), samples * devices, devices);
        what.settings = {"precision=fp32"};
        add(history, what, (20 + samples) * (devices > 1 ? 1.5 : 1) * (1 + 0.3 * network));
        history.back().owner = history.back().place = 2;
      }
  EXPECT_LT(error(), 0.5 * alone);
}

TEST(EffectsHeard, ANetworkOnAnotherDeviceIsToldByThoseThatCrossThere) {
  for (const int devices : {7, 20}) {  // all of it can be heard, and a part
    const Machines machines(devices);
    EXPECT_LT(machines.error("train", "precision=fp16", 2), 0.05) << devices;
    EXPECT_LT(machines.error("test", "precision=fp32", 8), 0.05) << devices;
  }
}

// What is answered may not depend on what was asked before.
TEST(EffectsHeard, ALongHistoryAnswersAlikeInAnyOrder) {
  History history;
  for (int host = 0; host < 300; ++host) {
    for (const double b : {4., 16., 64., 256.}) {
      Case what = a_case("net" + std::to_string(host % 3), b);
      what.host = "host" + std::to_string(host);
      add(history, what, (0.02 + 0.001 * b) * (1 + 0.01 * (host % 7)));
    }
  }
  const auto answer = [&](std::initializer_list<double> sizes) {
    const auto fitted = effects().learn(history, Target::seconds).fitted;
    Case what = a_case("net1", 0);
    what.host = "host1";
    double out = 0;
    for (const double b : sizes) {
      what.samples = b;
      out = fitted->predict(what).estimate->log_mean;
    }
    return out;
  };
  EXPECT_EQ(answer({32}), answer({1, 32}));
  EXPECT_EQ(answer({32}), answer({4096, 32}));
}

// Strengths are learnt from a sample: every third series here would be one of the network that runs alike everywhere.
TEST(EffectsHeard, ASampleIsOfAllNetworksInWhateverOrderTheyRan) {
  History history;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto case_of = [](int network, int host) {
    Case out = a_case("net" + std::to_string(network), 32);
    out.host = "host" + std::to_string(host);
    return out;
  };
  for (int host = 0; host < 160; ++host)
    for (int network = 0; network < 3; ++network)
      if (network != 1 || host != 159)
        add(history, case_of(network, host), std::exp(network == 0 ? 0 : 0.3 * normal(random)));
  const auto fitted = effects().learn(history, Target::seconds).fitted;
  EXPECT_GT(fitted->predict(case_of(1, 159)).estimate->deviation, 0.2);
}

}  // namespace
}  // namespace etad::estimators
