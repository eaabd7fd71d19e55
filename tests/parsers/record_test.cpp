#include "parsers/base/record.h"

#include <gtest/gtest.h>

namespace etad {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

etad::Run finished_within(std::chrono::microseconds span) {
  Run run;
  run.state = RunState::finished;
  run.started_at = Instant{hours{1'000}};
  run.ended_at = *run.started_at + span;
  return run;
}

TEST(WallTime, IsTheTimeFromTheFirstLineToTheLast) {
  etad::Run run = finished_within(minutes{20});
  run.train.duration = minutes{15};
  run.test.duration = minutes{4};
  EXPECT_EQ(wall_time(run), minutes{20});
}

TEST(WallTime, IsNotKnownOfARunThatGoesOn) {
  etad::Run run = finished_within(minutes{20});
  run.state = RunState::running;
  EXPECT_EQ(wall_time(run), std::nullopt);
}

TEST(WallTime, IsNotKnownWithoutTimes) {
  etad::Run run = finished_within(minutes{20});
  run.started_at.reset();
  EXPECT_EQ(wall_time(run), std::nullopt);
}

// Only what was printed before the first step bears a time, and the summary tells of ten hours.
TEST(WallTime, IsNotKnownWhereMoreWasMeasured) {
  etad::Run run = finished_within(minutes{1});
  run.train.duration = hours{10};
  EXPECT_EQ(wall_time(run), std::nullopt);
}

TEST(WallTime, IsNotKnownWhereTheClockWentBack) {
  EXPECT_EQ(wall_time(finished_within(-minutes{1})), std::nullopt);
}

TEST(WallTime, IsNotKnownWhereADateIsThousandsOfYearsOff) {
  EXPECT_EQ(wall_time(finished_within(hours{24 * 365 * 7'000})), std::nullopt);
}

TEST(WallTime, RatesToldWithFewDigitsAreNoContradiction) {
  etad::Run run = finished_within(minutes{20});
  run.train.duration = minutes{21};
  EXPECT_EQ(wall_time(run), minutes{20});
}

TEST(WallTime, WholeSecondsOfAShortRunAreNoContradiction) {
  etad::Run run = finished_within(std::chrono::milliseconds{300});
  run.train.duration = seconds{1};
  EXPECT_EQ(wall_time(run), std::chrono::milliseconds{300});
}

}  // namespace
}  // namespace etad
