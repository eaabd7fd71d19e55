// Which runs to make next.
#include "regression/estimators/design.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

double seconds_of(double samples) {
  return 0.01 + 0.002 * samples;
}

// One run at the smallest batch size; all sizes up to 256 are asked about.
struct Plan {
  Plan() {
    add(history, a_case("net", 1), seconds_of(1));
    for (double samples = 2; samples <= 256; samples *= 2) {
      questions.push_back({a_case("net", samples)});
      candidates.push_back({a_case("net", samples), 1});
    }
  }
  History history;
  std::vector<Candidate> candidates;
  std::vector<Wanted> questions;
};

TEST(Design, TheFirstRunIsFarFromWhatIsKnown) {
  Plan plan;
  const auto runs = plan_runs(plan.history, plan.candidates, plan.questions, 100, 3);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_GE(plan.candidates[runs[0].candidate].what.samples, 32);
  for (const Planned& run : runs) EXPECT_LT(run.after, run.before);
  EXPECT_EQ(runs[1].before, runs[0].after);
  EXPECT_LT(runs.back().after, 0.6 * runs.front().before);
}

TEST(Design, ACheaperRunIsPreferredAndABudgetIsKept) {
  Plan plan;
  for (Candidate& each : plan.candidates) each.cost = each.what.samples > 64 ? 1000 : 1;
  const auto runs = plan_runs(plan.history, plan.candidates, plan.questions, 2, 3);
  ASSERT_FALSE(runs.empty());
  EXPECT_LE(runs.size(), 2u);
  for (const Planned& run : runs) EXPECT_LE(plan.candidates[run.candidate].what.samples, 64);
  EXPECT_TRUE(plan_runs(plan.history, plan.candidates, plan.questions, 0.5, 3).empty());
}

// The others' throughput is compared with it: of eight sizes the plan would else stay inside.
TEST(Design, ToChooseASizeTheLargestIsRunEarly) {
  Plan plan;
  std::vector<Case> sizes;
  for (const Candidate& each : plan.candidates) sizes.push_back(each.what);
  const auto wanted = to_choose_among(sizes);
  ASSERT_EQ(wanted.size(), 8u);
  EXPECT_EQ(wanted.front().weight, 1);
  EXPECT_EQ(wanted.back().weight, 9);
  const auto runs = plan_runs(plan.history, plan.candidates, wanted, 100, 2);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_TRUE(runs[0].candidate == 7 || runs[1].candidate == 7);
  for (const Planned& run : plan_runs(plan.history, plan.candidates, plan.questions, 100, 2))
    EXPECT_NE(run.candidate, 7u);
}

TEST(Design, OfSeveralSeriesEachHasItsLargest) {
  Case two = a_case("net", 16);
  two.devices = 2;
  const auto wanted = to_choose_among({a_case("net", 64), a_case("net", 8), two});
  ASSERT_EQ(wanted.size(), 3u);
  EXPECT_EQ(wanted[0].weight, 3);
  EXPECT_EQ(wanted[1].weight, 1);
  EXPECT_EQ(wanted[2].weight, 2);
}

TEST(Design, OfANetworkThatNeverRanNothingCanBeSaid) {
  Plan plan;
  EXPECT_TRUE(plan_runs({}, plan.candidates, plan.questions, 100, 3).empty());
  for (Wanted& wanted : plan.questions) wanted.what.network = "another";
  EXPECT_TRUE(plan_runs(plan.history, plan.candidates, plan.questions, 100, 3).empty());
}

}  // namespace
}  // namespace etad::estimators
