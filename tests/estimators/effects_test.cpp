#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/estimators/answer.h"
#include "regression/estimators/methods.h"
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
  EXPECT_EQ(seen.kind_of(what), Kind::range);
  what.samples = 256;
  EXPECT_EQ(seen.kind_of(what), Kind::beyond_all);
  EXPECT_EQ(name_of(Kind::beyond_all), "batch_size");
  EXPECT_EQ(column_of(Kind::beyond_all), "batch_size_beyond_all");
  what.devices = 2;
  EXPECT_EQ(seen.kind_of(what), Kind::devices_range);
  what.settings = {"type=Adam"};
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
  EXPECT_EQ(seen.kind_of(what), Kind::one_size) << "one batch size has run on one device";
  EXPECT_EQ(name_of(Kind::one_size), "batch_size");
  EXPECT_EQ(column_of(Kind::one_size), "batch_size_from_one");
}

// A line through two points foretells no error; what it did wrong elsewhere makes its interval.
TEST(Performances, AFitWithoutResidualsHasAnInterval) {
  Performance performance;
  performance.typical = 0.1;
  for (int i = 1; i <= 100; ++i) performance.scores.push_back(i / 50.0);
  performance.independent = 100;
  EXPECT_NEAR(performance.reach(0, 0.9), 0.18, 0.02);
  EXPECT_GT(performance.reach(0.2, 0.9), 2 * performance.reach(0, 0.9));
}

// Errors grow with the distance like those of a random walk, and so does the interval.
TEST(Performances, FartherBeyondTheIntervalIsWider) {
  Performance performance;
  performance.typical = 0.1;
  performance.scores.assign(100, 1.0);
  const double near = performance.reach(0.1, 0.9);
  EXPECT_NEAR(performance.reach(0.1, 0.9, 3), 2 * near, 1e-9);
  // Farther than hidden questions showed, it grows with the distance itself as well.
  performance.farthest = 1;
  EXPECT_NEAR(performance.reach(0.1, 0.9, 1), std::sqrt(2) * near, 1e-9);
  EXPECT_NEAR(performance.reach(0.1, 0.9, 3), 2 * 2 * near, 1e-9);
  History history;
  for (const double samples : {8, 16}) add(history, a_case("net", samples), samples);
  const Seen seen(history);
  EXPECT_EQ(seen.gap_of(a_case("net", 12)).beyond, 0);
  EXPECT_NEAR(seen.gap_of(a_case("net", 64)).beyond, std::log(4), 1e-9);
  EXPECT_NEAR(seen.gap_of(a_case("net", 4)).beyond, std::log(2), 1e-9);
}

// Eight devices are farther from one and two than four are.
TEST(Performances, FartherNumbersOfDevicesAreFartherBeyond) {
  History history;
  for (const double devices : {1, 2, 16}) add(history, a_case("net", 8 * devices, devices), 1);
  const Seen seen(history);
  EXPECT_EQ(seen.gap_of(a_case("net", 32, 4)), (Gap{Kind::devices, 0})) << "it is between others";
  const Gap gap = seen.gap_of(a_case("net", 512, 64));
  EXPECT_EQ(gap.kind, Kind::devices_range);
  EXPECT_NEAR(gap.beyond, std::log(4), 1e-9);
}

// Scores that are all small, of as many networks or of a few.
TEST(Performances, WhatIsAlikeSaysLess) {
  Performance performance;
  performance.typical = 0.1;
  performance.scores.assign(40, 0.1);
  performance.independent = 40;
  const double many = performance.reach(0, 0.9);
  performance.independent = 2;
  EXPECT_GT(performance.reach(0, 0.9), 2 * many);
}

// Of five networks, each at five sizes on four machines.
const std::vector<Record>& records_of_five_networks() {
  static const std::vector<Record> kRecords = [] {
    History history;
    for (const char* network : {"a", "b", "c", "d", "e"})
      for (const char* host : {"one", "two", "three", "four"})
        for (const double samples : {2, 4, 8, 16, 32}) {
          Case what = a_case(network, samples);
          what.host = host;
          add(history, what, (1 + samples) * (1 + network[0] % 3) * (host[0] == 't' ? 2 : 1));
        }
    return compare(history, Target::seconds);
  }();
  return kRecords;
}

const Performance& of_effects(const std::vector<Record>& records, Kind kind) {
  return records.end()[-2].kinds[static_cast<std::size_t>(kind)];
}

