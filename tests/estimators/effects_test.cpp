#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/estimators/combined.h"
#include "regression/estimators/effects_kernel.h"
#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

// Three networks on three devices: factors of each, and the curve of each network.
double truth(int network, int device, double samples, double devices = 1) {
  const double fixed[] = {0.02, 0.005, 0.1}, each[] = {0.001, 0.004, 0.002}, slow[] = {1, 2.5, 0.4};
  const double per_device = samples / devices;
  return slow[device] * (fixed[network] + each[network] * per_device) * (1 + 0.04 * std::log2(devices));
}

const char* const kNetworks[] = {"alexnet", "resnet", "lenet"};
const char* const kDevices[] = {"K80", "M2000", "V100"};

Case case_of(int network, int device, double samples, double devices = 1) {
  return a_case(kNetworks[network], samples * devices, devices, kDevices[device]);
}

void run(History& history, int network, int device, double samples, double devices = 1, double factor = 1) {
  add(history, case_of(network, device, samples, devices),
      factor * truth(network, device, samples * devices, devices));
}

double error(const History& history, int network, int device, double samples, double devices = 1) {
  const Reply reply =
      effects().learn(history, Target::seconds).fitted->predict(case_of(network, device, samples, devices));
  EXPECT_TRUE(reply.estimate) << reply.why;
  if (!reply.estimate) return INFINITY;
  return std::abs(std::exp(reply.estimate->log_mean) / truth(network, device, samples * devices, devices) -
                  1);
}

TEST(Effects, FollowsASeriesOverItsBatchSizes) {
  History history;
  for (const double b : {4., 8., 32., 64.}) run(history, 0, 0, b);
  EXPECT_LT(error(history, 0, 0, 16), 0.02);
  EXPECT_LT(error(history, 0, 0, 128), 0.08);
}

TEST(Effects, TheUnitOfTimeMakesNoDifference) {
  History seconds;
  for (const int device : {0, 1, 2})
    for (const int network : {0, 1, 2})
      for (const double b : {8., 32., 128.})
        if (network + device < 4) run(seconds, network, device, b);
  History hours = seconds;
  for (Datum& datum : hours) datum.value /= 3600;
  const Case asked = case_of(2, 2, 64);
  const auto one = effects().learn(seconds, Target::seconds).fitted->predict(asked).estimate;
  const auto other = effects().learn(hours, Target::seconds).fitted->predict(asked).estimate;
  EXPECT_NEAR(one->log_mean, other->log_mean + std::log(3600), 1e-6);
  EXPECT_NEAR(one->deviation, other->deviation, 1e-6);
}

TEST(Effects, OneBatchSizeTakesTheCourseOfTheNetworkElsewhere) {
  History history;
  for (const double b : {4., 8., 16., 32., 64., 128.}) {
    run(history, 0, 0, b);
    run(history, 2, 0, b);
  }
  run(history, 0, 1, 16);
  run(history, 2, 1, 16);
  EXPECT_LT(error(history, 0, 1, 128), 0.2);  // a fixed cost of 20 samples
  EXPECT_LT(error(history, 2, 1, 128), 0.2);  // and of 50
}

// One other series of the network says more of its curve than those of five other networks, which hardly rise.
TEST(Effects, ANetworkThatNeverRanOnADeviceIsScaledAsTheOthersAre) {
  History history;
  for (const double b : {8., 16., 32., 64.}) {
    for (int network = 0; network < 3; ++network) {
      for (int device = 0; device < 3; ++device) {
        if (network != 1 || device != 2) run(history, network, device, b);
      }
    }
  }
  EXPECT_LT(error(history, 1, 2, 32), 0.15);
}

TEST(Effects, ANetworkNeedsMuchTheSameMemoryOnAllDevices) {
  Encoder encoder;
  const KernelPoint one = encoder.learn(a_case("one", 8)), other = encoder.learn(a_case("other", 8));
  const KernelPoint elsewhere = encoder.learn(a_case("other", 8, 1, "P100"));
  Strengths assumed;
  assumed.fill(1);
  const auto by_device = [&](Target target) {
    const Covariance covariance(assumed, target);
    return covariance(one, other) - covariance(one, elsewhere);
  };
  EXPECT_GT(by_device(Target::seconds), 10 * by_device(Target::peak_bytes));
}

TEST(Effects, MoreDevicesCostWhatTheyCostOthers) {
  History history;
  for (const double k : {1., 2., 4., 8.}) {
    for (int network = 0; network < 3; ++network) {
      if (network != 1 || k < 4) run(history, network, 0, 32, k);
    }
  }
  EXPECT_LT(error(history, 1, 0, 32, 8), 0.05);
}

