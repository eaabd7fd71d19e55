// What a machine's last runs say of the next one: as much as such an effect has lasted, and nothing where there are
// none.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/shared_effect.h"

namespace etad::regression {
namespace {

constexpr double kStart = 1e9, kRun = 30, kPeriod = 40;  // seconds: a run of 30 every 40

class SharedEffectTest : public testing::Test {
 protected:
  std::mt19937 random{11};

  double luck(double deviation) { return std::normal_distribution<double>(0, deviation)(random); }

  // Runs one after the other; the machine's effect is an autoregression of that standard deviation and
  // lifetime.
  Dataset runs(int count, double swing, double lasting, double lucky) {
    const double kept = std::exp(-kPeriod / lasting);
    Dataset out;
    double effect = luck(swing);
    for (int i = 0; i < count; ++i) {
      RunObservation run;
      run.samples = 16 << (i % 3);
      run.iterations = 100;
      run.seconds = run.iterations * step_time(run.samples) * std::exp(effect + luck(lucky));
      run.started_at = kStart + kPeriod * i;
      run.ended_at = run.started_at + kRun;
      out.push_back(run);
      effect = kept * effect + luck(swing * std::sqrt(1 - kept * kept));
    }
    next_ = effect;
    return out;
  }

  static double step_time(double samples) { return 0.1 + 0.006 * samples; }
  static SharedEffect effect_of(const Dataset& data) {
    return SharedEffect(shared_effect_points(data, *fit(data), data.size()));
  }
  static double end_of(const Dataset& data) { return data.back().ended_at + 1; }

  double next_ = 0;  // the effect of the run that would come next
};

TEST_F(SharedEffectTest, WhatLastsIsFeltByTheNextRunAndForgottenByTheNextDay) {
  double with = 0, without = 0;
  for (int round = 0; round < 40; ++round) {
    const Dataset data = runs(40, 0.15, 200, 0.02);
    const auto model = fit(data);
    const SharedEffect effect(shared_effect_points(data, *model, data.size()));
    const double truth = 100 * step_time(32) * std::exp(next_);
    const auto plain = model->predict(100, 32, 0.9);
    const auto now = model->predict(100, 32, 0.9, {}, {end_of(data), &effect});
    with += std::abs(std::log(now->seconds / truth));
    without += std::abs(std::log(plain->seconds / truth));
    EXPECT_NEAR(effect.at(end_of(data) + 864000, kRun, 0.15).log_ratio, 0, 0.01);
  }
  EXPECT_LT(with, 0.75 * without);
}

TEST_F(SharedEffectTest, LuckIsNoSharedEffect) {
  double moved = 0;
  for (int round = 0; round < 20; ++round) {
    const Dataset data = runs(40, 0, 100, 0.1);
    moved += std::abs(effect_of(data).at(end_of(data), kRun, 0.1).log_ratio);
  }
  EXPECT_LT(moved / 20, 0.02);
}

TEST_F(SharedEffectTest, ALongRunOutlastsIt) {
  const Dataset data = runs(40, 0.15, 120, 0.02);
  const SharedEffect effect = effect_of(data);
  const double of_a_short = std::abs(effect.at(end_of(data), kRun, 0.15).log_ratio);
  EXPECT_GT(of_a_short, 0.01);
  EXPECT_LT(std::abs(effect.at(end_of(data), 1e6, 0.15).log_ratio), 0.1 * of_a_short);
}

TEST_F(SharedEffectTest, OnlyRunsThatWereOverCount) {
  Dataset data = runs(40, 0.15, 120, 0.02);
  const double at = data[20].started_at;
  const auto points = shared_effect_points(data, *fit(data), data.size());
  auto altered = points;
  for (SharedEffectPoint& p : altered) {
    if (p.until > at) p.log_ratio = -p.log_ratio;
  }
  const SharedEffect effect(points);
  EXPECT_EQ(effect.at(kStart - 1, kRun, 0.15).log_ratio, 0);
  // The same runs are over, whatever became of the later ones; those only say how long the effect lasts.
  EXPECT_GT(effect.at(at, kRun, 0.15).log_ratio * SharedEffect(altered).at(at, kRun, 0.15).log_ratio, 0);
}

TEST_F(SharedEffectTest, OneContaminatedRunIsNoSharedEffect) {
  Dataset data = runs(40, 0.1, 120, 0.02);
  const double before = effect_of(data).at(end_of(data), kRun, 0.1).log_ratio;
  data.back().seconds *= 4;
  const double after = effect_of(data).at(end_of(data), kRun, 0.1).log_ratio;
  EXPECT_NEAR(after, before, 0.1);
}

TEST_F(SharedEffectTest, AnEstimateTakesTheMoodInAndSaysSo) {
  const Dataset data = runs(40, 0.15, 120, 0.02);
  const auto model = fit(data);
  const SharedEffect effect = effect_of(data);
  const auto plain = model->predict(100, 32, 0.9);
  const auto now = model->predict(100, 32, 0.9, {}, {end_of(data), &effect});
  EXPECT_EQ(plain->shared_effect, 1);
  EXPECT_NE(now->shared_effect, 1);
  EXPECT_NEAR(now->seconds / plain->seconds, now->shared_effect, 1e-12);
  EXPECT_LT(now->upper / now->lower, plain->upper / plain->lower) << "what is known is less unsure";
}

TEST_F(SharedEffectTest, NothingAndNonsenseHaveNoSharedEffect) {
  const double nan = std::nan("");
  EXPECT_EQ(SharedEffect().at(kStart, kRun, 0.1).log_ratio, 0);
  const SharedEffect odd(
      {{0, 0, 1, 1, 1}, {0, 1, nan, 1, 1}, {0, 1, 1, nan, 1}, {2, 1, 1, 1, 1}, {nan, nan, 1, 1, 1}});
  EXPECT_EQ(odd.at(kStart, kRun, 0.1).log_ratio, 0);
  const Dataset data = runs(10, 0.1, 120, 0.02);
  for (const double v : {nan, -1.0, 0.0, 1e300})
    EXPECT_TRUE(std::isfinite(effect_of(data).at(v, v, 0.1).log_ratio));
}

}  // namespace
}  // namespace etad::regression