TEST(Performances, CasesOfOnePartCountForFewerThanTheirNumber) {
  const auto& records = records_of_five_networks();
  const Performance& beyond = of_effects(records, Kind::beyond_all);
  ASSERT_GE(beyond.answered, 40);
  EXPECT_LT(beyond.independent, 0.3 * beyond.answered) << "five networks";
  EXPECT_GE(beyond.independent, 5);
  EXPECT_NEAR(beyond.farthest, std::log(4), 1e-9) << "32 was hidden, and 8 the largest left";
  const Performance& between = of_effects(records, Kind::batch_size);
  EXPECT_NEAR(between.independent, between.answered, 1e-9) << "each is a part by itself";
}

// Runs without noise lie much nearer to the curve than it foretells of such as it knows.
TEST(Performances, WhereErrorsAreSmallerThanForetoldIntervalsAreNarrower) {
  const Performance& between = of_effects(records_of_five_networks(), Kind::batch_size);
  ASSERT_GT(between.independent, 5);
  Performance as_foretold = between;
  as_foretold.scale = 1;
  for (double& score : as_foretold.scores) score *= between.scale;
  EXPECT_LT(between.reach(0.1, 0.9), 0.9 * as_foretold.reach(0.1, 0.9));
  EXPECT_EQ(of_effects(records_of_five_networks(), Kind::beyond_all).scale, 1)
      << "there no record is believed";
}

// Five networks on each of these hosts, all of which have the same model of device.
History on_hosts(const std::vector<std::string>& hosts) {
  History out;
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  for (const std::string& host : hosts) {
    const double speed =
        std::exp(6 * noise(random));  // a host is less like another than its runs are like each other
    for (const char* network : {"a", "b", "c", "d", "e"})
      for (const double b : {8., 16., 32.}) {
        Case what = a_case(network, b);
        what.host = host;
        add(out, what, speed * (3 + b) * network[0] * std::exp(noise(random)));
      }
  }
  return out;
}

// A host that nothing ran on may be much slower than the others, whatever runs on it.
TEST(Performances, MachinesThatNothingRanOnHaveARecordOfTheirOwn) {
  const auto records = compare(on_hosts({"h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"}), Target::seconds);
  const Performance& known = of_effects(records, Kind::device);
  const Performance& new_one = of_effects(records, Kind::machine);
  EXPECT_GT(known.answered, 10);
  EXPECT_GT(new_one.answered, 10);
  EXPECT_GT(new_one.error_percent, 1.5 * known.error_percent);
  EXPECT_GT(new_one.independent, 0);
  EXPECT_LT(new_one.independent, 20) << "all runs on a host are off alike";
}

// Nobody answers about a model of device that nothing ran on, so how far off that would be is nobody's record.
TEST(Performances, DevicesThatNothingRanOnAreNotAskedAbout) {
  History history = on_hosts({"h1", "h2", "h3"});
  for (Datum& datum : history) datum.what.device = "device of " + datum.what.host;
  EXPECT_EQ(of_effects(compare(history, Target::seconds), Kind::machine).cases, 0);
}

// Of two hosts one is hidden at a time, so each is answered by what the other one alone teaches.
TEST(Performances, WhatIsHiddenTeachesNothing) {
  const std::vector<std::string> hosts = {"h1", "h2"};
  const History all = on_hosts(hosts);
  double sum = 0;
  for (const std::string& hidden : hosts) {
    History known;
    for (const Datum& datum : all)
      if (datum.what.host != hidden) known.push_back(datum);
    const auto fitted = effects().learn(known, Target::seconds).fitted;
    for (const Datum& datum : all)
      if (datum.what.host == hidden)
        sum += std::abs(std::exp(fitted->predict(datum.what).estimate->log_mean) / datum.value - 1);
  }
  const Performance record = of_effects(compare(all, Target::seconds), Kind::machine);  // of a temporary
  EXPECT_EQ(record.answered, static_cast<int>(all.size()));
  EXPECT_NEAR(record.error_percent, 100 * sum / static_cast<double>(all.size()), 1e-6);
}

TEST(Performances, NobodysNoiseWidensTheOthersIntervals) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  History history;
  const auto run = [&](const std::string& network, double noise, std::int64_t owner) {
    for (const double b : {8., 16., 32., 64., 128., 256.}) {
      add(history, a_case(network, b), (20 + b) * std::exp(noise * normal(random)));
      history.back().owner = owner;
    }
  };
  const auto reach = [&] {
    return compare(history, Target::seconds)
        .back()
        .kinds[static_cast<std::size_t>(Kind::batch_size)]
        .reach(0, 0.9);
  };
  for (const char* network : {"a", "b"}) run(network, 0.02, 1);
  const double alone = reach();
  for (const char* network : {"c", "d", "e", "f", "g"}) run(network, 1.5, 2);
  EXPECT_LT(reach(), 2 * alone);
  for (Datum& datum : history) datum.owner = 1;
  EXPECT_GT(reach(), 4 * alone) << "one's own noise is one's own";
}

