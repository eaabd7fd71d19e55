// scripts/accuracy's replay: each run asked about when it began, of nothing but what was over by then.
#include "bench/accuracy/as_asked.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace etad::accuracy {
namespace {

using estimators::Datum;
using estimators::Kind;
using Runs = prediction::Knowledge::Data;

constexpr double kBegin = 1.5e9;  // seconds since 1970
constexpr double kSamples[] = {16, 32, 64, 128};

ModelKey lenet() {
  ModelKey out;
  out.network = "LeNet";
  out.framework = "caffe";
  out.host = "vm";
  out.device = "CPU";
  out.phase = Phase::train;
  return out;
}

// A hundred iterations of (0.1 + B / 100) s, `slower` times that, begun in the i-th hour.
Datum run_of(int i, double slower = 1) {
  Datum out;
  out.what = prediction::case_of(lenet());
  out.what.samples = kSamples[i % 4];
  out.what.iterations = 100;
  out.value = slower * (0.1 + out.what.samples / 100);
  out.run = i + 1;
  out.started_at = kBegin + 3600 * i;
  out.ended_at = out.started_at + out.value * out.what.iterations;
  return out;
}

std::vector<Datum> runs_of(int count) {
  std::vector<Datum> out;
  for (int i = 0; i < count; ++i) out.push_back(run_of(i));
  return out;
}

TEST(AsAsked, EachRunIsAskedOfWhatWasOverWhenItBegan) {
  const auto asked = ask_when_begun({{lenet(), runs_of(12)}});
  ASSERT_EQ(asked.size(), 12U);
  EXPECT_EQ(asked[0].kind, Kind::network);
  EXPECT_FALSE(asked[0].answered) << "nothing had run";
  EXPECT_EQ(asked[1].kind, Kind::batch_size_from_one);
  EXPECT_FALSE(asked[1].plain) << "no line goes through one batch size";
  EXPECT_EQ(asked[2].kind, Kind::batch_size_beyond_all);
  for (std::size_t i = 4; i < asked.size(); ++i) {
    EXPECT_EQ(asked[i].kind, Kind::seen);
    ASSERT_TRUE(asked[i].answered);
    EXPECT_NEAR(asked[i].estimate / asked[i].actual, 1, 0.02);
    EXPECT_LE(asked[i].lower, asked[i].actual);
    EXPECT_GE(asked[i].upper, asked[i].actual);
    ASSERT_TRUE(asked[i].plain);
    EXPECT_NEAR(*asked[i].plain / asked[i].actual, 1, 0.01) << "they lie on a line";
  }
}

TEST(AsAsked, WhatCameLaterIsNotKnown) {
  auto runs = runs_of(8);
  for (int i = 8; i < 16; ++i) runs.push_back(run_of(i, 10));
  const auto asked = ask_when_begun({{lenet(), runs}});
  for (std::size_t i = 4; i < 8; ++i) EXPECT_NEAR(asked[i].estimate / asked[i].actual, 1, 0.02);
  EXPECT_NEAR(asked[8].estimate / asked[8].actual, 0.1, 0.02) << "nobody could know of the first slow one";
}

TEST(AsAsked, ARunThatIsStillGoingTellsNothing) {
  auto runs = runs_of(2);
  runs[1].started_at = runs[0].started_at + 1;
  const auto asked = ask_when_begun({{lenet(), runs}});
  EXPECT_EQ(asked[1].kind, Kind::network);
  EXPECT_FALSE(asked[1].answered);
}

TEST(AsAsked, ARunThatDoesNotSayWhenItBeganIsNotAsked) {
  auto runs = runs_of(6);
  runs[3].started_at = 0;
  EXPECT_EQ(ask_when_begun({{lenet(), runs}}).size(), 5U);
}

}  // namespace
}  // namespace etad::accuracy
