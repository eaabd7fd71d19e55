// A container's line in parts, cut in two by the rotation of its file: one line, told once, whatever is killed in
// between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kContainerLog = "/logs/0.log";
constexpr const char* kContainerRotated = "/logs/0.log.20260711-101528";

std::string cri(const std::string& stream, const std::string& flag, const std::string& text) {
  return "2026-07-11T10:15:28.123456789+00:00 " + stream + " " + flag + " " + text + "\n";
}

std::string docker(const std::string& log) {
  return R"({"log":")" + log + R"(","stream":"stderr","time":"2026-07-11T10:15:28.123456789Z"})" + "\n";
}

// What is left of an etad that is killed and started after every poll.
struct Killed : Harness {
  using Harness::Harness;
  void poll_and_restart() {
    poll();
    restart();
  }
};

TEST(PartedLines, CriOverARotation) {
  Harness etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, cri("stderr", "F", "one") + cri("stderr", "P", "two and "));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one"));
  etad.files.rename(kContainerLog, kContainerRotated);
  etad.files.write(kContainerLog, cri("stderr", "F", "a half") + cri("stderr", "F", "three"));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two and a half", "three"));
}

TEST(PartedLines, DockerOverARotation) {
  Harness etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, docker("one\\n") + docker("two "));
  etad.poll();
  etad.files.rename(kContainerLog, "/logs/0.log.1");
  etad.files.write(kContainerLog, docker("and a half\\n") + docker("three\\n"));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two and a half", "three"));
}

TEST(PartedLines, OverSeveralRotations) {
  Killed etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, cri("stdout", "P", "a"));
  etad.poll_and_restart();
  etad.files.rename(kContainerLog, "/logs/0.log.2");
  etad.files.write(kContainerLog, cri("stdout", "P", "b"));
  etad.poll_and_restart();
  etad.files.rename(kContainerLog, "/logs/0.log.1");
  etad.files.write(kContainerLog, cri("stdout", "P", "c"));
  etad.poll_and_restart();
  etad.files.write(kContainerLog, cri("stdout", "F", "d"));
  etad.poll_and_restart();
  EXPECT_THAT(etad.lines, ElementsAre("abcd"));
}

TEST(PartedLines, OverARotationWhileTheDaemonIsDown) {
  Harness etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, cri("stderr", "P", "one "));
  etad.poll();
  etad.stop();
  etad.files.rename(kContainerLog, kContainerRotated);
  etad.files.write(kContainerLog, cri("stderr", "F", "more"));
  etad.start();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one more"));
}

TEST(PartedLines, AKillBetweenTheTwoFilesLosesAndDoublesNothing) {
  Killed etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, cri("stderr", "F", "one") + cri("stderr", "P", "two and "));
  etad.poll_and_restart();
  etad.files.rename(kContainerLog, kContainerRotated);
  etad.files.write(kContainerLog, cri("stderr", "P", "a "));
  etad.poll_and_restart();
  EXPECT_THAT(etad.lines, ElementsAre("one"));
  EXPECT_NE(etad.positions[kContainerLog].carried, "") << "or a restart forgets the first half";
  static_cast<void>(etad.poll_and_fail());
  etad.files.write(kContainerLog, cri("stderr", "F", "half") + cri("stderr", "F", "three"));
  static_cast<void>(etad.poll_and_fail());
  etad.poll_and_restart();
  etad.poll_and_restart();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two and a half", "three"));
  EXPECT_EQ(etad.positions[kContainerLog].carried, "");
}

TEST(PartedLines, TheOtherStreamBetweenTheParts) {
  Harness etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, cri("stdout", "P", "one ") + cri("stderr", "F", "error"));
  etad.poll();
  etad.files.rename(kContainerLog, kContainerRotated);
  etad.files.write(kContainerLog, cri("stderr", "F", "another") + cri("stdout", "F", "more"));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("error", "another", "one more"));
}

TEST(PartedLines, WhatGoesOnAsAnotherLogEndsTheLine) {
  Harness etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, cri("stdout", "P", "one"));
  etad.poll();
  etad.files.rename(kContainerLog, kContainerRotated);
  etad.files.write(kContainerLog, "a plain line\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "a plain line"));
}

TEST(PartedLines, OfADeletedFileThePartsAreALine) {
  Harness etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, cri("stdout", "P", "one"));
  etad.poll();
  EXPECT_THAT(etad.lines, IsEmpty());
  etad.files.remove(kContainerLog);
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one"));
}

