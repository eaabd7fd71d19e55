// Copies of logs that are followed (`cp -a`, `rsync -a`, a backup), and what programs put aside: what was read once is
// not read there, whatever becomes of the log that it was read of, and the log is read on where it lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAreArray;
using ::testing::SizeIs;

constexpr const char* kRun = "/runs/exp/train.log";
constexpr const char* kMoved = "/runs/moved/train.log";
constexpr const char* kCopy = "/runs/backup/train.log";  // found before either
constexpr const char* kLaterCopy = "/runs/saved/train.log";

// A log of 200 lines that were read, in a folder below which everything is followed. The parameter: whether the daemon is
// killed before each look.
class LeftAlone : public ::testing::TestWithParam<bool> {
 protected:
  LeftAlone() { write(kRun, 200); }
  void look() {
    if (GetParam()) etad_.restart();
    etad_.poll();
    etad_.poll();
  }
  void write(const std::string& path, int lines) {
    etad_.files.write(path, text_of(numbered(lines_, lines_ + lines)));
    lines_ += lines;
    etad_.poll();
  }
  // As `cp -a`.
  void copy(const std::string& from, const std::string& to) {
    etad_.files.copy(from, to);
    etad_.files.file(to)->modified = etad_.files.file(from)->modified;
  }
  // As `sed -i.bak`.
  void put_aside(const std::string& path) {
    etad_.files.create(path + ".new", etad_.files.content(path));
    etad_.files.rename(path, path + ".bak");
    etad_.files.rename(path + ".new", path);
    look();
  }
  // As an editor, or `sed -i`.
  void write_anew(const std::string& path) {
    etad_.files.create(path + "~", etad_.files.content(path));
    etad_.files.rename(path + "~", path);
  }
  void edit(const std::string& path) {
    write_anew(path);
    look();
  }
  void move(const std::string& from, const std::string& to) {
    etad_.files.rename(from, to);
    look();
  }
  void expect_all_once() { EXPECT_THAT(etad_.lines, ElementsAreArray(numbered(0, lines_))); }

  Harness etad_{watching("/runs/**/*")};
  int lines_ = 0;
};

INSTANTIATE_TEST_SUITE_P(WithRestarts, LeftAlone, ::testing::Bool());

// `mv exp exp2`, training goes on, `cp -a exp2 backup`.
TEST_P(LeftAlone, OfALogThatWasMovedItIsReadOnWhereItLies) {
  for (const char* to : {kCopy, kLaterCopy, "/runs/moved/train.bak.log"}) {
    const std::string path = to == std::string(kCopy) ? kRun : kMoved;
    if (path == kRun) move(kRun, kMoved);
    write(kMoved, 9);
    copy(kMoved, to);
    look();
    write(kMoved, 20);
    expect_all_once();
  }
}

TEST_P(LeftAlone, OfALogThatWasMovedAgainBeforeAnybodyLooked) {
  move(kRun, kMoved);
  copy(kMoved, kCopy);
  move(kMoved, "/runs/once_more/train.log");
  write("/runs/once_more/train.log", 20);
  expect_all_once();
}

TEST_P(LeftAlone, WhateverBecomesOfTheOriginal) {
  copy(kRun, kCopy);
  look();
  write(kRun, 9);
  move(kRun, kMoved);
  expect_all_once();
  etad_.files.file(kMoved)->modified += std::chrono::minutes(5);  // as `touch`
  look();
  write(kMoved, 9);
  edit(kMoved);
  write(kMoved, 9);
  expect_all_once();
  etad_.files.remove(kMoved);
  look();
  expect_all_once();
}

// `mv` to another file system, `cp -a` there, `sed -i`.
TEST_P(LeftAlone, WhereTheLogWasMovedOverFileSystems) {
  for (const char* to : {kCopy, kLaterCopy}) {
    const std::string moved = std::string(kMoved) + (to == std::string(kCopy) ? "" : ".2.log");
    const std::string from = to == std::string(kCopy) ? kRun : kMoved;
    copy(from, moved);
    etad_.files.remove(from);
    look();
    copy(moved, to);
    look();
    edit(moved);
    expect_all_once();
    write(moved, 9);
    expect_all_once();
  }
}

// Likewise on one file system, with copies of before and of after; and none of them hides that the log has gone for good.
TEST_P(LeftAlone, WhereTheLogWasMovedCopiedAndEdited) {
  copy(kRun, kCopy);
  look();
  move(kRun, kMoved);
  copy(kMoved, kLaterCopy);
  look();
  edit(kMoved);
  expect_all_once();
  write(kMoved, 9);
  copy(kMoved, "/runs/before/train.log");
  look();
  etad_.files.remove(kMoved);
  look();
  write("/runs/before/train.log", 9);
  expect_all_once();
  EXPECT_THAT(etad_.lines_of, SizeIs(1));
}

