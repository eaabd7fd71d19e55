// spdlog's rotated files, and logrotate's with `extension .log`: "train.1.log". Names that logs of their own have, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kFirstRotated = "/logs/train.1.log";
constexpr const char* kSecondRotated = "/logs/train.2.log";

void rotate_twice(FakeFileSystem& files) {
  files.write(kLog, "two\n");
  files.rename(kLog, kFirstRotated);
  files.write(kLog, "three\n");
  files.rename(kFirstRotated, kSecondRotated);
  files.rename(kLog, kFirstRotated);
  files.write(kLog, "four\n");
}

class NumberedWithin : public ::testing::TestWithParam<const char*> {};

TEST_P(NumberedWithin, WhatWasRotatedTwiceWhileDownIsReadByTheLogsOwnSource) {
  Harness etad(watching(GetParam()));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.stop();
  rotate_twice(etad.files);
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines_of[kLog], ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(etad.lines_of[kFirstRotated], IsEmpty());
}

TEST_P(NumberedWithin, CompressedOnesToo) {
  const std::string one(2000, 'x');
  Harness etad(watching(GetParam()));
  etad.files.write(kLog, one + "\n");
  etad.poll();
  etad.stop();
  rotate_twice(etad.files);
  etad.files.gzip(kSecondRotated, "/logs/train.2.log.gz");
  etad.files.remove(kSecondRotated);
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, UnorderedElementsAre(one, "two", "three", "four"));
}

// logrotate's `extension .log`, `compress`, `delaycompress`: at each rotation another file lies under the same name.
TEST(NumberedWithin, ThoseThatAreCompressedOneRotationLaterAreReadOnce) {
  Harness etad(watching("/logs/*"));
  etad.files.set_clock(etad.wall);
  int lines = 0;
  for (int rotation = 0; rotation < 6; ++rotation) {
    etad.files.write(kLog, text_of(numbered(lines, lines + 200)));
    lines += 200;
    etad.poll();
    for (int number = rotation; number > 1; --number) {
      const std::string from = "/logs/train." + std::to_string(number) + ".log.gz";
      if (etad.files.exists(from))
        etad.files.rename(from, "/logs/train." + std::to_string(number + 1) + ".log.gz");
    }
    if (etad.files.exists(kFirstRotated)) {
      etad.files.gzip(kFirstRotated, "/logs/train.2.log.gz");
      etad.files.remove(kFirstRotated);
    }
    etad.files.rename(kLog, kFirstRotated);
    etad.files.create(kLog);
    etad.poll();
    etad.wall += std::chrono::minutes(5);
    etad.files.set_clock(etad.wall);
    etad.poll();
    EXPECT_THAT(etad.lines, SizeIs(lines)) << "rotation " << rotation;
  }
}

INSTANTIATE_TEST_SUITE_P(All, NumberedWithin, ::testing::Values(kLog, "/logs/train*.log"));

TEST(NumberedWithin, AreLogsOfTheirOwnWhereNoneWasTheLogs) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.write(kFirstRotated, "other\n");
  etad.files.write(kLog, "two\n");
  etad.poll();
  etad.files.create(kLog, "three\n");
  etad.files.write(kFirstRotated, "another\n");
  etad.poll();
  EXPECT_THAT(etad.lines_of[kLog], ElementsAre("one", "two", "three"));
  EXPECT_THAT(etad.lines_of[kFirstRotated], ElementsAre("other", "another"));
}

TEST(NumberedWithin, AreNotReadAsTheLogsWhereTheyAreFollowedByNobody) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.create(kLog, "two\n");
  etad.files.write(kFirstRotated, "other\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

}  // namespace
}  // namespace etad::follow
