#include "regression/estimators/batch_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/estimators/histories.h"

namespace etad::estimators {
namespace {

double ratio(const History& history, const Case& large, const Case& small) {
  const BatchCurves curves(replicate_groups(history));
  return std::exp(curves.at(large).mean - curves.at(small).mean);
}

TEST(BatchCurves, ASeriesOfOneSizeTakesTheCourseOfItsNetworkNotThatOfStrangers) {
  History history;
  for (const double b : {4., 8., 16., 32., 64., 128.}) {
    add(history, a_case("resnet", b), 0.001 * b);
    for (const char* const flat : {"a", "b", "c", "d", "e"}) add(history, a_case(flat, b), 0.1);
  }
  const Case known = a_case("resnet", 4, 1, "V100"), asked = a_case("resnet", 128, 1, "V100");
  add(history, known, 0.002);
  const BatchCurves curves(replicate_groups(history));
  EXPECT_NEAR(curves.at(asked).mean - curves.at(known).mean, std::log(32), 0.2);
}

// One network on ten devices takes nearly as long over any batch, another on one takes time in proportion: of a third one
// either is as likely.
TEST(BatchCurves, ANetworkOnManyDevicesCountsForStrangersAsOne) {
  History history;
  for (const double b : {4., 8., 16., 32., 64., 128.}) {
    add(history, a_case("grows", b), 0.001 * b);
    for (const char device : std::string("abcdefghij")) add(history, a_case("flat", b, 1, {device}), 500 + b);
  }
  add(history, a_case("another", 4), 0.01);
  const double grows = std::log(ratio(history, a_case("another", 128), a_case("another", 4))) / std::log(32);
  EXPECT_GT(grows, 0.3);
  EXPECT_LT(grows, 0.7);
}

// Half precision hides the samples behind the launches, full precision does not, on every device.
TEST(BatchCurves, SeriesWithTheSameSettingsCountMost) {
  const auto of = [](const char* precision, double b, const char* device) {
    Case out = a_case("resnet", b, 1, device);
    out.settings = {precision};
    return out;
  };
  History history;
  for (const char* device : {"K80", "P100", "T4"})
    for (const double b : {4., 8., 16., 32., 64., 128.}) {
      add(history, of("precision=fp32", b, device), 0.001 * b);
      add(history, of("precision=fp16", b, device), 0.1);
    }
  for (const char* precision : {"precision=fp16", "precision=fp32"})
    add(history, of(precision, 4, "V100"), 1);
  const auto grows = [&](const char* precision) {
    return std::log(ratio(history, of(precision, 128, "V100"), of(precision, 4, "V100"))) / std::log(32);
  };
  EXPECT_GT(grows("precision=fp32"), grows("precision=fp16") + 0.2);
}

// A device whose time is that of its samples, one that takes as long over any, and other networks with far smaller
// batches, where the two curves would be far apart.
TEST(BatchCurves, LevelsOfANetworkAreComparedWhereItRan) {
  History history;
  for (const double b : {1024., 2048., 4096.}) {
    add(history, a_case("ncf", b, 1, "K80"), b / 2048);
    add(history, a_case("ncf", b, 1, "V100"), 1);
  }
  for (const double b : {1., 2., 4.})
    for (const char* network : {"alexnet", "resnet", "vgg"}) add(history, a_case(network, b), b);
  EXPECT_NEAR(ratio(history, a_case("ncf", 2048, 1, "K80"), a_case("ncf", 2048, 1, "V100")), 1, 0.05);
}

// A series whose times scatter says less of its curve than the others of its network do.
TEST(BatchCurves, ALoudSeriesFollowsTheOthers) {
  History history;
  for (const double b : {1., 2., 4., 8., 16., 32., 64.}) {
    for (const char* device : {"K80", "V100", "T4"}) add(history, a_case("net", b, 1, device), 10 + b);
    add(history, a_case("net", b, 1, "loud"), (10 + b) * (b > 8 ? 0.5 : 1));
  }
  EXPECT_NEAR(ratio(history, a_case("net", 64, 1, "loud"), a_case("net", 1, 1, "loud")), 74. / 11, 0.5);
}

// Where the launch of kernels hides their work, or is hidden by it, time is the longer of the two. Of one device the
// size at which they are even is not known.
TEST(BatchCurves, ANetworkWhoseSeriesHaveAKneeHasOne) {
  History history;
  for (const double b : {1., 2., 4., 8., 16., 32., 64., 128., 256.}) {
    for (const double even : {3., 4., 5., 6., 8., 10., 12., 15., 20., 24., 30., 40., 50.})
      add(history, a_case("net", b, 1, "T" + std::to_string(even)), std::max(even, b));
    if (b != 16) add(history, a_case("net", b, 1, "V100"), std::max(20., b));
  }
  const double actual = 20. / 256, added = (20. + 16) / (20 + 256);
  const double said = ratio(history, a_case("net", 16, 1, "V100"), a_case("net", 256, 1, "V100"));
  EXPECT_LT(said - actual, (added - actual) / 2);
}

// A step that many series have in common, because they were measured alike, is no knee.
TEST(BatchCurves, ManySeriesThatErrAlikeMakeNoKnee) {
  History history;
  for (double b = 32; b <= 1024; b *= 2)
    for (int i = 0; i < 20; ++i)
      add(history, a_case("ncf", b, 1, "T" + std::to_string(i)), (16384 + b) * (b < 512 ? 1 : 1.06));
  EXPECT_LT(ratio(history, a_case("ncf", 16384, 1, "T3"), a_case("ncf", 1024, 1, "T3")), 4) << "truly 1.9";
}

// A network that takes as long over 20,000 samples as over one, on a few devices, and on many others at one batch size.
History flat(double seconds) {
  History history;
  for (const char* device : {"K80", "V100"})
    for (const double b : {32., 256., 2048., 16384.}) add(history, a_case("ncf", b, 1, device), seconds);
  for (const double b : {4., 8., 16., 32.})
    for (const char* network : {"alexnet", "resnet"}) add(history, a_case(network, b), seconds * b);
  for (int i = 0; i < 12; ++i) add(history, a_case("ncf", 32, 1, "T" + std::to_string(i)), seconds);
  return history;
}

TEST(BatchCurves, SeriesOfOneSizeFollowTheOthersAndTellThemNothing) {
  const auto on = [](double b) { return a_case("ncf", b, 1, "T3"); };
  EXPECT_LT(ratio(flat(0.01), on(16384), on(32)), 1.3);
}

TEST(BatchCurves, TheUnitOfTimeMakesNoDifference) {
  const auto on = [](double b) { return a_case("ncf", b, 1, "V100"); };
  EXPECT_NEAR(ratio(flat(1e-5), on(65536), on(32)), ratio(flat(1e5), on(65536), on(32)), 1e-6);
}

// Two small batches that take equally long leave open where more samples begin to cost something, but not that they
// never do.
TEST(BatchCurves, WhatNothingTellsIsNeitherAllNorNothing) {
  History history;
  for (const double b : {1., 2.}) add(history, a_case("net", b), 1);
  for (const double b : {64., 128.}) add(history, a_case("other", b), b);
  const double factor = ratio(history, a_case("net", 128), a_case("net", 2));
  EXPECT_GT(factor, 4);
  EXPECT_LT(factor, 30);
}

}  // namespace
}  // namespace etad::estimators
