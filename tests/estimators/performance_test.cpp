// How hidden questions judge the estimators, and what their intervals are of.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/estimators/combined.h"
#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

// Scores that are all small, of as many networks or of a few.
TEST(Performances, WhatIsAlikeSaysLess) {
  Performance performance;
  performance.median_error = 0.1;
  performance.scores.assign(40, 0.1);
  performance.independent = 40;
  const double many = performance.half_width(0, 0.9);
  performance.independent = 2;
  EXPECT_GT(performance.half_width(0, 0.9), 2 * many);
}

// Of five networks, each at five sizes on four machines.
const Records& records_of_five_networks() {
  static const Records kRecords = [] {
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

const Performance& of_effects(const Records& records, Kind kind) {
  return records.in(kind).end()[-2];
}

TEST(Performances, CasesOfOnePartCountForFewerThanTheirNumber) {
  const auto& records = records_of_five_networks();
  const Performance& beyond = of_effects(records, Kind::batch_size_beyond_all);
  ASSERT_GE(beyond.answered, 40);
  EXPECT_LT(beyond.independent, 0.3 * beyond.answered) << "five networks";
  EXPECT_GE(beyond.independent, 5);
  EXPECT_NEAR(beyond.farthest_hidden, std::log(4), 1e-9) << "32 was hidden, and 8 the largest left";
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
  EXPECT_LT(between.half_width(0.1, 0.9), 0.9 * as_foretold.half_width(0.1, 0.9));
  EXPECT_EQ(of_effects(records_of_five_networks(), Kind::batch_size_beyond_all).scale, 1)
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

// Of two hosts one is hidden at a time, so each is answered by what the other one alone teaches. How strong effects are
// says all of the history.
TEST(Performances, WhatIsHiddenTeachesNothing) {
  const std::vector<std::string> hosts = {"h1", "h2"};
  const History all = on_hosts(hosts);
  const auto whole = effects().learn(all, Target::seconds).fitted;
  double sum = 0;
  for (const std::string& hidden : hosts) {
    History known;
    for (const Datum& datum : all)
      if (datum.what.host != hidden) known.push_back(datum);
    const auto fitted = effects().learn(known, Target::seconds, whole.get()).fitted;
    for (const Datum& datum : all)
      if (datum.what.host == hidden)
        sum += std::abs(std::exp(fitted->predict(datum.what).estimate->log_mean) / datum.value - 1);
  }
  const Performance record = of_effects(compare(all, Target::seconds), Kind::machine);  // of a temporary
  EXPECT_EQ(record.answered, static_cast<int>(all.size()));
  EXPECT_NEAR(record.error_percent, 100 * sum / static_cast<double>(all.size()), 1e-6);
}

TEST(Performances, WhatOthersWriteMakesNobodysIntervalsWiderOrNarrower) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  History history;
  const auto run = [&](const std::string& network, double noise, std::int64_t owner) {
    for (const double b : {8., 16., 32., 64., 128., 256.}) {
      add(history, a_case(network, b), (20 + b) * std::exp(noise * normal(random)));
      history.back().owner = owner;
    }
  };
  const auto half_width = [&](std::int64_t owner) {
    return compare(history, Target::seconds).of(owner, Kind::batch_size)->back().half_width(0, 0.9);
  };
  for (const char* network : {"a", "b", "c", "d", "e", "f"}) run(network, 0.1, 1);
  const double alone = half_width(1);
  const std::size_t ran = history.size();
  for (int i = 0; i < 20; ++i) run("exact" + std::to_string(i), 0, 2);
  EXPECT_GT(half_width(1), 0.8 * alone);
  EXPECT_LT(half_width(2), 0.1 * alone);
  history.resize(ran);
  for (const char* network : {"g", "h", "i", "j", "k", "l", "m", "n"}) run(network, 1.5, 2);
  EXPECT_LT(half_width(1), 2 * alone);
  EXPECT_GT(half_width(2), 4 * alone);
}

TEST(Performances, WhatAnotherRunsLaterTakesNoQuestionOutOfAnOwnersRecord) {
  History history;
  const auto run = [&](std::int64_t owner) {
    for (int i = 0; i < 6; ++i)
      for (const double b : {8., 16., 32., 64., 128., 256.}) {
        add(history, a_case("net" + std::to_string(i), b), 20 + b);
        history.back().owner = owner;
        history.back().started_at = static_cast<double>(owner);
      }
  };
  const auto cases = [&] {
    const Records records = compare(history, Target::seconds);
    const Performances* const of_first = records.of(1, Kind::batch_size);
    return of_first != nullptr ? of_first->back().answered : 0;
  };
  run(1);
  const int alone = cases();
  ASSERT_GT(alone, 0);
  run(2);
  EXPECT_EQ(cases(), alone);
}

// Networks of his own say that four devices take seventy times as long as one.
TEST(Performances, WhoContradictsSaysNothingOfHowSureOthersAre) {
  History history;
  const auto run = [&](const std::string& network, std::int64_t owner, double on_four) {
    for (const double devices : {1., 4.})
      for (const double b : {8., 16., 32., 64.}) {
        add(history, a_case(network, b * devices, devices), (20 + b) * (devices > 1 ? on_four : 1));
        history.back().owner = history.back().place = owner;
      }
  };
  for (const char* network : {"a", "b", "c"}) run(network, 1, 1.2);
  const auto of_all = [&] { return compare(history, Target::seconds).in(Kind::devices_range).back(); };
  const Performance alone = of_all();
  for (int i = 0; i < 30; ++i) run("his" + std::to_string(i), 2, 70);
  EXPECT_EQ(of_all().cases, alone.cases);
  EXPECT_LT(of_all().half_width(0, 0.9), 1.5 * alone.half_width(0, 0.9));
}

// One network alone ran in half precision: where its runs are hidden, nothing of the first owner's says what that takes.
TEST(Performances, WhoContradictsIsNotBelievedWhereWhatHeContradictsIsHidden) {
  History history;
  const auto run = [&](const std::string& network, std::int64_t owner, const std::string& precision,
                       double times) {
    for (const double b : {8., 16., 32., 64.}) {
      add(history, a_case(network, b), (20 + b) * times);
      history.back().what.settings = {"precision=" + precision};
      history.back().owner = history.back().place = owner;
    }
  };
  for (const char* network : {"a", "b", "c"}) run(network, 1, "fp32", 1);
  run("b", 1, "fp16", 0.7);
  const auto of_all = [&] { return compare(history, Target::seconds).in(Kind::settings).back(); };
  const Performance alone = of_all();
  ASSERT_GT(alone.answered, 0);
  for (int i = 0; i < 30; ++i) {
    run("his" + std::to_string(i), 2, "fp32", 1);
    run("his" + std::to_string(i), 2, "fp16", 300);
  }
  EXPECT_NEAR(of_all().error_percent, alone.error_percent, 3);
  EXPECT_LT(of_all().half_width(0, 0.9), 1.5 * alone.half_width(0, 0.9));
}

TEST(Performances, FewAnswersAboutAnOwnersRunsAreNoRecordOfHis) {
  History history;
  const auto run = [&](const std::string& network, std::int64_t owner, int sizes) {
    for (int i = 0; i < sizes; ++i) {
      add(history, a_case(network, 8 << i), 20 + (8 << i));
      history.back().owner = owner;
    }
  };
  for (int i = 0; i < 6; ++i) run("net" + std::to_string(i), 1, 6);
  run("his", 2, 4);
  const Records records = compare(history, Target::seconds);
  EXPECT_NE(records.of(1, Kind::batch_size), nullptr);
  EXPECT_EQ(records.of(2, Kind::batch_size), nullptr) << "two sizes of his are between others";
  EXPECT_EQ(records.of(3, Kind::batch_size), nullptr);
}

TEST(Performances, WhereNothingWasHiddenTheErrorIsAssumed) {
  const auto& records = records_of_five_networks();
  EXPECT_EQ(of_effects(records, Kind::devices).answered, 0);
  EXPECT_NEAR(of_effects(records, Kind::devices).median_error, about(Kind::devices).assumed_error, 1e-12);
  EXPECT_GT(of_effects(records, Kind::devices).half_width(0, 0.9), about(Kind::devices).assumed_error);
  EXPECT_LT(of_effects(records, Kind::batch_size).median_error, about(Kind::batch_size).assumed_error / 2)
      << "the measurements are exact, and many";
}

TEST(Performances, BeyondAllTheSimplestAndTheRichestAnswer) {
  const Performances& beyond = records_of_five_networks().in(Kind::batch_size_beyond_all);
  ASSERT_EQ(estimators().front().name, "gianniti");
  EXPECT_EQ(beyond.front().weight, 0.5);
  EXPECT_EQ(of_effects(records_of_five_networks(), Kind::batch_size_beyond_all).weight, 0.5);
  for (std::size_t i = 1; i + 2 < beyond.size(); ++i) EXPECT_EQ(beyond[i].weight, 0);
}

// Of networks that each ran on one and two devices, and of one that ran on four too.
TEST(Performances, AFormOfTheNumberOfDevicesHasHalfWhereNoneCouldBeHidden) {
  History history;
  const auto run = [&](const std::string& network, double devices) {
    for (const double share : {8, 16, 32})
      add(history, a_case(network, share * devices, devices), (1 + share) * (2 - 1 / devices));
  };
  const auto weight = [&](const char* name) {
    const auto i = static_cast<std::size_t>(find_estimator(name) - estimators().data());
    return compare(history, Target::seconds).in(Kind::devices_range)[i].weight;
  };
  for (int i = 0; i < 10; ++i)
    for (const double devices : {1, 2}) run("net" + std::to_string(i), devices);
  EXPECT_EQ(weight("ring"), 0.5);
  EXPECT_EQ(weight("effects"), 0.5);
  for (int i = 0; i < 10; ++i)
    for (const double devices : {4, 8}) run("net" + std::to_string(i), devices);
  EXPECT_NE(weight("ring"), 0.5) << "it has a record by now";
}

// The last of the records is the combined answer's.
TEST(Performances, TheCombinedAnswerComesFirstUnlessOneIsAllOfIt) {
  Performances all(4, {20, 20, 30, 0.9, 1, 0, 0.1, 1, 1, {}});
  all[1].error_ratio = 0.9;
  all[0].weight = all[1].weight = 0.5;
  EXPECT_EQ(ranking(all), (std::vector<std::size_t>{3, 1, 0, 2}));
  all[0].weight = 1;
  all[1].weight = 0;
  EXPECT_EQ(ranking(all), (std::vector<std::size_t>{0, 1, 2, 3}));
}

// It answers what the others can't, so that nothing tells how well the others would have done.
TEST(Performances, WhoSharesNoCaseWithTheReferenceIsNotTakenForAsGood) {
  Performances all(4, {20, 20, 30, 0.9, 1.1, 0, 0.1, 1, 1, {}});
  all[0].error_ratio.reset();
  all[1].weight = all[2].weight = 0.5;
  EXPECT_EQ(ranking(all), (std::vector<std::size_t>{3, 1, 2, 0}));
  for (const Performances& of_kind : records_of_five_networks().all)
    for (const Performance& each : of_kind) EXPECT_TRUE(each.answered > 0 || !each.error_ratio);
}

TEST(Performances, WithoutARecordTheRichestIsAskedFirst) {
  EXPECT_EQ(ranking(Performances(4)).front(), 2U);
}

// A run is one of six of its point, and its interval is to hold it, not the median of the six.
TEST(Performances, RepeatsMakeNoIntervalNarrowerThanARunNeeds) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.1);
  History history;
  for (int repeat = 0; repeat < 6; ++repeat)
    for (const char* network : {"a", "b", "c", "d", "e", "f", "g", "h"})
      for (const double b : {8., 16., 32., 64., 128.}) {
        add(history, a_case(network, b), (20 + b) * std::exp(noise(random)));
        history.back().started_at = 1e6 * static_cast<double>(history.size());
      }
  const Records records = compare(history, Target::seconds);
  const Performance& line = records.in(Kind::batch_size).front();
  ASSERT_GT(line.answered, 10);
  EXPECT_GT(line.half_width(0, 0.9), 0.13);
}

// The second size ran in a slow hour alone, and only the hidden larger ones tell that the hour was slow.
TEST(Performances, NorDoesADriftThatOnlyHiddenRunsTell) {
  History history;
  for (const char* network : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    const auto run = [&](double b, double at, double slow) {
      Case what = a_case(network, b);
      what.host = network;
      add(history, what, slow * (8 + b) * (1 + 0.01 * std::sin(static_cast<double>(history.size()))));
      history.back().started_at = at;
      history.back().ended_at = at + 60;
    };
    for (int day = 0; day < 4; ++day)
      for (const double b : {8., 32., 64.}) run(b, 1e9 + 1e6 * day, 1);
    for (int i = 0; i < 3; ++i)
      for (const double b : {16., 32., 64.}) run(b, 1.01e9 + 100 * b + 10 * i, 1.3);
    for (const double b : {32., 64.}) run(b, 1.02e9, 1);
  }
  const Records records = compare(history, Target::seconds);
  const Performance& beyond = records.in(Kind::batch_size_beyond_all).front();
  ASSERT_GT(beyond.answered, 4);
  EXPECT_GT(beyond.error_percent, 40) << "a line through a size that was 30 % slow";
}

}  // namespace
}  // namespace etad::estimators
