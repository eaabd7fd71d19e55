// Whole Caffe logs, written by the stock binary, through the rules and the tracker.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

class CaffeLogs : public testing::Test {
 protected:
  std::shared_ptr<const Format> caffe_ = format_named("caffe");
  Records read(const std::string& name) const { return records_of(*caffe_, caffe_log(name)); }
};

TEST_F(CaffeLogs, StoppedBySigint) {
  const Records records = read("odd_sigint_lenet.log");
  ASSERT_EQ(records.runs.size(), 1u);
  const etad::Run& run = records.runs[0];
  EXPECT_EQ(run.state, RunState::stopped);
  EXPECT_EQ(run.network, "LeNet");
  EXPECT_EQ(run.device, "CPU");
  EXPECT_EQ(run.host, "testhost");
  EXPECT_EQ(run.train.batch_size, 64);
  EXPECT_EQ(run.test.batch_size, 100);
  EXPECT_EQ(run.max_iterations, 2000);
  EXPECT_EQ(run.iteration, 656) << "as its last snapshot says";
  EXPECT_EQ(run.train.iterations, 650);
  EXPECT_EQ(run.test.iterations, 20);
  EXPECT_EQ(run.settings.at("type"), "SGD");
  EXPECT_EQ(run.settings.at("test_interval"), "500");
}

TEST_F(CaffeLogs, TwoRunsInOneFile) {
  const Records records = read("odd_concat_lenet.log");
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].ordinal, 0);
  EXPECT_EQ(records.runs[1].ordinal, 1);
  EXPECT_EQ(records.runs[0].train.batch_size, 32);
  EXPECT_EQ(records.runs[1].train.batch_size, 128);
  EXPECT_EQ(records.runs[0].train.iterations, 500);
  EXPECT_EQ(records.runs[1].train.iterations, 200);
  EXPECT_EQ(records.runs[0].architecture, records.runs[1].architecture);
  for (const etad::Run& run : records.runs) EXPECT_EQ(run.state, RunState::finished);
}

TEST_F(CaffeLogs, ATimingRunHasLayersAndNoSegments) {
  const Records records = read("time_lenet_b256_n80.log");
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.runs[0].job, Job::time);
  EXPECT_EQ(records.runs[0].state, RunState::finished);
  EXPECT_EQ(records.runs[0].train.batch_size, 256);
  EXPECT_EQ(records.runs[0].max_iterations, 80);
  EXPECT_TRUE(records.segments.empty());
  ASSERT_EQ(records.layer_times.size(), 1u);
  EXPECT_EQ(records.layer_times[0].value.size(), 9u);
}

}  // namespace
}  // namespace etad::test
