// What tests/simulation found, each in its shortest form: a file's content in another file, under another name, than
// where it was read. One test a mechanism.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

// Longer than what a file is known by.
std::string long_line(char c) {
  return std::string(2000, c);
}

TEST(SimulationFinds, AReplacedFileIsCommittedAsAnother) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, "one\n");
  etad.poll();
  const std::string before = etad.positions[kLog].identity;
  etad.files.replace(kLog, "one\n");
  etad.now += std::chrono::seconds(11);
  const auto batches = etad.follower->poll(etad.now, etad.wall, etad.budget);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_TRUE(batches[0].refound) << "or a restart looks for a file that is gone";
  EXPECT_NE(batches[0].after.identity, before);
  EXPECT_THAT(batches[0].lines, IsEmpty());
}

TEST(SimulationFinds, FilesReplacedAndSwappedWhileTheDaemonIsDownGoOnInTheirOwnSources) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, long_line('a') + "\n");
  etad.files.write(kOther, long_line('b') + "\n");
  etad.poll();
  etad.stop();
  etad.files.replace(kLog, long_line('a') + "\na2\n");
  etad.files.rename(kLog, "/logs/.aside");
  etad.files.rename(kOther, kLog);
  etad.files.rename("/logs/.aside", kOther);
  etad.start();
  etad.poll();
  etad.files.write(kLog, "b2\n");
  etad.poll();
  EXPECT_THAT(etad.lines_of[kLog], ElementsAre(long_line('a'), "a2"));
  EXPECT_THAT(etad.lines_of[kOther], ElementsAre(long_line('b'), "b2"));
}

TEST(SimulationFinds, AReplacedFileUnderASecondNameIsReadOnce) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, long_line('a') + "\n");
  etad.poll();
  etad.files.replace(kLog, long_line('a') + "\na2\n");
  etad.files.hard_link(kLog, "/logs/a_second_name.log");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre(long_line('a'), "a2"));
}

TEST(SimulationFinds, TheOriginalOfACopyIsNotReadAgainUnderItsSecondName) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.hard_link(kLog, kOther);
  etad.files.replace(kLog, "one\n", etad.files.file(kLog)->modified);
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one"));
}

TEST(SimulationFinds, ACopyThatWasRotatedIsReadOn) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  const auto writing = [&] {
    etad.files.replace(kLog, "one\n");
    return etad.files.file(kLog);
  }();
  etad.files.rename(kLog, kRotated);
  etad.poll();
  etad.files.write(writing, "two\n");
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

TEST(SimulationFinds, AReplacedFileThatIsCopiedToBeTruncatedIsReadOnce) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.stop();
  etad.files.replace(kLog, "one\ntwo\n");
  etad.files.copy(kLog, kRotated);
  etad.start();
  etad.poll();
  etad.files.truncate(kLog);
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

// Found as seed 7268: the copy was looked for while its original was whole, and the original when it was empty.
TEST(SimulationFinds, AReplacedFileThatIsCopiedIsReadOnceWheneverItIsTruncated) {
  bool happened = true;
  for (int call = 0; happened; ++call) {
    Harness etad(watching(kLog));
    etad.files.write(kLog, "one\n");
    etad.poll();
    etad.stop();
    etad.files.replace(kLog, "one\ntwo\n");
    etad.files.copy(kLog, kRotated);
    int left = call;
    happened = false;
    etad.files.meanwhile = [&](const std::string&, const std::string&) {
      if (left-- != 0) return;
      happened = true;
      etad.files.truncate(kLog);
    };
    etad.start();
    etad.poll();
    etad.files.meanwhile = nullptr;
    etad.files.truncate(kLog);
    etad.files.write(kLog, "three\n");
    etad.poll();
    ASSERT_THAT(etad.lines, ElementsAre("one", "two", "three")) << "truncated at call " << call;
  }
}

// Found as seed 5003095: another copy lay under the name by the time that the one found was opened.
TEST(SimulationFinds, ACopyThatIsRotatedAtAnyCallOfTheSearchForItIsReadOnce) {
  bool happened = true;
  for (int call = 0; happened; ++call) {
    Harness etad(watching(kLog));
    etad.files.write(kLog, "one\n");
    etad.poll();
    etad.stop();
    etad.files.write(kLog, "two\n");
    etad.files.copy(kLog, kRotated);
    etad.files.truncate(kLog);
    etad.files.write(kLog, "three\n");
    int left = call;
    happened = false;
    etad.files.meanwhile = [&](const std::string&, const std::string&) {
      if (left-- != 0) return;
      happened = true;
      etad.files.rename(kRotated, "/logs/train.log.2");
      etad.files.copy(kLog, kRotated);
      etad.files.truncate(kLog);
      etad.files.write(kLog, "four\n");
    };
    etad.start();
    for (int i = 0; i < 3; ++i) etad.poll();
    if (happened) {
      ASSERT_THAT(etad.lines, ElementsAre("one", "two", "three", "four")) << "rotated at call " << call;
    } else {
      ASSERT_GT(call, 20);
    }
    ASSERT_EQ(etad.lost, 0);
  }
}

