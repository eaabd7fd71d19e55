// A whole log's bytes, piece by piece, to lines.
#include "parsers/lines/log_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parsers/lines/packed.h"

namespace etad {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t kLimit = 100;

std::vector<std::string> lines_of(const std::string& log, std::size_t piece, LineLosses* losses = nullptr) {
  std::vector<std::string> out;
  LogLines lines(kLimit, [&](std::string_view line, std::optional<Instant> time) {
    out.push_back(std::string(line) + (time ? " at " + to_rfc3339(*time) : ""));
  });
  for (std::size_t at = 0; at < log.size(); at += piece) lines.feed(std::string_view(log).substr(at, piece));
  lines.finish();
  EXPECT_EQ(lines.held(), 0U);
  if (losses != nullptr) *losses = lines.take_losses();
  return out;
}

TEST(LogLines, AreTheSameHoweverTheBytesCome) {
  const std::string log =
      "one\r\n"
      "10%|#  | 1/10\r20%|## | 2/10\n"
      R"({"log":"two ","stream":"stdout","time":"2026-07-11T10:15:28.5Z"})"
      "\n"
      R"({"log":"halves\n","stream":"stdout","time":"2026-07-11T10:15:29Z"})"
      "\n"
      "\x1b[31mred\x1b[0m\n"
      "no newline";
  const auto whole = lines_of(log, log.size());
  EXPECT_THAT(whole, ElementsAre("one", "20%|## | 2/10", "two halves at 2026-07-11T10:15:28.5Z", "red",
                                 "no newline"));
  for (std::size_t piece = 1; piece < log.size(); ++piece) EXPECT_EQ(lines_of(log, piece), whole) << piece;
}

// As Windows' editors and shells write UTF-8, also where such files were joined.
TEST(LogLines, AreWithoutTheMarkOfTheirEncoding) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_THAT(lines_of(mark + "epoch,loss\n1,0.5\n" + mark + "epoch,loss\r\n" + mark, 1000),
              ElementsAre("epoch,loss", "1,0.5", "epoch,loss", ""));
}

// Terminals' lines are filled up with blanks; a tab stands before a table's last cell, which may be empty.
TEST(LogLines, AreWithoutBlanksAtTheirEnds) {
  EXPECT_THAT(lines_of("step 10   \nstep 20  \r\n\x1b[31mred \x1b[0m  \n   \n1\t2\t\n", 1000),
              ElementsAre("step 10", "step 20", "red", "", "1\t2\t"));
}

// A launcher that labels lines writes its label once before all the states of a bar that one line holds.
TEST(LogLines, OfABarBearTheLabelOfTheirLine) {
  EXPECT_THAT(
      lines_of("[rank1]: \r 10%|# | 1/10 [00:01<00:09,  1.00s/it]\r 20%|## | 2/10 [00:02<00:08,  1.00s/it]\n"
               " 3: 10%|# | 1/10 [00:01<00:09,  1.00s/it]\r 20%|## | 2/10 [00:02<00:08,  1.00s/it]\n"
               "[rank0]: step 10\rstep 20 of 30\n",
               1000),
      ElementsAre("[rank1]:  10%|# | 1/10 [00:01<00:09,  1.00s/it]",
                  "[rank1]:  20%|## | 2/10 [00:02<00:08,  1.00s/it]",
                  " 3: 10%|# | 1/10 [00:01<00:09,  1.00s/it]", " 3:  20%|## | 2/10 [00:02<00:08,  1.00s/it]",
                  "[rank0]: step 20 of 30"));
  EXPECT_THAT(
      lines_of("node-3: 1/9 [00:01, 1.00s/it]\rnode-4: 2/9 [00:02, 1.00s/it]\r3/9 1it/s\n", 1000),
      ElementsAre("node-3: 1/9 [00:01, 1.00s/it]", "node-4: 2/9 [00:02, 1.00s/it]", "node-3: 3/9 1it/s"));
}

TEST(LogLines, OfALongLineTheBeginningCounts) {
  for (const std::size_t piece : {7U, 1000U}) {
    LineLosses losses;
    const auto lines = lines_of(std::string(500, 'a') + "\nnext\n", piece, &losses);
    ASSERT_THAT(lines, SizeIs(2)) << piece;
    EXPECT_EQ(lines[0].find_first_not_of('a'), std::string::npos);
    EXPECT_GE(lines[0].size(), kLimit);
    EXPECT_EQ(lines[1], "next");
    EXPECT_EQ(losses.truncated_lines, 1) << piece;
  }
}

TEST(LogLines, OfNothingThereAreNone) {
  EXPECT_THAT(lines_of("", 1), IsEmpty());
}

TEST(Packed, IsToldByItsFirstBytes) {
  EXPECT_EQ(unpacked_by(std::string("\xfd"
                                    "7zXZ\0rest",
                                    10)),
            "xz");
  EXPECT_EQ(unpacked_by("BZh91AY"), "bunzip2");
  EXPECT_EQ(unpacked_by("\x28\xb5\x2f\xfd rest"), "unzstd");
  EXPECT_EQ(unpacked_by("PK\x03\x04 rest"), "unzip");
  EXPECT_EQ(unpacked_by(std::string(257, '\0') + "ustar"), "tar");
  for (const char* const log : {"", "B", "I0711 10:15:28 solver.cpp:1] Iteration 0", "\x1f\x8b\x08 gzip"})
    EXPECT_EQ(unpacked_by(log), "") << log;
}

}  // namespace
}  // namespace etad
