// How many finished files are known.
#include "daemon/follow/finished.h"

#include <gtest/gtest.h>

namespace etad::follow {
namespace {

TEST(FinishedFilesTest, OfAnOwnersManyFinishedFilesTheLastAreKnown) {
  FinishedFiles finished(2);
  const auto add = [&](std::uint64_t inode, std::int64_t owner) {
    finished.add(with_holder(finished_identity("10:a", static_cast<std::int64_t>(inode), "10:b"),
                             {FileKey{1, inode, 3}, owner}));
  };
  add(1, 1001);
  for (const std::uint64_t inode : {2U, 3U, 4U}) add(inode, 1002);
  finished.add(finished_identity("10:c", 10, "10:d"));
  EXPECT_TRUE(finished.knows(FileKey{1, 1, 3})) << "of another owner";
  EXPECT_FALSE(finished.knows(FileKey{1, 2, 3}));
  EXPECT_TRUE(finished.knows(FileKey{1, 3, 3}));
  EXPECT_TRUE(finished.knows(FileKey{1, 4, 3}));
  EXPECT_TRUE(finished.import_begins(*Fingerprint::parse("10:c")));
}

// As where a full disk keeps a commit from being made, again and again.
TEST(FinishedFilesTest, WhatIsTakenBackCountsNoMore) {
  FinishedFiles finished(2);
  const auto of = [](std::uint64_t inode) {
    return with_holder(finished_identity("10:a", static_cast<std::int64_t>(inode), "10:b"),
                       {FileKey{1, inode, 3}, 1001});
  };
  finished.add(of(1));
  for (int i = 0; i < 5; ++i) {
    finished.add(of(2));
    finished.remove(of(2));
  }
  finished.add(of(2));
  EXPECT_TRUE(finished.knows(FileKey{1, 1, 3}));
  EXPECT_TRUE(finished.knows(FileKey{1, 2, 3}));
}

}  // namespace
}  // namespace etad::follow
