// What others do to a log at the worst moment: they rotate between two system calls, replace a file by a copy
// of itself, write into holes, move links onto files, hand over compressed bombs. By the points of the list of
// attacks that these rows come from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/follow/finished.h"
#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A1

TEST(Adversary, AGzipOfZerosHoldsNobodyUp) {
  Harness etad(watching("/logs/*"));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.rename(kLog, kRotated);  // a finished file: what is new is compared with it
  etad.files.write(kLog, "two\n");
  etad.poll();
  etad.files.create("/logs/zeros.gz", gzipped(std::string(16 << 20, '\0')));
  etad.files.write(kLog, "three\n");
  etad.files.bytes_read = 0;
  etad.now += seconds(11);
  for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, 4 << 20)) etad.commit(batch);
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
  for (const Status& status : etad.follower->statuses()) EXPECT_LE(status.offset, 8 << 20) << "in turns";
  for (int i = 0; i < 20; ++i) etad.poll();
  EXPECT_LE(etad.files.bytes_read, 200 << 10) << "nothing is inflated over and over";
}

TEST(Adversary, ManyCopiesOfOneFileCostNoMoreThanAsManyFiles) {
  Harness etad(watching("/logs/*"));
  const auto copies = [&](const std::string& name, int many) {
    for (int i = 0; i < many; ++i)
      etad.files.write("/logs/" + name + std::to_string(i),
                       std::string(2000, 'x') + "\nof " + std::to_string(i) + "\n");
    etad.now += seconds(11);
    for (int i = 0; i < 5; ++i) etad.poll();
  };
  copies("first", 500);
  etad.files.calls.clear();
  copies("second", 500);
  EXPECT_EQ(etad.lines.size(), 2000);
  for (const auto& [call, times] : etad.files.calls)
    EXPECT_LE(times, 500 * 150) << call << ": not by each of the others";
}

TEST(Adversary, WhatWasFoundAndNotReadYetIsToldAsUnread) {
  Harness etad(watching("/logs/*"));
  for (int i = 0; i < 10; ++i) etad.files.write("/logs/" + std::to_string(i), text_of(numbered(0, 1000)));
  etad.now += seconds(11);
  for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, 1)) etad.commit(batch);
  std::int64_t unread = 0;
  for (const Status& status : etad.follower->statuses()) {
    EXPECT_EQ(status.state, State::following);
    if (!status.caught_up) unread += status.size - status.offset;
  }
  EXPECT_GE(unread, 9 * static_cast<std::int64_t>(text_of(numbered(0, 1000)).size()));
  etad.poll();
  for (const Status& status : etad.follower->statuses()) EXPECT_TRUE(status.caught_up);
}

TEST(Adversary, AGzipThatBeginsLikeAFinishedFileIsKnownInTurns) {
  Options options;
  options.batch_bytes = 64 << 10;
  Harness etad(watching("/logs/*.log*"), options);
  std::string whole;
  while (whole.size() < (4 << 20)) whole += "line " + std::to_string(whole.size()) + "\n";
  etad.files.write("/logs/a.log", whole);
  etad.poll();
  etad.files.rename("/logs/a.log", "/logs/a.log.1");
  etad.files.write("/logs/a.log", "next\n");
  etad.poll();
  const auto count = etad.lines.size();
  etad.files.gzip("/logs/a.log.1", "/logs/b.log.gz");
  etad.files.remove("/logs/a.log.1");
  etad.now += seconds(11);
  EXPECT_TRUE(etad.follower->poll(etad.now, etad.wall, 64 << 10).empty());
  for (int i = 0; i < 100; ++i) etad.poll();
  EXPECT_EQ(etad.lines.size(), count) << "it is the finished file, moved and compressed";
}

