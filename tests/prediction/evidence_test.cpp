// Whose runs a model believes: nobody moves another's estimates by writing many logs, or a long one.
#include "prediction/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "prediction/contradiction.h"
#include "prediction/datasets.h"
#include "prediction/make_model.h"
#include "storage/fair_share.h"

namespace etad::prediction {
namespace {

constexpr std::int64_t kAlice = 1001, kBob = 1002, kCarol = 1003;

class EvidenceTest : public ::testing::Test {
 protected:
  // `count` runs of 1000 iterations at `step_time` seconds each, of one log.
  void add(std::int64_t owner, std::int64_t source, int count, double step_time, std::int64_t batch = 64,
           const std::string& type = "SGD") {
    for (int i = 0; i < count; ++i) {
      RunData run;
      run.run_id = ++last_run_;
      run.source_id = source;
      run.owner = owner;
      run.place = places_.try_emplace(owner, places_.size()).first->second;
      run.samples_per_iteration = batch;
      run.iterations = 1000;
      run.duration = from_seconds(1000 * step_time * (1 + 0.01 * static_cast<double>(last_run_ % 5)));
      run.started_at = Instant(std::chrono::seconds(1'795'000'000 + 3600 * last_run_));
      run.settings["type"] = type;
      run.windows.resize(1);
      run.windows[0].iterations = run.iterations;
      run.windows[0].duration = run.duration;
      runs_.insert(runs_.begin(), run);
    }
  }

  ChosenRuns chosen() const { return choose_evidence(runs_, key_); }

  double seconds() const {
    const auto model = regression::fit(dataset_of(chosen().runs, Phase::train));
    return model->predict(1000, 64, 0.9)->seconds;
  }

  ModelKey key_{"LeNet", "", "caffe", "vm", "V100", 1, Phase::train};
  std::vector<RunData> runs_;                    // newest first
  std::map<std::int64_t, std::int64_t> places_;  // of the owners: as they came
  std::int64_t last_run_ = 0;
};

TEST_F(EvidenceTest, OfOwnersWhoseRunsAgreeEachHasAShare) {
  for (std::int64_t source = 1; source <= 6; ++source) add(kAlice, source, 2, 0.1);
  add(kBob, 7, 40, 0.11);
  EXPECT_EQ(chosen().runs.size(), 12U + kAlwaysTheirs);
  EXPECT_EQ(chosen().runs.front().run_id, last_run_) << "the newest";
  EXPECT_FALSE(chosen().dispute);
}

// Whose log was read again has the newer runs of the two.
TEST_F(EvidenceTest, AModelIsItsFirstOwnersHoweverOldTheRunsAre) {
  add(kAlice, 1, 1, 0.1);
  add(kBob, 2, 1, 0.1);
  std::swap(runs_.front(), runs_.back());
  EXPECT_EQ(chosen().runs.back().owner, kBob);
  EXPECT_EQ(fitted_from(key_, chosen())->owner, kAlice);
}

// Each costs a fit for whoever asks, today and of a time that is past.
TEST_F(EvidenceTest, NotMoreOwnersThanAFewAreAnsweredFromTheirOwn) {
  add(kAlice, 1, 8, 0.1);
  for (std::int64_t later = 1; later <= 20; ++later)
    add(kAlice + later, 1 + later, 1, 0.1 * std::pow(2, later));
  EXPECT_EQ(chosen().answered_by_own.size(), kMostAnsweredByOwn);
}

TEST_F(EvidenceTest, AnotherOwnersRunTakesNoBatchSizeOrSettingOfTheFirstOnesAway) {
  for (const std::int64_t batch : {32, 64, 128})
    for (const char* type : {"SGD", "Adam"})
      add(kAlice, 1, 20, 0.001 * static_cast<double>(batch), batch, type);
  add(kBob, 2, 1, 0.128, 128, "Adam");
  std::set<std::pair<std::int64_t, std::string>> points;
  for (const RunData& run : chosen().runs)
    if (run.owner == kAlice) points.emplace(run.samples_per_iteration, run.settings.at("type"));
  EXPECT_EQ(points.size(), 6U);
  EXPECT_EQ(chosen().runs.size(), 121U);
}

TEST_F(EvidenceTest, AnotherOwnersRunDoesNotTurnTheModelToSettingsOfFewRuns) {
  add(kAlice, 1, 60, 0.132);
  add(kAlice, 2, 15, 0.05, 64, "Adam");
  for (int others = 0; others < 3; ++others) {
    EXPECT_NEAR(seconds(), 132, 3) << others;
    add(kBob, 3, 1, 0.132);
  }
}

TEST_F(EvidenceTest, WhoHasRunsIsAnsweredFromTheseWhereAnothersSettingsSpeak) {
  add(kBob, 1, 1, 3.6 * 0.132, 64, "Adam");
  add(kAlice, 2, 21, 0.132);
  EXPECT_EQ(chosen().answered_by_own, std::vector<std::int64_t>{kAlice});
  runs_.clear();
  add(kBob, 3, 1, 0.132, 64, "Adam");
  add(kAlice, 4, 21, 0.132);
  EXPECT_EQ(chosen().answered_by_own, std::vector<std::int64_t>{kAlice})
      << "who has more runs than the model";
  runs_.clear();
  add(kBob, 5, 40, 0.132, 64, "Adam");
  add(kAlice, 6, 3, 0.132);
  EXPECT_TRUE(chosen().answered_by_own.empty()) << "few runs of his own say no more than all together";
}

TEST_F(EvidenceTest, WhoHasRunsIsAnsweredFromTheseWhereAnothersTellNoBatchSize) {
  add(kBob, 1, 1, 0.132, 0);
  for (const std::int64_t batch : {16, 32, 64}) add(kAlice, 2, 7, 0.004 * static_cast<double>(batch), batch);
  EXPECT_EQ(chosen().answered_by_own, std::vector<std::int64_t>{kAlice});
}

TEST_F(EvidenceTest, ALogOfAnotherSettingContradictsNoneOfItsOwners) {
  add(kAlice, 1, 9, 0.4);
  add(kAlice, 2, 9, 0.1, 64, "Adam");
  EXPECT_EQ(chosen().runs.size(), 18U);
  EXPECT_FALSE(chosen().dispute);
}

TEST_F(EvidenceTest, OneRunFarBeyondDoesNotTurnTheLineOfMany) {
  const auto step_time = [](std::int64_t batch) { return 0.01 + 0.001 * static_cast<double>(batch); };
  for (const std::int64_t batch : {16, 32, 64}) add(kAlice, 1, 40, step_time(batch), batch);
  const double before = seconds();
  for (const double factor : {14.5, 3.0, 0.3}) {
    const auto honest = runs_;
    add(kBob, 2, 1, step_time(4096) / factor, 4096);
    EXPECT_NEAR(seconds() / before, 1, 0.05) << factor;
    runs_ = honest;
  }
}

TEST_F(EvidenceTest, WhoIsLeftOutTakesNothingOfTheOthersAway) {
  for (std::int64_t source = 1; source <= 100; ++source) add(kAlice, source, 1, 0.1);
  add(kBob, 101, 1, 0.8);
  EXPECT_EQ(chosen().runs.size(), 100U);
  EXPECT_EQ(chosen().dispute->left_out, 1);
}

// As they are where the first one goes on, or reads old logs again.
TEST_F(EvidenceTest, WhoWasThereFirstIsSoWithRunsThatAreAllNewer) {
  add(kAlice, 1, 1, 0.1);
  runs_.clear();
  add(kBob, 2, 1, 0.8);
  for (std::int64_t source = 3; source <= 20; ++source) add(kAlice, source, 1, 0.1);
  EXPECT_EQ(chosen().dispute->owners, std::vector<std::int64_t>{kAlice});
  EXPECT_NEAR(seconds(), 102, 3);
}

TEST_F(EvidenceTest, ManyForgedRunsOfAnotherOwnerMoveNothing) {
  for (std::int64_t source = 1; source <= 12; ++source) add(kAlice, source, 1, 0.132);
  const double before = seconds();
  for (const double factor : {70.0, 1.8, 0.01}) {
    const auto honest = runs_;
    add(kBob, 99, 188, factor * 0.132);
    EXPECT_NEAR(seconds() / before, 1, 1e-6) << factor;
    ASSERT_TRUE(chosen().dispute);
    EXPECT_EQ(chosen().dispute->owners, std::vector<std::int64_t>{kAlice});
    EXPECT_EQ(chosen().dispute->left_out, 188);
    EXPECT_EQ(chosen().answered_by_own, std::vector<std::int64_t>{kBob});
    runs_ = honest;
  }
}

TEST_F(EvidenceTest, NorDoTheyOverManyLogsOfOneOwner) {
  add(kAlice, 1, 5, 0.132);
  const double before = seconds();
  for (std::int64_t source = 2; source <= 60; ++source) add(kBob, source, 3, 70 * 0.132);
  EXPECT_NEAR(seconds() / before, 1, 1e-6);
}

TEST_F(EvidenceTest, NorAtABatchSizeOrWithASettingThatNobodyElseHas) {
  add(kAlice, 1, 5, 0.132);
  const double before = seconds();
  const auto honest = runs_;
  add(kBob, 2, 50, 70 * 0.132, 256);
  EXPECT_NEAR(seconds() / before, 1, 1e-6);
  runs_ = honest;
  add(kBob, 2, 50, 70 * 0.132, 64, "Nonsense");
  EXPECT_NEAR(seconds() / before, 1, 1e-6);
}

TEST_F(EvidenceTest, AnotherBatchSizeOrSettingIsNoContradiction) {
  add(kAlice, 1, 5, 0.132);
  add(kBob, 2, 5, 4 * 0.132, 256);
  add(kCarol, 3, 5, 1.4 * 0.132, 64, "Adam");
  EXPECT_FALSE(chosen().dispute);
  EXPECT_EQ(chosen().runs.size(), 15U);
}

TEST_F(EvidenceTest, OfALaterOwnerOnlyRunsThatAgreeCount) {
  add(kAlice, 1, 16, 0.132);
  add(kBob, 2, 12, 0.14);
  add(kBob, 3, 8, 8 * 0.132);
  EXPECT_EQ(chosen().runs.size(), 28U);
  EXPECT_EQ(chosen().dispute->left_out, 8);
  EXPECT_EQ(chosen().dispute->owners, (std::vector<std::int64_t>{kAlice, kBob}));
  EXPECT_EQ(chosen().answered_by_own, std::vector<std::int64_t>{kBob})
      << "to whom his own say something else";
}

// Their middle one is as the honest ones.
TEST_F(EvidenceTest, RunsFarToBothSidesContradict) {
  add(kAlice, 1, 1, 0.132);
  const double before = seconds();
  for (int i = 0; i < 20; ++i) add(kBob, 2 + i, 1, (i % 2 == 0 ? 8 : 1 / 8.2) * 0.132);
  EXPECT_NEAR(seconds() / before, 1, 1e-6);
  EXPECT_EQ(chosen().answered_by_own, std::vector<std::int64_t>{kBob});
}

TEST_F(EvidenceTest, AnothersLogsMakeNoLogLoud) {
  add(kAlice, 1, 100, 0.132);
  for (int i = 0; i < 20; ++i) add(kBob, 2 + i, 1, 0.132 * (i % 2 == 0 ? 8 : std::pow(0.7, i) / 8.2));
  EXPECT_EQ(chosen().runs.size(), 100U);
}

TEST_F(EvidenceTest, RunsBeyondTheBatchSizesOfTheFirstOwnerDoNotTurnTheLineWithin) {
  const auto step_time = [](std::int64_t batch) { return 0.005 + 0.001 * static_cast<double>(batch); };
  for (const std::int64_t batch : {32, 64, 128}) add(kAlice, 1, 2, step_time(batch), batch);
  const double before = seconds();
  const auto honest = runs_;
  for (const std::int64_t batch : {192, 1024, 200'000})
    for (const double factor : {30.0, 2.0, 1.5, 0.67, 0.5, 0.03}) {
      add(kBob, 2, 40, factor * step_time(batch), batch);
      EXPECT_NEAR(std::abs(std::log(seconds() / before)), 0, std::log(1.3)) << batch << " " << factor;
      runs_ = honest;
    }
  for (const std::int64_t batch : {256, 1024, 4096}) add(kBob, 2, 5, 1.1 * step_time(batch), batch);
  EXPECT_EQ(chosen().runs.size(), 21U) << "who goes on with the line is heard";
  EXPECT_FALSE(chosen().dispute);
}

TEST_F(EvidenceTest, WhatASecondOwnerConfirmsIsBelieved) {
  add(kBob, 1, 5, 9);
  add(kAlice, 2, 5, 0.132);
  EXPECT_NEAR(seconds(), 9000, 300) << "who was there first";
  add(kCarol, 3, 1, 0.14);
  EXPECT_NEAR(seconds(), 134, 10);
}

// In a fleet an id begins with a number of its host, which is chance.
TEST_F(EvidenceTest, WhoWasThereFirstIsNotToldByTheIdsOfRuns) {
  last_run_ = 1000;
  add(kAlice, 1, 12, 0.132);
  const double before = seconds();
  const auto honest = runs_;
  for (const std::int64_t whose : {kBob, kAlice}) {
    last_run_ = 0;
    add(whose, 99, 100, 8 * 0.132);
    EXPECT_NEAR(seconds() / before, 1, 1e-6) << whose;
    runs_ = honest;
  }
}

TEST_F(EvidenceTest, AForgedLogOfTheSameOwnerMovesNothing) {
  for (std::int64_t source = 1; source <= 12; ++source) add(kAlice, source, 1, 0.132);
  const double before = seconds();
  add(kAlice, 99, 188, 70 * 0.132);
  EXPECT_NEAR(seconds() / before, 1, 1e-6);
  EXPECT_EQ(chosen().dispute->left_out, 188);
  EXPECT_TRUE(chosen().answered_by_own.empty());
}

TEST_F(EvidenceTest, OfTwoLogsTheOneThatWasThereFirstIsBelieved) {
  add(kAlice, 1, 12, 0.132);
  const double before = seconds();
  add(kAlice, 2, 188, 70 * 0.132);
  EXPECT_NEAR(seconds() / before, 1, 1e-6);
}

TEST_F(EvidenceTest, OfTwoLogsTheFirstOneMayBeTheOneThatGoesOn) {
  add(kAlice, 2, 20, 70 * 0.132);
  add(kAlice, 1, 12, 0.132);
  EXPECT_NEAR(seconds(), 134, 5);
}

TEST_F(EvidenceTest, ALongLogThatMostOthersConfirmStays) {
  add(kAlice, 1, 100, 0.132);
  add(kAlice, 2, 60, 70 * 0.132);
  for (std::int64_t source = 3; source <= 7; ++source) add(kAlice, source, 1, 0.132);
  EXPECT_NEAR(seconds(), 134, 5);
  EXPECT_EQ(chosen().runs.size(), 105U);
}

TEST_F(EvidenceTest, ALongLogThatAgreesIsNotCut) {
  for (std::int64_t source = 1; source <= 3; ++source) add(kAlice, source, 1, 0.132);
  add(kAlice, 99, 60, 0.14);
  EXPECT_EQ(chosen().runs.size(), 63U);
}

TEST_F(EvidenceTest, AChangeThatManyLogsTellOfIsBelieved) {
  for (std::int64_t source = 1; source <= 12; ++source) add(kAlice, source, 1, 0.132);
  for (std::int64_t source = 13; source <= 20; ++source) add(kAlice, source, 1, 0.3);
  EXPECT_FALSE(chosen().dispute);
  EXPECT_NEAR(seconds(), 300, 15);
}

TEST_F(EvidenceTest, WhoContradictsInEnergyOrMemoryLosesThatAlone) {
  for (const std::int64_t batch : {32, 64, 128}) add(kAlice, 1, 5, 0.001 * static_cast<double>(batch), batch);
  for (const std::int64_t batch : {32, 64, 128}) add(kBob, 2, 1, 0.001 * static_cast<double>(batch), batch);
  for (RunData& run : runs_) {
    run.iterations *= 1 + run.run_id % 3;
    run.duration *= 1 + run.run_id % 3;
    run.joules = (run.owner == kBob ? 1000 : 1) * 300 * to_seconds(run.duration);
    run.peak_bytes = 2e9 + 4e7 * static_cast<double>(run.samples_per_iteration);
  }
  const auto chosen = this->chosen();
  EXPECT_EQ(chosen.runs.size(), 18U);
  EXPECT_FALSE(chosen.dispute);
  for (const RunData& run : chosen.runs) {
    EXPECT_EQ(run.joules.has_value(), run.owner == kAlice);
    EXPECT_TRUE(run.peak_bytes) << "they agree in that";
  }
}

// Who was there first decides what others are told, but not what somebody who measured it himself is.
TEST_F(EvidenceTest, WhoseEnergyContradictsIsAnsweredFromHisOwnRuns) {
  add(kBob, 1, 1, 0.1);
  add(kAlice, 2, 9, 0.1);
  for (RunData& run : runs_) run.joules = (run.owner == kBob ? 10 : 1) * 300 * to_seconds(run.duration);
  EXPECT_EQ(chosen().answered_by_own, std::vector<std::int64_t>{kAlice});
  for (RunData& run : runs_) run.joules = 300 * to_seconds(run.duration);
  EXPECT_TRUE(chosen().answered_by_own.empty());
}

TEST_F(EvidenceTest, WhoseRunsCantBeOfOneDeviceComesBehindOthers) {
  key_.device = "";
  key_.host = "";
  add(kBob, 1, 1, 0.1);
  add(kBob, 2, 1, 5);
  EXPECT_TRUE(contradiction_of(key_, dataset_of(chosen().runs, Phase::train))) << "alone he is all there is";
  add(kAlice, 3, 5, 0.1);
  EXPECT_FALSE(contradiction_of(key_, dataset_of(chosen().runs, Phase::train)));
  EXPECT_NEAR(seconds(), 100, 5);
  EXPECT_EQ(chosen().dispute->left_out, 1);
}

// An owner's runs that diverged say little, but of him they are all there is.
TEST_F(EvidenceTest, WhetherOthersConvergedTakesNobodysRunsAway) {
  add(kAlice, 1, 10, 0.05);
  for (RunData& run : runs_) run.loss_is_nan = true;
  add(kBob, 2, 1, 0.09);
  EXPECT_NEAR(seconds(), 50, 3);
  for (RunData& run : runs_) run.loss_is_nan = run.owner == kAlice && run.run_id % 2 == 0;
  EXPECT_EQ(dataset_of(runs_, Phase::train).size(), 6U);
}

TEST_F(EvidenceTest, NothingIsChosenOfNothing) {
  EXPECT_TRUE(chosen().runs.empty());
  EXPECT_FALSE(chosen().dispute);
}

TEST(FairShare, OwnersTakeTurnsAndTheirSourcesToo) {
  std::vector<Evidence> all;
  for (std::int64_t i = 0; i < 40; ++i) all.push_back({i, 1, kAlice});
  for (std::int64_t i = 40; i < 80; ++i) all.push_back({i, i % 2, kBob});
  EXPECT_EQ(fair_share(all, 6), (std::vector<std::int64_t>{79, 78, 77, 39, 38, 37}));
  EXPECT_EQ(fair_share({}, 6), std::vector<std::int64_t>{});
}

TEST(FairShare, WhatAnOwnerWroteLastCrowdsOutNothingElseThatHeTellsOf) {
  std::vector<Evidence> all;
  for (std::int64_t i = 0; i < 3; ++i) all.push_back({i, i, kAlice, 32});
  for (std::int64_t i = 3; i < 40; ++i) all.push_back({i, i, kAlice, 64});
  EXPECT_EQ(fair_share(all, 5), (std::vector<std::int64_t>{39, 38, 37, 2, 1}));
}

TEST(FairShare, NobodyHasMoreThanAllOthersOrWhatIsAlwaysTheirs) {
  std::vector<Evidence> all;
  for (std::int64_t i = 0; i < 300; ++i) all.push_back({i, 1, kBob});
  EXPECT_EQ(fair_share(all, 200).size(), 200U) << "alone";
  for (std::int64_t i = 300; i < 305; ++i) all.push_back({i, 2, kAlice});
  EXPECT_EQ(fair_share(all, 200).size(), 5 + kAlwaysTheirs);
  for (std::int64_t i = 305; i < 340; ++i) all.push_back({i, 2, kCarol});
  EXPECT_EQ(fair_share(all, 200).size(), 80U);
}

}  // namespace
}  // namespace etad::prediction
