// Lines of UTF-16, as PowerShell's ">" writes them, split at newline bytes like any other text.
#include "parsers/lines/utf16.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "parsers/lines/line.h"

namespace etad {
namespace {

using ::testing::ElementsAre;

constexpr const char* kMark = "\xFF\xFE";

std::string utf16(std::u16string_view text) {
  std::string out;
  for (const char16_t c : text) out += {static_cast<char>(c & 0xFFU), static_cast<char>(c >> 8U)};
  return out;
}

std::vector<std::string> lines_of(std::string file, LineLosses& losses) {
  std::vector<std::string_view> found;
  std::vector<std::string> out;
  const auto take = [&](std::span<char> line) {
    found.clear();
    clean_states(line, 1000, found, losses);
    out.insert(out.end(), found.begin(), found.end());
  };
  const std::size_t taken = split_lines(std::span<char>(file), take);
  if (taken < file.size()) take(std::span<char>(file).subspan(taken));
  return out;
}

TEST(Utf16, LinesAreTextWithoutLosses) {
  LineLosses losses;
  EXPECT_THAT(lines_of(kMark + utf16(u"Epoch 1/3\r\n\r\nloss: 0.25\r\n"), losses),
              ElementsAre("Epoch 1/3", "", "loss: 0.25", ""));
  EXPECT_EQ(losses.skipped_bytes, 0);
}

TEST(Utf16, EachStateOfABarIsALine) {
  LineLosses losses;
  EXPECT_THAT(
      lines_of(kMark + utf16(u"a\r\n 10%| | 1/9 [00:10<01:20, 10.0s/it]\r 20%| | 2/9 [00:20<01:10, "
                             u"10.0s/it]\r\n"),
               losses),
      ElementsAre("a", " 10%| | 1/9 [00:10<01:20, 10.0s/it]", " 20%| | 2/9 [00:20<01:10, 10.0s/it]", ""));
}

TEST(Utf16, OtherCharactersTakeTheRoomThereIs) {
  LineLosses losses;
  EXPECT_THAT(
      lines_of(kMark + utf16(u"loss \u00B1 0.5 \u8F6E \U0001F680\n\u2588\u2588\u2588 100%\n"), losses),
      ElementsAre("loss \u00B1 0.5 \u8F6E \U0001F680", "?\u2588? 100%", ""));
}

TEST(Utf16, BigEndianLinesAreTextToo) {
  std::string file =
      kMark + utf16(u"Epoch 1/3\r\n\r\nloss \u00B1 0.25 \u8BAD\n 9%|\u2588\u2588\u2588| 1/9\n");
  for (std::size_t at = 0; at < file.size(); at += 2) std::swap(file[at], file[at + 1]);
  LineLosses losses;
  EXPECT_THAT(lines_of(file, losses),
              ElementsAre("Epoch 1/3", "", "loss \u00B1 0.25 \u8BAD", " 9%|\u2588\u2588\u2588| 1/9"));
  EXPECT_EQ(losses.skipped_bytes, 0);
}

TEST(Utf16, AHalfOfAPairIsAQuestionMark) {
  std::string line = utf16(u"loss ") + "\x3D\xD8" + utf16(u" 0.5");
  const std::span<char> narrowed = narrow_utf16(line);
  EXPECT_EQ(std::string(narrowed.begin(), narrowed.end()), "loss ? 0.5");
}

TEST(Utf16, WhatACrashLeftIsNone) {
  using namespace std::string_literals;
  for (const std::string& text :
       {"kept\0\0"s, "\0\0\0\0loss = 0.25"s, "cut\0off in the middle"s, "plain"s, ""s}) {
    std::string line = text;
    const std::span<char> same = narrow_utf16(line);
    EXPECT_EQ(std::string(same.begin(), same.end()), text);
  }
}

TEST(Utf16, AnyBytesAreTakenAndNeverGrow) {
  std::mt19937 random(20261123);
  for (int round = 0; round < 20'000; ++round) {
    std::string line;
    for (std::size_t left = random() % 40; left > 0; --left) {
      line += static_cast<char>(random() % 256);
      if (random() % 4 != 0) line += '\0';
    }
    const std::size_t size = line.size();
    ASSERT_LE(narrow_utf16(line).size(), size);
  }
}

}  // namespace
}  // namespace etad