// Found as seed 43,476,629: it was written anew after it was seen to be nowhere, and rotated before the next list.
TEST(SimulationFinds, AFileWrittenAnewAndRotatedAtAnyCallsOfTheSearchForItIsReadOnce) {
  Options options;
  options.close_after = std::chrono::milliseconds(0);
  bool written = true, rotated = true;
  for (int first = 0; written; ++first) {
    rotated = true;
    for (int second = first + 1; rotated; ++second) {
      Harness etad(watching(kLog), options);
      etad.files.write(kLog, "one\n");
      etad.poll();
      etad.files.rename(kLog, "/logs/train.log~");
      int calls = 0;
      written = rotated = false;
      etad.files.meanwhile = [&](const std::string&, const std::string&) {
        if (calls == first) {
          written = true;
          etad.files.create(kLog, "one\n");
          etad.files.remove("/logs/train.log~");
        } else if (calls == second) {
          rotated = true;
          etad.files.rename(kLog, kRotated);
        }
        ++calls;
      };
      etad.poll();
      etad.files.meanwhile = nullptr;
      if (!rotated) continue;
      etad.files.write(kRotated, "two\n");
      etad.files.write(kLog, "three\n");
      etad.poll();
      ASSERT_THAT(etad.lines, ElementsAre("one", "two", "three")) << first << ' ' << second;
    }
  }
}

// Found as seed 43,340,345: what lies under the path begins as the copy, of which no more than that is known.
TEST(SimulationFinds, ACopyOfABegunLineThatIsRotatedAtAnyCallOfTheSearchForItIsRead) {
  bool happened = true;
  for (int call = 0; happened; ++call) {
    Harness etad(watching(kLog));
    etad.files.write(kLog, "t");
    etad.poll();
    etad.files.replace(kLog, "t");
    int left = call;
    happened = false;
    etad.files.meanwhile = [&](const std::string&, const std::string&) {
      if (left-- != 0) return;
      happened = true;
      etad.files.rename(kLog, kRotated);
      etad.files.write(kRotated, "wo\n");
      etad.files.write(kLog, "three\n");
    };
    etad.poll();
    etad.files.meanwhile = nullptr;
    etad.poll();
    if (happened) {
      ASSERT_THAT(etad.lines, IsSupersetOf({"two", "three"})) << "rotated at call " << call;
    }
  }
}

// Found as seed 43,100,250: while its file was nowhere, another log's lay under the name.
TEST(SimulationFinds, AFileWrittenAnewAndSwappedForALookIsReadOn) {
  const auto swap = [](FakeFileSystem& files) {
    files.rename(kLog, "/logs/.aside");
    files.rename(kOther, kLog);
    files.rename("/logs/.aside", kOther);
  };
  bool happened = true;
  for (int call = 0; happened; ++call) {
    Harness etad(watching("/logs/*.log"));
    etad.files.write(kLog, long_line('a') + "\n");
    etad.files.write(kOther, long_line('b') + "\n");
    etad.poll();
    etad.stop();
    etad.files.rename(kLog, "/logs/train.log~");
    etad.files.create(kLog, long_line('a') + "\n");
    etad.files.remove("/logs/train.log~");
    swap(etad.files);
    int left = call;
    happened = false;
    etad.files.meanwhile = [&](const std::string&, const std::string&) {
      if (left-- != 0) return;
      happened = true;
      swap(etad.files);
    };
    etad.start();
    etad.poll();
    etad.files.meanwhile = nullptr;
    etad.poll();
    etad.files.write(kLog, "a2\n");
    etad.files.write(kOther, "b2\n");
    etad.poll();
    ASSERT_THAT(etad.lines, UnorderedElementsAre(long_line('a'), long_line('b'), "a2", "b2")) << call;
  }
}

TEST(SimulationFinds, AnUnterminatedLineThatLiesInACopyIsNotToldAsLost) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "on");
  etad.poll();
  etad.stop();
  etad.files.replace(kLog, "one\n");
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one"));
  EXPECT_EQ(etad.lost, 0);
}

