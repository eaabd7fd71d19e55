// What becomes of logs that nobody writes any more.
#include <gtest/gtest.h>

#include <malloc.h>

#include <algorithm>

#include "tests/daemon/followed_files.h"
#include "tests/places.h"
#include "tests/sanitized.h"

namespace etad {
namespace {

using std::chrono::seconds;

class AtRest : public FollowedFiles {
 protected:
  void start_with_little_memory() {
    IngestOptions options = usual_options();
    options.most_state_bytes = 2 << 20;
    start_ingest(std::move(options));
    wait();
  }
};

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

std::size_t heap() {
  return mallinfo2().uordblks;
}

// One user's thousand logs, each of a net that is described without end, were a gigabyte.
TEST_F(AtRest, ManyLogsThatHaveMuchRememberedTakeABoundedMemory) {
  if (ETAD_SANITIZED) GTEST_SKIP() << "the heap is the sanitizer's";
  start_with_little_memory();
  const std::string lenet = content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log");
  const std::size_t net = lenet.find("layer {");
  ASSERT_NE(net, std::string::npos);
  std::string layers;
  for (int i = 0; i < 4'000; ++i)
    layers += "layer {\n  name: \"a layer of a net without end, " + std::to_string(i) + "\"\n}\n";
  const std::size_t before = heap();
  for (int i = 0; i < 40; ++i) append(std::to_string(i) + ".log", lenet.substr(0, net) + layers);
  wait(seconds(12));
  EXPECT_EQ(
      ingest_->counters().lines,
      40 * (std::count(lenet.begin(), lenet.begin() + static_cast<std::ptrdiff_t>(net), '\n') + 12'000));
  EXPECT_LT(heap(), before + (20U << 20));  // in memory a state takes some times its length
  // Each goes on where it stood.
  append("7.log", lenet.substr(lenet.find("\n", lenet.find("Network initialization done")) + 1));
  wait();
  const auto all = runs();
  EXPECT_EQ(std::ranges::count_if(all, [](const RunRow& row) { return row.run.state == RunState::finished; }),
            1);
}

// Sixty traces of which each named 250 devices by 60 KiB each were a gigabyte, and rested nowhere.
TEST_F(AtRest, TracesWithLongLabelsTakeABoundedMemory) {
  if (ETAD_SANITIZED) GTEST_SKIP() << "the heap is the sanitizer's";
  start_with_little_memory();
  constexpr int kTraces = 20, kDevices = 200;
  const std::string longest(5'000, 'x');
  const std::size_t before = heap();
  for (int i = 0; i < kTraces; ++i) {
    std::string lines;
    for (int device = 0; device < kDevices; ++device)
      lines += "DCGM_FI_DEV_POWER_USAGE{gpu=\"" + std::to_string(device) + "\",UUID=\"GPU-" +
               std::to_string(device) + longest + "\"} 50 1714979289250\n";
    append(std::to_string(i) + ".prom.log", lines);
    wait();
  }
  EXPECT_EQ(ingest_->counters().lines, kTraces * kDevices);
  EXPECT_EQ(ingest_->counters().samples, kTraces * kDevices);
  EXPECT_LT(heap(), before + (10U << 20));
}

}  // namespace
}  // namespace etad
