#include "daemon/service/model_json.h"

#include <gtest/gtest.h>

#include <chrono>

namespace etad::service {
namespace {

FittedModel example() {
  FittedModel out;
  out.family = "end_to_end";
  auto& m = out.model;
  m.basis = "c0 + n*(c1 + c2*B)";
  m.coefficients = {{"c0", 1.0 / 3, 0.1}, {"c1", 1e-17, 2e-300}, {"c2", 123456789.123456789, 0}};
  m.knots = {16, 32.5};
  m.runs = 7;
  m.windows = 140;
  m.dropped_runs = 2;
  m.changed_at = 1795219964.301;
  m.error_percent = 1.4;
  m.coverage = 0.91;
  m.samples = {16, 64};
  m.iterations = {100, 10000};
  m.rivals = {{"b0 + b1*n + b2*B", 23.5, 4.25, 3}};
  m.scores = {0.1, 0.2, 0.30000000000000004};
  m.covariance = {1, 0.5, 0.5, 1};
  m.noise = 0.07;
  out.startup = Spread{2.5, 2.1, 3.9, 6};
  return out;
}

ModelRow row_of(std::string body) {
  ModelRow row;
  row.id = 12;
  row.key.network = "LeNet";
  row.body = std::move(body);
  row.fitted_at = Instant{std::chrono::seconds{1'795'000'000}};
  return row;
}

TEST(ModelJson, EveryMemberSurvivesTheRoundTrip) {
  const FittedModel in = example();
  const auto out = model_from_row(row_of(model_to_json(in)));
  ASSERT_TRUE(out) << out.error().text();
  EXPECT_EQ(out->id, 12);
  EXPECT_EQ(out->key.network, "LeNet");
  EXPECT_EQ(out->family, "end_to_end");
  EXPECT_EQ(out->model.basis, in.model.basis);
  ASSERT_EQ(out->model.coefficients.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(out->model.coefficients[i].name, in.model.coefficients[i].name);
    EXPECT_DOUBLE_EQ(out->model.coefficients[i].value, in.model.coefficients[i].value);
    EXPECT_DOUBLE_EQ(out->model.coefficients[i].standard_error, in.model.coefficients[i].standard_error);
  }
  EXPECT_EQ(out->model.knots, in.model.knots);
  EXPECT_EQ(out->model.runs, 7);
  EXPECT_EQ(out->model.windows, 140);
  EXPECT_EQ(out->model.dropped_runs, 2);
  EXPECT_EQ(out->model.changed_at, in.model.changed_at);
  EXPECT_EQ(out->model.samples.max, 64);
  EXPECT_EQ(out->model.iterations.min, 100);
  ASSERT_EQ(out->model.rivals.size(), 1U);
  EXPECT_EQ(out->model.rivals[0].parameters, 3);
  EXPECT_EQ(out->model.scores, in.model.scores);
  EXPECT_EQ(out->model.covariance, in.model.covariance);
  EXPECT_EQ(out->model.noise, 0.07);
  ASSERT_TRUE(out->startup);
  EXPECT_EQ(out->startup->upper, 3.9);
  EXPECT_FALSE(out->snapshot);
}

TEST(ModelJson, WhatIsNoModelIsRefusedWithTheModelsId) {
  for (const char* body : {"", "[]", "{}", "{\"version\":1}", "{\"version\":\"one\"}", "nonsense"}) {
    const auto out = model_from_row(row_of(body));
    ASSERT_FALSE(out) << body;
    EXPECT_EQ(out.error().where, "model 12");
  }
}

TEST(ModelJson, AnotherVersionIsRefused) {
  const auto out = model_from_row(row_of("{\"version\":99}"));
  ASSERT_FALSE(out);
  EXPECT_NE(out.error().message.find("version 99"), std::string::npos);
}

}  // namespace
}  // namespace etad::service
