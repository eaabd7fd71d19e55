// What becomes of a file's bytes: offsets, unterminated and over-long lines, NUL runs, progress bars,
// envelopes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

Options small_batches() {
  Options options;
  options.batch_bytes = 4096;
  options.line_limit = 1000;
  return options;
}

TEST(Following, OffsetRunsAhead) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\ntwo\nhalf");
  etad.poll();
  EXPECT_EQ(etad.positions[kLog].offset, 8) << "the end of the last complete line";
  etad.restart();
  etad.files.write(kLog, " and half\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "half and half"));
}

TEST(Following, OffsetRunsAheadOfACommitThatNeverCame) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.write(kLog, "two\n");
  (void)etad.follower->poll(etad.now += seconds(11), etad.wall, etad.budget);  // killed before the commit
  etad.restart();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

TEST(Following, UnterminatedLastLine) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\nlast words");
  etad.poll(seconds(11));
  EXPECT_THAT(etad.lines, ElementsAre("one")) << "held";
  etad.poll(seconds(3601));
  EXPECT_THAT(etad.lines, ElementsAre("one", "last words")) << "idle past the limit";
  etad.files.write(kLog, "\nnext\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "last words", "next"))
      << "the late newline is no line of its own";
}

std::string bar(int done) {
  return "\r" + std::to_string(done) + "%|#  | " + std::to_string(done) + "/100 [00:10<00:30, 2.00it/s]";
}

// A training that draws one bar from its beginning to its end writes a single line.
TEST(Following, ABarsStatesAreLinesBeforeItsLineEnds) {
  Harness etad(watching(kLog));
  const auto state = [](int done) { return bar(done).substr(1); };
  std::vector<std::string> all;
  for (int done = 1; done <= 6; ++done) {
    etad.files.write(kLog, bar(done));
    etad.poll(seconds(11));
    if (done == 3) etad.restart();
    if (done > 2) all.push_back(state(done - 2));
    EXPECT_EQ(etad.lines, all) << done << ": the last two wait for what comes";
  }
  etad.files.write(kLog, "\nnext\n");
  etad.poll(seconds(11));
  for (const auto& each : {state(5), state(6), std::string("next")}) all.push_back(each);
  EXPECT_EQ(etad.lines, all);
}

TEST(Following, ABarThatRestedForLongGoesOnWhereItWas) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, bar(1) + bar(2) + bar(3));
  etad.poll(seconds(11));
  etad.poll(seconds(301));  // its last states are taken as they are
  etad.files.write(kLog, bar(4) + bar(5) + "\n");
  etad.poll(seconds(11));
  std::vector<std::string> all;
  for (int done = 1; done <= 5; ++done) all.push_back(bar(done).substr(1));
  EXPECT_EQ(etad.lines, all);
}

TEST(Following, ABarInACopyGoesOn) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, bar(1) + bar(2) + bar(3));
  etad.poll(seconds(11));
  const std::string bytes = etad.files.file(kLog)->bytes;
  etad.files.replace(kLog, bytes, std::nullopt);
  etad.poll(seconds(11));
  etad.files.write(kLog, bar(4) + "\n" + bar(5));
  etad.poll(seconds(11));
  std::vector<std::string> all;
  for (int done = 1; done <= 4; ++done) all.push_back(bar(done).substr(1));
  EXPECT_EQ(etad.lines, all);
}

TEST(Following, UnterminatedLastLineIsIdleOnlyWhileItDoesNotGrow) {
  Harness etad(watching(kLog));
  for (int i = 0; i < 10; ++i) {
    etad.files.write(kLog, "x");
    etad.poll(seconds(40));
  }
  EXPECT_TRUE(etad.lines.empty());
}

TEST(Following, UnterminatedLastLineIsNotIdleBecauseTheMachineHasLongBeenUp) {
  Harness etad(watching(kLog));
  etad.now += std::chrono::hours(1000);  // the steady clock counts from the machine's start, not from ours
  etad.files.write(kLog, "one\nlast wo");
  etad.poll();
  etad.restart();
  etad.poll();
  etad.poll();
  etad.files.write(kLog, "rds\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "last words"));
}

TEST(Following, UnterminatedLastLineOfARotatedFile) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\nlast words");
  etad.poll();
  etad.files.rename(kLog, "/logs/train.log.1");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one")) << "the writer may still be at it";
  etad.files.write(kLog, "two\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "last words", "two"));
}

TEST(Following, UnterminatedLastLineOfADeletedFile) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\nlast words");
  etad.poll();
  etad.files.remove(kLog);
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "last words"));
}

