#include "prediction/like.h"

#include <gtest/gtest.h>

#include <limits>

namespace etad::prediction {
namespace {

Run a_run() {
  Run run;
  run.network = "LeNet";
  run.architecture = "9c1d7a52";
  run.framework = "caffe";
  run.host = "gpu1";
  run.device = "Tesla K80";
  run.devices = 2;
  run.max_iterations = 5000;
  run.train.samples_per_iteration = 64;
  run.test.samples_per_iteration = 100;
  run.settings = {{"type", "Adam"},     {"test_interval", "500"}, {"test_iter", "20"},
                  {"snapshot", "1000"}, {"base_lr", "0.01"},      {"dataset_size", "6400"}};
  return run;
}

TEST(Like, TakesFromTheRunWhatTheQuestionLeavesOut) {
  Question question;
  question.phase = Question::Phase::total;
  const Question full = like(a_run(), question);
  EXPECT_EQ(full.network, "LeNet");
  EXPECT_EQ(full.architecture, "9c1d7a52");
  EXPECT_EQ(full.host, "gpu1");
  EXPECT_EQ(full.device, "Tesla K80");
  EXPECT_EQ(full.devices, 2);
  EXPECT_EQ(full.batch_size, 64);
  EXPECT_EQ(full.iterations, 5000);
  EXPECT_EQ(full.test_interval, 500);
  EXPECT_EQ(full.test_iterations, 20);
  EXPECT_EQ(full.test_batch_size, 100);
  EXPECT_EQ(full.snapshot_interval, 1000);
  EXPECT_EQ(full.settings.at("type"), "Adam");
  EXPECT_FALSE(full.settings.contains("base_lr"));
}

TEST(Like, ADataSetsSizeMayBeWrittenInGroups) {
  auto of = a_run();
  of.settings["dataset_size"] = "4,000";
  Question question;
  question.epochs = 3;
  EXPECT_EQ(like(of, question).samples_per_epoch, 4000);
}

TEST(Like, WhatIsAskedForOverrides) {
  Question question;
  question.device = "V100";
  question.devices = 4;
  question.iterations = 10;
  const Question full = like(a_run(), question);
  EXPECT_EQ(full.device, "V100");
  EXPECT_EQ(full.host, std::nullopt);  // the run's host is no V100's
  EXPECT_EQ(full.batch_size, 128);     // as many samples each
  EXPECT_EQ(full.iterations, 10);
}

TEST(Like, EpochsAreIterationsOverTheSamplesOfOne) {
  Question question;
  question.epochs = 10;
  question = like(a_run(), question);
  EXPECT_EQ(question.samples_per_epoch, 6400);
  ASSERT_TRUE(count_epochs(question));
  EXPECT_EQ(question.iterations, 1000);
  question.samples_per_epoch = 6401;  // the last batch is not full
  question.epochs = 1;
  ASSERT_TRUE(count_epochs(question));
  EXPECT_EQ(question.iterations, 101);
  question.samples_per_epoch = 1'000'000'000'000;
  question.epochs = 9e8;
  ASSERT_TRUE(count_epochs(question));
  EXPECT_EQ(question.iterations, std::numeric_limits<std::int64_t>::max());
  question.batch_size.reset();
  EXPECT_FALSE(count_epochs(question));
}

}  // namespace
}  // namespace etad::prediction