TEST(Effects, AContaminatedRepeatDoesNotMoveIt) {
  History history;
  for (const double b : {8., 16., 32., 64.}) {
    for (int repeat = 0; repeat < 4; ++repeat) run(history, 0, 0, b, 1, repeat == 0 && b == 16 ? 5 : 1);
  }
  EXPECT_LT(error(history, 0, 0, 16), 0.05);
}

// What one owner makes up of a network of his own, or of another's on devices that nobody has, makes the answers of who
// was there first neither wider nor others.
TEST(Effects, AnotherOwnersStrangeRunsMoveAndWidenNobodysAnswers) {
  History history;
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.02);
  for (const int network : {0, 1, 2})
    for (const double b : {8., 16., 32., 64.}) run(history, network, 0, b, 1, std::exp(noise(random)));
  for (Datum& datum : history) datum.owner = 1, datum.place = 1;
  const auto asked = [](const History& of, double samples) {
    return *effects().learn(of, Target::seconds).fitted->predict(case_of(0, 0, samples)).estimate;
  };
  const std::size_t honest = history.size();
  const auto expect_the_same = [&](History& both, const char* what) {
    for (std::size_t i = honest; i < both.size(); ++i)
      both[i].owner = 2, both[i].place = static_cast<std::int64_t>(i);  // his first, in each model
    for (const double samples : {24., 128., 256.}) {
      const Estimate alone = asked(history, samples), beside = asked(both, samples);
      EXPECT_NEAR(beside.log_mean, alone.log_mean, 0.1) << what << " at " << samples;
      EXPECT_LT(beside.deviation, 1.3 * alone.deviation) << what << " at " << samples;
      EXPECT_GT(beside.deviation, 0.6 * alone.deviation) << what << " at " << samples;
    }
  };
  History junk = history;
  for (const double b : {8., 16.}) add(junk, a_case("junk", b), b < 10 ? 0.01 : 10);
  expect_the_same(junk, "a network of his own");
  History alternating = history;
  for (int i = 0; i < 8; ++i) add(alternating, a_case("junk", 8 << i), i % 2 == 0 ? 1e-6 : 1e6);
  expect_the_same(alternating, "at many sizes");
  History invented = history;
  for (int device = 0; device < 20; ++device)
    for (const double b : {8., 64., 128., 256.})
      add(invented, a_case(kNetworks[0], b, 1, "FAKE" + std::to_string(device)), 1e-5 * std::pow(b, 3));
  expect_the_same(invented, "his network on devices that nobody has");
}

TEST(Effects, AbstainsOnWhatNeverRanAnywhere) {
  History history;
  run(history, 0, 0, 8);
  const auto fitted = effects().learn(history, Target::seconds).fitted;
  EXPECT_FALSE(fitted->predict(case_of(1, 0, 8)).estimate);
  EXPECT_FALSE(fitted->predict(case_of(0, 0, 0)).estimate);
  EXPECT_TRUE(fitted->predict(case_of(0, 2, 8)).estimate);
}

TEST(Effects, IsLessSureTheFartherItMustReach) {
  History history;
  for (const double b : {8., 16., 32.}) {
    run(history, 0, 0, b);
    run(history, 1, 0, b);
    run(history, 1, 1, b);
  }
  const auto fitted = effects().learn(history, Target::seconds).fitted;
  const auto deviation = [&](const Case& what) { return fitted->predict(what).estimate->deviation; };
  EXPECT_LT(deviation(case_of(0, 0, 16)), deviation(case_of(0, 0, 256)));
  EXPECT_LT(deviation(case_of(0, 0, 16)), deviation(case_of(0, 1, 16)));
}

// A history too long for one block answers from the part of it that is most like the question.
TEST(Effects, ALongHistoryIsAskedInBlocks) {
  History history;
  for (int host = 0; host < 200; ++host) {
    for (int network = 0; network < 3; ++network) {
      for (const double b : {8., 64.}) {
        Case what = case_of(network, host % 3, b);
        what.host = "host" + std::to_string(host);
        add(history, what, truth(network, host % 3, b));
      }
    }
  }
  Case what = case_of(1, 2, 64);
  what.host = "host2";
  const auto fitted = effects().learn(history, Target::seconds).fitted;
  for (int again = 0; again < 2; ++again) {
    EXPECT_NEAR(std::exp(fitted->predict(what).estimate->log_mean), truth(1, 2, 64), 0.03 * truth(1, 2, 64));
  }
}

