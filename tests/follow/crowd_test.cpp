// Folders of so many files that listing them is what costs: one user's must not keep another's lines waiting.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

constexpr int kMany = 300;

std::string name_of(int i) {
  return "/logs/" + std::to_string(i) + ".log";
}

class Crowd : public ::testing::Test {
 protected:
  Crowd() {
    for (int i = 0; i < kMany; ++i) etad.files.create(name_of(i));
    etad.poll();
    etad.files.meanwhile = [this](const std::string& call, const std::string&) {
      lists += call == "list" ? 1 : 0;
    };
  }

  Harness etad{watching("/logs/*.log")};
  int lists = 0;
};

TEST_F(Crowd, FirstLinesDoNotListTheFolderForEachFile) {
  for (int i = 0; i < kMany; ++i) etad.files.write(name_of(i), "a line\n");
  etad.poll();
  EXPECT_EQ(etad.lines.size(), static_cast<std::size_t>(kMany));
  EXPECT_LT(lists, 20);
  for (int i = 0; i < kMany; ++i) etad.files.create("/logs/new" + std::to_string(i) + ".log");
  etad.poll();
  lists = 0;
  for (int i = 0; i < kMany; ++i) etad.files.write("/logs/new" + std::to_string(i) + ".log", "a line\n");
  etad.poll();
  EXPECT_EQ(etad.lines.size(), static_cast<std::size_t>(2 * kMany))
      << "names that came since are asked about anew";
  EXPECT_LT(lists, 20);
}

// Neither does the copy change its folder, which had the name before.
TEST_F(Crowd, WhatWasCopiedOverAnOlderCopyBeforeItsFirstLineWasReadIsRead) {
  const std::string copy = name_of(7) + ".1";
  etad.files.create(copy);
  etad.poll();
  etad.files.write(name_of(8), "fills what is known of the folder\n");
  etad.poll();
  etad.files.write(copy, "first\n");  // by way of the log, which was truncated then
  etad.files.write(name_of(7), "second\n");
  etad.poll();
  const std::vector<std::string> expected{"first", "second"};
  EXPECT_EQ(etad.lines_of[name_of(7)], expected);
}