TEST(Adversary, AGzipOfOneLongLineIsInflatedOnce) {
  Harness etad({{"/logs/*", 0, true}});
  std::string line(32 << 20, 'x');
  for (std::size_t i = 0; i < line.size(); i += 97) line[i] = static_cast<char>('a' + i % 23);
  const std::string compressed = gzipped(line + "\nend\n");
  etad.files.create("/logs/long.gz", compressed);
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 2U);
  EXPECT_LE(etad.files.bytes_read, 2 * static_cast<std::int64_t>(compressed.size()));
}

TEST(Adversary, MoreOfAGzipThanIsAllowedIsNotRead) {
  Options options;
  options.largest_inflated = 1 << 20;
  Harness etad({{kLog, 0, true}}, options);
  etad.files.create("/logs/train.log.1.gz", gzipped(std::string(8 << 20, 'x') + "\n"));
  etad.files.write(kLog, "one\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ::testing::Contains("one")) << "what comes after it is read";
}

// B4

TEST(Adversary, ARotationBetweenAnyTwoCallsOfARestartLosesNothing) {
  for (int at = 1;; ++at) {
    Harness etad(watching("/logs/*"));
    etad.rotate_while_down();
    int calls = 0;
    etad.files.meanwhile = [&](const std::string&, const std::string&) {
      if (++calls != at) return;
      etad.files.rename(kRotated, "/logs/train.log.2");
      etad.files.rename(kLog, kRotated);
      etad.files.write(kLog, "four\n");
    };
    etad.poll();
    etad.poll();
    etad.poll();
    ASSERT_THAT(etad.lines, ElementsAre("one", "two", "three", "four")) << "at call " << at;
    ASSERT_EQ(etad.lost, 0);
    if (calls < 2 * at) break;  // in the last poll but one, or nobody looks any more
  }
}

TEST(Adversary, RotationsInABurstWhileTheDaemonStartsLoseNothing) {
  for (int at = 1;; ++at) {
    Harness etad(watching(kLog));
    etad.files.write(kLog, "line 0\n");
    etad.poll();
    etad.stop();
    etad.files.write(kLog, "line 1\n");
    int calls = 0;
    int written = 2;
    const auto rotate = [&] {
      for (int i = 9; i > 0; --i) {
        const std::string from = kLog + std::string(".") + std::to_string(i);
        if (etad.files.exists(from)) etad.files.rename(from, kLog + std::string(".") + std::to_string(i + 1));
      }
      etad.files.rename(kLog, kRotated);
      etad.files.write(kLog, "line " + std::to_string(written++) + "\n");
    };
    rotate();
    etad.start();
    etad.files.meanwhile = [&](const std::string&, const std::string&) {
      ++calls;
      if (calls >= at && calls < at + 6 && calls % 2 == 0) rotate();
    };
    etad.poll();
    etad.poll();
    ASSERT_EQ(etad.lines, numbered(0, written)) << "at call " << at;
    if (calls < at) break;
  }
}

// B5

TEST(Adversary, AFileUnderAnotherDeviceNumberIsTheSameFile) {
  for (const bool births : {true, false}) {
    Harness etad(watching("/logs/*"));
    etad.files.births = births;
    etad.files.write(kLog, "one\ntwo\n");
    etad.poll();
    etad.stop();
    etad.files.device = 7;
    etad.files.write(kLog, "three\n");
    etad.start();
    etad.poll();
    etad.files.device = 8;  // while we look at it
    etad.files.write(kLog, "four\n");
    etad.poll(std::chrono::minutes(1));
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three", "four"));
  }
}

TEST(Adversary, FilesThatBeginAlikeKeepTheirStreamsUnderAnotherDeviceNumber) {
  const std::string header(2000, 'h');
  for (const bool births : {true, false}) {
    for (const bool running : {true, false}) {
      Harness etad(watching("/logs/*"));
      etad.files.births = births;
      for (const char* log : {kLog, kOther}) etad.files.write(log, header + "\n");
      etad.poll();
      if (running) {  // unmounted, and both are closed by then
        etad.poll(std::chrono::minutes(1));
        for (const char* log : {kLog, kOther})
          for (const char* call : {"status", "open", "resolve"}) etad.files.fail(call, log, ENOENT);
        etad.files.fail("list", "/logs", ENOENT);
        etad.poll();
        etad.poll();
        etad.files.heal();
      }
      if (!running) etad.stop();
      etad.files.device = 7;
      for (const char* log : {kLog, kOther}) etad.files.write(log, std::string("line of ") + log + "\n");
      if (!running) etad.start();
      etad.poll();
      for (const char* log : {kLog, kOther})
        EXPECT_THAT(etad.lines_of[log], ElementsAre(header, std::string("line of ") + log))
            << births << running;
    }
  }
}

TEST(Adversary, ARotatedFileUnderAnotherDeviceNumberIsTheSameFile) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.stop();
  etad.files.write(kLog, "two\n");
  etad.files.rename(kLog, kRotated);
  etad.files.write(kLog, "three\n");
  etad.files.device = 7;
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

TEST(Adversary, AFileReplacedByALongerCopyOfItselfIsReadOn) {
  for (const bool running : {true, false}) {
    for (const bool keeps_time : {true, false}) {
      for (const bool births : {true, false}) {
        Harness etad(watching("/logs/*.log"));
        etad.files.births = births;
        for (int sync = 0; sync < 5; ++sync) {
          if (!running) etad.stop();
          const auto text = text_of(numbered(0, 10 * (sync + 1)));
          etad.files.replace(
              kLog, text, keeps_time ? std::optional(Instant(seconds(1'779'000'000 + sync))) : std::nullopt);
          if (!running) etad.start();
          etad.poll();
        }
        EXPECT_EQ(etad.lines, numbered(0, 50)) << running << keeps_time << births;
      }
    }
  }
}

TEST(Adversary, ACopyThatEndsAnUnterminatedLinePutsItTogether) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\nhalf a");
  etad.poll();
  etad.files.replace(kLog, "one\nhalf a line\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "half a line"));
}

// B7

TEST(Adversary, ALinkBesideItsTargetsDoublesNothing) {
  for (const bool restarts : {false, true}) {
    Harness etad({{"/logs/caffe.INFO", 0, false}, {"/logs/*", 1, false}});
    std::vector<std::string> expected;
    for (int i = 0; i < 20; ++i) {
      const std::string name = "caffe.gpu1.me.log.INFO.2026071" + std::to_string(i % 10) + "-1015" +
                               std::to_string(10 + i) + ".4711";
      etad.files.write("/logs/" + name, "first of " + name + "\n");
      etad.files.symlink(name, "/logs/caffe.INFO");
      if (i % 3 != 0) etad.poll();
      etad.files.write("/logs/" + name, "second of " + name + "\n");
      if (restarts) etad.restart();
      if (i % 2 != 0) etad.poll();
      expected.push_back("first of " + name);
      expected.push_back("second of " + name);
    }
    etad.poll();
    etad.poll();
    std::sort(etad.lines.begin(), etad.lines.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(etad.lines, expected) << restarts;
  }
}

TEST(Adversary, AFollowedFileMovedOntoAnotherDoublesNothing) {
  for (const bool restarts : {false, true}) {
    Harness etad(watching("/logs/*.log"));
    etad.files.write("/logs/run1.log", "a1\n");
    etad.files.write("/logs/run2.log", "b1\nb2\n");
    etad.poll();
    if (restarts) etad.stop();
    etad.files.rename("/logs/run2.log", "/logs/run1.log");
    if (restarts) etad.start();
    etad.poll();
    etad.files.write("/logs/run1.log", "b3\n");
    etad.poll();
    etad.files.write("/logs/run2.log", "c1\n");
    etad.poll();
    etad.files.write("/logs/run1.log", "b4\n");
    etad.poll();
    if (restarts) etad.restart();
    etad.poll();
    EXPECT_THAT(etad.lines, ::testing::UnorderedElementsAre("a1", "b1", "b2", "b3", "b4", "c1")) << restarts;
  }
}

TEST(Adversary, TwoNamesSwappedDoubleNothing) {
  for (const bool restarts : {false, true}) {
    Harness etad(watching("/logs/*.log"));
    etad.files.write("/logs/a.log", "a1\n");
    etad.files.write("/logs/b.log", "b1\n");
    etad.poll();
    for (int i = 0; i < 4; ++i) {
      if (restarts) etad.stop();
      etad.files.rename("/logs/a.log", "/logs/.swap");
      etad.files.rename("/logs/b.log", "/logs/a.log");
      etad.files.rename("/logs/.swap", "/logs/b.log");
      if (restarts) etad.start();
      etad.files.write("/logs/a.log", "x" + std::to_string(i) + "\n");
      etad.files.write("/logs/b.log", "y" + std::to_string(i) + "\n");
      etad.poll();
      etad.poll();
    }
    EXPECT_THAT(etad.lines,
                ::testing::UnorderedElementsAre("a1", "b1", "x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3"))
        << restarts;
  }
}

TEST(Adversary, ALinkMovedOntoAFollowedFileDoublesNothing) {
  Harness etad(watching("/logs/*.log"));
  etad.files.write("/logs/a.log", "a1\n");
  etad.files.write("/logs/b.log", "b1\n");
  etad.poll();
  etad.files.symlink("b.log", "/logs/a.log");
  etad.poll();
  etad.files.write("/logs/b.log", "b2\n");
  etad.poll();
  etad.restart();
  etad.poll();
  EXPECT_THAT(etad.lines, ::testing::UnorderedElementsAre("a1", "b1", "b2"));
}

TEST(Adversary, AFileLetGoOfTwiceIsReadOnFromTheLaterPlace) {
  const FileKey key{1, 2, 3};
  for (const bool later_first : {false, true}) {
    FinishedFiles finished;
    finished.add(with_holder(finished_identity("10:a", later_first ? 200 : 100, "10:b"), {key, {}}));
    finished.add(with_holder(finished_identity("10:a", later_first ? 100 : 200, "10:c"), {key, {}}));
    ASSERT_EQ(finished.of(key).size(), 2U) << "it may have been truncated in between";
    EXPECT_EQ(finished.of(key)[0].offset, 200);
  }
}

// B8

TEST(Adversary, ALineTornForHoursIsPutTogether) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\nIteration 1");
  etad.poll();
  etad.poll(seconds(61));
  etad.poll(seconds(61));
  etad.files.write(kLog, "00, loss\ntwo\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "Iteration 100, loss", "two"));

  etad.files.write(kLog, "Iteration 2");
  etad.poll();
  etad.poll(std::chrono::hours(2));
  EXPECT_EQ(etad.lines.back(), "Iteration 2") << "given up";
  etad.restart();
  etad.files.write(kLog, "00, loss\nthree\n");
  etad.now += seconds(11);
  const auto batches = etad.follower->poll(etad.now, etad.wall, etad.budget);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(batches[0].torn, "Iteration 2") << "whoever takes the lines knows that it was";
  ASSERT_EQ(batches[0].lines.size(), 2U);
  EXPECT_EQ(batches[0].lines[0].text, "Iteration 200, loss");
  EXPECT_EQ(batches[0].lines[1].text, "three");
}

TEST(Adversary, AHoleThatFillsLaterIsRead) {
  Harness etad(watching(kLog));
  etad.wall = Instant(seconds(1'780'000'000));  // what lies there has just been written
  const std::string middle = text_of(numbered(1, 129));
  etad.files.write(kLog, "line 0\n" + std::string(middle.size(), '\0') + "line 129\n");
  etad.poll();
  etad.restart();  // killed
  etad.poll();
  etad.files.write_at_offset(kLog, 7, middle.substr(0, 700));
  etad.poll();
  etad.restart();
  etad.poll();
  etad.files.write_at_offset(kLog, 7, middle);
  etad.poll();
  EXPECT_EQ(etad.lines, numbered(0, 130));
  EXPECT_EQ(etad.skipped, 0);
}

TEST(Adversary, AHoleThatStaysIsPassedOver) {
  Harness etad(watching(kLog));
  etad.wall = Instant(seconds(1'780'000'000));
  etad.files.write(kLog, "line 0\n" + std::string(5000, '\0') + "line 1\nlin");
  etad.files.write(kLog, std::string(100, '\0') + "line 2\n");
  for (int i = 0; i < 8; ++i) etad.poll();
  EXPECT_EQ(etad.lines, numbered(0, 3));
  EXPECT_EQ(etad.skipped, 5100);
}

TEST(Adversary, AHoleThatFillsAfterItWasPassedOverDoublesNothing) {
  Harness etad(watching(kLog));
  const std::string middle = text_of(numbered(1, 10));
  etad.files.write(kLog, "line 0\n" + std::string(middle.size(), '\0') + "line 10\n");
  etad.poll();
  etad.files.write_at_offset(kLog, 7, middle);
  etad.poll();
  etad.restart();
  etad.files.write(kLog, "line 11\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("line 0", "line 10", "line 11"));
}

TEST(Adversary, AFileGivenItsLengthBeforehandIsReadAsItFills) {
  Options options;
  options.batch_bytes = 4096;
  Harness etad(watching(kLog), options);
  etad.files.write(kLog, std::string(100'000, '\0'));
  std::int64_t at = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    etad.files.write_at_offset(kLog, at, line);
    at += static_cast<std::int64_t>(line.size());
    if (i % 7 == 0) etad.restart();
    etad.poll();
  }
  EXPECT_EQ(etad.lines, numbered(0, 50));
}

TEST(Adversary, ANewLogThatBeginsAsARemovedOneIsReadFromItsBeginning) {
  for (const bool restarts : {false, true}) {
    for (const char* next : {kLog, "/logs/other.log"}) {
      Harness etad(watching("/logs/*.log"));
      etad.files.write(kLog, "banner\nsettings\n");
      etad.poll();
      etad.poll(std::chrono::minutes(1));  // its descriptor is closed
      if (restarts) etad.stop();
      etad.files.remove(kLog);
      if (restarts) etad.start();
      if (std::string(next) != kLog) etad.poll();
      etad.files.write(next, "banner\nsettings\n");
      if (std::string(next) != kLog) etad.poll();
      etad.files.write(next, "result\n");
      etad.poll();
      EXPECT_THAT(etad.lines, ElementsAre("banner", "settings", "banner", "settings", "result"))
          << restarts << " " << next;
    }
  }
}

TEST(Adversary, ANameThatWasDeletedAndMadeAgainHoldsAnotherFile) {
  Harness etad(watching("/logs/*.log"));
  etad.with_hints = true;
  etad.restart();
  etad.files.write(kLog, "banner\n");
  etad.poll();
  etad.files.write("/logs/other.log", "x\n");
  etad.files.remove(kLog);
  etad.files.write("/logs/takes-the-inode.log", "");
  etad.files.write(kLog, "banner\nresult\n");
  etad.hints.pending.paths = etad.hints.pending.removed = {kLog};
  etad.follower->on_hint(etad.now);
  etad.poll();
  EXPECT_THAT(etad.lines_of[kLog], ElementsAre("banner", "banner", "result"));
}

TEST(Adversary, IdenticalLogsOfTwoRunsCountTwice) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\ntwo\n");
  etad.poll();
  etad.stop();
  for (int run = 0; run < 2; ++run) {  // nobody looks
    if (etad.files.exists(kRotated)) etad.files.rename(kRotated, "/logs/train.log.2");
    etad.files.rename(kLog, kRotated);
    etad.files.write(kLog, "one\ntwo\n");
  }
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "one", "two", "one", "two"));
}

}  // namespace
}  // namespace etad::follow
