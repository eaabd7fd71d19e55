// Integrals of traces against those known beforehand: straight lines, steps, gaps, edges.
#include "storage/time_integral.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using std::chrono::seconds;

SeriesPoint sample(double at, double value) {
  return {after(at), value, value, value, 1};
}

SeriesPoint bucket(double at, double min, double mean, double max, std::int64_t count) {
  return {after(at), min, mean, max, count};
}

std::vector<SeriesPoint> samples(double from, double to, double distance, auto value) {
  std::vector<SeriesPoint> out;
  for (double at = from; at <= to; at += distance) out.push_back(sample(at, value(at)));
  return out;
}

constexpr seconds kRaw{0};

TEST(TimeIntegralTest, AConstantPowerGivesItsEnergy) {
  const auto power = samples(-10, 110, 1, [](double) { return 250.0; });
  const TimeIntegral out = integrate(power, kRaw, after(0), after(100));
  EXPECT_DOUBLE_EQ(out.covered, 100);
  EXPECT_DOUBLE_EQ(out.integral, 25'000);
  EXPECT_DOUBLE_EQ(out.mean(), 250);
  EXPECT_EQ(out.max, 250);
}

TEST(TimeIntegralTest, AStraightLineIsIntegratedExactlyFromAnyInstantToAny) {
  const auto line = samples(-3, 30, 3, [](double at) { return 10 + 2 * at; });
  const TimeIntegral out = integrate(line, kRaw, after(0.5), after(20.25));
  EXPECT_NEAR(out.covered, 19.75, 1e-6);
  EXPECT_NEAR(out.integral, 10 * 19.75 + (20.25 * 20.25 - 0.25), 1e-4);
  EXPECT_EQ(out.min, 10 + 2 * 3);
  EXPECT_EQ(out.max, 10 + 2 * 18);
}

TEST(TimeIntegralTest, AWaveConvergesToItsIntegral) {
  const auto wave = samples(-1, 1001, 1, [](double at) { return 200 + 100 * std::sin(at / 50); });
  const TimeIntegral out = integrate(wave, kRaw, after(0), after(1000));
  const double exact = 200 * 1000.0 + 100 * 50 * (1 - std::cos(1000.0 / 50));
  EXPECT_NEAR(out.integral, exact, 1e-4 * exact);
}

TEST(TimeIntegralTest, AGapIsNeitherFilledNorCounted) {
  auto power = samples(0, 40, 1, [](double) { return 100.0; });
  const auto later = samples(60, 100, 1, [](double) { return 300.0; });
  power.insert(power.end(), later.begin(), later.end());
  const TimeIntegral out = integrate(power, kRaw, after(0), after(100));
  EXPECT_DOUBLE_EQ(out.covered, 80);
  EXPECT_DOUBLE_EQ(out.integral, 40 * 100 + 40 * 300);
  EXPECT_DOUBLE_EQ(out.mean(), 200);
}

TEST(TimeIntegralTest, TwoMonitorsOfOneValueAreNoGaps) {
  std::vector<SeriesPoint> power;
  for (int i = 0; i <= 100; ++i)
    for (const double late : {0., 0.15}) power.push_back(sample(i + late, 100));
  EXPECT_DOUBLE_EQ(integrate(power, kRaw, after(0), after(100)).covered, 100);
}

TEST(TimeIntegralTest, AMissedSampleOrTwoIsNoGap) {
  std::vector<SeriesPoint> power;
  for (const double at : {0., 1., 2., 5., 6., 7., 8., 9., 10.}) power.push_back(sample(at, 50));
  EXPECT_DOUBLE_EQ(integrate(power, kRaw, after(0), after(10)).covered, 10);
}

TEST(TimeIntegralTest, WhatIsNoNumberIsAGap) {
  auto power = samples(0, 20, 1, [](double) { return 80.0; });
  for (std::size_t i = 5; i < 15; ++i) power[i].mean = power[i].min = power[i].max = std::nan("");
  const TimeIntegral out = integrate(power, kRaw, after(0), after(20));
  EXPECT_DOUBLE_EQ(out.covered, 9);
  EXPECT_DOUBLE_EQ(out.integral, 9 * 80);
}

TEST(TimeIntegralTest, AStretchBetweenTwoSamplesIsInterpolated) {
  const auto slow = samples(0, 60, 10, [](double at) { return at; });
  const TimeIntegral out = integrate(slow, kRaw, after(12), after(16));
  EXPECT_DOUBLE_EQ(out.covered, 4);
  EXPECT_DOUBLE_EQ(out.mean(), 14);
  EXPECT_DOUBLE_EQ(out.min, 12);
  EXPECT_DOUBLE_EQ(out.max, 16);
}

TEST(TimeIntegralTest, BeforeAndBehindTheTraceNothingIsCovered) {
  const auto power = samples(50, 70, 1, [](double) { return 100.0; });
  EXPECT_DOUBLE_EQ(integrate(power, kRaw, after(0), after(100)).covered, 20);
  EXPECT_DOUBLE_EQ(integrate(power, kRaw, after(0), after(40)).covered, 0);
  EXPECT_DOUBLE_EQ(integrate(power, kRaw, after(80), after(90)).covered, 0);
  EXPECT_DOUBLE_EQ(integrate({}, kRaw, after(0), after(90)).covered, 0);
  EXPECT_DOUBLE_EQ(integrate({sample(5, 100)}, kRaw, after(0), after(90)).covered, 0);
  EXPECT_DOUBLE_EQ(integrate(power, kRaw, after(60), after(60)).covered, 0);
}

TEST(TimeIntegralTest, MinutesCountForTheirPartInside) {
  std::vector<SeriesPoint> minutes;
  for (int i = 0; i < 10; ++i) minutes.push_back(bucket(60 * i, 90, 100 + i, 300, 60));
  minutes.front().max = 1000;  // half of it is before the run: another run's peak, maybe
  const TimeIntegral out = integrate(minutes, seconds(60), after(30), after(330));
  EXPECT_DOUBLE_EQ(out.covered, 300);
  EXPECT_DOUBLE_EQ(out.integral, 30 * 100 + 60 * (101 + 102 + 103 + 104) + 30 * 105);
  EXPECT_DOUBLE_EQ(out.max, 300);
}

TEST(TimeIntegralTest, AMinuteWithHalfItsSamplesVouchesForHalfOfIt) {
  const std::vector<SeriesPoint> minutes = {bucket(0, 1, 100, 1, 60), bucket(60, 1, 200, 1, 30),
                                            bucket(240, 1, 100, 1, 60)};
  const TimeIntegral out = integrate(minutes, seconds(60), after(0), after(300));
  EXPECT_DOUBLE_EQ(out.covered, 150);
  EXPECT_DOUBLE_EQ(out.integral, 60 * 100 + 30 * 200 + 60 * 100);
}

TEST(TimeIntegralTest, ARunWithinOneStepTakesThatStepsWord) {
  const TimeIntegral out = integrate({bucket(0, 5, 50, 70, 60)}, seconds(60), after(10), after(20));
  EXPECT_DOUBLE_EQ(out.covered, 10);
  EXPECT_DOUBLE_EQ(out.integral, 500);
  EXPECT_EQ(out.max, 70);
}

}  // namespace
}  // namespace etad::test
