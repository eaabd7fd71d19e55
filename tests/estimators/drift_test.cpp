#include "regression/estimators/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

constexpr double kEvery = 40, kLong = 30;  // seconds from one run's start to the next one's, and of a run

double truth(const Case& what) {
  return (what.network == "LeNet" ? 0.02 : 0.1) * (20 + what.samples);
}

// Runs of two networks in turn, one after the other from `begin` on. `slow` says how much slower the machine is in the
// i-th one.
template <class Slow>
History in_turn(int runs, double begin, const Slow& slow) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.02);
  History out;
  for (int i = 0; i < runs; ++i) {
    const Case what = a_case(i % 2 == 0 ? "LeNet" : "AlexNet", 16 << (i / 2 % 3));
    add(out, what, truth(what) * slow(i) * std::exp(noise(random)));
    out.back().started_at = begin + kEvery * i;
    out.back().ended_at = out.back().started_at + kLong;
  }
  return out;
}

double slow_in_the_middle(int i) {
  return i >= 16 && i < 32 ? 1.4 : 1.0;
}

// What a run's value is off by, on average over those of some of the history.
double off(const History& history, int from, int until) {
  double sum = 0;
  for (int i = from; i < until; ++i) {
    const Datum& run = history[static_cast<std::size_t>(i)];
    sum += std::log(run.value / truth(run.what)) / (until - from);
  }
  return sum;
}

// The mean of e^(-|u - v|/tau) over both intervals, by sums over many points of them.
TEST(Drift, CorrelatesOverIntervalsAsItsProcessDoesAtTheirInstants) {
  constexpr int kPoints = 400;
  const TimeSpan run{100, 130};
  for (const TimeSpan other :
       {TimeSpan{100, 130}, {130, 160}, {110, 200}, {105, 110}, {300, 301}, {0, 900}}) {
    for (const double lasting : {20.0, 600.0, 86400.0}) {
      const auto at = [](const TimeSpan& of, int i) {
        return of.from + (of.until - of.from) * (i + 0.5) / kPoints;
      };
      double mean = 0;
      for (int i = 0; i < kPoints; ++i)
        for (int j = 0; j < kPoints; ++j)
          mean += std::exp(-std::abs(at(run, i) - at(other, j)) / lasting) / (kPoints * kPoints);
      EXPECT_NEAR(correlation(run, other, lasting), mean, 1e-3) << other.from << " " << lasting;
      EXPECT_DOUBLE_EQ(correlation(run, other, lasting), correlation(other, run, lasting));
    }
  }
  EXPECT_NEAR(correlation({5, 5}, {5, 5}, 60), 1, 1e-12) << "of no length";
}

TEST(Drift, OfASlowHourIsTakenOut) {
  const History history = in_turn(48, 1e9, slow_in_the_middle);
  const Drift drift(history);
  const History steady = drift.remove_from(history);
  EXPECT_NEAR(off(history, 16, 32) - off(history, 0, 16), std::log(1.4), 0.02);
  EXPECT_NEAR(off(steady, 16, 32) - off(steady, 0, 16), 0, 0.05);
  EXPECT_NEAR(off(steady, 32, 48) - off(steady, 0, 16), 0, 0.03);
  const Case what = a_case("LeNet", 16);
  const auto over = [&](int run) {
    return drift.log_drift(what, {1e9 + kEvery * run, 1e9 + kEvery * run + kLong});
  };
  EXPECT_NEAR(over(24) - over(8), std::log(1.4), 0.06);
}

TEST(Drift, OfTheLastRunsHoldsForTheNextAndNotForEver) {
  const History history = in_turn(32, 1e9, slow_in_the_middle);
  const Drift drift(history);
  const Case what = a_case("a network that never ran", 16);
  const double end = 1e9 + kEvery * 32;
  EXPECT_GT(drift.log_drift(what, {end, end + kLong}), 0.1);
  EXPECT_LT(drift.log_drift(what, {end, end + 86400}), 0.06) << "a long run outlasts it";
  EXPECT_NEAR(drift.log_drift(what, {end + 1e7, end + 1e7 + kLong}), 0, 1e-6);
  EXPECT_EQ(drift.log_drift(a_case("LeNet", 16, 1, "V100"), {end, end + kLong}), 0) << "another machine";
}

TEST(Drift, IsNotSeenWhereThereIsNone) {
  const History history = in_turn(48, 1e9, [](int) { return 1.0; });
  const History steady = Drift(history).remove_from(history);
  for (std::size_t i = 0; i < history.size(); ++i)
    EXPECT_NEAR(steady[i].value / history[i].value, 1, 0.02) << i;
}

