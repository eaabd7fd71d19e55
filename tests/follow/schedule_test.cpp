#include "daemon/follow/schedule.h"

#include <gtest/gtest.h>

#include <map>

namespace etad::follow {
namespace {

constexpr SteadyTime kNow{std::chrono::hours{1}};
constexpr std::int64_t kFirstUser = 1001, kSecondUser = 1002;

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
    schedule.set_owner(stream, stream == kOthers ? kSecondUser : kFirstUser);
  }
  // All are due again long before all of them were looked at.
  for (int minute = 1; minute < 10; ++minute) {
    const SteadyTime now = kNow + std::chrono::minutes{minute};
    EXPECT_LE(looks_until(schedule, kOthers, now), 2);
    for (int looks = 0; looks < 500; ++looks) schedule.moved(schedule.due(now).value(), now);
  }
}

// As an owner's files come and go and change hands, so that places of owners that are kept would be seen to be stale.
TEST(Schedule, ManyOwnersTakeTurns) {
  const Options options;
  Schedule schedule(options);
  constexpr StreamId kOwners = 500;
  for (StreamId stream = 1; stream <= 2 * kOwners; ++stream) {
    schedule.add(stream, kNow);
    schedule.set_owner(stream, static_cast<std::int64_t>(stream % kOwners));
  }
  const SteadyTime now = kNow + std::chrono::minutes{1};
  std::map<StreamId, int> looks;
  for (StreamId i = 0; i < 3 * kOwners; ++i) {
    const StreamId stream = schedule.due(now).value();
    schedule.again(stream, now);
    ++looks[stream % kOwners];
    if (i == kOwners) {  // the second round goes on without one, and with one's files in another's hands
      schedule.remove(7);
      schedule.remove(7 + kOwners);
      schedule.set_owner(8, 9);
      schedule.set_owner(8 + kOwners, 9);
    }
  }
  EXPECT_EQ(looks[7], 1);
  for (const auto& [owner, count] : looks) EXPECT_LE(count, 4) << owner;
  for (StreamId owner = 10; owner < kOwners; ++owner) EXPECT_GE(looks[owner], 3) << owner;
  schedule.hint(20, now);
  EXPECT_EQ(schedule.next(), now);
  for (StreamId stream = 1; stream <= 2 * kOwners; ++stream) schedule.remove(stream);
  EXPECT_EQ(schedule.due(now), std::nullopt);
  EXPECT_EQ(schedule.next(), std::nullopt);
}

TEST(Schedule, WhoseLookTookLongRestsAndNobodyElse) {
  const Options options;
  Schedule schedule(options);
  for (StreamId stream = 1; stream <= 4; ++stream) schedule.add(stream, kNow);
  schedule.set_owner(1, kFirstUser);
  schedule.set_owner(2, kFirstUser);
  schedule.set_owner(3, kSecondUser);
  const SteadyTime end = kNow + std::chrono::seconds{20};
  schedule.rest_owner(1, end);
  schedule.rest_owner(1, kNow);
  schedule.rest_owner(4, end);  // nobody's that is known, as the journal's
  schedule.moved(1, kNow);
  const SteadyTime soon = kNow + std::chrono::seconds{1};
  for (const StreamId stream : {StreamId{1}, StreamId{2}, StreamId{3}}) schedule.hint(stream, soon);
  for (const StreamId stream : {StreamId{3}, StreamId{4}}) {
    EXPECT_EQ(schedule.due(soon), stream);
    schedule.rested(stream, soon, true);
  }
  for (SteadyTime now = soon; now < end; now = schedule.next().value()) {
    const auto stream = schedule.due(now);
    if (!stream) continue;
    EXPECT_GE(*stream, 3U);
    schedule.rested(*stream, now, true);
  }
  EXPECT_LE(looks_until(schedule, 2, end), 3);
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
  schedule.set_owner(1, kSecondUser);
  schedule.remove(1);
  EXPECT_EQ(schedule.due(later + std::chrono::minutes{1}), StreamId{3});
}

}  // namespace
}  // namespace etad::follow
