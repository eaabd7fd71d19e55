// What the system refuses, drops or makes expensive: watches, hints, network file systems, permissions,
// commits, many files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class WithHints : public Harness {
 public:
  explicit WithHints(const std::string& pattern, Errno error = 0) : Harness(watching(pattern)) {
    with_hints = true;
    hints.error = error;
    restart();
  }
};

TEST(Following, AHintWakesTheFollowerAtOnce) {
  WithHints etad(kLog);
  etad.files.write(kLog, "one\n");
  etad.poll();
  for (int i = 0; i < 20; ++i) etad.poll();  // backed off
  EXPECT_GT(etad.follower->next_due(etad.now), etad.now + seconds(1));
  EXPECT_THAT(etad.hints.watched, ElementsAre("/logs"));
  etad.files.write(kLog, "two\n");
  etad.hints.pending.paths = {kLog};
  etad.follower->on_hint(etad.now);
  EXPECT_LE(etad.follower->next_due(etad.now), etad.now + milliseconds(5));
  etad.poll(milliseconds(5));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

TEST(Following, AHintOfANewFileBringsAScan) {
  WithHints etad("/logs/*.log");
  etad.files.write(kLog, "one\n");
  for (int i = 0; i < 20; ++i) etad.poll();
  etad.files.write("/logs/new.log", "two\n");
  etad.hints.pending.paths = {"/logs/new.log"};
  etad.follower->on_hint(etad.now);
  etad.poll(milliseconds(200));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

TEST(Following, WatchLimit) {
  for (const Errno error : {ENOSPC, EMFILE}) {
    WithHints etad(kLog, error);
    etad.files.write(kLog, "one\n");
    etad.poll();
    const std::vector<std::string> notices = etad.follower->take_notices();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_THAT(notices[0], HasSubstr("polling instead"));
    etad.files.write(kLog, "two\n");
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
    EXPECT_TRUE(etad.follower->take_notices().empty()) << "said once";
  }
}

TEST(Following, AFileThatCanNotBeAskedWhoseItIsIsNamed) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, "one\n");
  etad.files.fail("status", kLog, EIO);
  etad.poll();
  ASSERT_THAT(etad.follower->lookup().unasked, ::testing::SizeIs(1));
  EXPECT_EQ(etad.follower->lookup().unasked[0].path, kLog);
  EXPECT_EQ(etad.follower->lookup().unasked[0].text, "Input/output error");
  etad.files.heal();
  etad.poll(seconds(20));
  EXPECT_THAT(etad.follower->lookup().unasked, ::testing::IsEmpty());
  EXPECT_THAT(etad.lines, ElementsAre("one"));
}

TEST(Following, QueueOverflow) {
  WithHints etad("/logs/*.log");
  etad.files.write(kLog, "one\n");
  for (int i = 0; i < 20; ++i) etad.poll();
  etad.files.write(kLog, "two\n");
  etad.files.write("/logs/new.log", "three\n");
  etad.hints.pending.overflow = true;
  etad.follower->on_hint(etad.now);
  etad.poll(milliseconds(0));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

TEST(Following, NetworkFilesystem) {
  WithHints etad(kLog, ENOTSUP);
  etad.files.write(kLog, "one\n");
  etad.poll();
  EXPECT_TRUE(etad.follower->take_notices().empty()) << "nothing is wrong: it is polled";
  etad.files.write(kLog, "two\n");
  etad.files.fail("read", kLog, ESTALE, 1);
  etad.poll();
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three")) << "opened again";
  EXPECT_EQ(etad.lost, 0);
}

TEST(Following, CheckpointFailure) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.write(kLog, "two\n");
  const std::vector<Batch> lost = etad.poll_and_fail();
  ASSERT_EQ(lost.size(), 1U);
  ASSERT_EQ(lost[0].lines.size(), 1U);
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two")) << "read again";
}

TEST(Following, CheckpointFailureAcrossARotation) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.write(kLog, "two\n");
  etad.files.rename(kLog, "/logs/train.log.1");
  etad.files.write(kLog, "three\n");
  EXPECT_GE(etad.poll_and_fail().size(), 2U);
  EXPECT_GE(etad.poll_and_fail().size(), 2U);
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
  EXPECT_EQ(etad.finished.size(), 1U);
}

TEST(Following, CheckpointFailureOfTheVeryFirstBatch) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  (void)etad.poll_and_fail();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one"));
}

// As on a full disk: what was found is begun where it lies once there is room.
TEST(Following, CheckpointFailureOfTheVeryFirstBatchesAcrossARotation) {
  for (const bool at_once : {false, true}) {
    Harness etad(watching("/logs/*.log"));
    etad.files.write("/logs/train.log.2", "before the first sight\n");
    etad.files.write(kLog, "one\n");
    (void)etad.poll_and_fail();
    (void)etad.poll_and_fail();
    etad.files.write(kLog, "two\n");
    etad.files.rename(kLog, kRotated);
    if (at_once) etad.files.write(kLog, "three\n");
    (void)etad.poll_and_fail();
    etad.poll();
    if (!at_once) etad.files.write(kLog, "three\n");
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
  }
}

