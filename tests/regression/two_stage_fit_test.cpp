// A model fitted in two steps is the model fitted in one, bit for bit.
#include "regression/two_stage_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace etad::regression {
namespace {

// All there is in a model, as numbers and names.
struct Content {
  std::vector<double> numbers;
  std::vector<std::string> names;
  bool operator==(const Content&) const = default;
};

Content content_of(const Model& m) {
  Content out;
  const auto add = [&](auto... values) { (out.numbers.push_back(static_cast<double>(values)), ...); };
  out.names = m.covariates;
  out.names.push_back(m.basis);
  for (const auto& c : m.coefficients) add(c.value, c.standard_error);
  for (const double k : m.knots) add(k);
  add(m.runs, m.windows, m.dropped_runs, m.changed_at.value_or(0), m.error_percent, m.coverage);
  add(m.samples.min, m.samples.max, m.iterations.min, m.iterations.max);
  for (const Rival& r : m.rivals) {
    out.names.push_back(r.basis);
    add(r.error_percent, r.standard_error, r.parameters);
  }
  for (const double s : m.scores) add(s);
  for (const double s : m.replicate_scores) add(s);
  for (const double c : m.covariance) add(c);
  add(m.noise, m.within_run_noise, m.degrees);
  for (const ResidualPoint& p : m.residual_curve) add(p.samples, p.log_ratio, p.deviation, p.measured);
  for (const CurvePoint& p : m.curve) add(p.samples, p.seconds, p.noise);
  for (const CovariateEffect& v : m.covariate_effects) {
    out.names.push_back(v.covariate);
    add(v.factor, v.deviation, v.runs);
  }
  return out;
}

class TwoStageFitTest : public testing::Test {
 protected:
  std::mt19937 random{7};

  Dataset history(int runs, int sizes, double noise) {
    std::normal_distribution<double> luck(0, noise);
    Dataset out;
    for (int i = 0; i < runs; ++i) {
      RunObservation run;
      run.samples = sizes > 0 ? 8 << (i % sizes) : 0;
      run.iterations = 100 * (1 + i % 3);
      run.started_at = 1e9 + 60 * i;
      run.seconds = run.iterations * (0.02 + 0.001 * run.samples) * std::exp(luck(random));
      for (int w = 0; w < 6; ++w)
        run.windows.push_back({run.iterations / 6, run.seconds / 6 * std::exp(luck(random))});
      out.push_back(std::move(run));
    }
    return out;
  }

  // A quiet machine: its noise is well below what is assumed without a prior. The first is the other phase.
  Prior quiet_machine() {
    std::vector<Model> models;
    for (int i = 0; i < 5; ++i) models.push_back(*fit(history(30, 5, 0.004)));
    std::vector<const Model*> known;
    for (const Model& model : models) known.push_back(&model);
    return prior_of(known, nullptr, known.front());
  }
};

TEST_F(TwoStageFitTest, IsTheFitInOneStage) {
  const Prior prior = quiet_machine();
  ASSERT_EQ(prior.related_models.size(), 5U);
  for (const int sizes : {0, 1, 2, 5}) {
    for (const int runs : {1, 3, 40}) {
      const Dataset data = history(runs, sizes, 0.02);
      const auto first = TwoStageFit::of(data);
      ASSERT_TRUE(first);
      const auto whole = fit(data, prior), alone = fit(data);
      EXPECT_EQ(content_of(*first->with(prior)), content_of(*whole)) << runs << " runs of " << sizes;
      EXPECT_EQ(content_of(*first->with({})), content_of(*alone)) << runs << " runs of " << sizes;
      EXPECT_NE(content_of(*whole), content_of(*alone)) << "the prior had nothing to say";
    }
  }
}

// Whether Adam's few runs are slower or unlucky depends on how much runs usually differ, which the first stage does
// not know: what it took for luck without a prior must not stand with one.
TEST_F(TwoStageFitTest, WhatTheTypicalNoiseDecidesIsDecidedAgain) {
  Dataset data = history(6, 3, 0.004);
  for (const std::size_t i : {0U, 4U}) {
    data[i].covariates = {"type=Adam"};
    data[i].seconds *= 1.02;
  }
  const Prior prior = quiet_machine();
  const auto whole = fit(data, prior), alone = fit(data);
  ASSERT_NE(whole->covariate_effects.size(), alone->covariate_effects.size());
  EXPECT_EQ(content_of(*TwoStageFit::of(data)->with(prior)), content_of(*whole));
}

TEST_F(TwoStageFitTest, TeachesWhatTheWholeModelWould) {
  const Dataset data = history(40, 5, 0.02);
  const Model whole = *fit(data);
  const TwoStageFit first = *TwoStageFit::of(data);
  const auto lesson = [](const Model& model) {
    Model only;
    only.curve = model.curve;
    only.noise = model.noise;
    only.degrees = model.degrees;
    return content_of(only);
  };
  EXPECT_EQ(lesson(first.model()), lesson(whole));
  EXPECT_EQ(first.model().curve.size(), 5U);
}

TEST_F(TwoStageFitTest, NothingToFitFromIsNoFit) {
  EXPECT_FALSE(TwoStageFit::of({}));
  Dataset empty(3);
  EXPECT_FALSE(TwoStageFit::of(empty));
}

}  // namespace
}  // namespace etad::regression