TEST(Following, LongLine) {
  Harness etad(watching(kLog), small_batches());
  etad.files.write(kLog,
                   "before\n" + std::string(50'000, 'x') + "\nafter\n" + std::string(1500, 'y') + "\nend\n");
  etad.poll();
  ASSERT_EQ(etad.lines.size(), 5U);
  EXPECT_THAT(etad.lines,
              ElementsAre("before", std::string(1000, 'x'), "after", std::string(1000, 'y'), "end"));
  EXPECT_EQ(etad.truncated, 2);
}

TEST(Following, LongLineInPiecesAndOverARestart) {
  Harness etad(watching(kLog), small_batches());
  etad.files.write(kLog, "before\n");
  for (int i = 0; i < 50; ++i) {
    etad.files.write(kLog, std::string(1000, 'x'));
    etad.poll();
    if (i == 25) etad.restart();
  }
  EXPECT_THAT(etad.lines, ElementsAre("before"));
  etad.files.write(kLog, "\nafter\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("before", std::string(1000, 'x'), "after"));
  EXPECT_EQ(etad.truncated, 1);
}

TEST(Following, LongLineThatNeverEnds) {
  Harness etad(watching(kLog), small_batches());
  etad.files.write(kLog, std::string(50'000, 'x'));
  etad.poll();
  etad.files.rename(kLog, "/logs/train.log.1");
  etad.files.write(kLog, "next\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre(std::string(1000, 'x'), "next"));
}

TEST(Following, NulRuns) {
  Harness etad(watching(kLog), small_batches());
  etad.files.write(kLog, "one\n" + std::string(10'000, '\0') + "two\nthr");
  etad.files.write(kLog, std::string(100, '\0') + "four\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "four"));
  EXPECT_EQ(etad.skipped, 10'100);
}

TEST(Following, NulRunsAtTheEndArePassedOverWhenSomethingComesBehindThem) {
  Harness etad(watching(kLog), small_batches());
  etad.files.write(kLog, "one\n" + std::string(100'000, '\0'));
  etad.poll();
  EXPECT_EQ(etad.positions[kLog].offset, 4) << "nobody knows yet what will come there";
  etad.restart();
  etad.files.write(kLog, "two\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  EXPECT_EQ(etad.skipped, 100'000);
}

TEST(Following, NulRunsOfATruncationUnderTheWriter) {
  Harness etad(watching(kLog), small_batches());
  etad.files.write(kLog, "one\ntwo\n");
  etad.poll();
  etad.files.truncate(kLog);
  etad.files.write_at_offset(kLog, 8, "three\n");  // the writer did not open it for appending
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

std::string utf16(std::u16string_view text) {
  std::string out;
  for (const char16_t c : text) out += {static_cast<char>(c & 0xFFU), static_cast<char>(c >> 8U)};
  return out;
}

// As PowerShell's ">" writes them: the lower byte of a line that is drawn is NUL as well.
TEST(Following, CharactersOfUtf16AreNoHole) {
  Harness etad(watching(kLog));
  etad.wall = Instant(std::chrono::seconds(1'780'000'000));  // nothing has been there for long
  etad.files.write(kLog, "\xFF\xFE");
  etad.poll();
  for (const char16_t* line : {u"one\r\n", u"two \u2500\u2500 2\r\n", u"three \u2500\u2500 3\n"}) {
    etad.files.write(kLog, utf16(line));
    etad.poll(std::chrono::seconds(1));
  }
  EXPECT_THAT(etad.lines, ElementsAre("one", "two \u2500\u2500 2", "three \u2500\u2500 3"));
  EXPECT_EQ(etad.skipped, 0) << "nor is the second byte of a newline";
  etad.files.write(kLog, utf16(u"four\n") + std::string(4096, '\0') + utf16(u"five\n"));
  etad.poll(std::chrono::seconds(1));
  EXPECT_EQ(etad.lines.back(), "four") << "a hole is waited for";
  for (int i = 0; i < 2; ++i) etad.poll(std::chrono::minutes(2));
  EXPECT_EQ(etad.lines.back(), "five");
}

TEST(Following, NorIsTheEndOfTheirLastLineWhereTheNextFileWaits) {
  Harness etad(watching(kLog));
  etad.wall = Instant(std::chrono::seconds(1'780'000'000));
  etad.files.write(kLog, "\xFF\xFE" + utf16(u"one\r\ntwo\r\n"));
  etad.poll();
  etad.files.write(kLog, utf16(u"three\n"));
  etad.files.rename(kLog, kRotated);
  etad.files.write(kLog, "\xFF\xFE" + utf16(u"four\n"));
  etad.poll(std::chrono::seconds(1));
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(etad.skipped, 0);
}

TEST(Following, DeletedWhileOpen) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  ASSERT_EQ(etad.files.open_handles(), 1);
  etad.files.write(kLog, "two\n");
  etad.files.remove(kLog);
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  EXPECT_EQ(etad.files.open_handles(), 0) << "the disk space is free";
  EXPECT_EQ(etad.state[kLog], State::gone);
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

TEST(Following, CarriageReturns) {
  Harness etad(watching(kLog), small_batches());
  std::string bar;
  for (int i = 0; i < 2000; ++i) bar += "\rstep " + std::to_string(i) + "/2000";
  etad.files.write(kLog,
                   "crlf\r\n10%\r\x1b[32m100%\x1b[0m\nloss: 0.50\b\b\b\b0.25\n\xFF loss\n" + bar + "\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("crlf", "100%", "loss: 0.25", "\xFF loss", "step 1999/2000"));
  EXPECT_EQ(etad.truncated, 0) << "only what is shown counts against the limit";
}

TEST(Following, DockerEnvelopes) {
  Harness etad(watching(kLog));
  etad.files.write(kLog,
                   "{\"log\":\"step 1\\r\\n\",\"stream\":\"stdout\",\"time\":\"2026-07-11T10:15:28.5Z\"}\n"
                   "{\"log\":\"half \",\"stream\":\"stdout\",\"time\":\"2026-07-11T10:15:29Z\"}\n"
                   "{\"log\":\"warning\\n\",\"stream\":\"stderr\",\"time\":\"2026-07-11T10:15:30Z\"}\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("step 1"));
  EXPECT_EQ(etad.times[0], Instant(std::chrono::sys_days(std::chrono::year(2026) / 7 / 11)) +
                               std::chrono::milliseconds(36'928'500));
  etad.restart();
  etad.files.write(kLog, "{\"log\":\"a line\\n\",\"stream\":\"stdout\",\"time\":\"2026-07-11T10:15:31Z\"}\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("step 1", "warning", "half a line")) << "its parts stay together";
}

TEST(Following, CriEnvelopes) {
  Harness etad(watching(kLog));
  etad.files.write(kLog,
                   "2026-07-11T12:15:28.123456789+02:00 stdout F step 1\n"
                   "2026-07-11T12:15:29+02:00 stderr P a line \n"
                   "2026-07-11T12:15:30+02:00 stderr P of three \n"
                   "2026-07-11T12:15:31+02:00 stderr F parts\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("step 1", "a line of three parts"));
}

TEST(Following, APartialLineWithoutEndDoesNotHoldUpTheFile) {
  Harness etad(watching(kLog), small_batches());
  std::string log = "2026-07-11T10:15:28Z stderr P never ended\n";
  for (int i = 0; i < 300; ++i) log += "2026-07-11T10:15:29Z stdout F step " + std::to_string(i) + "\n";
  etad.files.write(kLog, log);
  etad.poll();
  etad.poll(seconds(3601));
  EXPECT_EQ(etad.lines.size(), 301U);
}

// Nobody is behind who has read all that is written.
TEST(Following, SpaceAllocatedBeforehandIsNotWaitedFor) {
  for (const std::string behind : {"", "two\n"}) {
    Harness etad({{kLog, 0, false}});
    etad.wall = etad.files.clock();
    etad.files.write(kLog, "one\n" + std::string(1 << 16, '\0') + behind);
    etad.poll(std::chrono::seconds(1));
    EXPECT_THAT(etad.lines, ElementsAre("one"));
    const Status status = etad.follower->statuses().at(0);
    EXPECT_EQ(status.offset, 4);
    EXPECT_EQ(status.caught_up, behind.empty());
  }
}

}  // namespace
}  // namespace etad::follow
