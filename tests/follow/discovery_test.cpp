// What "**" in a path finds: the logs of a folder and of all folders below it.
#include "daemon/follow/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

constexpr const char* kBelow = "/runs/**/*.log";
constexpr const char* kDeep = "/runs/2026-11-26/05-07/train.log";

struct Below : ::testing::Test {
  explicit Below(std::string pattern = kBelow) { discovery.set_watches({{std::move(pattern), 0, false}}); }

  std::vector<std::string> paths() {
    std::vector<std::string> out;
    for (const Discovery::Found& found : discovery.scan(files)) out.push_back(found.path);
    return out;
  }

  static constexpr std::size_t kMost = 20;  // folders
  FakeFileSystem files;
  Discovery discovery{kMost};
};

TEST_F(Below, LogsAreFoundInTheFolderAndAtAnyDepth) {
  files.write("/runs/a.log", "x");
  files.write("/runs/one/b.log", "x");
  files.write(kDeep, "x");
  files.write("/runs/one/b.txt", "x");
  files.write("/elsewhere/c.log", "x");
  EXPECT_THAT(paths(), UnorderedElementsAre("/runs/a.log", "/runs/one/b.log", kDeep));
  EXPECT_THAT(discovery.directories(), Contains("/runs/2026-11-26/05-07"));
  EXPECT_THAT(discovery.lookup().unmatched, IsEmpty());
}

TEST_F(Below, HiddenFoldersAndLinksAreNotLookedInto) {
  files.write("/runs/.git/a.log", "x");
  files.write("/runs/.b.log", "x");
  files.write("/elsewhere/c.log", "x");
  files.symlink("/elsewhere", "/runs/link");
  EXPECT_THAT(paths(), IsEmpty());
  EXPECT_THAT(discovery.lookup().unmatched, ElementsAre(kBelow));
}

TEST_F(Below, AFolderIsListedOnceAScan) {
  files.write(kDeep, "x");
  files.calls.clear();
  paths();
  EXPECT_EQ(files.calls["list"], 3);
}

TEST_F(Below, OfTooManyFoldersTheDeepestAreLeftOutAndTheirRootIsTold) {
  files.write("/runs/near.log", "x");
  files.write("/runs/z/nearer.log", "x");
  for (std::size_t i = 0; i < kMost; ++i) files.write("/runs/a/" + std::to_string(i) + "/far.log", "x");
  const auto found = paths();
  EXPECT_THAT(found, Contains("/runs/near.log"));
  EXPECT_THAT(found, Contains("/runs/z/nearer.log"));
  EXPECT_EQ(discovery.directories().size(), kMost);
  EXPECT_THAT(discovery.lookup().crowded, ElementsAre("/runs"));
}

TEST_F(Below, APathFitsWhereverItLies) {
  EXPECT_TRUE(discovery.watch_of("/runs/a.log"));
  EXPECT_TRUE(discovery.watch_of(kDeep));
  EXPECT_FALSE(discovery.watch_of("/runs/.git/a.log"));
  EXPECT_FALSE(discovery.watch_of("/runs/.a.log"));
  EXPECT_FALSE(discovery.watch_of("/other/a.log"));
  EXPECT_FALSE(discovery.watch_of("/runs/one/a.txt"));
}

TEST_F(Below, AFolderBelowMayHoldALogAndAFileOfAnotherNameIsNone) {
  EXPECT_TRUE(discovery.may_find("/runs"));
  EXPECT_TRUE(discovery.may_find(kDeep));
  EXPECT_FALSE(discovery.may_find("/runs/model.pt"));
  EXPECT_FALSE(discovery.may_find("/runs/new/model.pt"));
  EXPECT_TRUE(discovery.may_look_into("/runs/new"));
  EXPECT_TRUE(discovery.may_look_into("/runs/new/newer"));
  EXPECT_FALSE(discovery.may_look_into("/runs/.git/newer"));
  EXPECT_FALSE(discovery.may_look_into("/other/new"));
}

struct InFolders : Below {
  InFolders() : Below("/scratch/*/*/train.log") {}

  void write(const std::string& user, std::int64_t owner, std::size_t many) {
    for (std::size_t i = 0; i < many; ++i) {
      const std::string folder = "/scratch/" + user + "/" + std::to_string(i);
      files.write(folder + "/train.log", "x");
      files.owners[folder] = owner;
    }
  }
};

TEST_F(InFolders, AScanInSlicesFindsTheSame) {
  write("ada", 1001, 30);
  files.write("/scratch/bob", "a file and no folder");
  const auto whole = paths();
  EXPECT_EQ(whole.size(), 30U);
  int slices = 1;
  for (files.calls.clear(); !discovery.go_on(files, 40, [] { return false; }); files.calls.clear()) {
    EXPECT_LE(files.calls["list"], 3);
    ++slices;
  }
  EXPECT_GT(slices, 10);
  std::vector<std::string> out;
  for (const Discovery::Found& found : discovery.take()) out.push_back(found.path);
  EXPECT_EQ(out, whole);
}

