// What hints from the kernel change: when a file is looked at. What polling alone would cost, and what a
// hint that never comes does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

class Hinted : public Harness {
 public:
  explicit Hinted(const std::string& pattern) : Harness({{pattern, 0, false}}) {
    with_hints = true;
    restart();
  }

  // As the daemon's loop would; the number of looks at `kLog`.
  int rest_for(seconds time) { return calls_in(time, "status"); }

  int calls_in(seconds time, const char* call) {
    const int before = files.calls[call];
    for (const SteadyTime end = now + time; now < end;) {
      for (const Batch& batch : follower->poll(now, wall, budget)) commit(batch);
      now = std::max(follower->next_due(now), now + milliseconds(1));
    }
    return files.calls[call] - before;
  }

  void hint(const std::string& path) {
    hints.pending.paths = {path};
    follower->on_hint(now);
  }
};

TEST(FollowingHints, AFileAtRestIsLookedAtLessOftenWhereHintsComeFrom) {
  Hinted with(kLog);
  with.files.write(kLog, "one\n");
  with.rest_for(seconds(300));
  EXPECT_LE(with.rest_for(seconds(600)), 14);
  Harness without({{kLog, 0, false}});
  without.files.write(kLog, "one\n");
  for (int i = 0; i < 20; ++i) without.poll();
  EXPECT_LE(without.follower->next_due(without.now), without.now + seconds(11));
}

TEST(FollowingHints, AFolderThatNoPatternFindsAnyMoreIsNotWatched) {
  Hinted etad("/runs/*/*.log");
  etad.files.write("/runs/a/train.log", "one\n");
  etad.rest_for(seconds(300));
  EXPECT_TRUE(etad.hints.watched.contains("/runs/a"));
  etad.follower->set_watches({{"/other/*/*.log", 0, false}});
  etad.rest_for(seconds(300));
  EXPECT_FALSE(etad.hints.watched.contains("/runs/a")) << "the kernel's watches are everybody's";
}

TEST(FollowingHints, AFileThatMovesWithoutAHintIsPolledAsIfThereWereNone) {
  Hinted etad(kLog);
  etad.files.write(kLog, "one\n");
  etad.rest_for(seconds(300));
  etad.files.write(kLog, "two\n");  // no hint comes of it
  etad.rest_for(seconds(70));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two")) << "polling is the truth";
  etad.rest_for(seconds(300));
  EXPECT_GE(etad.rest_for(seconds(600)), 55) << "every ten seconds";
  etad.hint(kLog);
  etad.rest_for(seconds(300));
  EXPECT_LE(etad.rest_for(seconds(600)), 14) << "hints come after all";
}

TEST(FollowingHints, DirectoriesAreListedLessOftenWhereHintsComeFrom) {
  constexpr const char* kOther = "/logs/other.log";
  Hinted etad("/logs/*.log");
  etad.files.write(kLog, "one\n");
  etad.rest_for(seconds(300));
  EXPECT_LE(etad.calls_in(seconds(600), "list"), 12);
  etad.files.write(kOther, "two\n");  // no hint comes of it
  etad.rest_for(seconds(70));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two")) << "polling is the truth";
  etad.rest_for(seconds(300));
  EXPECT_GE(etad.calls_in(seconds(600), "list"), 55) << "every ten seconds";
  etad.files.write("/logs/third.log", "three\n");
  etad.hint("/logs/third.log");
  etad.rest_for(seconds(300));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
  EXPECT_LE(etad.calls_in(seconds(600), "list"), 12) << "hints come after all";
}

TEST(FollowingHints, ADirectoryThatIsYetToComeIsLookedForEveryTenSeconds) {
  Hinted etad("/later/*.log");
  etad.hints.error = ENOENT;
  etad.rest_for(seconds(300));
  EXPECT_GE(etad.calls_in(seconds(600), "list"), 55);
  etad.files.write("/later/train.log", "one\n");
  etad.rest_for(seconds(11));
  EXPECT_THAT(etad.lines, ElementsAre("one"));
}

TEST(FollowingHints, AFileBehindALinkIsHintedByItsOwnName) {
  constexpr const char* kLink = "/logs/caffe.INFO";
  for (const bool restarted : {false, true}) {
    Hinted etad(kLink);
    etad.files.write("/data/run-a", "one\n");
    etad.files.symlink("/data/run-a", kLink);
    etad.rest_for(seconds(30));
    etad.files.write("/data/run-b", "two\n");
    etad.files.symlink("/data/run-b", kLink);
    etad.rest_for(seconds(70));
    if (restarted) etad.restart();
    etad.rest_for(seconds(300));
    EXPECT_TRUE(etad.hints.watched.contains("/data"));
    etad.files.write("/data/run-b", "three\n");
    etad.hint("/data/run-b");
    etad.poll(milliseconds(5));
    EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
  }
}