TEST(Drift, DoesNotFollowOneRunThatWentAstray) {
  const History history = in_turn(48, 1e9, [](int i) { return i == 20 ? 5.0 : 1.0; });
  const History steady = Drift(history).remove_from(history);
  for (const std::size_t i : {18U, 19U, 21U, 22U})
    EXPECT_NEAR(steady[i].value / history[i].value, 1, 0.03) << i;
}

TEST(Drift, IsUnknownOfRunsThatDoNotSayWhenTheyWere) {
  History history = in_turn(48, 1e9, slow_in_the_middle);
  for (Datum& run : history) run.started_at = run.ended_at = 0;
  const History steady = Drift(history).remove_from(history);
  for (std::size_t i = 0; i < history.size(); ++i) EXPECT_EQ(steady[i].value, history[i].value);
}

TEST(Drift, IsToldByTheNewestRunsAlone) {
  const int many = static_cast<int>(Drift::kMostTelling) + 100;
  const History history = in_turn(many, 1e9, slow_in_the_middle);
  const History steady = Drift(history).remove_from(history);
  EXPECT_EQ(steady.front().value, history.front().value);
}

// Of several owners one may write that the machine is as slow as he likes.
TEST(Drift, IsNotToldByOneOwnerAlone) {
  constexpr int kRuns = 32;
  History history = in_turn(kRuns, 1e9, [](int) { return 1.0; });
  const double forged = 1e9 + kEvery * kRuns;
  for (const double times : {1.5, 4.0, 70.0}) {
    History both = history;
    for (int i = 0; i < 200; ++i) {
      add(both, a_case("forged", 64), i < 100 ? 1 : times);
      both.back().started_at = forged + i;
      both.back().ended_at = both.back().started_at + 1;
      both.back().owner = 1;
    }
    const Drift drift(both);
    const TimeSpan now{forged + 200, forged + 200 + kLong};
    EXPECT_NEAR(drift.log_drift(a_case("LeNet", 16), now), 0, 0.02) << times;
    const History steady = drift.remove_from(both);
    for (std::size_t i = 0; i < kRuns; ++i) EXPECT_NEAR(steady[i].value / both[i].value, 1, 0.03) << times;
  }
}

TEST(Drift, IsToldByOwnersWhoSayTheSame) {
  History history = in_turn(32, 1e9, slow_in_the_middle);
  const TimeSpan now{1e9 + kEvery * 32, 1e9 + kEvery * 32 + kLong};
  const double alone = Drift(history).log_drift(a_case("LeNet", 16), now);
  for (std::size_t i = 0; i < history.size(); ++i) history[i].owner = static_cast<std::int64_t>(i / 4 % 2);
  const double together = Drift(history).log_drift(a_case("LeNet", 16), now);
  EXPECT_GT(together, 0.5 * alone);
  EXPECT_LE(together, alone);
}

TEST(Drift, OfAMachineThatRanNothingSinceIsTakenOver) {
  const History history = in_turn(48, 1e9, slow_in_the_middle);
  const Drift before(history);
  const auto next = in_turn(49, 1e9, slow_in_the_middle);
  const TimeSpan now{1e9 + 50 * kEvery, 1e9 + 51 * kEvery};
  const Case what = a_case("LeNet", 16);
  EXPECT_EQ(Drift(history, &before).log_drift(what, now), before.log_drift(what, now));
  EXPECT_EQ(Drift(next, &before).log_drift(what, now), Drift(next).log_drift(what, now));
  EXPECT_NE(Drift(next, &before).log_drift(what, now), before.log_drift(what, now));
}

// As where somebody puts a label on them.
TEST(Drift, OfRunsThatCameToBeOfAnotherBatchSizeIsToldAnew) {
  const History history = in_turn(48, 1e9, slow_in_the_middle);
  const Drift before(history);
  History labelled = history;
  for (std::size_t i = 40; i < labelled.size(); ++i) labelled[i].what.samples *= 2;
  const TimeSpan now{1e9 + 48 * kEvery, 1e9 + 49 * kEvery};
  const Case what = a_case("LeNet", 16);
  EXPECT_EQ(Drift(labelled, &before).log_drift(what, now), Drift(labelled).log_drift(what, now));
  EXPECT_NE(Drift(labelled).log_drift(what, now), before.log_drift(what, now));
}

}  // namespace
}  // namespace etad::estimators
