// Users who name, copy or link their own files so that they pass for another's log: that log stays its owner's, and is
// read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr std::int64_t kRoot = 0, kAda = 1001, kBen = 1002;
constexpr const char* kAlices = "/alice/train.log";
constexpr const char* kBobs = "/bob/train.log";

// Longer than what a file is known by.
const std::string kLong(2000, 'a');

std::vector<Watch> followed() {
  return {{"/logs/*.log*", 0, false},
          {"/alice/*.log*", 0, false},
          {"/bob/*.log*", 0, false},
          {"/root/*.log*", 0, false}};
}

class FollowingOtherOwners : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text, std::int64_t owner) {
    etad_.files.write(path, text);
    etad_.files.file(path)->owner = owner;
  }
  const std::vector<std::string>& lines_of(const std::string& path) { return etad_.lines_of[path]; }

  Harness etad_{followed()};
};

TEST_F(FollowingOtherOwners, ANameHidesNobodysLog) {
  write(kLog, "alice's\n", kAda);
  etad_.poll();
  write("/logs/train.log.1", "one\n", kBen);
  write("/logs/train.log-20260711", "two\n", kBen);
  write("/logs/train.log.2", "rotated\n", kAda);
  etad_.poll();
  EXPECT_THAT(lines_of("/logs/train.log.1"), ElementsAre("one"));
  EXPECT_THAT(lines_of("/logs/train.log-20260711"), ElementsAre("two"));
  EXPECT_THAT(etad_.lines, UnorderedElementsAre("alice's", "one", "two"));
}

TEST_F(FollowingOtherOwners, NorDoesOneThatCameFirst) {
  write(kLog, "", kAda);
  write("/logs/train.log.1", "one\n", kBen);
  write("/root/train.log", "", kRoot);
  write("/root/train.log.1", "two\n", kBen);
  etad_.poll();
  EXPECT_THAT(etad_.lines, UnorderedElementsAre("one", "two"));
}

TEST_F(FollowingOtherOwners, NorNumbersWithin) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, "alice's\n");
  etad.files.file(kLog)->owner = kAda;
  etad.poll();
  etad.files.rename(kLog, "/logs/train.2.log");
  etad.files.write("/logs/train.1.log", "bob's\n");
  etad.files.file("/logs/train.1.log")->owner = kBen;
  etad.poll();
  EXPECT_THAT(etad.lines_of["/logs/train.1.log"], ElementsAre("bob's"));
}

TEST_F(FollowingOtherOwners, ACopyOfAGoneLogIsItsCopiers) {
  write(kAlices, kLong + "\n", kAda);
  etad_.poll();
  etad_.files.rename(kAlices, "/away/train");
  etad_.poll();
  for (const bool restarted : {false, true}) {
    if (restarted) etad_.restart();
    const std::string copy = restarted ? "/bob/again.log" : kBobs;
    write(copy, kLong + "\nforged\n", kBen);
    etad_.poll();
    EXPECT_THAT(lines_of(kAlices), ElementsAre(kLong));
    EXPECT_THAT(lines_of(copy), ElementsAre(kLong, "forged"));
  }
}

TEST_F(FollowingOtherOwners, NorIsItTheGoneOneUnderItsOwnName) {
  write(kLog, kLong + "\n", kAda);
  etad_.poll();
  etad_.files.remove(kLog);
  etad_.poll();
  write(kLog, kLong + "\nforged\n", kBen);
  etad_.poll();
  EXPECT_THAT(etad_.lines, ElementsAre(kLong, kLong, "forged")) << "all of it is bob's";
  EXPECT_EQ(etad_.positions[kLog].owner, kBen);
  EXPECT_EQ(etad_.restarts, 1);
}

TEST_F(FollowingOtherOwners, WhatOthersPutAmongRotatedFilesIsNotRead) {
  write(kLog, "one\n", kAda);
  etad_.poll();
  etad_.stop();
  write(kLog, "two\n", kAda);
  etad_.files.rename(kLog, "/logs/train.log.2");
  write("/logs/train.log.1", "forged\n", kBen);
  write(kLog, "three\n", kAda);
  etad_.start();
  etad_.poll();
  EXPECT_THAT(lines_of(kLog), ElementsAre("one", "two", "three"));
  EXPECT_THAT(lines_of("/logs/train.log.1"), ElementsAre("forged"));
}

TEST_F(FollowingOtherOwners, WhatRootHasCopiedStaysItsOwners) {
  write(kLog, "one\n", kAda);
  etad_.poll();
  etad_.stop();
  write(kLog, "two\n", kAda);
  etad_.files.copy(kLog, kRotated);
  etad_.files.file(kRotated)->owner = kRoot;
  etad_.files.truncate(kLog);
  write(kLog, "three\n", kAda);
  etad_.start();
  etad_.poll();
  EXPECT_THAT(lines_of(kLog), ElementsAre("one", "two", "three"));
  etad_.files.rename(kLog, "/logs/train.log.2");
  write(kLog, "four\n", kAda);
  etad_.restart();
  etad_.poll();
  EXPECT_THAT(lines_of(kLog), ElementsAre("one", "two", "three", "four"));
}