TEST(Performances, WhereNothingWasHiddenTheErrorIsAssumed) {
  const auto& records = records_of_five_networks();
  EXPECT_EQ(of_effects(records, Kind::devices).answered, 0);
  EXPECT_NEAR(of_effects(records, Kind::devices).typical, about(Kind::devices).assumed_error, 1e-12);
  EXPECT_GT(of_effects(records, Kind::devices).reach(0, 0.9), about(Kind::devices).assumed_error);
  EXPECT_LT(of_effects(records, Kind::batch_size).typical, about(Kind::batch_size).assumed_error / 2)
      << "the measurements are exact, and many";
}

TEST(Performances, BeyondAllTheSimplestAndTheRichestAnswer) {
  const auto& records = records_of_five_networks();
  constexpr auto kBeyond = static_cast<std::size_t>(Kind::beyond_all);
  ASSERT_EQ(records.front().name, "gianniti");
  EXPECT_EQ(records.front().kinds[kBeyond].weight, 0.5);
  EXPECT_EQ(of_effects(records, Kind::beyond_all).weight, 0.5);
  for (std::size_t i = 1; i + 2 < records.size(); ++i) EXPECT_EQ(records[i].kinds[kBeyond].weight, 0);
}

// The last of the records is the combined answer's.
TEST(Performances, TheCombinedAnswerComesFirstUnlessOneIsAllOfIt) {
  std::vector<Record> records(4);
  for (auto& record : records) record.kinds[0] = {20, 20, 30, 0.9, 1, 0, 0.1, 1, 1, {}};
  records[1].kinds[0].against = 0.9;
  records[0].kinds[0].weight = records[1].kinds[0].weight = 0.5;
  EXPECT_EQ(ranking(records, Kind::seen), (std::vector<std::size_t>{3, 1, 0, 2}));
  records[0].kinds[0].weight = 1;
  records[1].kinds[0].weight = 0;
  EXPECT_EQ(ranking(records, Kind::seen), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(Performances, WithoutARecordTheRichestIsAskedFirst) {
  EXPECT_EQ(ranking(std::vector<Record>(4), Kind::device).front(), 2U);
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
  const auto records = compare(history, Target::seconds);
  const auto kind = static_cast<std::size_t>(Kind::batch_size);
  for (const Record& record : records) {
    const Performance& performance = record.kinds[kind];
    if (record.name == "gianniti" || record.name == "effects") {
      EXPECT_GT(performance.answered, 10) << record.name;
      EXPECT_LT(performance.error_percent, 5) << record.name;
      EXPECT_GT(performance.coverage, 0.8) << record.name;
    }
    if (record.name == "barnes") {
      EXPECT_GT(performance.error_percent, 6);  // a straight line in logarithms
    }
  }
  const auto order = ranking(records, Kind::batch_size);
  EXPECT_LT(records[order.front()].kinds[kind].error_percent, 5);
  EXPECT_GT(records[order.front()].kinds[kind].coverage, 0.8);
  double weights = 0;
  for (const Record& record : records) {
    weights += record.kinds[kind].weight;
    if (record.name == "barnes") {
      EXPECT_LT(record.kinds[kind].weight, 0.3);
    }
  }
  EXPECT_NEAR(weights, 1, 1e-9);
  EXPECT_FALSE(records.back().kinds[static_cast<std::size_t>(Kind::devices)].cases);
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
    const auto records = compare(history, Target::seconds);
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      EXPECT_DOUBLE_EQ(records.back().kinds[kind].weight, 0) << column_of(static_cast<Kind>(kind));
  }
}

TEST(Performances, NothingToCompareIsNoFailure) {
  for (const Record& record : compare({}, Target::peak_bytes))
    for (const Performance& performance : record.kinds) EXPECT_EQ(performance.cases, 0);
  EXPECT_EQ(ranking(compare({}, Target::seconds), Kind::seen).size(), estimators().size());
}

TEST(Estimators, OfNoRunsSayWhatIsMissing) {
  for (const Estimator& estimator : estimators())
    EXPECT_EQ(estimator.learn({}, Target::peak_bytes).missing.empty(), estimator.name == "described")
        << "a network's description is no run";
  EXPECT_EQ(described().learn({}, Target::seconds).missing, "another quantity than this");
}

}  // namespace
}  // namespace etad::estimators
