// What the follower holds of a file at rest.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <string>

#include "tests/follow/harness.h"
#include "tests/sanitized.h"

namespace etad::follow {
namespace {

TEST(FollowerMemory, OfAFileAtRestItHoldsItsPositionOnce) {
  if (ETAD_SANITIZED) GTEST_SKIP() << "the heap is the sanitizer's";
  constexpr std::size_t kFiles = 1000;
  Harness etad({{"/logs/*.log", 0, false}});
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::string name = std::to_string(i);
    etad.files.write("/logs/training-" + name + ".log", std::string(2000, 'x') + name + "\n");
  }
  for (int i = 0; i < 10; ++i) etad.poll(std::chrono::seconds(61));
  ASSERT_EQ(etad.lines.size(), kFiles);
  const std::size_t before = mallinfo2().uordblks;
  etad.stop();
  EXPECT_LT((before - mallinfo2().uordblks) / kFiles, 900) << "bytes a file; 1,630 where each had a stream";
}

// A thousand compressed files may be held open, each amid its lines or read to its end.
TEST(FollowerMemory, OfACompressedFileItHoldsWhatIsLookedBackTo) {
  if (ETAD_SANITIZED) GTEST_SKIP() << "the heap is the sanitizer's";
  constexpr std::size_t kFiles = 40;
  Harness etad({{"/logs/*", 0, true}});
  for (std::size_t file = 0; file < kFiles; ++file) {
    std::string text = "of file " + std::to_string(file) + "\n";
    for (int i = 0; text.size() < (1U << 20); ++i) text += "line " + std::to_string(i) + "\n";
    etad.files.create("/logs/" + std::to_string(file) + ".gz", gzipped(text));
  }
  const auto heap = [] {
    const auto now = mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  const std::size_t before = heap();
  std::size_t most = 0, lines = 0;
  for (int i = 0; i < 150; ++i) {
    etad.now += std::chrono::milliseconds(200);
    for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, 1 << 20)) lines += batch.lines.size();
    most = std::max(most, heap() - before);
  }
  EXPECT_GT(lines, kFiles * 80'000);
  EXPECT_LT(most / kFiles, 500U << 10) << "bytes a file; 1.6 million where each kept its last block";
}

}  // namespace
}  // namespace etad::follow