TEST(Seen, TellsTheFarthestThatMustBeBridged) {
  History history;
  Case what = a_case("net", 16);
  what.settings = {"type=SGD"};
  add(history, what, 1);
  what.samples = 64;
  add(history, what, 2);
  Case elsewhere = what;
  elsewhere.host = "elsewhere";
  elsewhere.samples = 128;
  add(history, elsewhere, 4);
  const Seen seen(history);
  EXPECT_EQ(seen.kind_of(what), Kind::seen);
  what.samples = 32;
  EXPECT_EQ(seen.kind_of(what), Kind::batch_size);
  what.samples = 128;
  EXPECT_EQ(seen.kind_of(what), Kind::batch_size_range);
  what.samples = 256;
  EXPECT_EQ(seen.kind_of(what), Kind::batch_size_beyond_all);
  EXPECT_EQ(name_of(Kind::batch_size_beyond_all), "batch_size");
  EXPECT_EQ(column_of(Kind::batch_size_beyond_all), "batch_size_beyond_all");
  what.devices = 2;
  EXPECT_EQ(seen.kind_of(what), Kind::devices_range);
  what.settings = {"type=Adam"};
  EXPECT_EQ(seen.kind_of(what), Kind::devices_range) << "on one device with any settings";
  EXPECT_NEAR(seen.distance_of(what).beyond, std::log(2), 1e-12);
  what.devices = 1;
  EXPECT_EQ(seen.kind_of(what), Kind::settings);
  what.host = "another";
  EXPECT_EQ(seen.kind_of(what), Kind::machine);
  EXPECT_EQ(name_of(Kind::machine), "device");
  what.network = "another";
  EXPECT_EQ(seen.kind_of(what), Kind::network);
}

TEST(Seen, TellsAMachineThatNothingRanOnFromOneThatRanOtherNetworks) {
  History history;
  for (const char* host : {"here", "there"}) {
    Case what = a_case("net", 16);
    what.host = host;
    add(history, what, 1);
  }
  Case what = a_case("other", 16);
  what.host = "here";
  add(history, what, 1);
  what.host = "there";
  EXPECT_EQ(Seen(history).kind_of(what), Kind::device);
  what.host = "nowhere";
  EXPECT_EQ(Seen(history).kind_of(what), Kind::machine);
}

TEST(Seen, TellsBetweenFromBeyond) {
  History history;
  for (const double k : {1., 4.}) {
    Case what = a_case("net", 16);
    what.devices = k;
    add(history, what, 1 / k);
  }
  const Seen seen(history);
  Case what = a_case("net", 16);
  what.devices = 2;
  EXPECT_EQ(seen.kind_of(what), Kind::devices);
  what.devices = 8;
  EXPECT_EQ(seen.kind_of(what), Kind::devices_range);
  what.devices = 1;
  what.samples = 8;
  EXPECT_EQ(seen.kind_of(what), Kind::batch_size_from_one) << "one batch size has run on one device";
  EXPECT_EQ(name_of(Kind::batch_size_from_one), "batch_size");
  EXPECT_EQ(column_of(Kind::batch_size_from_one), "batch_size_from_one");
}

TEST(Seen, WhatOthersRanElsewhereIsNoSizeOfWhoRanThisSeries) {
  History history;
  for (const double b : {8., 16.}) add(history, a_case("net", b), b);
  for (const double b : {8., 64.}) {
    add(history, a_case("net", b, 1, "V100"), b);
    history.back().owner = 2;
  }
  EXPECT_EQ(Seen(history).kind_of(a_case("net", 32)), Kind::batch_size_beyond_all);
  EXPECT_EQ(Seen(history).kind_of(a_case("net", 32, 1, "V100")), Kind::batch_size);
  history.back().owner = 0;
  EXPECT_EQ(Seen(history).kind_of(a_case("net", 32)), Kind::batch_size_range) << "his own on another device";
}

// A line through two points foretells no error; what it did wrong elsewhere makes its interval.
TEST(Performances, AFitWithoutResidualsHasAnInterval) {
  Performance performance;
  performance.median_error = 0.1;
  for (int i = 1; i <= 100; ++i) performance.scores.push_back(i / 50.0);
  performance.independent = 100;
  EXPECT_NEAR(performance.half_width(0, 0.9), 0.18, 0.02);
  EXPECT_GT(performance.half_width(0.2, 0.9), 2 * performance.half_width(0, 0.9));
}

