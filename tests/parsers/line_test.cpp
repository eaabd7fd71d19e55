// Line cleaning: what a terminal would have shown at the line's end, whatever pieces the bytes came in.
#include "parsers/lines/line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace etad {
namespace {

using ::testing::ElementsAre;

std::string clean(std::string line, std::size_t limit = 1000) {
  LineLosses losses;
  return std::string(clean_line(line, limit, losses));
}

TEST(LineCleaning, LeavesPlainTextWhereItStands) {
  std::string line = "Iteration 100, loss = 0.25\tdone";
  LineLosses losses;
  const std::string_view cleaned = clean_line(line, 1000, losses);
  EXPECT_EQ(cleaned, "Iteration 100, loss = 0.25\tdone");
  EXPECT_EQ(cleaned.data(), line.data());
}

TEST(LineCleaning, StripsTheReturnOfCrlf) {
  EXPECT_EQ(clean("loss = 0.25\r"), "loss = 0.25");
  EXPECT_EQ(clean("loss = 0.25\r\r"), "loss = 0.25");
  EXPECT_EQ(clean("\r"), "");
}

TEST(LineCleaning, LoneReturnsKeepTheLastStateOnly) {
  EXPECT_EQ(clean(" 10% [=>   ]\r 50% [==>  ]\r100% [====]"), "100% [====]");
  EXPECT_EQ(clean("a long first state\rshort"), "short");
}

TEST(LineCleaning, BackspacesOverwrite) {
  EXPECT_EQ(clean("loss: 0.50\b\b\b\b0.25"), "loss: 0.25");
  EXPECT_EQ(clean("|\b/\b-\b\\"), "\\");
  EXPECT_EQ(clean("abc\b\b\b\b\b\bxy"), "xy");
  EXPECT_EQ(clean("kept\b\b\b\b"), "kept") << "moving the cursor erases nothing";
  EXPECT_EQ(clean("1/9 [>..]\b\b\b\b\b\b\b\b\b\r2/9 [=>.]"), "2/9 [=>.]");
}

TEST(LineCleaning, ABackspaceTakesAWholeCharacter) {
  EXPECT_EQ(clean("bar \xE2\x96\x88\bdone"), "bar done");
  EXPECT_EQ(clean("\x80\x80\x80\x80\x80\b\bx"), "x") << "no UTF-8: at most four bytes at a time";
}

TEST(LineCleaning, TerminalSequencesAreTakenOut) {
  EXPECT_EQ(clean("\x1b[1;32mloss\x1b[0m = \x1b[38;5;196m0.25\x1b[m"), "loss = 0.25");
  EXPECT_EQ(clean("\x1b]0;window title\aepoch 3"), "epoch 3");
  EXPECT_EQ(clean("\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\"), "link");
  EXPECT_EQ(clean("\x1b(Btext\x1b=\x1b>"), "text");
  EXPECT_EQ(clean("\x1b[?25lhidden cursor\x1b[?25h"), "hidden cursor");
}

TEST(LineCleaning, ErasingSequencesErase) {
  EXPECT_EQ(clean("100% of a bar\r\x1b[K"), "");
  EXPECT_EQ(clean("100% of a bar\r\x1b[Kloss"), "loss");
  EXPECT_EQ(clean("100% of a bar\x1b[2Kloss"), "loss");
  EXPECT_EQ(clean("kept\x1b[K"), "kept");
}

TEST(LineCleaning, BrokenSequencesHideNothing) {
  EXPECT_EQ(clean("a\x1b"), "a");
  EXPECT_EQ(clean("a\x1b["), "a");
  EXPECT_EQ(clean("a\x1b[12\xFF loss"), "a\xFF loss");
  EXPECT_EQ(clean("a\x1b]loss = 0.25"), "aloss = 0.25") << "a command never ended is text";
  EXPECT_EQ(clean("a\x1b[1\rloss"), "loss");
}

TEST(LineCleaning, NulRunsAreSkippedAndCounted) {
  std::string line = std::string("cut off in the mid") + std::string(500, '\0') + "loss = 0.25";
  LineLosses losses;
  EXPECT_EQ(clean_line(line, 1000, losses), "loss = 0.25");
  EXPECT_EQ(losses.skipped_bytes, 500);
  EXPECT_EQ(losses.truncated_lines, 0);
  EXPECT_EQ(clean(std::string("kept\0\0", 6)), "kept");
}

TEST(LineCleaning, LongLinesAreCutAndCounted) {
  LineLosses losses;
  std::string plain(100, 'x');
  EXPECT_EQ(clean_line(plain, 10, losses), "xxxxxxxxxx");
  std::string exact(10, 'x');
  EXPECT_EQ(clean_line(exact, 10, losses).size(), 10U);
  EXPECT_EQ(losses.truncated_lines, 1);
}

TEST(LineCleaning, TheLimitIsTheShownLinesAndNotTheRawOnes) {
  std::string bar;
  for (int i = 0; i < 1000; ++i) bar += "\rprogress " + std::to_string(i);
  LineLosses losses;
  EXPECT_EQ(clean_line(bar, 20, losses), "progress 999");
  EXPECT_EQ(losses.truncated_lines, 0);
}

TEST(LineCleaning, InvalidBytesStay) {
  EXPECT_EQ(clean("\xFF\xFE loss \xC3"), "\xFF\xFE loss \xC3");
}

TEST(LineSplitting, TakesCompleteLinesOnly) {
  std::string block = "one\ntwo\r\n\nthr";
  std::vector<std::string_view> lines;
  LineLosses losses;
  EXPECT_EQ(clean_lines(block, 100, lines, losses), 10U);
  EXPECT_THAT(lines, ElementsAre("one", "two", ""));
}

TEST(LineSplitting, DoesNotCopyCleanLines) {
  std::string block = "one\ntwo\n";
  std::vector<std::string_view> lines;
  LineLosses losses;
  clean_lines(block, 100, lines, losses);
  EXPECT_EQ(lines[1].data(), block.data() + 4);
}

// Bytes that make every kind of trouble, and few others.
std::string troublesome(std::mt19937& random, std::size_t length) {
  using namespace std::string_view_literals;
  static constexpr auto kAlphabet = "ab0;2mK[]\\(\a\b\b\r\r\0\0\x1b\x1b\x1b\xE2\x96\x88\xFF\t "sv;
  std::uniform_int_distribution<std::size_t> pick(0, kAlphabet.size() - 1);
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += kAlphabet[pick(random)];
  return out;
}

TEST(LineCleaning, InRandomPiecesEqualsWhole) {
  std::mt19937 random(20260711);
  for (int round = 0; round < 20'000; ++round) {
    const std::string line = troublesome(random, random() % 40);
    const std::size_t limit = 1 + random() % 30;
    std::string whole = line;
    LineLosses expected;
    const std::string cleaned(clean_line(whole, limit, expected));

    std::string out(limit, '\0');
    LineCleaner cleaner(out.data(), limit);
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t piece = 1 + random() % 5;
      cleaner.feed(std::string_view(line).substr(at, piece));
      at += piece;
    }
    LineLosses losses;
    const std::size_t length = cleaner.finish(losses);
    ASSERT_EQ(out.substr(0, length), cleaned) << "round " << round;
    ASSERT_EQ(losses.truncated_lines, expected.truncated_lines) << "round " << round;
    ASSERT_EQ(losses.skipped_bytes, expected.skipped_bytes) << "round " << round;
  }
}

TEST(LineCleaning, LeavesNoneOfWhatItTakesOutAndNeverGrows) {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string line = troublesome(random, random() % 60);
    const std::string raw = line;
    const std::string cleaned = clean(line);
    ASSERT_FALSE(needs_cleaning(cleaned)) << "round " << round;
    ASSERT_LE(cleaned.size(), raw.size());
    ASSERT_EQ(clean(cleaned), cleaned) << "cleaning again changes nothing";
  }
}

TEST(NeedsCleaning, FindsEachByteWhereverItStands) {
  for (const char c : {'\0', '\b', '\r', '\x1b'}) {
    for (std::size_t at = 0; at < 600; at += 7) {
      std::string bytes(600, 'x');
      EXPECT_FALSE(needs_cleaning(bytes));
      bytes[at] = c;
      EXPECT_TRUE(needs_cleaning(bytes)) << int{c} << " at " << at;
    }
  }
}

}  // namespace
}  // namespace etad
