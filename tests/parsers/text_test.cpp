#include "parsers/base/text.h"

#include <gtest/gtest.h>

namespace etad {
namespace {

TEST(Text, IsTrimmedOfTheBlanksThatAreMeant) {
  EXPECT_EQ(trim(" \t a b\t "), "a b");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(" a\r"), "a\r");
  EXPECT_EQ(trim(" a\r", " \r"), "a");
}

TEST(Text, LosesTheCaseOfAsciiLettersOnly) {
  EXPECT_EQ(lower_case("@AMZ[`az{ 09"), "@amz[`az{ 09");
  EXPECT_EQ(lower_case("\xC3\x89t\xC9"), "\xC3\x89t\xC9");
}

TEST(KeptText, Utf8StaysAsItIs) {
  for (const char* text : {"", "plain", "caf\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    EXPECT_EQ(kept_text(text, 100), text);
}

TEST(KeptText, OtherBytesAreTakenForLatin1) {
  EXPECT_EQ(kept_text("r\xE9seau", 100), "r\xC3\xA9seau");
  EXPECT_EQ(kept_text("\xE2\x82", 100), "\xC3\xA2\xC2\x82") << "a character cut short";
  EXPECT_EQ(kept_text("\xC0\xAF", 100), "\xC3\x80\xC2\xAF") << "overlong";
  EXPECT_EQ(kept_text("\xED\xA0\x80", 100), "\xC3\xAD\xC2\xA0\xC2\x80") << "a surrogate";
  EXPECT_EQ(kept_text("\xF5\x80\x80\x80", 100).size(), 8u) << "beyond Unicode";
}

TEST(KeptText, IsCutBetweenCharacters) {
  EXPECT_EQ(kept_text("abcdef", 3), "abc");
  EXPECT_EQ(kept_text("ab\xE2\x82\xAC", 4), "ab");
  EXPECT_EQ(kept_text("a\xE9", 2), "a");
  EXPECT_EQ(kept_text("x", 0), "");
}

}  // namespace
}  // namespace etad
