// Rotated files that are put into another folder: logrotate's `olddir`, a script's `mv`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr const char* kOld = "/logs/old/train.log.1";
constexpr const char* kOlder = "/logs/old/train.log.2";
constexpr const char* kAway = "/srv/old/train.log.1";

std::vector<Watch> rotated_in(const std::string& folder, const std::string& pattern = kLog) {
  Watch watch{pattern, 0, false};
  watch.rotated_in = {folder};
  return {watch};
}

// That has read the log's first lines.
struct HasRead : Harness {
  HasRead(std::vector<Watch> watches, int count) : Harness(std::move(watches)) {
    files.write(kLog, follow::text_of(numbered(0, count)));
    poll();
  }
};

void rotate(FakeFileSystem& files) {
  if (files.exists(kOld)) files.rename(kOld, kOlder);
  files.rename(kLog, kOld);
}

void write_and_rotate(FakeFileSystem& files, int from, int to) {
  files.write(kLog, text_of(numbered(from, to)));
  rotate(files);
}

TEST(Folders, WhatWasRotatedIntoAFolderBelowWhileDownIsReadOn) {
  HasRead etad(watching(kLog), 3);
  etad.stop();
  write_and_rotate(etad.files, 3, 5);
  write_and_rotate(etad.files, 5, 7);
  etad.files.write(kLog, text_of(numbered(7, 9)));
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 9)));
  EXPECT_EQ(etad.lost, 0);
}

TEST(Folders, OfTwoRotationsBetweenTwoLooksBothFilesAreRead) {
  for (const auto close_after : {std::chrono::milliseconds(0), std::chrono::milliseconds(1'000'000)}) {
    Options options;
    options.close_after = close_after;
    Harness etad(watching(kLog), options);
    etad.files.write(kLog, text_of(numbered(0, 3)));
    etad.poll();
    for (int i = 3; i < 23; i += 4) {
      write_and_rotate(etad.files, i, i + 1);
      etad.files.write(kLog, text_of(numbered(i + 1, i + 3)));
      rotate(etad.files);
      etad.files.write(kLog, text_of(numbered(i + 3, i + 4)));
      etad.poll();
    }
    EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 23)));
  }
}

TEST(Folders, WhatWasCompressedThereIsReadOn) {
  HasRead etad(watching(kLog), 300);
  etad.stop();
  write_and_rotate(etad.files, 300, 305);
  write_and_rotate(etad.files, 305, 307);
  etad.files.gzip(kOlder, "/logs/old/train.log.2.gz");
  etad.files.remove(kOlder);
  etad.files.write(kLog, text_of(numbered(307, 309)));
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 309)));
  etad.files.gzip(kOld, "/logs/old/train.log.1.gz");
  etad.files.remove(kOld);
  etad.poll();
  etad.restart();
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 309U);
}

TEST(Folders, ACopyThereOfWhatWasTruncatedIsReadOn) {
  HasRead etad(watching(kLog), 3);
  etad.files.write(kLog, text_of(numbered(3, 5)));
  etad.files.copy(kLog, kOld);
  etad.files.truncate(kLog);
  etad.files.write(kLog, text_of(numbered(5, 7)));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 7)));
  EXPECT_EQ(etad.lost, 0);
}

TEST(Folders, AFileThatWasBegunOnlyIsFoundThereToo) {
  Harness etad(watching(kLog));
  etad.files.create(kLog);
  etad.poll();
  etad.stop();
  write_and_rotate(etad.files, 0, 3);
  etad.files.write(kLog, text_of(numbered(3, 5)));
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 5)));
}

TEST(Folders, AFinishedFileThereTellsThatLaterOnesLieThere) {
  for (const bool compressed : {false, true}) {
    HasRead etad(watching(kLog), 300);
    rotate(etad.files);
    etad.files.write(kLog, text_of(numbered(300, 303)));
    etad.poll();
    if (compressed) {
      etad.files.gzip(kOld, "/logs/old/train.log.2.gz");
      etad.files.remove(kOld);
    }
    etad.stop();
    etad.files.remove(kLog);  // what was read last is nowhere any more
    write_and_rotate(etad.files, 303, 305);
    etad.files.write(kLog, text_of(numbered(305, 307)));
    etad.start();
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 307)));
  }
}

// Emptied, and rotated twice before a byte of what came next was read: nothing that lies there was read before.
struct Emptied : HasRead {
  explicit Emptied(bool seen, std::vector<Watch> watches = watching(kLog)) : HasRead(std::move(watches), 3) {
    files.truncate(kLog);
    if (seen) poll();
    stop();
    write_and_rotate(files, 3, 5);
    write_and_rotate(files, 5, 7);
    files.gzip(kOlder, "/logs/old/train.log.2.gz");
    files.remove(kOlder);
    files.write(kLog, follow::text_of(numbered(7, 9)));
  }
};

