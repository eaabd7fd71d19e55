// Energy and memory of what a question asks about: of all its parts, or not at all.
#include "prediction/cost.h"

#include <gtest/gtest.h>

#include <cmath>

namespace etad::prediction {
namespace {

// Runs of n iterations at B samples: B/100 s, 2 B J, and 1 GB and 10 MB a sample, each of an iteration.
std::vector<estimators::Datum> runs_of(const ModelKey& key) {
  std::vector<RunData> runs;
  for (const int batch : {8, 16, 32, 64, 128}) {
    RunData run;
    run.run_id = batch;
    run.iterations = 100;
    run.samples_per_iteration = batch;
    run.duration = from_seconds(batch);
    run.joules = 200 * batch;
    run.peak_bytes = 1e9 + 1e7 * batch;
    runs.push_back(run);
  }
  return data_of(key, runs);
}

std::shared_ptr<const ModelSet> history() {
  ModelKey train;
  train.network = "net";
  train.device = "V100";
  train.devices = 1;
  ModelKey test = train;
  test.phase = Phase::test;
  const Knowledge::Data data = {{train, runs_of(train)}, {test, runs_of(test)}};
  auto out = std::make_shared<ModelSet>();
  std::vector<FittedModel> models;
  for (const ModelKey& key : {train, test}) {
    FittedModel& fitted = models.emplace_back();
    fitted.id = static_cast<std::int64_t>(models.size());
    fitted.key = key;
    fitted.model.basis = "c0 + n*(c1 + c2*B)";
    fitted.model.coefficients = {{"c0", 0, 0.01}, {"c1", 0, 0.001}, {"c2", 0.01, 0.0001}};
    fitted.model.covariance.assign(9, 0);
    fitted.model.runs = 5;
    fitted.model.samples = {8, 128};
    fitted.model.iterations = {100, 100};
    fitted.model.noise = 0.02;
    fitted.model.covariates = settings_of(key, {});
  }
  out->models = std::make_shared<HeldModels>(std::move(models));
  out->knowledge = Knowledge::of(data, nullptr, [] {});
  out->energy = Knowledge::of(
      data, nullptr, [] {}, estimators::Target::joules);
  out->memory = Knowledge::of(
      data, nullptr, [] {}, estimators::Target::peak_bytes);
  return out;
}

Question total() {
  Question out;
  out.network = "net";
  out.phase = Question::Phase::total;
  out.batch_size = 64;
  out.iterations = 1000;
  out.test_interval = 500;
  out.test_iterations = 10;
  out.test_batch_size = 16;
  return out;
}

TEST(Cost, EnergyIsOfAllPartsMemoryOfTheOneThatNeedsMost) {
  const auto time = estimate(history(), total());
  ASSERT_TRUE(time);
  const auto energy = cost_of(*time, estimators::Target::joules);
  ASSERT_TRUE(energy);
  const double joules = 1000 * 2 * 64 + 3 * 10 * 2 * 16;
  EXPECT_NEAR(energy->value, joules, 0.01 * joules);
  EXPECT_LE(energy->lower, energy->value);
  EXPECT_GE(energy->upper, energy->value);
  const auto memory = cost_of(*time, estimators::Target::peak_bytes);
  ASSERT_TRUE(memory);
  EXPECT_NEAR(memory->value, 1.64e9, 0.02e9);
}

// Training and tests draw more or less by the same causes, but not all of them.
TEST(Cost, TheIntervalOfATotalsEnergyIsNeitherTheSumNorQuadrature) {
  Question question = total();
  question.test_iterations = 1000;
  const auto width = [&](Question::Phase phase, std::int64_t iterations, std::int64_t batch) {
    question.phase = phase;
    question.iterations = iterations;
    question.batch_size = batch;
    const auto energy = cost_of(*estimate(history(), question), estimators::Target::joules);
    return energy->upper - energy->value;
  };
  const double all = width(Question::Phase::total, 1000, 64), train = width(Question::Phase::train, 1000, 64),
               tests = width(Question::Phase::test, 3000, 16);
  EXPECT_LT(all, 0.99 * (train + tests));
  EXPECT_GT(all, 1.01 * std::hypot(train, tests));
}

TEST(Cost, WhatNobodyMeasuredOfEveryPartIsNotSaid) {
  auto models = std::make_shared<ModelSet>(*history());
  models->energy = nullptr;
  const auto time = estimate(models, total());
  ASSERT_TRUE(time);
  EXPECT_FALSE(cost_of(*time, estimators::Target::joules));
  EXPECT_TRUE(cost_of(*time, estimators::Target::peak_bytes));
}

TEST(Cost, OfADeviceWhosePowerNobodyMeasuredEnergyIsNotSaid) {
  auto models = std::make_shared<ModelSet>(*history());
  Knowledge::Data data = models->knowledge->data();
  ModelKey other = data.begin()->first;
  other.device = "K80";
  auto runs = runs_of(other);
  for (estimators::Datum& run : runs) run.joules = 0;
  data[other] = runs;
  models->knowledge = Knowledge::of(data, nullptr, [] {});
  Question question = total();
  question.phase = Question::Phase::train;
  question.device = "K80";
  const auto time = estimate(models, question);
  ASSERT_TRUE(time);
  EXPECT_EQ(time->key.device, "K80");
  EXPECT_FALSE(cost_of(*time, estimators::Target::joules));
  EXPECT_TRUE(cost_of(*time, estimators::Target::peak_bytes));
}

// With as many samples on each, each takes as long and draws as much.
TEST(Cost, EnergyOfMoreDevicesIsThatOfAll) {
  Question question = total();
  question.phase = Question::Phase::train;
  for (const std::int64_t devices : {2, 8}) {
    question.devices = devices;
    question.batch_size = 64 * devices;
    const auto time = estimate(history(), question);
    ASSERT_TRUE(time);
    const auto energy = cost_of(*time, estimators::Target::joules);
    ASSERT_TRUE(energy);
    const double joules = 1000.0 * 2 * 64 * static_cast<double>(devices);
    EXPECT_NEAR(energy->value / joules, 1, 0.2) << devices;
    EXPECT_LT(energy->lower, joules) << devices;
    EXPECT_GT(energy->upper, joules) << devices;
  }
}

// The model is of fp32; the last run was of fp16, and drew less.
TEST(Cost, IsOfTheSettingsThatTheTimeIsOf) {
  auto models = std::make_shared<ModelSet>(*history());
  Knowledge::Data data = models->knowledge->data();
  const ModelKey key = data.begin()->first;
  RunData last;
  last.run_id = 1000;
  last.started_at = Instant(std::chrono::hours{1});
  last.iterations = 100;
  last.samples_per_iteration = 64;
  last.duration = from_seconds(64);
  last.joules = 4000;
  last.settings["precision"] = "fp16";
  data[key].push_back(data_of(key, {last}).front());
  models->energy = Knowledge::of(
      data, nullptr, [] {}, estimators::Target::joules);
  models->knowledge = Knowledge::of(data, nullptr, [] {});
  Question question = total();
  question.phase = Question::Phase::train;
  const auto energy = cost_of(*estimate(models, question), estimators::Target::joules);
  ASSERT_TRUE(energy);
  EXPECT_EQ(energy->said.kind, estimators::Kind::seen);
  EXPECT_NEAR(energy->value / (1000 * 2 * 64), 1, 0.05);
}

TEST(Cost, OfABatchSizeThatNeverRan) {
  Question question = total();
  question.phase = Question::Phase::train;
  question.batch_size = 48;
  const auto time = estimate(history(), question);
  ASSERT_TRUE(time);
  const auto energy = cost_of(*time, estimators::Target::joules);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->value / (1000 * 2 * 48), 1, 0.03);
  EXPECT_EQ(energy->said.kind, estimators::Kind::batch_size);
}

}  // namespace
}  // namespace etad::prediction
