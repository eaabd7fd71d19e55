// A long sequence as at most so many items: nothing is lost, and each item stands for as many.
#include "daemon/service/thinning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace etad::service {
namespace {

Segment segment_of(std::int64_t iterations, double seconds) {
  Segment out;
  out.iterations = iterations;
  out.duration = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  return out;
}

TEST(Thinning, ShortSequenceStaysAsItIs) {
  Thinning<ThinnedSegment> thinned(10);
  for (int i = 1; i <= 10; ++i) thinned.add(ThinnedSegment(segment_of(i, i)));
  ASSERT_EQ(thinned.items().size(), 10U);
  EXPECT_EQ(thinned.items()[4].segment.iterations, 5);
  EXPECT_EQ(thinned.each(), 1U);
}

TEST(Thinning, EverySumIsKeptWhateverTheLength) {
  for (const std::size_t most : {2U, 3U, 7U, 10U, 100U}) {
    for (int length = 1; length < 700; length += 13) {
      Thinning<ThinnedSegment> thinned(most);
      for (int i = 0; i < length; ++i) thinned.add(ThinnedSegment(segment_of(1, 1)));
      ASSERT_LE(thinned.items().size(), most);
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < thinned.items().size(); ++i) {
        const std::int64_t here = thinned.items()[i].segment.iterations;
        sum += here;
        if (i + 1 < thinned.items().size()) {
          ASSERT_EQ(here, static_cast<std::int64_t>(thinned.each())) << most << " " << length;
        }
      }
      ASSERT_EQ(sum, length) << most;
    }
  }
}

TEST(Thinning, ExtremesSurvive) {
  Thinning<ThinnedSegment> thinned(4);
  for (int i = 0; i < 1000; ++i) thinned.add(ThinnedSegment(segment_of(10, i == 501 ? 90 : 1)));
  double most = 0;
  for (const ThinnedSegment& each : thinned.items()) most = std::max(most, each.most);
  EXPECT_DOUBLE_EQ(most, 9.0);
}

TEST(Thinning, LossesThatAreNoNumbersDoNotSpoilTheMean) {
  Thinning<ThinnedPoint> thinned(2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < 8; ++i)
    thinned.add(ThinnedPoint(ProgressPoint{i, std::nullopt, i % 2 == 0 ? nan : 2.0}));
  ASSERT_EQ(thinned.items().size(), 2U);
  EXPECT_EQ(thinned.items()[1].point.iteration, 7);
  EXPECT_DOUBLE_EQ(thinned.items()[1].sum / static_cast<double>(thinned.items()[1].losses), 2.0);
}

}  // namespace
}  // namespace etad::service
