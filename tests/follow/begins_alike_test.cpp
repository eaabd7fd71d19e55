// Files that begin as what was read of a log's file, or are alike: which of them holds it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;

// Found as simulation seed 61092663, where what had been read was the beginning of a line.
TEST(BeginsAlike, WhatWasWrittenBeforeALaterFileThatBeginsAsOursIsRead) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "a header\n");
  etad.poll();
  etad.stop();
  etad.files.create(kLog, "one\n");
  etad.files.rename(kLog, "/logs/train.log.2");
  etad.files.write(kRotated, "a header\ntwo\n");
  etad.files.write(kLog, "three\n");
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("a header", "one", "a header", "two", "three"));
}

TEST(BeginsAlike, ACompressedFileGoesOnBeforeAPlainOneOfLater) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "a header\n");
  etad.poll();
  etad.stop();
  etad.files.write(kLog, "one\n");
  etad.files.gzip(kLog, "/logs/train.log.2.gz");
  etad.files.create(kLog, "a header\ntwo\n");
  etad.files.rename(kLog, kRotated);
  etad.files.write(kLog, "three\n");
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("a header", "one", "a header", "two", "three"));
}

// logback renames it first, to a name that no rotated file has.
TEST(BeginsAlike, AFileIsKnownInItsCompressedFormWhileItLiesThereUnderAnyName) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.rename(kLog, "/logs/train.log4711.tmp");
  etad.files.write(kLog, "two\n");
  etad.poll();
  etad.files.create("/logs/train.2026-07-11.1.log.gz", gzipped("one\n"));
  etad.files.rename(kLog, "/logs/train.log4712.tmp");
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

}  // namespace
}  // namespace etad::follow