TEST_F(Crowd, WhatIsListedCountsAsWhatIsRead) {
  etad.wall =
      Instant(std::chrono::seconds(1'780'000'000));  // the folder has just changed: it has to be listed
  for (int i = 0; i < kMany; ++i) etad.files.write(name_of(i), "a line\n");
  etad.now += std::chrono::seconds(11);
  const auto batches = etad.follower->poll(etad.now, etad.wall, 4 * 1024 * 1024);
  const int most = 4 * 1024 * 1024 / (kMany * 256) + 5;
  EXPECT_GT(lists, 10);
  EXPECT_LT(lists, most) << "of " << 2 * kMany << " that all of them take";
  for (const Batch& batch : batches) etad.commit(batch);
  etad.poll();
  EXPECT_EQ(etad.lines.size(), static_cast<std::size_t>(kMany)) << "the others soon";
}

bool has_line(const std::vector<Batch>& batches, const std::string& path) {
  return std::ranges::any_of(batches,
                             [&](const Batch& batch) { return batch.path == path && !batch.lines.empty(); });
}

TEST(CrowdOfFolders, KeepsNobodysLinesWaiting) {
  constexpr int kFolders = 1'100;
  Harness etad({{kLog, 0, false}, {"/runs/*/*.log", 1, false}});
  etad.files.write(kLog, "one\n");
  etad.poll();
  for (int i = 0; i < kFolders; ++i)
    etad.files.create("/runs/" + std::to_string(i) + "/train.log", "a line\n");
  etad.files.write(kLog, "two\n");
  etad.files.calls.clear();
  etad.now += std::chrono::seconds(11);
  const auto batches = etad.follower->poll(etad.now, etad.wall, etad.budget);
  EXPECT_TRUE(has_line(batches, kLog));
  EXPECT_LT(etad.files.calls["list"], kFolders - 100);
  for (const Batch& batch : batches) etad.commit(batch);
  etad.poll();
  EXPECT_EQ(etad.lines.size(), kFolders + 2U);
}

// Files that begin with one kilobyte are looked for as that of each new one: under whatever name they may lie by now.
class Gone : public ::testing::Test {
 protected:
  Gone() {
    for (int i = 0; i < kLost; ++i) etad.files.write(name_of(i), kilobyte + std::to_string(i) + "\n");
    etad.poll();
    for (int i = 0; i < kLost; ++i) etad.files.remove(name_of(i));
    for (int i = 0; i < kOthers; ++i) etad.files.create("/logs/other-" + std::to_string(i));
    etad.poll();
  }

  int lists_for(int many_new) {
    for (int i = 0; i < many_new; ++i)
      etad.files.write("/logs/new-" + std::to_string(i) + ".log", kilobyte + "new\n");
    etad.files.calls.clear();
    etad.look_once();
    return etad.files.calls["list"];
  }

  static constexpr int kLost = 30, kOthers = 1'000;
  const std::string kilobyte = std::string(1023, 'x') + "\n";
  Harness etad{watching("/logs/*.log")};
};

TEST_F(Gone, AreLookedForByOneListing) {
  EXPECT_LT(lists_for(10), 20) << "of " << 10 * kLost * 2 << ", once for each of them and new file";
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 2 * (kLost + 10U));
}

TEST_F(Gone, AreLookedForInPartsWhereTheFolderChanges) {
  etad.wall = Instant(std::chrono::seconds(1'780'000'000));  // has just changed, and may again
  const int lists = lists_for(10);
  EXPECT_LT(static_cast<std::size_t>(lists) * kOthers, kManyListed + 20 * kOthers)
      << "then lines are read again";
  etad.wall = Instant(std::chrono::seconds(1'790'000'000));
  for (int i = 0; i < 20; ++i) etad.poll();
  EXPECT_EQ(etad.lines.size(), 2 * (kLost + 10U));
}

TEST(CrowdOfNewFiles, IsTakenUpInTurnsOfTheirOwners) {
  Harness etad(watching("/logs/*.log"));
  const auto create = [&](const std::string& path, std::int64_t owner) {
    etad.files.create(path, "a line\n");
    etad.files.file(path)->owner = owner;
  };
  for (int i = 0; i < 2'100; ++i) create(name_of(i), 1001);
  create(kLog, 1002);
  etad.now += std::chrono::seconds(11);
  EXPECT_TRUE(has_line(etad.follower->poll(etad.now, etad.wall, etad.budget), kLog));
}

// Of one user's files each call takes a millisecond: they lie deep down, or far away.
class DearNames : public ::testing::Test {
 protected:
  static constexpr int kDear = 400;

  DearNames() {
    create(kLog, 1002);
    etad.poll();
    etad.files.each_below["/dear"] = std::chrono::milliseconds(1);
    for (int i = 0; i < kDear; ++i) create("/dear/" + std::to_string(i) + ".log", 1001);
    create("/new/train.log", 1002);
  }
  void create(const std::string& path, std::int64_t owner) {
    etad.files.create(path, "a line\n");
    etad.files.file(path)->owner = owner;
  }
  // How long its calls have taken.
  std::chrono::nanoseconds look() {
    const auto before = etad.files.spent();
    for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, etad.budget)) etad.commit(batch);
    return etad.files.spent() - before;
  }
  void look_until_new_log_is_read() {
    for (int polls = 0; polls < 1000 && !etad.lines_of.contains("/new/train.log"); ++polls) look();
  }

  Harness etad{{{kLog, 0, false}, {"/dear/*.log", 1, false}, {"/new/*.log", 2, false}}};
};

TEST_F(DearNames, AreAskedAboutInSlices) {
  etad.now += std::chrono::seconds(11);
  std::chrono::nanoseconds longest{0};
  for (int polls = 0; polls < 1000; ++polls) longest = std::max(longest, look());
  EXPECT_LT(longest, std::chrono::milliseconds(200)) << "lines are read again after each";
  etad.poll();
  etad.poll();
  EXPECT_EQ(etad.lines.size(), kDear + 2U);
}

TEST_F(DearNames, HoldUpNobodyElsesNewLog) {
  etad.now += std::chrono::seconds(11);
  const auto before = etad.files.spent();
  look_until_new_log_is_read();
  EXPECT_LT(etad.lines.size(), kDear / 4) << "that were read before it";
  EXPECT_LT(etad.files.spent() - before, std::chrono::milliseconds(kDear * 3));
}

TEST_F(DearNames, RestForSoLongAsOthersAreAskedAbout) {
  etad.now += std::chrono::seconds(11);
  for (int polls = 0; polls < 1000; ++polls) look();  // at one time
  const std::size_t read = etad.lines.size();
  EXPECT_LT(read, kDear / 2);
  create("/new/next.log", 1002);
  const auto before = etad.files.spent();
  etad.now += std::chrono::seconds(1);
  for (int polls = 0; polls < 1000; ++polls) look();
  EXPECT_TRUE(etad.lines_of.contains("/new/next.log"));
  EXPECT_EQ(etad.lines.size(), read + 1);
  EXPECT_LT(etad.files.spent() - before, std::chrono::seconds(1));
  for (int i = 0; i < 20; ++i) etad.poll();
  EXPECT_EQ(etad.lines.size(), kDear + 3U) << "those behind the last one first";
}

}  // namespace
}  // namespace etad::follow
