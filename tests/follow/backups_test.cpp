// Programs that write a log anew: beside a backup, as editors, `sed -i.bak` and `rsync -b` do; or where it lies, as
// pandas' to_csv, cp and vim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

// A log of 200 lines that were read, as an editor leaves it before it writes it anew.
void put_aside(Harness& etad) {
  etad.files.write(kLog, text_of(numbered(0, 200)));
  etad.poll();
  etad.files.rename(kLog, "/logs/train.log~");
}

TEST(Backups, AnEditorThatRenamesWritesAndDeletesIsReadOn) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\ntwo\n");
  etad.poll();
  etad.files.rename(kLog, "/logs/train.log~");
  etad.files.create(kLog, "one\ntwo\nthree\n");
  etad.files.remove("/logs/train.log~");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

// Whoever looks between its steps finds two files of one content, the old one under a backup's name.
TEST(Backups, AnEditorThatKeepsABackupIsReadOn) {
  for (const char* backup : {"/logs/train.log~", "/logs/train.log.~1~"}) {
    for (const bool running : {true, false}) {
      for (const bool births : {true, false}) {
        Harness etad(watching("/logs/*"));
        etad.files.births = births;
        etad.files.write(kLog, text_of(numbered(0, 200)));
        etad.poll();
        if (!running) etad.stop();
        etad.files.rename(kLog, backup);
        if (running) etad.poll();
        etad.files.create(kLog);
        if (running) etad.poll();
        etad.files.write(kLog, text_of(numbered(0, 201)));
        if (!running) etad.start();
        etad.poll();
        etad.files.write(kLog, text_of(numbered(201, 204)));
        etad.poll();
        EXPECT_EQ(etad.lines, numbered(0, 204)) << backup << running << births;
      }
    }
  }
}

TEST(Backups, ALogThatWasRenamedBeforeIsReadOn) {
  for (const char* backup : {"/logs/other.log~", "/logs/other.log.bak"}) {
    for (const bool running : {true, false}) {
      Harness etad(watching("/logs/*.log"));
      etad.files.write(kLog, text_of(numbered(0, 200)));
      etad.poll();
      etad.files.rename(kLog, kOther);
      etad.poll();
      if (!running) etad.stop();
      etad.files.write("/logs/.new", text_of(numbered(0, 200)));
      etad.files.rename(kOther, backup);
      etad.files.rename("/logs/.new", kOther);
      if (!running) etad.start();
      etad.poll();
      etad.files.write(kOther, text_of(numbered(200, 204)));
      etad.poll();
      EXPECT_EQ(etad.lines, numbered(0, 204)) << backup << running;
    }
  }
}

TEST(Backups, WhatAnEditorWroteAndWasRotatedSinceIsReadOn) {
  Harness etad(watching("/logs/*"));
  put_aside(etad);
  etad.files.write(kLog, text_of(numbered(0, 201)));
  etad.files.rename(kLog, kRotated);
  etad.files.write(kLog, "next\n");
  etad.poll();
  auto expected = numbered(0, 201);
  expected.emplace_back("next");
  EXPECT_EQ(etad.lines, expected);
}

TEST(Backups, WhatIsReplacedAndRotatedBesideABackupIsReadOn) {
  Harness etad(watching("/logs/*"));
  put_aside(etad);
  etad.files.write(kLog, text_of(numbered(0, 200)));
  etad.poll();
  etad.files.replace(kLog, text_of(numbered(0, 200)));
  const auto written = etad.files.file(kLog);
  etad.files.rename(kLog, "/logs/train.log-20260110");
  etad.poll();
  etad.files.write(written, text_of(numbered(200, 210)));
  etad.poll();
  etad.files.write(kLog, text_of(numbered(210, 220)));
  etad.poll();
  EXPECT_EQ(etad.lines, numbered(0, 220));
}

// What was written anew is found under another log's name, whose file lies under this one's.
TEST(Backups, ALogWrittenAnewBesideItsBackupAndThenSwappedWithAnotherIsReadOn) {
  for (const bool births : {true, false}) {
    Harness etad(watching("/logs/*.log"));
    etad.files.births = births;
    put_aside(etad);
    etad.files.write(kOther, text_of(numbered(1000, 1300)));
    etad.poll();
    etad.files.create(kLog, text_of(numbered(0, 200)));
    etad.files.rename(kLog, "/logs/.aside");
    etad.files.rename(kOther, kLog);
    etad.files.rename("/logs/.aside", kOther);
    etad.poll();
    etad.files.write(kOther, text_of(numbered(200, 204)));
    etad.files.write(kLog, text_of(numbered(1300, 1303)));
    etad.poll();
    auto expected = numbered(0, 204);
    for (const std::string& line : numbered(1000, 1303)) expected.push_back(line);
    EXPECT_THAT(etad.lines, ::testing::UnorderedElementsAreArray(expected)) << births;
  }
}