// The kernel's word of the file before comes when the new one is read already: that one was not deleted.
TEST(FollowingHints, ThatANameWasDeletedSaysNothingOfTheFileTakenUpSince) {
  Hinted etad(kLog);
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.remove(kLog);
  etad.files.write(kLog, "two\n");
  etad.poll();
  etad.hints.pending.removed = {kLog};
  etad.hint(kLog);
  etad.poll();
  etad.files.replace(kLog, "two\nthree\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

TEST(FollowingHints, WhatNoPatternFitsBringsNoScan) {
  Hinted etad("/logs/run-*.log");
  etad.files.write("/logs/run-1.log", "one\n");
  etad.rest_for(seconds(60));
  etad.files.calls.clear();
  for (int i = 0; i < 100; ++i) {
    etad.hint("/logs/core.1234");
    etad.hint("/logs/deeper/run-1.log");
    etad.now += milliseconds(10);
    etad.rest_for(seconds(0));
  }
  EXPECT_LE(etad.files.calls["list"], 1);
  etad.files.write("/logs/run-2.log", "two\n");
  etad.hint("/logs");  // of the directory, without a name
  etad.poll(milliseconds(200));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

TEST(FollowingHints, AFolderOfManyNamesIsListedTheMoreSeldomTheMoreThereAre) {
  constexpr int kNames = 10'000;
  Hinted etad("/logs/*.log");
  etad.files.create("/logs/notes.txt");
  for (int i = 0; i < kNames; ++i)
    etad.files.hard_link("/logs/notes.txt", "/logs/" + std::to_string(i) + ".txt");
  etad.rest_for(seconds(1));
  const int before = etad.files.calls["list"];
  for (int i = 0; i < 100; ++i) {
    etad.hint("/logs/new.log");
    for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, etad.budget)) etad.commit(batch);
    etad.now += milliseconds(10);
  }
  EXPECT_LE(etad.files.calls["list"] - before, 11) << "in a second";
}

TEST(FollowingHints, WhoRotatesAmongManyNamesKeepsNobodyElseWaiting) {
  constexpr int kNames = 70'000;
  constexpr std::size_t kSeconds = 4;
  Hinted etad("/logs/*/train.log");
  const std::string ada = "/logs/ada/train.log", ben = "/logs/ben/train.log";
  etad.files.create("/logs/ada/notes.txt");
  for (int i = 0; i < kNames; ++i)
    etad.files.hard_link("/logs/ada/notes.txt", "/logs/ada/" + std::to_string(i) + ".txt");
  const auto write = [&](const std::string& path, std::int64_t owner, std::size_t number) {
    etad.files.write(path, std::to_string(number) + "\n");
    etad.files.file(path)->owner = owner;
  };
  write(ada, 1001, 0);
  write(ben, 1002, 0);
  etad.rest_for(seconds(1));
  std::size_t lists = 0, most_at_once = 0;
  etad.files.meanwhile = [&](const std::string& call, const std::string& path) {
    if (call == "list" && path == "/logs/ada") ++lists;
  };
  const auto poll_for = [&](milliseconds time) {
    for (const SteadyTime end = etad.now + time; etad.now < end; etad.now += milliseconds(5)) {
      const std::size_t before = lists;
      for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, etad.budget)) etad.commit(batch);
      most_at_once = std::max(most_at_once, lists - before);
    }
  };
  for (std::size_t i = 1; i <= 5 * kSeconds; ++i) {
    etad.files.rename(ada, ada + "." + std::to_string(1'783'735'200 + i));
    write(ada, 1001, i);
    write(ben, 1002, i);
    etad.hint(ada);
    etad.hint(ben);
    poll_for(milliseconds(200));
    EXPECT_EQ(etad.lines_of[ben].size(), i + 1) << "as soon as they come";
  }
  EXPECT_LE(lists, 3 * kSeconds);
  poll_for(seconds(60));
  EXPECT_EQ(etad.lines_of[ada].size(), 5 * kSeconds + 1) << "each once";
  EXPECT_LE(most_at_once, 6U);
}

TEST(FollowingHints, FilesThatOneScanLeavesToTheNextMissedNoHint) {
  Hinted etad("/logs/*.log");
  for (int i = 0; i < 2'100; ++i) etad.files.create("/logs/" + std::to_string(i) + ".log");
  etad.rest_for(seconds(300));
  EXPECT_EQ(etad.follower->statuses().size(), 2'100U);
  EXPECT_LE(etad.calls_in(seconds(600), "list"), 12);
}

}  // namespace
}  // namespace etad::follow