TEST_F(FollowingOtherOwners, WhoHasReadTheSameBeforeHidesNothing) {
  write(kBobs, kLong + "\ntwo\n", kBen);
  write(kLog, kLong + "\n", kAda);
  etad_.poll();
  etad_.files.rename(kBobs, "/bob/train.log.1");
  write(kBobs, "next\n", kBen);
  etad_.poll();
  ASSERT_EQ(etad_.ended, 1);
  etad_.restart();
  write(kLog, "two\n", kAda);
  etad_.files.gzip(kLog, "/logs/train.log.1.gz");
  etad_.files.file("/logs/train.log.1.gz")->owner = kAda;
  etad_.files.create(kLog, "three\n");
  etad_.files.file(kLog)->owner = kAda;
  etad_.poll();
  EXPECT_THAT(lines_of(kLog), ElementsAre(kLong, "two", "three"));
}

TEST_F(FollowingOtherOwners, WhoHasManyThatBeginAlikeLetsNobodysCopiesCountAgain) {
  write(kAlices, kLong + "\n", kAda);
  etad_.poll();
  for (int i = 0; i < 70; ++i) write("/bob/" + std::to_string(i) + ".log", kLong + "\n", kBen);
  etad_.poll();
  ASSERT_EQ(etad_.lines.size(), 71U);
  etad_.files.copy(kAlices, "/alice/backup.log");
  const auto copy = etad_.files.file("/alice/backup.log");
  copy->owner = kAda;
  copy->modified = etad_.files.file(kAlices)->modified;
  etad_.poll();
  EXPECT_EQ(etad_.lines.size(), 71U);
}

TEST_F(FollowingOtherOwners, ALinkThatMayNotBeFollowedKeepsNobodyFromReading) {
  etad_.files.write("/data/real", "one\n");
  etad_.files.symlink("/data/real", kBobs);
  etad_.files.fail("open", kBobs, EPERM);
  etad_.poll();
  EXPECT_EQ(etad_.text_of(kBobs), "waiting: a link to what is not its owner's");
  etad_.files.symlink("/data/real", kAlices);
  etad_.poll();
  EXPECT_THAT(lines_of(kAlices), ElementsAre("one"));
}

TEST_F(FollowingOtherOwners, NorDoesALinkInThePlaceOfAFollowedFolder) {
  for (const bool followed_before : {false, true}) {
    Harness etad(followed());
    const auto write_bobs = [&](const std::string& text) {
      etad.files.write(kBobs, text);
      etad.files.file(kBobs)->owner = kBen;
    };
    etad.files.write(kAlices, "alice's\n");
    etad.files.file(kAlices)->owner = kAda;
    if (followed_before) write_bobs("one\n");
    etad.poll();
    etad.files.remove(kAlices);
    etad.files.link_folder("/bob", "/alice");
    etad.files.fail("open", kAlices, EPERM);
    etad.poll();
    if (followed_before) etad.files.rename(kBobs, "/bob/train.log.1");
    write_bobs("two\n");
    etad.poll();
    EXPECT_EQ(etad.lines_of[kBobs].size(), followed_before ? 2U : 1U);
  }
}

TEST_F(FollowingOtherOwners, NorDoesOneOfTwoThatLeadToAFolderThatIsNotFollowed) {
  etad_.files.link_folder("/data", "/alice");
  etad_.files.link_folder("/data", "/bob");
  etad_.files.fail("open", kAlices, EPERM);
  etad_.poll();
  etad_.files.write("/data/train.log", "one\n");
  etad_.poll();
  etad_.poll();
  EXPECT_THAT(lines_of(kBobs), ElementsAre("one"));
}

TEST_F(FollowingOtherOwners, NorDoesASecondNameOfTheFile) {
  for (const bool followed_before : {false, true}) {
    Harness etad(followed());
    if (followed_before) etad.files.write(kAlices, "alice's\n");
    etad.poll();
    etad.files.write(kBobs, "one\n");
    etad.files.file(kBobs)->owner = kBen;
    etad.files.hard_link(kBobs, kAlices);
    etad.files.fail("open", kAlices, EPERM);
    etad.poll();
    etad.poll();
    EXPECT_THAT(etad.lines_of[kBobs], ElementsAre("one")) << followed_before;
  }
}

TEST_F(FollowingOtherOwners, NorDoesItTakeTheKernelsHintsAway) {
  Harness etad(followed());
  etad.with_hints = true;
  etad.restart();
  etad.files.write("/data/real", "one\n");
  etad.files.symlink("/data/real", kAlices);
  for (int i = 0; i < 10; ++i) etad.poll();
  etad.files.symlink("/data/real", kBobs);
  etad.files.fail("open", kBobs, EPERM);
  for (int i = 0; i < 10; ++i) etad.poll();
  etad.files.remove(kBobs);
  for (int i = 0; i < 10; ++i) etad.poll();
  etad.files.write("/data/real", "two\n");
  etad.hints.pending.paths = {"/data/real"};
  etad.follower->on_hint(etad.now);
  etad.poll(std::chrono::milliseconds(10));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

}  // namespace
}  // namespace etad::follow