// Where the file system does not say when an inode was made, it may have been another log's a moment ago.
void rotate_into_the_inode_that_another_log_had(Harness& etad) {
  etad.files.births = false;
  etad.files.write(kOther, "other\n");
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.stop();
  const std::uint64_t inode = etad.files.inode(kOther);
  etad.files.remove(kOther);
  etad.files.rename(kLog, "/logs/train.log.2");
  etad.files.write(kRotated, "two\n");
  ASSERT_EQ(etad.files.inode(kRotated), inode);
  etad.files.write(kLog, "three\n");
  etad.files.write(kOther, "another\n");
  etad.start();
}

TEST(SimulationFinds, ARotatedFileWithTheInodeThatAnotherLogHadIsRead) {
  Harness etad(watching("/logs/*.log"));
  ASSERT_NO_FATAL_FAILURE(rotate_into_the_inode_that_another_log_had(etad));
  etad.poll();
  etad.poll();
  EXPECT_THAT(etad.lines_of[kLog], ElementsAre("one", "two", "three"));
}

// Found as seed 30,005,857: the call that failed was the one that asks whether the other log's bytes lie there, and
// the file was taken for that log's for good.
TEST(SimulationFinds, AFileOfWhichNobodyCanSayWhoReadsItIsAskedForAgain) {
  for (const char* call : {"list", "status", "open", "read", "fstat"}) {
    for (int n = 1; n <= 24; ++n) {
      Harness etad(watching("/logs/*.log"));
      ASSERT_NO_FATAL_FAILURE(rotate_into_the_inode_that_another_log_had(etad));
      etad.files.fail_nth(call, n, ESTALE);
      for (int polls = 0; polls < 3; ++polls) {
        etad.now += std::chrono::seconds(11);
        etad.poll();
        etad.files.heal();
      }
      EXPECT_THAT(etad.lines_of[kLog], ElementsAre("one", "two", "three")) << call << ' ' << n;
    }
  }
}

// Found as seed 1390 with company: before the next look, the scan found the file under its second name, read by nobody.
TEST(SimulationFinds, AfterAFailedCommitAFileIsItsReadersAgain) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.hard_link(kLog, kOther);
  etad.files.rename(kLog, kRotated);
  etad.files.write(kLog, "two\n");
  static_cast<void>(etad.poll_and_fail());
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  EXPECT_FALSE(etad.lines_of.contains(kOther));
}

// Found as seeds 9716, 43,278,418 and 43,736,978.
TEST(SimulationFinds, ACopyWithTheInodeOfALogOfWhichNothingWasReadIsReadOn) {
  for (const char* seen : {"no line yet", "1"}) {
    Harness etad(watching("/logs/*.log"));
    etad.files.births = false;
    etad.files.write(kOther, seen);
    etad.files.write(kLog, "one\n");
    etad.poll();
    etad.stop();
    const std::uint64_t inode = etad.files.inode(kOther);
    etad.files.remove(kOther);
    etad.files.replace(kLog, "one\ntwo\n");
    ASSERT_EQ(etad.files.inode(kLog), inode);
    etad.files.write(kOther, "other\n");
    etad.start();
    etad.poll();
    etad.poll();
    EXPECT_THAT(etad.lines_of[kLog], ElementsAre("one", "two")) << seen;
    EXPECT_THAT(etad.lines_of[kOther], ElementsAre("other")) << seen;
  }
}

// Found as seed 43,207,362 and four others.
TEST(SimulationFinds, ACopyWithTheInodeOfAFileThatWasReadBeforeIsReadOn) {
  Harness etad(watching(kLog));
  etad.files.births = false;
  etad.files.write(kLog, "zero\n");
  etad.poll();
  const std::uint64_t inode = etad.files.inode(kLog);
  etad.files.remove(kLog);
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.replace(kLog, "one\n");
  ASSERT_EQ(etad.files.inode(kLog), inode);
  etad.files.rename(kLog, kRotated);
  etad.poll();
  etad.files.write(kRotated, "two\n");
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("zero", "one", "two", "three"));
}

// Found as seed 43,151,988: the history has the other log's last file by the inode that the copy has now.
TEST(SimulationFinds, ACopyWithTheInodeThatAnotherSourceHadIsReadOnAfterARestart) {
  Options options;
  options.close_after = std::chrono::milliseconds(0);
  Harness etad(watching("/logs/*.log"), options);
  etad.files.births = false;
  etad.files.write(kOther, "one\n");
  etad.files.write(kLog, "another\n");
  etad.poll();
  const std::uint64_t inode = etad.files.inode(kLog);
  etad.files.remove(kLog);
  etad.files.replace(kOther, "one\n");
  ASSERT_EQ(etad.files.inode(kOther), inode);
  etad.poll();
  etad.restart();
  etad.files.write(kOther, "two\n");
  etad.poll();
  EXPECT_THAT(etad.lines_of[kOther], ElementsAre("one", "two"));
}