TEST(Folders, WhatWasWrittenAfterATruncationIsReadThere) {
  for (const bool seen : {false, true}) {
    Emptied etad(seen);
    etad.start();
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 9))) << seen;
    EXPECT_EQ(etad.lost, 0);
  }
}

TEST(Folders, AndReadOnceWhereAPatternFindsItToo) {
  for (const bool seen : {false, true}) {
    Emptied etad(seen, watching("/logs/**/train.log*"));
    etad.start();
    etad.poll();
    etad.restart();
    etad.poll();
    EXPECT_THAT(etad.lines, ::testing::UnorderedElementsAreArray(numbered(0, 9))) << seen;
  }
}

TEST(Folders, OfTwoThatMayHoldItNeitherIsBelievedTo) {
  Emptied etad(false);
  etad.files.write("/logs/run/train.log.1", "another's\n");
  etad.start();
  etad.poll();
  std::vector<std::string> expected = numbered(0, 3);
  expected.insert(expected.end(), {"line 7", "line 8"});
  EXPECT_THAT(etad.lines, ElementsAreArray(expected));
}

TEST(Folders, NorIsWhatLayThereBefore) {
  Harness etad(watching(kLog));
  etad.files.write(kOld, "another's\n");
  etad.files.write(kLog, text_of(numbered(0, 3)));
  etad.poll();
  etad.stop();
  etad.files.remove(kLog);
  etad.files.write(kLog, "new\n");
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("line 0", "line 1", "line 2", "new"));
}

TEST(Folders, WhatIsBeingCompressedThereIsReadOnce) {
  for (const bool births : {true, false}) {
    for (const bool fails : {false, true}) {
      Harness etad(watching(kLog));
      etad.files.births = births;
      etad.files.write(kLog, text_of(numbered(0, 300)));
      etad.poll();
      etad.stop();
      rotate(etad.files);
      etad.files.gzip(kOld, "/logs/old/train.log.1.gz");
      etad.files.write(kLog, text_of(numbered(300, 303)));
      etad.start();
      if (fails) etad.poll_and_fail();
      etad.poll();
      EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 303))) << births << fails;
    }
  }
}

TEST(Folders, ASecondNameBesideThePathHidesNothing) {
  HasRead etad(watching(kLog), 3);
  etad.stop();
  etad.files.hard_link(kLog, "/logs/same");
  rotate(etad.files);
  write_and_rotate(etad.files, 3, 5);
  etad.files.write(kLog, text_of(numbered(5, 7)));
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 7)));
}

TEST(Folders, AFileMovedBelowUnderItsOwnNameIsReadToItsEnd) {
  HasRead etad(watching(kLog), 3);
  etad.stop();
  etad.files.write(kLog, text_of(numbered(3, 5)));
  etad.files.rename(kLog, "/logs/2026-07-11/train.log");
  etad.files.write(kLog, text_of(numbered(5, 7)));
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 7)));
}

// Its folder was renamed, and its last line is half written: after a restart it is found where it lies now, and the half
// line is not told as lost before the rest comes.
TEST(Folders, OfAMovedLogARestartTellsNoLoss) {
  Harness etad(watching("/logs/**/*"));
  etad.files.write("/logs/run/train.log", text_of(numbered(0, 300)));
  etad.poll();
  etad.files.rename("/logs/run/train.log", "/logs/exp/train.log");
  etad.poll();
  etad.files.write("/logs/exp/train.log", "whole\nha");
  etad.poll();
  for (int restart = 0; restart < 2; ++restart) {
    etad.restart();
    etad.poll();
    EXPECT_EQ(etad.lost, 0);
  }
  etad.files.write("/logs/exp/train.log", "lf\n");
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 302);
  EXPECT_EQ(etad.lines.back(), "half");
}

TEST(Folders, WhatLiesBelowWithALogOfItsOwnIsNotOurs) {
  HasRead etad(watching(kLog), 300);
  etad.stop();
  etad.files.write("/logs/run/train.log", "another\n");
  etad.files.write("/logs/run/train.log.2", text_of(numbered(0, 300)) + "another's\n");
  etad.files.write("/logs/run/train.log.1", "another's, too\n");
  etad.files.remove(kLog);
  etad.files.write(kLog, "new\n");
  etad.start();
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 301U);
  EXPECT_EQ(etad.lines.back(), "new");
}

TEST(Folders, AFolderOfSomebodyElseIsNotAsked) {
  HasRead etad(watching(kLog), 300);
  etad.stop();
  etad.files.write("/logs/mallory/train.log.1", text_of(numbered(0, 300)) + "forged\n");
  etad.files.owners["/logs"] = 0;
  etad.files.owners["/logs/mallory"] = 1001;
  etad.files.remove(kLog);
  etad.files.write(kLog, "new\n");
  etad.start();
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 301U);
}