// Errors grow with the distance like those of a random walk, and so does the interval.
TEST(Performances, FartherBeyondTheIntervalIsWider) {
  Performance performance;
  performance.median_error = 0.1;
  performance.scores.assign(100, 1.0);
  const double near = performance.half_width(0.1, 0.9);
  EXPECT_NEAR(performance.half_width(0.1, 0.9, 3), 2 * near, 1e-9);
  // Farther than hidden questions showed, it grows with the distance itself as well.
  performance.farthest_hidden = 1;
  EXPECT_NEAR(performance.half_width(0.1, 0.9, 1), std::sqrt(2) * near, 1e-9);
  EXPECT_NEAR(performance.half_width(0.1, 0.9, 3), 2 * 2 * near, 1e-9);
  History history;
  for (const double samples : {8, 16}) add(history, a_case("net", samples), samples);
  const Seen seen(history);
  EXPECT_EQ(seen.distance_of(a_case("net", 12)).beyond, 0);
  EXPECT_NEAR(seen.distance_of(a_case("net", 64)).beyond, std::log(4), 1e-9);
  EXPECT_NEAR(seen.distance_of(a_case("net", 4)).beyond, std::log(2), 1e-9);
}

// Eight devices are farther from one and two than four are.
TEST(Performances, FartherNumbersOfDevicesAreFartherBeyond) {
  History history;
  for (const double devices : {1, 2, 16}) add(history, a_case("net", 8 * devices, devices), 1);
  const Seen seen(history);
  EXPECT_EQ(seen.distance_of(a_case("net", 32, 4)), (Distance{Kind::devices, 0})) << "it is between others";
  const Distance distance = seen.distance_of(a_case("net", 512, 64));
  EXPECT_EQ(distance.kind, Kind::devices_range);
  EXPECT_NEAR(distance.beyond, std::log(4), 1e-9);
}

TEST(Performances, TheRightFormWinsAndItsIntervalsHold) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.03);
  History history;
  for (int network = 0; network < 3; ++network) {
    for (const double b : {2., 4., 8., 16., 32., 64., 128.}) {
      run(history, network, 0, b, 1, std::exp(noise(random)));
    }
  }
  const Records records = compare(history, Target::seconds);
  const Performances& all = records.in(Kind::batch_size);
  double weights = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view name = estimators()[i].name;
    weights += all[i].weight;
    if (name == "gianniti" || name == "effects") {
      EXPECT_GT(all[i].answered, 10) << name;
      EXPECT_LT(all[i].error_percent, 5) << name;
      EXPECT_GT(all[i].coverage, 0.8) << name;
    }
    if (name == "barnes") {
      EXPECT_GT(all[i].error_percent, 6);  // a straight line in logarithms
      EXPECT_LT(all[i].weight, 0.3);
    }
  }
  const Performance& best = all[ranking(all).front()];
  EXPECT_LT(best.error_percent, 5);
  EXPECT_GT(best.coverage, 0.8);
  EXPECT_NEAR(weights, 1, 1e-9);
  EXPECT_FALSE(records.in(Kind::devices).back().cases);
}

// Its own hidden answers come first, and err least where the others' errors cancel.
TEST(Performances, TheCombinedAnswerIsNoPartOfItself) {
  for (const unsigned seed : {4U, 5U}) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.1);
    History history;
    for (int network = 0; network < 3; ++network)
      for (const int device : {0, 1})
        for (const double b : {2., 4., 8., 16., 32., 64.})
          run(history, network, device, b, 1, std::exp(noise(random)));
    const Records records = compare(history, Target::seconds);
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      EXPECT_DOUBLE_EQ(records.all[kind].back().weight, 0) << column_of(static_cast<Kind>(kind));
  }
}

TEST(Performances, NothingToCompareIsNoFailure) {
  const Records records = compare({}, Target::peak_bytes);
  for (const Performances& of_kind : records.all)
    for (const Performance& performance : of_kind) EXPECT_EQ(performance.cases, 0);
  EXPECT_EQ(ranking(records.in(Kind::seen)).size(), estimators().size());
}

TEST(Estimators, OfNoRunsSayWhatIsMissing) {
  for (const Estimator& estimator : estimators())
    EXPECT_EQ(estimator.learn({}, Target::peak_bytes).missing.empty(), estimator.name == "described")
        << "a network's description is no run";
  EXPECT_EQ(described().learn({}, Target::seconds).missing, "another quantity than this");
}

}  // namespace
}  // namespace etad::estimators