TEST(Following, CheckpointGrowth) {
  Options options;
  options.forget_after = std::chrono::hours(1);
  Harness etad(watching("/logs/*.log"), options);
  for (int i = 0; i < 50; ++i) {
    const std::string path = "/logs/run" + std::to_string(i) + ".log";
    etad.files.write(path, "one\n");
    etad.poll();
    etad.files.remove(path);
  }
  etad.poll();
  EXPECT_EQ(etad.follower->statuses().size(), 50U);
  etad.files.write(kLog, "one\n");
  etad.poll(std::chrono::hours(2));
  EXPECT_EQ(etad.follower->statuses().size(), 1U) << "what is gone is forgotten";
  const auto batches = etad.follower->poll(etad.now += seconds(11), etad.wall, etad.budget);
  EXPECT_TRUE(batches.empty()) << "nothing is written where nothing changed";
}

TEST(Following, PermissionLater) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.files.fail("open", kLog, EACCES);
  for (int i = 0; i < 5; ++i) etad.poll();
  EXPECT_THAT(etad.errors, ElementsAre(HasSubstr("ermission denied"))) << "said once";
  EXPECT_THAT(etad.text_of(kLog), HasSubstr("waiting"));
  EXPECT_EQ(etad.state[kLog], State::waiting);
  etad.files.heal();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one"));
  EXPECT_EQ(etad.errors.back(), "");
  EXPECT_EQ(etad.text_of(kLog), "following");
}

TEST(Following, FoldersThatCanNotBeLookedIntoAndPatternsThatMatchNothingAreNamed) {
  Harness etad({{"/logs/*.log", 0, false}, {"/logs/*.csv", 1, false}, {"/private/*.log", 2, false}});
  etad.files.write(kLog, "one\n");
  etad.files.fail("list", "/private", EACCES);
  etad.poll();
  Lookup lookup = etad.follower->lookup();
  ASSERT_THAT(lookup.unreadable, ::testing::SizeIs(1));
  EXPECT_EQ(lookup.unreadable[0].path, "/private");
  EXPECT_EQ(lookup.unreadable[0].text, "Permission denied");
  EXPECT_THAT(lookup.unmatched, ElementsAre("/logs/*.csv", "/private/*.log"));
  etad.files.heal();
  etad.files.write("/logs/a.csv", "two\n");
  etad.files.write("/private/run.log", "three\n");
  etad.poll(seconds(20));
  lookup = etad.follower->lookup();
  EXPECT_TRUE(lookup.unreadable.empty() && lookup.unmatched.empty());
}

TEST(Following, PermissionTakenFromTheDirectoryLosesNothing) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.restart();
  etad.files.fail("status", kLog, EACCES);
  etad.files.fail("list", "/logs", EACCES);
  etad.poll();
  EXPECT_EQ(etad.ended, 0);
  etad.files.heal();
  etad.files.write(kLog, "two\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

TEST(Following, TooManyOpenFiles) {
  Harness etad(watching("/logs/*.log"));
  for (int i = 0; i < 30; ++i) etad.files.write("/logs/" + std::to_string(i) + ".log", "one\n");
  etad.files.max_open = 10;
  etad.poll();
  etad.files.max_open = 1000;
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 30U);
  EXPECT_EQ(etad.lost, 0);
}

TEST(Following, TooManyOpenFilesClosesIdleOnesAndReadsAll) {
  Harness etad(watching("/logs/*.log"));
  for (int i = 0; i < 200; ++i) etad.files.write("/logs/" + std::to_string(i) + ".log", "one\n");
  etad.files.max_open = 12;
  for (int i = 0; i < 3; ++i) etad.poll();
  EXPECT_EQ(etad.lines.size(), 200U);
  for (int i = 0; i < 200; ++i) etad.files.write("/logs/" + std::to_string(i) + ".log", "two\n");
  for (int i = 0; i < 10; ++i) etad.files.write("/logs/new" + std::to_string(i) + ".log", "one\n");
  for (int i = 0; i < 3; ++i) etad.poll();
  EXPECT_EQ(etad.lines.size(), 410U);
  EXPECT_EQ(etad.lost, 0);
}

TEST(Following, TooManyOpenFilesWhileAFileIsRotated) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.restart();
  etad.files.write(kLog, "two\n");
  etad.files.rename(kLog, "/logs/train.log.1");
  etad.files.write(kLog, "three\n");
  etad.files.max_open = 0;
  etad.poll();
  EXPECT_THAT(etad.text_of(kLog), HasSubstr("oo many open files"));
  etad.files.max_open = 1000;
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