TEST_F(InFolders, OfOneUserNoMoreThanHisShareAreLookedInto) {
  discovery.set_most_of_owner(10);
  write("ada", 1001, 50);
  write("bob", 1002, 3);
  for (int i = 0; i < 50; ++i) files.symlink("/scratch/bob/0", "/scratch/ada/link" + std::to_string(i));
  files.owners["/scratch/ada"] = 1001;
  const auto found = paths();
  EXPECT_THAT(found, IsSupersetOf({"/scratch/bob/0/train.log", "/scratch/bob/1/train.log",
                                   "/scratch/bob/2/train.log"}));
  EXPECT_LE(found.size(), 2 * 10 + 3U);
  EXPECT_EQ(discovery.refused().at(1001), 41U + 40U);
  EXPECT_FALSE(discovery.refused().contains(1002));
}

struct InAFolder : Below {
  InAFolder() : Below("/logs/*.log") {}
  void write(const std::string& user, std::int64_t owner, int many) {
    for (int i = 0; i < many; ++i) {
      const std::string path = "/logs/" + user + std::to_string(i) + ".log";
      files.create(path);
      files.file(path)->owner = owner;
    }
  }
};

TEST_F(InAFolder, OfOneUserNoMoreNewNamesThanHisShareAreKept) {
  discovery.set_most_of_owner(5);
  discovery.set_known([](const std::string& path) { return path.starts_with("/logs/known"); });
  write("ada", 1001, 100);
  write("bob", 1002, 3);
  write("known", 1001, 50);
  const auto found = paths();
  EXPECT_EQ(found.size(), 10 + 10 + 3 + 50U) << "of all, then of Ada; Bob's; and what is followed already";
  EXPECT_THAT(found, IsSupersetOf({"/logs/bob0.log", "/logs/bob1.log", "/logs/bob2.log"}));
  EXPECT_EQ(discovery.refused_files().at(1001), 100U - 20U);
  EXPECT_FALSE(discovery.refused_files().contains(1002));
}

TEST_F(InAFolder, OfLinksThatLeadNowhereNoMoreAreKept) {
  discovery.set_most_of_owner(5);
  files.owners["/logs"] = 1001;
  files.create("/logs/there.log");
  for (int i = 0; i < 100; ++i) files.symlink("/nowhere", "/logs/link" + std::to_string(i) + ".log");
  EXPECT_LE(paths().size(), 21U);
}

TEST_F(InAFolder, ThatHasTooManyNamesIsTold) {
  files.most_names = 10;
  write("ada", 1001, 11);
  EXPECT_THAT(paths(), IsEmpty());
  ASSERT_EQ(discovery.unreadable().size(), 1U);
  EXPECT_EQ(discovery.unreadable().front(), std::pair(std::string("/logs"), Errno{EFBIG}));
}

struct BelowAUsersFolder : Below {
  BelowAUsersFolder() : Below("/home/*/runs/**/train.log") {}
};

TEST_F(BelowAUsersFolder, EachHasItsOwnShareOfFolders) {
  for (std::size_t i = 0; i <= kMost; ++i) files.write("/home/ada/runs/" + std::to_string(i) + "/x", "x");
  files.write("/home/bob/runs/a/b/c/train.log", "x");
  EXPECT_THAT(paths(), ElementsAre("/home/bob/runs/a/b/c/train.log"));
  EXPECT_THAT(discovery.lookup().crowded, ElementsAre("/home/ada/runs"));
  EXPECT_TRUE(discovery.watch_of("/home/bob/runs/train.log"));
  EXPECT_FALSE(discovery.watch_of("/home/bob/train.log"));
  EXPECT_TRUE(discovery.may_find("/home/carol"));
}

TEST(FollowingBelow, ALogInANewFolderIsFollowedOverARotationWhileDown) {
  Harness etad({{kBelow, 0, false}});
  etad.files.write("/runs/other.log", "x\n");
  etad.poll();
  etad.lines.clear();
  etad.files.write(kDeep, text_of(numbered(0, 3)));
  etad.poll(std::chrono::seconds(20));
  etad.stop();
  etad.files.write(kDeep, text_of(numbered(3, 5)));
  etad.files.rename(kDeep, std::string(kDeep) + ".1");
  etad.files.write(kDeep, text_of(numbered(5, 7)));
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 7)));
  EXPECT_EQ(etad.lost, 0);
}

}  // namespace
}  // namespace etad::follow