// Found as seeds 43,252,699 and 43,318,321: neither file is known yet to be what the other log was written into.
TEST(Backups, TwoLogsWrittenAnewBesideTheirBackupsAndThenSwappedAreReadOn) {
  for (const bool births : {true, false}) {
    for (const bool running : {true, false}) {
      Harness etad(watching("/logs/*.log"));
      etad.files.births = births;
      put_aside(etad);
      etad.files.write(kOther, text_of(numbered(1000, 1300)));
      etad.poll();
      if (!running) etad.stop();
      etad.files.rename(kOther, "/logs/other.log~");
      if (running) etad.poll();
      etad.files.create(kLog, text_of(numbered(1000, 1300)));
      etad.files.create(kOther, text_of(numbered(0, 200)));
      if (!running) etad.start();
      etad.poll();
      etad.files.write(kOther, text_of(numbered(200, 204)));
      etad.files.write(kLog, text_of(numbered(1300, 1303)));
      etad.poll();
      auto expected = numbered(0, 204);
      for (const std::string& line : numbered(1000, 1303)) expected.push_back(line);
      EXPECT_THAT(etad.lines, ::testing::UnorderedElementsAreArray(expected)) << births << running;
    }
  }
}

TEST(Backups, ABackupIsNoNewLogWhereItsFolderCouldNotBeListed) {
  for (int call = 1; call < 12; ++call) {
    Harness etad(watching("/logs/*"));
    put_aside(etad);
    etad.files.write(kLog, text_of(numbered(0, 201)));
    etad.files.fail_nth("list", call, EMFILE);
    etad.poll();
    etad.poll();
    EXPECT_EQ(etad.lines, numbered(0, 201)) << call;
  }
}

TEST(Backups, WhatAnEditorHasHalfWrittenIsWaitedFor) {
  Harness etad(watching(kLog));
  put_aside(etad);
  etad.files.set_clock(etad.wall);
  etad.files.write(kLog, text_of(numbered(0, 50)));
  etad.wall += milliseconds(500);
  etad.poll(seconds(1));
  EXPECT_EQ(etad.lines.size(), 200U);
  etad.files.write(kLog, text_of(numbered(50, 201)));
  etad.poll(seconds(1));
  EXPECT_EQ(etad.lines, numbered(0, 201));
}

TEST(Backups, ANewLogBesideABackupThatIsNotItsOwnIsRead) {
  Harness etad(watching(kLog));
  put_aside(etad);
  etad.files.set_clock(etad.wall);
  etad.files.write(kLog, text_of(numbered(0, 50)));  // a job that begins as the one before, and is slow
  etad.poll(seconds(1));
  etad.wall += seconds(2);
  etad.poll(seconds(1));
  EXPECT_EQ(etad.lines.size(), 250U);
  etad.files.rename(kLog, "/logs/train.log~");
  etad.files.write(kLog, text_of(numbered(500, 800)));  // another from its first line on
  etad.poll(seconds(1));
  EXPECT_EQ(etad.lines.size(), 550U);
}

// Found as seed 58,240,349: each look opens the backup again.
TEST(Backups, WhatStaysShortBesideABackupIsReadAfterASecond) {
  Options options;
  options.close_after = milliseconds(0);
  Harness etad(watching(kLog), options);
  etad.files.births = false;
  put_aside(etad);
  etad.files.write(kLog, "new\n");
  for (int i = 0; i < 8; ++i) etad.poll(milliseconds(300));
  EXPECT_EQ(etad.lines.size(), 201U);
  EXPECT_EQ(etad.lines.back(), "new");
}

// `perl -i.orig`, `sed -i.bak`, `rsync -b --suffix=.save`: the new one is made before the old one gives way.
TEST(Backups, AProgramThatKeepsABackupOfAnyNameIsReadOn) {
  for (const char* backup : {"/logs/train.log.orig", "/logs/train.log.bak", "/logs/train.log.save"}) {
    for (const bool running : {true, false}) {
      Harness etad(watching(kLog));
      etad.files.write(kLog, text_of(numbered(0, 200)));
      etad.poll();
      if (!running) etad.stop();
      etad.files.create("/logs/.sedAbC", text_of(numbered(0, 201)));
      etad.files.rename(kLog, backup);
      if (running) etad.poll();
      etad.files.rename("/logs/.sedAbC", kLog);
      if (!running) etad.start();
      etad.poll();
      EXPECT_EQ(etad.lines, numbered(0, 201)) << backup << running;
    }
  }
}

