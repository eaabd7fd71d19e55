#include "prediction/model_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <boost/json.hpp>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "regression/noise.h"

namespace etad::prediction {
namespace {

ModelRow row_of(std::string body) {
  ModelRow row;
  row.id = 12;
  row.key.network = "LeNet";
  row.body = std::move(body);
  row.fitted_at = Instant{std::chrono::seconds{1'795'000'000}};
  return row;
}

// Runs with all there is to a model: batch sizes that bend, another solver now and then, windows, a change.
regression::Dataset history(unsigned seed, int runs) {
  std::mt19937 random(seed);
  std::normal_distribution<double> luck(0, 0.02);
  regression::Dataset out;
  for (int i = 0; i < runs; ++i) {
    regression::RunObservation run;
    run.samples = 2 + 2 * (i % 8);
    run.started_at = 1e9 + 3600.0 * i;
    run.covariates = {i % 5 == 0 ? "type=Adam" : "type=SGD"};
    const double changed = i < runs / 3 ? 1.5 : 1, slower = i % 5 == 0 ? 1.4 : 1, odd = i % 8 == 3 ? 1.1 : 1;
    std::vector<regression::Window> windows;
    for (int w = 0; w < 10; ++w) {
      const double t = 100 * (0.01 + 0.003 * run.samples) * changed * slower * odd * std::exp(luck(random));
      windows.push_back({100, t});
      run.iterations += 100;
      run.seconds += t;
    }
    run.within = regression::within_run(windows);
    out.push_back(std::move(run));
  }
  return out;
}

// The answers themselves, as bits.
std::vector<std::uint64_t> answers(const regression::Model& model) {
  std::vector<std::uint64_t> out;
  const auto add = [&](double v) { out.push_back(std::bit_cast<std::uint64_t>(v)); };
  for (const double n : {1.0, 300.0, 1e6}) {
    for (const double b : {1.0, 2.0, 3.0, 8.0, 11.5, 16.0, 640.0}) {
      for (const double confidence : {0.5, 0.9, 0.99}) {
        for (const char* covariate : {"type=SGD", "type=Adam", "type=AdaGrad", "precision=fp16"}) {
          const auto p = model.predict(n, b, confidence, {covariate});
          if (!p) continue;
          add(p->seconds);
          add(p->lower);
          add(p->upper);
          out.push_back(p->extrapolates.size());
        }
      }
    }
  }
  return out;
}

TEST(ModelJson, AModelReadBackAnswersWithTheSameBits) {
  for (const int runs : {1, 2, 5, 24, 60}) {
    FittedModel in;
    in.model = *regression::fit(history(7, runs));
    const auto out = model_from_row(row_of(model_to_json(in)));
    ASSERT_TRUE(out) << out.error().text();
    EXPECT_EQ(answers(out->model), answers(in.model)) << runs << " runs";
    EXPECT_EQ(model_to_json(*out), model_to_json(in)) << runs << " runs";
  }
}

TEST(ModelJson, TheHistoriesAboveExerciseWhatThereIs) {
  const auto model = regression::fit(history(60, 60));
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->changed_at);
  EXPECT_EQ(model->other_runs, 12);
  EXPECT_FALSE(model->scores.empty());
  EXPECT_GT(model->within_run_noise, 0);
  EXPECT_GT(model->degrees, 0);
  EXPECT_EQ(model->covariates, regression::Covariates{"type=SGD"});
}

TEST(ModelJson, NumbersThatJsonHasNoWordFor) {
  FittedModel in;
  in.model.basis = "c0 + n*c1";
  in.model.coefficients = {{"c0", 1e-308, std::numeric_limits<double>::infinity()},
                           {"c1", 0.30000000000000004, std::nan("")}};
  in.startup = Spread{2.5, 2.1, 3.9, 6};
  in.other = Spread{0.125, 0, 0.25, 5};
  const auto out = model_from_row(row_of(model_to_json(in)));
  ASSERT_TRUE(out) << out.error().text();
  EXPECT_EQ(out->id, 12);
  EXPECT_EQ(out->key.network, "LeNet");
  EXPECT_EQ(out->model.coefficients[0].value, 1e-308);
  EXPECT_TRUE(std::isinf(out->model.coefficients[0].standard_error));
  EXPECT_EQ(out->model.coefficients[1].value, 0.30000000000000004);
  EXPECT_TRUE(std::isnan(out->model.coefficients[1].standard_error));
  ASSERT_TRUE(out->startup);
  EXPECT_EQ(out->startup->upper, 3.9);
  EXPECT_EQ(out->startup->runs, 6);
  EXPECT_FALSE(out->snapshot);
  ASSERT_TRUE(out->other);
  EXPECT_EQ(out->other->median, 0.125);
}

TEST(ModelJson, WhatIsNoModelIsRefusedWithTheModelsId) {
  for (const char* body :
       {"", "[]", "{}", "{\"version\":3}", "{\"version\":\"two\"}", "nonsense",
        "{\"version\":3,\"family\":\"\",\"model\":{},\"startup\":null,\"snapshot\":null}"}) {
    const auto out = model_from_row(row_of(body));
    ASSERT_FALSE(out) << body;
    EXPECT_EQ(out.error().where, "model 12");
  }
}

// Each member in turn is missing: none may be taken for zero.
TEST(ModelJson, AnIncompleteModelIsRefused) {
  FittedModel in;
  in.model = *regression::fit(history(3, 8));
  const boost::json::value whole = boost::json::parse(model_to_json(in));
  const auto& members = whole.at("model").as_object();
  ASSERT_GT(members.size(), 15U);
  for (const auto& member : members) {
    boost::json::value broken = whole;
    broken.at("model").as_object().erase(member.key());
    EXPECT_FALSE(model_from_row(row_of(boost::json::serialize(broken)))) << member.key();
  }
}

TEST(ModelJson, AnotherVersionIsRefused) {
  for (const char* body : {"{\"version\":1,\"family\":\"end_to_end\"}", "{\"version\":99}"}) {
    const auto out = model_from_row(row_of(body));
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("version"), std::string::npos);
  }
}

}  // namespace
}  // namespace etad::prediction