// Found as seed 43,200,351: it was as long a minute ago, but not of these bytes.
TEST(SimulationFinds, AHoleInAFileThatWasCutIsWaitedFor) {
  Harness etad(watching(kLog));
  etad.files.set_clock(etad.wall);
  etad.files.write(kLog, "a line without its end");
  etad.poll();
  etad.files.truncate(kLog);
  etad.poll();
  etad.files.write_at_offset(kLog, 4, "two\n");
  etad.poll(std::chrono::minutes(2));
  etad.files.write_at_offset(kLog, 0, "one\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

// Found as seed 43,377,807: the read that failed was the one that looks whether another member follows.
TEST(SimulationFinds, ACompressedFileOfWhichAReadFailsIsReadOn) {
  for (int n = 1; n <= 16; ++n) {
    Harness etad(watching(kLog));
    etad.files.write(kLog, "one\n");
    etad.poll();
    etad.stop();
    etad.files.write(kLog, "two\n");
    etad.files.gzip(kLog, std::string(kRotated) + ".gz");
    etad.files.remove(kLog);
    etad.files.write(kLog, "three\n");
    etad.start();
    etad.files.fail_nth("read", n, EIO);
    etad.poll();
    etad.files.heal();
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three")) << n;
  }
}

// Its first bytes were copied and cut off, which could not be found out at the first look, whichever of its calls
// failed; then it grew on. Nothing was lost, and nothing is told as lost when the file ends.
TEST(SimulationFinds, WhatALookCouldNotFindOutIsNotToldAsLostLater) {
  for (const char* call : {"list", "status", "open", "read", "fstat"}) {
    for (int n = 1; n <= 16; ++n) {
      Harness etad(watching("/logs/a.log"));
      etad.files.write("/logs/a.log", "1");
      etad.poll();
      etad.restart();
      etad.files.write("/logs/a.log", "\n");
      etad.files.copy("/logs/a.log", "/logs/a.log.1");
      etad.files.truncate("/logs/a.log");
      etad.files.fail_nth(call, n, ESTALE);
      etad.now += std::chrono::seconds(11);
      for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, etad.budget)) etad.commit(batch);
      etad.files.heal();
      etad.files.write("/logs/a.log", "2\n");
      etad.poll();
      etad.files.rename("/logs/a.log.1", "/logs/a.log.2");
      etad.files.rename("/logs/a.log", "/logs/a.log.1");
      etad.files.write("/logs/a.log", "3\n");
      etad.poll();
      EXPECT_THAT(etad.lines, IsSupersetOf({"2", "3"})) << call << ' ' << n;
      EXPECT_EQ(etad.lost, 0) << call << ' ' << n;
    }
  }
}

// Found as seed 31,028,245: three bytes without an end were taken as a line when a copy replaced them. The copy's copy,
// rotated, has the content of what was read, so it is not what comes next; but it may well hold what is not read yet.
TEST(SimulationFinds, WhatLiesInACopyOfACopyIsNotToldAsLost) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.rename(kLog, kRotated);
  etad.files.write(kLog, "two");
  etad.poll();
  etad.files.replace(kLog, "two");
  etad.poll();
  etad.stop();
  etad.files.replace(kLog, "two");
  etad.files.rename(kRotated, "/logs/train.log.2");
  etad.files.rename(kLog, kRotated);
  etad.start();
  etad.poll();
  EXPECT_EQ(etad.lost, 0);
  etad.files.write(kRotated, " and a half\n");
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, IsSupersetOf({"one", "two and a half", "three"}));
  EXPECT_EQ(etad.lost, 0);
}

TEST(SimulationFinds, ALinkOfWhichNobodyCanSayWhereItLeadsIsNoSourceYet) {
  constexpr const char* kLink = "/logs/now.log";
  Harness etad(watching("/logs/*.log"));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.symlink("train.log", kLink);
  etad.files.fail("resolve", kLink, EIO);
  etad.files.replace(kLog, "one\n");
  for (int i = 0; i < 3; ++i) etad.poll();
  etad.files.heal();
  etad.files.write(kLog, "two\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  EXPECT_FALSE(etad.lines_of.contains(kLink));
}

}  // namespace
}  // namespace etad::follow