TEST(Following, ManyIdleFiles) {
  Options options;
  options.max_open = 16;
  Harness etad(watching("/logs/*.log"), options);
  constexpr int kFiles = 1000;
  for (int i = 0; i < kFiles; ++i) etad.files.write("/logs/" + std::to_string(i) + ".log", "one\n");
  etad.poll();
  EXPECT_EQ(etad.lines.size(), std::size_t{kFiles});
  EXPECT_LE(etad.files.most_open_handles(), 16 + 4);
  etad.poll(std::chrono::minutes(1));
  EXPECT_EQ(etad.files.open_handles(), 0) << "idle descriptors are closed";

  // Once backed off, a file costs one stat every ten seconds and nothing else.
  for (int i = 0; i < 10; ++i) etad.poll();
  etad.files.calls.clear();
  for (const SteadyTime end = etad.now + seconds(100); etad.now < end;) {
    EXPECT_TRUE(etad.follower->poll(etad.now, etad.wall, etad.budget).empty());
    etad.now = std::max(etad.follower->next_due(etad.now), etad.now + milliseconds(1));
  }
  EXPECT_LE(etad.files.calls["status"], kFiles * 15);
  EXPECT_GE(etad.files.calls["status"], kFiles * 9);
  EXPECT_EQ(etad.files.calls["open"], 0);
  EXPECT_LE(etad.files.calls["list"], 15);
}

// What others write is read after a part of the looks, and none of the names is forgotten.
TEST(Following, NamesWithoutEndHoldNobodysLinesUp) {
  Harness etad(watching("/logs/*.log"));
  constexpr int kNames = 1000;
  for (int i = 0; i < kNames; ++i) etad.files.write("/logs/" + std::to_string(i) + ".log", "");
  etad.poll();
  etad.now += seconds(11);
  etad.files.calls.clear();
  static_cast<void>(etad.follower->poll(etad.now, etad.wall, std::size_t{1} << 20));
  EXPECT_GT(etad.files.calls["status"], 0);
  EXPECT_LT(etad.files.calls["status"], kNames / 2);
  EXPECT_LE(etad.follower->next_due(etad.now), etad.now) << "it goes on at once";
  for (int i = 0; i < kNames; ++i) etad.files.write("/logs/" + std::to_string(i) + ".log", "a line\n");
  etad.poll();
  EXPECT_EQ(etad.lines.size(), std::size_t{kNames});
}

// Of one user no more files are followed, over a restart as well, until others of theirs are gone; another's are.
TEST(Following, OneUsersNamesAreNotFollowedWithoutEnd) {
  Options options;
  options.most_of_owner = 2;
  options.forget_after = minutes(1);
  Harness etad(watching("/logs/*.log"), options);
  const auto write = [&](const std::string& path, const std::string& text, std::int64_t owner) {
    etad.files.write(path, text);
    etad.files.file(path)->owner = owner;
  };
  for (const char* name : {"/logs/ada-1.log", "/logs/ada-2.log", "/logs/ada-3.log", "/logs/ada-4.log"})
    write(name, name + std::string("\n"), 1001);
  write("/logs/bob.log", "bob\n", 1002);
  etad.poll();
  EXPECT_THAT(etad.lines, UnorderedElementsAre("/logs/ada-1.log", "/logs/ada-2.log", "bob"));
  EXPECT_THAT(etad.follower->lookup().refused, ElementsAre("user 1001: 2 files"));

  etad.restart();
  write("/logs/eve.log", "eve\n", 1003);
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 4U) << "Eve's is one more, Ada's are as many as before";
  EXPECT_THAT(etad.follower->lookup().refused, ElementsAre("user 1001: 2 files"));

  etad.files.remove("/logs/ada-1.log");
  for (int i = 0; i < 4; ++i) etad.poll(minutes(2));
  EXPECT_THAT(etad.lines_of["/logs/ada-3.log"], ElementsAre("/logs/ada-3.log"));
  EXPECT_THAT(etad.follower->lookup().refused, ElementsAre("user 1001: 1 file"));
}

TEST(Following, WhatIsNamedInFullIsFollowedWhoeverHasTooManyFiles) {
  Options options;
  options.most_of_owner = 1;
  Harness etad({{"/logs/*.log", 0, false}, {"/other/named.log", 0, false}}, options);
  for (const char* path : {"/logs/a.log", "/other/named.log"}) {
    etad.files.write(path, "a line\n");
    etad.files.file(path)->owner = 1001;
  }
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 2U);
}

TEST(Following, AReloadDropsWhatIsNoLongerWatched) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write("/logs/a.log", "a\n");
  etad.files.write("/other/b.log", "b\n");
  etad.poll();
  etad.follower->set_watches({{"/other/*.log", 7, false}});
  etad.files.write("/logs/a.log", "unseen\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("a", "b"));
  ASSERT_EQ(etad.follower->statuses().size(), 1U);
  EXPECT_EQ(etad.follower->statuses()[0].tag, 7U);
}

}  // namespace
}  // namespace etad::follow