// `cp train.log train.log.bak`, and then an editor.
TEST(Backups, ALogThatIsWrittenAnewBesideACopyOfItIsReadOn) {
  for (const char* backup : {"/logs/train.log.bak", "/logs/train.log.old", "/logs/train.log.orig"}) {
    for (const bool running : {true, false}) {
      for (const bool births : {true, false}) {
        Harness etad(watching(kLog));
        etad.files.births = births;
        etad.files.write(kLog, text_of(numbered(0, 200)));
        etad.poll();
        if (!running) etad.stop();
        etad.files.copy(kLog, backup);
        if (running) etad.poll();
        etad.files.replace(kLog, text_of(numbered(0, 201)));
        if (!running) etad.start();
        etad.poll();
        etad.files.write(kLog, text_of(numbered(201, 203)));
        etad.poll();
        EXPECT_EQ(etad.lines, numbered(0, 203)) << backup << running << births;
      }
    }
  }
}

TEST(Backups, TheSameTrainingAnewAfterTheLogWasMovedAwayIsAnotherRun) {
  for (const char* away : {"/logs/train.log.orig", "/logs/train.log.bak", "/logs/train.log.1"}) {
    Harness etad(watching(kLog));
    etad.files.write(kLog, text_of(numbered(0, 200)));
    etad.poll();
    etad.files.rename(kLog, away);
    etad.files.write(kLog, text_of(numbered(0, 200)));
    etad.poll();
    EXPECT_EQ(etad.lines.size(), 400U) << away;
  }
}

// A log of 200 lines that were read, and emptied where it lies.
void empty(Harness& etad) {
  etad.files.write(kLog, text_of(numbered(0, 200)));
  etad.poll();
  etad.files.truncate(kLog);
}

TEST(WrittenAnewInPlace, IsReadOn) {
  for (const int half : {0, 1, 150}) {
    for (const bool restart : {false, true}) {
      Harness etad(watching(kLog));
      empty(etad);
      etad.files.write(kLog, text_of(numbered(0, half)));
      etad.poll(milliseconds(300));
      if (restart) etad.restart();
      etad.poll(milliseconds(300));
      etad.files.write(kLog, text_of(numbered(half, 203)));
      etad.poll(milliseconds(300));
      EXPECT_EQ(etad.lines, numbered(0, 203)) << half << restart;
      EXPECT_EQ(etad.restarts, 0) << half << restart;
    }
  }
}

TEST(WrittenAnewInPlace, EachTimeAnew) {
  Harness etad(watching(kLog));
  empty(etad);
  for (int end = 201; end < 210; ++end) {
    etad.poll(milliseconds(300));
    etad.files.write(kLog, text_of(numbered(0, end)));
    etad.poll(milliseconds(300));
    etad.files.truncate(kLog);
  }
  EXPECT_EQ(etad.lines, numbered(0, 209));
}

TEST(WrittenAnewInPlace, IsWaitedForASecond) {
  Harness etad(watching(kLog));
  empty(etad);
  etad.poll(milliseconds(300));
  etad.files.write(kLog, "line 0\n");
  etad.poll(milliseconds(500));
  EXPECT_EQ(etad.lines, numbered(0, 200));
  etad.poll(milliseconds(700));
  EXPECT_EQ(etad.lines.size(), 201U);
  EXPECT_EQ(etad.restarts, 1);
}

TEST(WrittenAnewInPlace, WhatBeginsOtherwiseIsANewLogAtOnce) {
  Harness etad(watching(kLog));
  empty(etad);
  etad.poll(milliseconds(300));
  etad.files.write(kLog, text_of(numbered(1000, 1150)));
  etad.poll(milliseconds(300));
  EXPECT_EQ(etad.lines.size(), 350U);
}

// Whoever looks for the copy of a log that was replaced finds none yet, and then the log truncated.
TEST(Backups, AReplacedLogThatIsCopiedAndTruncatedWhileItIsLookedForIsReadOn) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.create(kLog, "one\ntwo\n");
  etad.files.meanwhile = [&](const std::string& call, const std::string& path) {
    if (call != "open" || path != kLog || etad.files.exists(kRotated)) return;
    etad.files.copy(kLog, kRotated);
    etad.files.truncate(kLog);
  };
  etad.poll();
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

// Copied away, and the copy was finished after the next log had begun; by their times the second comes first. A backup's
// name has no number.
TEST(Backups, ACopyThatWasFinishedLateIsReadBeforeTheNextLogBesideOne) {
  Harness etad({{kLog, 0, false}});
  etad.files.write("/logs/train.log~", "zero\n");
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.stop();
  etad.files.write("/logs/train.log.2", "one\n");
  etad.files.remove(kLog);
  etad.files.write("/logs/train.log.1", "three\n");
  etad.files.write("/logs/train.log.2", "two\n");
  etad.files.write(kLog, "four\n");
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(etad.lost, 0);
}

}  // namespace
}  // namespace etad::follow
