#include "daemon/follow/schedule.h"

#include <gtest/gtest.h>

namespace etad::follow {
namespace {

constexpr SteadyTime kNow{std::chrono::hours{1}};
constexpr std::int64_t kCrowd = 1001, kOther = 1002;

// How many looks it takes until that stream had one.
int looks_until(Schedule& schedule, StreamId wanted, SteadyTime now) {
  for (int looks = 1; looks <= 10'000; ++looks) {
    const StreamId stream = schedule.due(now).value();
    schedule.moved(stream, now);
    if (stream == wanted) return looks;
  }
  return -1;
}

TEST(Schedule, OneUsersManyFilesDoNotKeepAnothersWaiting) {
  const Options options;
  Schedule schedule(options);
  constexpr StreamId kMany = 1'000, kOthers = kMany + 1;
  for (StreamId stream = 1; stream <= kOthers; ++stream) {
    schedule.add(stream, kNow);
    schedule.set_owner(stream, stream == kOthers ? kOther : kCrowd);
  }
  // All are due again long before all of them were looked at.
  for (int minute = 1; minute < 10; ++minute) {
    const SteadyTime now = kNow + std::chrono::minutes{minute};
    EXPECT_LE(looks_until(schedule, kOthers, now), 2);
    for (int looks = 0; looks < 500; ++looks) schedule.moved(schedule.due(now).value(), now);
  }
}

TEST(Schedule, OfOneOwnerWhoWasDueFirstIsFirst) {
  const Options options;
  Schedule schedule(options);
  for (StreamId stream = 1; stream <= 3; ++stream)
    schedule.add(stream, kNow + std::chrono::seconds{9 - stream});
  const SteadyTime later = kNow + std::chrono::minutes{1};
  EXPECT_EQ(schedule.next(), kNow + std::chrono::seconds{6});
  EXPECT_EQ(looks_until(schedule, 1, later), 3);
  schedule.remove(2);
  schedule.set_owner(1, kOther);
  schedule.remove(1);
  EXPECT_EQ(schedule.due(later + std::chrono::minutes{1}), StreamId{3});
}

}  // namespace
}  // namespace etad::follow