TEST_P(LeftAlone, WhereTheLogIsEditedWhileTheCopiesAreAskedAbout) {
  move(kRun, kMoved);
  for (int nth = 1; nth < 12; ++nth) {
    copy(kMoved, kCopy);
    copy(kMoved, kLaterCopy);
    look();
    if (GetParam()) etad_.restart();
    int left = nth;
    etad_.files.meanwhile = [&](const std::string&, const std::string& path) {
      if ((path == kCopy || path == kLaterCopy) && --left == 0) write_anew(kMoved);
    };
    look();
    etad_.files.meanwhile = {};
    if (left > 0) write_anew(kMoved);
    look();
    expect_all_once();
    write(kMoved, 9);
    expect_all_once();
    EXPECT_THAT(etad_.lines_of, SizeIs(1));
  }
}

TEST_P(LeftAlone, WhereTheOriginalCantBeReadForAWhile) {
  for (const char* call : {"status", "open", "list"}) {
    for (const char* path : {kRun, "/runs/exp"}) {
      copy(kRun, kCopy);
      copy(kRun, kLaterCopy);
      look();
      write(kRun, 9);
      etad_.files.fail(call, path, EACCES);
      look();
      etad_.files.heal();
      look();
      write(kRun, 9);
      expect_all_once();
    }
  }
}

// Nothing is concluded then, and it is told.
TEST_P(LeftAlone, WhereTheOriginalCantBeReadAsTheCopyIsMade) {
  copy(kRun, kCopy);
  etad_.files.fail("open", kRun, EACCES);
  etad_.restart();
  etad_.poll();
  expect_all_once();
  ASSERT_THAT(etad_.follower->lookup().unasked, SizeIs(1));
  EXPECT_EQ(etad_.follower->lookup().unasked[0].path, kCopy);
  etad_.files.heal();
  look();
  EXPECT_THAT(etad_.follower->lookup().unasked, SizeIs(0));
  write(kRun, 9);
  expect_all_once();
}

// A UTF-16 text ends with the second byte of a newline.
TEST_P(LeftAlone, OfALogInUtf16) {
  const std::string log = "/runs/wide/train.log";
  std::string wide;
  for (const char c : text_of(numbered(lines_, lines_ + 200))) wide += {c, '\0'};
  lines_ += 200;
  etad_.files.write(log, wide);
  etad_.poll();
  copy(log, kCopy);
  look();
  edit(log);
  copy(log, "/runs/wide/train.log.1");
  etad_.files.truncate(log);
  etad_.files.write(log, wide.substr(wide.size() - 9 * 18));
  look();
  look();
  EXPECT_THAT(etad_.lines, SizeIs(lines_ + 9));
}

TEST_P(LeftAlone, OnlyWhatIsAppendedIsRead) {
  copy(kRun, kCopy);
  look();
  write(kRun, 9);
  move(kRun, kMoved);
  write(kCopy, 20);
  write(kMoved, 9);
  expect_all_once();
}

// What it holds beyond what was read of its original may be all that is left of it.
TEST_P(LeftAlone, ButNotBeforeAllOfItIsRead) {
  etad_.files.set_clock(etad_.wall);
  for (int number = 1; number < 4; ++number) {
    if (GetParam()) etad_.stop();
    etad_.files.write(kRun, text_of(numbered(lines_, lines_ + 9)));
    lines_ += 9;
    copy(kRun, "/runs/exp/old/train.log." + std::to_string(number));
    etad_.files.truncate(kRun);
    etad_.wall += std::chrono::minutes(5);
    etad_.files.set_clock(etad_.wall);
    if (GetParam()) etad_.start();
    etad_.poll();
    write(kRun, 200);
    expect_all_once();
  }
}

TEST_P(LeftAlone, WhatWasPutAsideWhereTheLogWasMovedTo) {
  move(kRun, kMoved);
  put_aside(kMoved);
  expect_all_once();
  write(kMoved, 9);
  move(kMoved, "/runs/once_more/train.log");
  write("/runs/once_more/train.log", 9);
  expect_all_once();
  put_aside("/runs/once_more/train.log");
  move("/runs/once_more/train.log", "/runs/and_again/train.log");
  write("/runs/and_again/train.log", 9);
  expect_all_once();
}

TEST_P(LeftAlone, WhatWasPutAsideBeforeTheLogWasMoved) {
  put_aside(kRun);
  move(kRun, kMoved);
  put_aside(kMoved);
  move(kMoved, "/runs/once_more/train.log");
  write("/runs/once_more/train.log", 9);
  expect_all_once();
}

TEST_P(LeftAlone, ACommitThatFailsTakesItBack) {
  copy(kRun, kCopy);
  etad_.poll_and_fail();
  look();
  write(kRun, 9);
  move(kRun, kMoved);
  expect_all_once();
}

}  // namespace
}  // namespace etad::follow
