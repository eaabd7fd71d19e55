// The network that a log shows, of which nothing else is wanted.
#include "parsers/log/net_in_log.h"

#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

std::string caffe_text(const std::string& name) {
  std::string out;
  for (const std::string& line : caffe_log(name)) out += line + "\n";
  return out;
}

TEST(NetInLog, IsThatOfTheRunWithItsBatchSizes) {
  const std::string log = caffe_text("odd_sigint_lenet.log");
  const auto net = network_in_log(log, shipped_formats());
  ASSERT_TRUE(net) << net.error().text();
  EXPECT_EQ(net->name, "LeNet");
  EXPECT_EQ(net->architecture.size(), 8u);
  EXPECT_EQ(net->batch_size, 64);
  EXPECT_EQ(net->test_batch_size, 100);
  EXPECT_EQ(net->layers.front().type, "Data");
  EXPECT_TRUE(net->layers[1].costs.operations) << "counted from the shapes that the log states";
}

TEST(NetInLog, TheBeginningOfALogIsEnough) {
  std::string log = caffe_text("odd_sigint_lenet.log");
  log.resize(log.find("Solver scaffolding done"));  // before the first iteration
  const auto net = network_in_log(log, shipped_formats());
  ASSERT_TRUE(net) << net.error().text();
  EXPECT_EQ(net->name, "LeNet");
}

TEST(NetInLog, WhatIsNoLogIsRefused) {
  EXPECT_FALSE(network_in_log("", shipped_formats()));
  EXPECT_FALSE(network_in_log("how are you?\n", shipped_formats()));
  EXPECT_FALSE(network_in_log(std::string(1 << 16, '\0'), shipped_formats()));
  EXPECT_FALSE(network_in_log(
      "I1120 10:00:00.000000  7 solver.cpp:48] Initializing solver from parameters: \n", shipped_formats()));
}

}  // namespace
}  // namespace etad::test
