// A file that has been read to its end and was closed is kept as where it stands (followed.h). Whatever comes next is
// read as if it had been followed all the while.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool is_at_rest(const Harness& etad) {
  return etad.follower->statuses(false).empty() && etad.follower->size() == 1;
}

// More than a kilobyte, so that its content is known from others'.
const std::string kHeader = std::string(1500, '#') + "\n";

void bring_to_rest(Harness& etad) {
  etad.files.write(kLog, kHeader + "one\n");
  for (int i = 0; i < 4; ++i) etad.poll();
  ASSERT_TRUE(is_at_rest(etad));
  etad.lines.clear();
}

struct Next {
  const char* name;
  std::function<void(FakeFileSystem&)> happens;
  std::vector<std::string> read;
};

class AtRest : public testing::TestWithParam<Next> {};

TEST_P(AtRest, WhatComesNextIsReadOnce) {
  Harness etad(watching("/logs/*.log"));
  bring_to_rest(etad);
  GetParam().happens(etad.files);
  for (int i = 0; i < 4; ++i) etad.poll();
  SCOPED_TRACE(GetParam().name);
  EXPECT_EQ(etad.lines, GetParam().read);
  EXPECT_EQ(etad.lost, 0);
  etad.restart();
  for (int i = 0; i < 4; ++i) etad.poll();
  EXPECT_EQ(etad.lines, GetParam().read) << "nor after a restart";
}

INSTANTIATE_TEST_SUITE_P(
    Follow, AtRest,
    testing::Values(Next{"growth", [](FakeFileSystem& files) { files.write(kLog, "two\n"); }, {"two"}},
                    Next{"half a line, and the rest",
                         [](FakeFileSystem& files) {
                           files.write(kLog, "tw");
                           files.write(kLog, "o\n");
                         },
                         {"two"}},
                    Next{"a rotation",
                         [](FakeFileSystem& files) {
                           files.write(kLog, "two\n");
                           files.rename(kLog, kRotated);
                           files.write(kLog, "three\n");
                         },
                         {"two", "three"}},
                    Next{"two rotations",
                         [](FakeFileSystem& files) {
                           files.write(kLog, "two\n");
                           files.rename(kLog, "/logs/train.log.2");
                           files.write(kRotated, "three\n");
                           files.write(kLog, "four\n");
                         },
                         {"two", "three", "four"}},
                    Next{"copied and truncated",
                         [](FakeFileSystem& files) {
                           files.write(kLog, "two\n");
                           files.copy(kLog, kRotated);
                           files.truncate(kLog);
                           files.write(kLog, "three\n");
                         },
                         {"two", "three"}},
                    Next{"replaced by a longer copy of itself",
                         [](FakeFileSystem& files) { files.create(kLog, kHeader + "one\ntwo\n"); },
                         {"two"}},
                    Next{"emptied where it lies, and written anew",
                         [](FakeFileSystem& files) {
                           files.truncate(kLog);
                           files.write(kLog, "two\n");
                         },
                         {"two"}},
                    Next{"deleted, and another made",
                         [](FakeFileSystem& files) {
                           files.remove(kLog);
                           files.write(kLog, "two\n");
                         },
                         {"two"}},
                    Next{"renamed to another followed name",
                         [](FakeFileSystem& files) {
                           files.rename(kLog, kOther);
                           files.write(kOther, "two\n");
                         },
                         {"two"}}));

TEST(AtRest, NothingIsHandedOutForAFileThatOnlyGoesOn) {
  Harness etad(watching("/logs/*.log"));
  bring_to_rest(etad);
  etad.files.write(kLog, "half of a line");
  etad.now += seconds(61);
  EXPECT_THAT(etad.follower->poll(etad.now, etad.wall, etad.budget), IsEmpty());
  EXPECT_FALSE(is_at_rest(etad)) << "there is something unread";
}

TEST(AtRest, WhereItStandsIsAskedForAsBefore) {
  Harness etad(watching("/logs/*.log"));
  bring_to_rest(etad);
  const Status status = etad.follower->statuses().at(0);
  EXPECT_EQ(status.path, kLog);
  EXPECT_EQ(status.state, State::following);
  EXPECT_EQ(status.text, "following");
  EXPECT_EQ(status.offset, static_cast<std::int64_t>(kHeader.size() + 4));
  EXPECT_EQ(status.size, status.offset);
  EXPECT_TRUE(status.caught_up);
}

TEST(AtRest, ALookOpensNothing) {
  Harness etad(watching("/logs/*.log"));
  bring_to_rest(etad);
  etad.now += seconds(11);
  for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, etad.budget)) etad.commit(batch);
  etad.files.calls.clear();
  etad.now += seconds(11);
  EXPECT_THAT(etad.follower->poll(etad.now, etad.wall, etad.budget), IsEmpty());
  EXPECT_EQ(etad.files.calls["open"], 0);
}

TEST(AtRest, NorDoesAScanThatFindsASecondNameOfTheFile) {
  Harness etad(watching("/logs/*.log"));
  bring_to_rest(etad);
  etad.files.hard_link(kLog, "/logs/same.log");
  for (int scan = 0; scan < 3; ++scan) etad.poll();
  etad.files.calls.clear();
  etad.poll();
  EXPECT_GT(etad.files.calls["list"], 0);
  EXPECT_EQ(etad.files.calls["open"], 0);
}

TEST(AtRest, AFailingCommitOfWhatCameNextReadsThatAgain) {
  Harness etad(watching("/logs/*.log"));
  bring_to_rest(etad);
  etad.files.write(kLog, "two\n");
  EXPECT_EQ(etad.poll_and_fail().size(), 1U);
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("two"));
}

TEST(AtRest, AReloadTellsWhichSourceItIsOfNow) {
  Harness etad(watching("/logs/*.log"));
  bring_to_rest(etad);
  etad.follower->set_watches({{"/logs/*.log", 7, false}});
  EXPECT_EQ(etad.follower->statuses().at(0).tag, 7U);
  etad.files.write(kLog, "two\n");
  etad.now += seconds(61);
  const auto batches = etad.follower->poll(etad.now, etad.wall, etad.budget);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(batches[0].tag, 7U);
}

}  // namespace
}  // namespace etad::follow
