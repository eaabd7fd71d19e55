// What becomes of logs that nobody writes any more.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/daemon/followed_files.h"
#include "tests/places.h"

namespace etad {
namespace {

using std::chrono::seconds;

using AtRest = FollowedFiles;

// Each is a change of the history by itself, and whoever reads other logs waits for all of a turn's.
TEST_F(AtRest, OfManyLogsThatNoPatternFindsAnyMoreSomeLoseTheirRunsAtATime) {
  const std::string lenet = content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log");
  const std::string half = lenet.substr(0, lenet.rfind('\n', lenet.find("Iteration 250 ")) + 1);
  for (int i = 0; i < 5; ++i) append(std::to_string(i) + ".log", half);
  start_ingest(usual_options());
  wait();
  IngestOptions options = usual_options();
  options.most_awake = 2;
  start_ingest(std::move(options), "nothing");
  const auto lost = [this] {
    const auto all = runs();
    return std::ranges::count_if(all, [](const RunRow& row) { return row.run.state == RunState::lost; });
  };
  ASSERT_TRUE(tick_after(std::chrono::hours(2)));
  EXPECT_EQ(lost(), 2);
  ASSERT_TRUE(tick_after(seconds(5)));
  EXPECT_EQ(lost(), 4);
  ASSERT_TRUE(tick_after(seconds(5)));
  EXPECT_EQ(lost(), 5);
}

}  // namespace
}  // namespace etad
