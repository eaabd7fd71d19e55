// Files that begin as what was read of a log's file, or are alike: which of them holds it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

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

// `cp -a exp exp_backup`: it is read where it lies, whether or not it goes on there.
TEST(BeginsAlike, ACopyWithItsOriginalsTimeIsNoLogOfItsOwn) {
  const std::string begun = std::string(2000, 'a');
  for (const bool renamed : {false, true})
    for (const bool grows : {false, true}) {
      Harness etad(watching("/logs/*.log"));
      etad.files.write(kLog, begun + "\none\n");
      etad.poll();
      const std::string log = renamed ? "/logs/exp7.log" : kLog;
      if (renamed) etad.files.rename(kLog, log);
      if (renamed) etad.poll();
      etad.files.replace("/logs/copy.log", begun + "\none\n", etad.files.file(log)->modified);
      if (grows) etad.files.write(log, "two\n");
      etad.poll();
      etad.stop();
      etad.start();
      etad.poll();
      std::vector<std::string> written = {begun, "one"};
      if (grows) written.emplace_back("two");
      EXPECT_EQ(etad.lines, written);
    }
}

// `cp -a` makes a file, writes it and gives it its original's time last; a look may come between any two of these. One
// that gets no such time is another log.
TEST(BeginsAlike, ACopyThatIsBeingMadeIsNoLogOfItsOwnYet) {
  const std::string begun(2000, 'a');
  for (const bool gets_its_time : {true, false}) {
    Harness etad(watching("/logs/*.log"));
    const auto pass = [&etad](std::chrono::seconds time) {
      etad.wall += time;
      etad.files.set_clock(etad.wall);
    };
    pass(std::chrono::seconds(0));
    etad.files.write(kLog, begun + "\none\n");
    etad.poll();
    pass(std::chrono::seconds(60));
    for (const std::string& written : {std::string(), begun + "\n", std::string("one\n")}) {
      etad.files.write("/logs/copy.log", written);
      for (int look = 0; look < 3; ++look) etad.look_once();
    }
    EXPECT_THAT(etad.lines, ElementsAre(begun, "one"));
    if (gets_its_time) etad.files.file("/logs/copy.log")->modified = etad.files.file(kLog)->modified;
    pass(std::chrono::seconds(5));
    etad.poll();
    EXPECT_EQ(etad.lines.size(), gets_its_time ? 2 : 4);
  }
}

TEST(BeginsAlike, OfAnotherTimeTheSameLinesAreAnotherRuns) {
  const std::string begun = std::string(2000, 'a');
  for (const int seconds : {-5, 5}) {
    Harness etad(watching("/logs/*.log"));
    etad.files.write(kLog, begun + "\none\n");
    etad.poll();
    etad.files.replace("/logs/other.log", begun + "\none\n",
                       etad.files.file(kLog)->modified + std::chrono::seconds(seconds));
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre(begun, "one", begun, "one")) << seconds;
  }
}

}  // namespace
}  // namespace etad::follow
