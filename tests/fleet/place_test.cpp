// Whether a history is the one that was carried before, and whose its runs are.
#include "fleet/export/place.h"

#include <gtest/gtest.h>

namespace etad::fleet {
namespace {

// Starts of one machine: the first found nothing, the second 100 changes and 10 runs.
const std::vector<HistoryStart> kStarts = {{"a", "here", 0, 0}, {"b", "here", 100, 10}};

TEST(PlaceTest, GoesOnWhereTheHistoryHasAllThatWasCarried) {
  EXPECT_TRUE(goes_on_from({"a", 100}, kStarts, 150));
  EXPECT_TRUE(goes_on_from({"b", 150}, kStarts, 150));
  EXPECT_EQ(token_at(kStarts, 100), "a");
  EXPECT_EQ(token_at(kStarts, 101), "b");
  EXPECT_EQ(token_at(kStarts, 0), "a");
}

TEST(PlaceTest, ABackupLacksTheStartOrTheChanges) {
  EXPECT_FALSE(goes_on_from({"c", 90}, kStarts, 150));   // a start after the backup
  EXPECT_FALSE(goes_on_from({"a", 101}, kStarts, 150));  // more changes of that start than it has
  EXPECT_FALSE(goes_on_from({"b", 151}, kStarts, 150));
  EXPECT_FALSE(goes_on_from({"a", 1}, {}, 0));
}

TEST(PlaceTest, WhoWasHeardWithinAMinuteMayBeAliveWhateverTheClockOfAnotherServerSaid) {
  EXPECT_TRUE(may_be_alive(59));
  EXPECT_TRUE(may_be_alive(-1));
  EXPECT_FALSE(may_be_alive(60));
  EXPECT_FALSE(may_be_alive(-3600));
}

TEST(PlaceTest, AHostIsItsMachineOrElseItsHistory) {
  EXPECT_EQ(host_of({}), "");
  EXPECT_EQ(host_of(kStarts), "here");
  EXPECT_EQ(host_of({{"a", "", 0, 0}, {"b", "", 9, 9}}), "history-a");
}

TEST(PlaceTest, WhatAnotherMachineMadeStaysItsOwn) {
  const std::vector<HistoryStart> copied = {
      {"a", "there", 5, 2}, {"b", "there", 50, 8}, {"c", "here", 100, 10}};
  EXPECT_FALSE(run_is_own(copied, 1));  // before the first start that was noted
  EXPECT_FALSE(run_is_own(copied, 10));
  EXPECT_TRUE(run_is_own(copied, 11));
  EXPECT_FALSE(change_is_own(copied, 100));
  EXPECT_TRUE(change_is_own(copied, 101));
  EXPECT_TRUE(run_is_own(kStarts, 1));
}

}  // namespace
}  // namespace etad::fleet
