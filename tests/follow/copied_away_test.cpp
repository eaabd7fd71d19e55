// A log that is rotated by copying or compressing it to where it stays and removing it, as logrotate's `renamecopy`
// does, and whoever archives logs under names of his own. Whoever looks between the steps finds both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAreArray;

// A log of which a number of lines was read, in a folder of which everything is followed.
class CopiedAway : public ::testing::TestWithParam<bool> {
 protected:
  explicit CopiedAway(int lines = 200) : etad_({{"/logs/*", 0, false, false, {"/old"}}}), lines_(lines) {
    etad_.files.set_clock(etad_.wall);
    etad_.files.write(kLog, text_of(numbered(0, lines)));
    etad_.poll();
  }
  void look() {
    if (GetParam()) etad_.restart();
    etad_.poll();
  }
  void rename_and_copy(const std::string& to, std::size_t piece) {
    const std::string aside = "/logs/train.log.tmp";
    etad_.files.rename(kLog, aside);
    look();
    const std::string bytes = etad_.files.content(aside);
    etad_.files.create(to);
    look();
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      etad_.files.write(to, bytes.substr(at, piece));
      look();
    }
    etad_.files.remove(aside);
    look();
    go_on();
  }
  void rotate_and_compress_later() {
    etad_.files.rename(kLog, kRotated);
    go_on();
    compress(kRotated, "/logs/archived.gz", false);
    lines_ += 9;
    go_on();
  }
  // As `gzip` does, or, where the time is not kept, `gzip -c`; what is compressed grows from nothing.
  void compress(const std::string& from, const std::string& to, bool keeps_time) {
    const auto written = etad_.files.file(from)->modified;
    const std::string bytes = gzipped(etad_.files.content(from));
    etad_.files.create(to);
    look();
    for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 3) {
      etad_.files.write(to, bytes.substr(at, bytes.size() / 3));
      look();
    }
    if (keeps_time) etad_.files.file(to)->modified = written;
    look();
    etad_.files.remove(from);
    look();
    etad_.wall += seconds(3);
    etad_.files.set_clock(etad_.wall);
    look();
  }
  // All that was written was read once, also what the log has next.
  void go_on() {
    etad_.files.write(kLog, text_of(numbered(lines_, lines_ + 9)));
    look();
    etad_.poll();  // what lies there may be the log written anew, and is waited for
    EXPECT_THAT(etad_.lines, ElementsAreArray(numbered(0, lines_ + 9)));
  }

  Harness etad_;
  int lines_;
};

// Of which less than a kilobyte was read.
class ShortCopiedAway : public CopiedAway {
 protected:
  ShortCopiedAway() : CopiedAway(60) {}
};

INSTANTIATE_TEST_SUITE_P(WithRestarts, CopiedAway, ::testing::Bool());
INSTANTIATE_TEST_SUITE_P(WithRestarts, ShortCopiedAway, ::testing::Bool());

TEST_P(CopiedAway, BesideTheLogIsNotReadAgain) {
  rename_and_copy(kRotated, 1 << 20);
}
TEST_P(CopiedAway, NorIsTheBeginningOfTheCopy) {
  rename_and_copy(kRotated, 700);
}
TEST_P(CopiedAway, NorInAnotherFolder) {
  rename_and_copy("/old/train.log.1", 700);
}
TEST_P(ShortCopiedAway, BesideTheLogIsNotReadAgain) {
  rename_and_copy(kRotated, 70);
}

TEST_P(ShortCopiedAway, NorIsARotatedFileThatIsCompressedLater) {
  rotate_and_compress_later();
}

TEST_P(CopiedAway, WhatWasNotReadBeforeIsReadFromTheCopy) {
  etad_.stop();
  etad_.files.write(kLog, text_of(numbered(200, 230)));
  etad_.files.rename(kLog, "/old/train.log.tmp");
  etad_.files.copy("/old/train.log.tmp", "/old/train.log.1");
  etad_.start();
  etad_.poll();
  etad_.files.remove("/old/train.log.tmp");
  look();
  lines_ = 230;
  go_on();
}

TEST_P(CopiedAway, CompressedUnderANameOfItsOwnItIsNotReadAgain) {
  for (const bool keeps_time : {false, true}) {
    compress(kLog, keeps_time ? "/logs/first.gz" : "/logs/second.gz", keeps_time);
    go_on();
    lines_ += 9;
    etad_.files.write(kLog, text_of(numbered(lines_, lines_ + 200)));
    look();
    lines_ += 200;
  }
}

TEST_P(CopiedAway, NorIsARotatedFileThatIsCompressedLater) {
  rotate_and_compress_later();
}

TEST_P(CopiedAway, NorIsTheNextUnderTheSameName) {
  const std::string to = "/logs/newest.gz";
  for (int i = 0; i < 3; ++i) {
    if (etad_.files.exists(to)) etad_.files.rename(to, "/logs/before.gz");
    etad_.files.rename(kLog, kRotated);
    look();
    compress(kRotated, to, true);
    go_on();
    etad_.files.write(kLog, text_of(numbered(lines_ + 9, lines_ + 200)));
    look();
    lines_ += 200;
  }
}

// By logrotate's `compressext`.
TEST_P(CopiedAway, ARotatedFileMayHaveAnotherEndingOfGzip) {
  for (const char* ending : {".gzip", ".z", ".Z"}) {
    etad_.files.rename(kLog, kRotated);
    look();
    compress(kRotated, kRotated + std::string(ending), true);
    go_on();
    EXPECT_EQ(etad_.follower->statuses().size(), 1U);
    lines_ += 9;
  }
}

// The copy's inode, by which its content is known where nobody knows births, goes to the next copy.
TEST(CopiedAwayOnce, ACompressedCopyIsNotReadAgainWhenTheNextOneHasItsInode) {
  Harness etad({{kLog, 0, false}});
  etad.files.births = false;
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.stop();
  etad.files.rename(kLog, "/logs/train.tmp");
  etad.files.write(kLog, "two\n");
  etad.files.copy("/logs/train.tmp", kRotated);
  etad.files.remove("/logs/train.tmp");
  const auto inode = etad.files.inode(kRotated);
  etad.start();
  etad.poll();
  etad.files.gzip(kRotated, "/logs/train.log.2.gz");
  etad.files.remove(kRotated);
  etad.files.copy(kLog, kRotated);
  ASSERT_EQ(etad.files.inode(kRotated), inode);
  etad.poll();
  etad.files.truncate(kLog);
  etad.files.rename("/logs/train.log.2.gz", "/logs/train.log.3.gz");
  etad.files.rename(kRotated, "/logs/train.log.2");
  etad.files.rename(kLog, kRotated);
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAreArray({"one", "two", "three"}));
}

}  // namespace
}  // namespace etad::follow
