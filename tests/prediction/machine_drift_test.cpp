// What a machine's last runs say of the next one's time.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parsers/base/time.h"
#include "prediction/estimate.h"
#include "prediction/knowledge.h"
#include "prediction/plan.h"

namespace etad::prediction {
namespace {

constexpr Instant kToday{std::chrono::hours{24 * (365 * 50 + 300)}};

// Two networks' runs at five sizes, their models, and a machine that was slow and fast in turn and is slow now.
std::shared_ptr<const ModelSet> slow_now(Instant now) {
  Knowledge::Data data;
  std::vector<FittedModel> models;
  for (const char* const network : {"LeNet", "AlexNet"}) {
    FittedModel& fitted = models.emplace_back();
    fitted.id = static_cast<std::int64_t>(models.size());
    fitted.key.network = network;
    fitted.key.device = "CPU";
    fitted.key.devices = 1;
    fitted.model.basis = "c0 + n*(c1 + c2*B)";
    fitted.model.coefficients = {{"c0", 0, 0.01}, {"c1", 0.05, 0.001}, {"c2", 0.01, 0.0001}};
    fitted.model.covariance.assign(9, 0);
    fitted.model.runs = 5;
    fitted.model.samples = {8, 128};
    fitted.model.iterations = {100, 100};
    fitted.model.noise = 0.1;
    fitted.model.covariates = settings_of(fitted.key, {});
  }
  // One after the other, in spells of eight.
  const auto spell = [](int i) { return i / 8 % 2 == 0 ? 0.1 : -0.1; };
  std::map<std::string, std::vector<RunData>> runs;
  for (int i = 1; i <= 48; ++i) {
    RunData run;
    run.run_id = i;
    run.iterations = 100;
    run.samples_per_iteration = 8 << (i / 2 % 5);
    run.duration = from_seconds((5 + static_cast<double>(run.samples_per_iteration)) * std::exp(spell(i)));
    run.ended_at = now - std::chrono::seconds{40 * i};
    run.started_at = *run.ended_at - std::chrono::seconds{30};
    runs[i % 2 == 0 ? "LeNet" : "AlexNet"].push_back(run);
  }
  for (const FittedModel& fitted : models)
    data.emplace(fitted.key, data_of(fitted.key, runs.at(fitted.key.network)));
  auto out = std::make_shared<ModelSet>();
  out->models = std::make_shared<HeldModels>(std::move(models));
  out->knowledge = Knowledge::of(data, nullptr, [] {});
  return out;
}

Question question_of_lenet() {
  Question out;
  out.network = "LeNet";
  out.iterations = 1000;
  out.batch_size = 16;
  return out;
}

// Whoever answers: the model of a network at the sizes it ran, all estimators together at others.
TEST(Drift, MovesABatchSizeThatNeverRanAsWell) {
  const Instant now = kToday;
  const auto models = slow_now(now);
  Question question = question_of_lenet();
  const auto ran = estimate(models, question, now);
  question.batch_size = 48;
  const auto never_ran = estimate(models, question, now);
  const auto tomorrow = estimate(models, question, now + std::chrono::hours{24});
  ASSERT_TRUE(ran) << static_cast<int>(ran.error().kind) << ran.error().parameter;
  ASSERT_TRUE(never_ran);
  ASSERT_TRUE(tomorrow);
  ASSERT_TRUE(never_ran->parts.front().said);
  EXPECT_NE(never_ran->parts.front().said->estimator, "end_to_end");
  EXPECT_GT(ran->sum.drift, 1.03);
  EXPECT_NEAR(never_ran->sum.drift, ran->sum.drift, 0.02) << "each beside what its own runs taught";
  EXPECT_NEAR(tomorrow->sum.drift, 1, 1e-3);
  for (const auto part :
       {&regression::Prediction::seconds, &regression::Prediction::lower, &regression::Prediction::upper})
    EXPECT_NEAR(never_ran->sum.*part / (tomorrow->sum.*part), never_ran->sum.drift, 1e-3);
}

// The machine is as slow for who is answered from his own runs.
TEST(Drift, MovesWhatTheAskersOwnRunsSay) {
  constexpr std::int64_t kBob = 1002;
  const Instant now = kToday;
  ModelSet set = *slow_now(now);
  FittedModel model = *set.models->load(set.knowledge->data().rbegin()->first).value();
  FittedModel own = model;
  own.owner = kBob;
  own.own_runs = true;
  model.own = {own};
  set.models = std::make_shared<HeldModels>(std::vector<FittedModel>{model});
  Question question = question_of_lenet();
  question.asker = kBob;
  const auto said = estimate(std::make_shared<ModelSet>(set), question, now);
  ASSERT_TRUE(said);
  EXPECT_TRUE(said->parts.front().model->own_runs);
  EXPECT_GT(said->sum.drift, 1.03);
}

// What a model learnt from a slow machine is in its answer already.
TEST(Drift, MovesAModelBesideTheRunsThatItLearntFrom) {
  const Instant now = kToday;
  Knowledge::Data data = slow_now(now)->knowledge->data();
  const ModelKey all = data.begin()->first;
  ModelKey slow = all;
  slow.network = "ran while it was slow";
  for (estimators::Datum run : data.begin()->second)
    if (run.started_at > epoch_seconds(now) - 40 * 9) {
      run.what.network = slow.network;
      run.run += 100;
      data[slow].push_back(run);
    }
  ASSERT_FALSE(data[slow].empty());
  const auto knowledge = Knowledge::of(data, nullptr, [] {});
  EXPECT_NEAR(knowledge->drift_of(slow, now, 10), knowledge->drift_of(all, now, 10), 1e-9);
  EXPECT_GT(knowledge->drift_beside_runs_of(all, now, 10), 1.03);
  EXPECT_NEAR(knowledge->drift_beside_runs_of(slow, now, 10), 1, 0.03);
}

}  // namespace
}  // namespace etad::prediction
