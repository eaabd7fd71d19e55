#include "daemon/lasting_clock.h"

#include <gtest/gtest.h>

namespace etad {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

class Lasting : public testing::Test {
 protected:
  // By how much the clock that deletes differs from the right one, where the wall clock differs by `wrong`.
  Instant::duration after(LastingClock::Steady::duration time, Instant::duration wrong = {}) {
    steady_ += time;
    right_ += std::chrono::floor<std::chrono::microseconds>(time);
    return clock_.at(steady_, right_ + wrong, known_) - right_;
  }

  Instant known_ = Instant(days{20'000});
  Instant right_ = known_;
  LastingClock::Steady steady_{hours{100}};
  LastingClock clock_;
};

TEST_F(Lasting, AStepForwardCountsOnceItHasLastedForADay) {
  EXPECT_EQ(after(minutes{1}), Instant::duration{});
  EXPECT_EQ(after(minutes{1}, days{1000}), Instant::duration{});
  EXPECT_EQ(after(hours{23}, days{1000}), Instant::duration{});
  EXPECT_EQ(after(minutes{1}), Instant::duration{}) << "it is right again";
  EXPECT_EQ(after(minutes{1}, days{1000}), Instant::duration{});
  EXPECT_EQ(after(hours{25}, days{1000}), days{1000});
}

TEST_F(Lasting, OneBackAndASmallOneCountAtOnce) {
  after(minutes{1});
  EXPECT_EQ(after(minutes{1}, minutes{30}), minutes{30});
  EXPECT_EQ(after(minutes{1}, -days{1000}), -days{1000});
}

TEST_F(Lasting, AStartWithAWrongClockIsAStepToo) {
  EXPECT_LE(after(minutes{1}, days{1000}), Instant::duration{});
  EXPECT_EQ(after(minutes{1}), Instant::duration{});
}

TEST_F(Lasting, AMachineThatSleepsEachNightIsNotBehindForEver) {
  after(minutes{1});
  Instant::duration asleep{};
  for (int day = 0; day < 100; ++day) after(hours{16}, asleep += hours{8});
  EXPECT_GE(after(minutes{1}, asleep), asleep - days{2});
}

TEST_F(Lasting, AnEmptyHistoryGoesByTheWallClock) {
  known_ = {};
  EXPECT_EQ(after(minutes{1}, days{1000}), days{1000});
}

}  // namespace
}  // namespace etad
