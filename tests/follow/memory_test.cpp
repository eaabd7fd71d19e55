// What the follower holds of a file at rest.
#include <gtest/gtest.h>
#include <malloc.h>

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

}  // namespace
}  // namespace etad::follow