TEST(PartedLines, WhatNeverEndsIsALineAfterAWhile) {
  Options options;
  options.line_idle_limit = std::chrono::minutes(1);
  Harness etad({{kContainerLog, 0, false}}, options);
  etad.files.write(kContainerLog, cri("stdout", "P", "one "));
  etad.poll();
  etad.files.rename(kContainerLog, kContainerRotated);
  etad.files.write(kContainerLog, cri("stdout", "P", "more"));
  etad.poll();
  etad.poll(std::chrono::minutes(2));
  EXPECT_THAT(etad.lines, ElementsAre("one more"));
}

TEST(PartedLines, NoMoreIsCarriedThanALineHolds) {
  Options options;
  options.line_limit = 100;
  Harness etad({{kContainerLog, 0, false}}, options);
  etad.files.write(kContainerLog, cri("stdout", "P", std::string(200, 'a')));
  etad.poll();
  etad.files.rename(kContainerLog, kContainerRotated);
  etad.files.write(kContainerLog, cri("stdout", "F", "more"));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre(std::string(100, 'a'), "more"));
  EXPECT_EQ(etad.truncated, 1);
}

TEST(PartedLines, TheFilesMarkerIsItsOwnBytes) {
  Killed etad({{kContainerLog, 0, false}});
  etad.files.write(kContainerLog, cri("stdout", "P", "one "));
  etad.poll();
  etad.files.rename(kContainerLog, kContainerRotated);
  etad.files.write(kContainerLog, cri("stdout", "F", "more"));
  etad.poll_and_restart();
  EXPECT_EQ(etad.positions[kContainerLog].marker, marker_of(etad.files.content(kContainerLog)));
  etad.files.write(kContainerLog, cri("stdout", "F", "two"));
  etad.poll_and_restart();
  EXPECT_THAT(etad.lines, ElementsAre("one more", "two"));
}

// A megabyte of them would take a hundred as lines.
TEST(PartedLines, ManyShortLinesAreTakenBitByBit) {
  Killed etad(watching(kContainerLog));
  std::string text = cri("stderr", "P", "never ended ");
  for (int i = 0; i < 50'000; ++i) text += i % 2 == 0 ? "\n" : std::to_string(i % 10) + "\n";
  for (int i = 0; i < 20'000; ++i) text += cri("stdout", "F", std::to_string(i));
  etad.files.write(kContainerLog, text + "last");
  std::size_t most = 0, lines = 0;
  for (bool more = true; more;) {
    const auto batches = etad.follower->poll(etad.now, etad.wall, 1);
    for (const Batch& batch : batches) {
      most = std::max(most, batch.lines.size());
      lines += batch.lines.size();
      etad.commit(batch);
    }
    more = !batches.empty();
  }
  EXPECT_EQ(most, 16'384U);
  EXPECT_EQ(lines, 70'001U);
  etad.poll(std::chrono::hours(2));
  EXPECT_EQ(etad.lines.size(), 70'002U);
  EXPECT_EQ(etad.lines[50'000], "9");
  EXPECT_EQ(etad.lines[70'000], "19999");
  EXPECT_EQ(etad.lines.back(), "last");
}

// Their first line waits for its end, and the others behind it, but not for ever.
TEST(PartedLines, AnOpenLineBeforeManyIsGivenOutAsItIs) {
  Harness etad(watching(kContainerLog));
  std::string text = cri("stderr", "P", "one ");
  for (int i = 0; i < 20'000; ++i) text += cri("stdout", "F", "x");
  etad.files.write(kContainerLog, text + cri("stderr", "F", "more"));
  etad.poll();
  EXPECT_EQ(etad.lines.size(), 20'002U);
}

TEST(PartedLines, AFileThatEndsWithALineThatWentOnIsKnownWhenItIsCompressed) {
  Options options;
  options.line_idle_limit = std::chrono::seconds(60);
  Harness etad(watching(kLog), options);
  etad.files.write(kLog, text_of(numbered(0, 100)) + "line 1");
  etad.poll();
  etad.poll(std::chrono::seconds(61));
  etad.files.write(kLog, "00\n");
  etad.poll();
  const auto before = etad.lines.size();
  etad.files.rename(kLog, kRotated);
  etad.files.gzip(kRotated, "/logs/train.log.1.gz");
  etad.files.write(kLog, "next\n");
  etad.poll();
  EXPECT_EQ(etad.lines.size(), before + 1);
  EXPECT_EQ(etad.lines.back(), "next");
}

}  // namespace
}  // namespace etad::follow