TEST(Folders, ANamedOneIsAskedWhereverItLies) {
  for (const bool born : {true, false}) {
    Harness etad(rotated_in("/srv/old"));
    etad.files.births = born;
    etad.files.write(kLog, text_of(numbered(0, 3)));
    etad.poll();
    etad.stop();
    etad.files.write(kLog, text_of(numbered(3, 5)));
    etad.files.rename(kLog, "/srv/old/train.log.2");
    etad.files.write(kLog, text_of(numbered(5, 7)));
    etad.files.rename(kLog, kAway);
    etad.files.write(kLog, text_of(numbered(7, 9)));
    etad.start();
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 9)));
  }
}

TEST(Folders, ANamedOneHoldsWhatIsReadFirst) {
  Watch watch = rotated_in("old").front();
  watch.read_rotated = true;
  Harness etad({watch});
  etad.files.write(kOld, text_of(numbered(2, 4)));
  etad.files.gzip(kOld, "/logs/old/train.log.1.gz");
  etad.files.remove(kOld);
  etad.files.write(kOlder, text_of(numbered(0, 2)));
  etad.files.write(kLog, text_of(numbered(4, 6)));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 6)));
}

TEST(Folders, ANamedOneThatIsTheLogsOwnChangesNothing) {
  HasRead etad(rotated_in("/logs"), 3);
  etad.stop();
  for (int i = 3; i < 9; i += 2) {
    etad.files.write(kLog, text_of(numbered(i, i + 2)));
    if (etad.files.exists(kRotated)) etad.files.rename(kRotated, "/logs/train.log.2");
    etad.files.rename(kLog, kRotated);
  }
  etad.files.write(kLog, text_of(numbered(9, 11)));
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("line 0", "line 1", "line 2", "line 5", "line 6", "line 7", "line 8",
                                      "line 9", "line 10"));  // of the first only two were kept
}

TEST(Folders, WhatAPatternFindsThereIsReadOnce) {
  for (const bool named : {false, true}) {
    Watch log{"/logs/*.log", 0, false};
    if (named) log.rotated_in = {"old"};
    Harness etad({log, {"/logs/old/*", 1, false}});
    etad.files.write(kLog, text_of(numbered(0, 300)));
    etad.files.write("/logs/old/other.txt", "another log\n");
    etad.poll();
    for (int i = 300; i < 340; i += 4) {
      const bool down = i % 8 == 0;
      if (down) etad.stop();
      write_and_rotate(etad.files, i, i + 1);
      etad.files.write(kLog, text_of(numbered(i + 1, i + 3)));
      rotate(etad.files);
      etad.files.write(kLog, text_of(numbered(i + 3, i + 4)));
      if (down) etad.start();
      etad.poll();
      etad.poll();
    }
    std::vector<std::string> expected = numbered(0, 340);
    expected.push_back("another log");
    EXPECT_THAT(etad.lines, ::testing::UnorderedElementsAreArray(expected)) << named;
    if (named) {
      EXPECT_THAT(etad.lines_of[kLog], ElementsAreArray(numbered(0, 340)));
    }
  }
}

// By copying and cutting, and whoever scans sees the copy before anybody has looked at the log.
TEST(Folders, ACopyThereThatAPatternFindsIsReadOnce) {
  for (const bool down : {false, true}) {
    Harness etad({{"/logs/**/*", 0, false}});
    etad.files.set_clock(etad.wall);
    for (int from = 0; from < 1000; from += 250) {
      etad.files.write(kLog, text_of(numbered(from, from + 240)));
      etad.poll();
      if (down) etad.stop();
      etad.files.write(kLog, text_of(numbered(from + 240, from + 250)));
      etad.files.copy(kLog, "/logs/old/train.log-" + std::to_string(20261101 + from / 250));
      etad.files.truncate(kLog);
      etad.wall += std::chrono::minutes(5);
      etad.files.set_clock(etad.wall);
      if (down) etad.start();
    }
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 1000))) << down;
  }
}

TEST(Folders, AnErrorThatPassesIsAskedAgain) {
  for (const char* call : {"list", "status"}) {
    HasRead etad(watching(kLog), 3);
    etad.stop();
    write_and_rotate(etad.files, 3, 5);
    etad.files.write(kLog, text_of(numbered(5, 7)));
    etad.files.fail(call, "/logs/old", EIO, 5);
    etad.start();
    for (int i = 0; i < 12; ++i) etad.poll();
    EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 7))) << call;
  }
}

TEST(Folders, ManyBelowAreNotAsked) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, text_of(numbered(0, 3)));
  for (int i = 0; i < 100; ++i) etad.files.write("/logs/run" + std::to_string(i) + "/checkpoint", "");
  etad.poll();
  etad.files.rename(kLog, kRotated);
  etad.files.write(kLog, text_of(numbered(3, 5)));
  etad.files.calls.clear();
  etad.poll();
  EXPECT_LT(etad.files.calls["list"], 20);
  EXPECT_THAT(etad.lines, ElementsAreArray(numbered(0, 5)));
}

}  // namespace
}  // namespace etad::follow
