#include "parsers/base/number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "parsers/base/printable.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

TEST(ParseNumber, TakesNothingButTheWholeText) {
  EXPECT_EQ(parse_number<std::int64_t>("-42"), -42);
  EXPECT_EQ(parse_number<std::uint64_t>("ff", 16), 255U);
  EXPECT_EQ(parse_number<double>("1.5e3"), 1500);
  for (const char* const none : {"", " 1", "1 ", "+1", "1.5", "0x1", "one", "9223372036854775808"})
    EXPECT_FALSE(parse_number<std::int64_t>(none)) << none;
  EXPECT_FALSE(parse_number<std::uint64_t>("-1"));
  EXPECT_FALSE(parse_number<double>("1.5s"));
}

TEST(ParseNumber, HoldsItsBounds) {
  EXPECT_EQ(parse_number<int>("0", 0, 9), 0);
  EXPECT_EQ(parse_number<int>("9", 0, 9), 9);
  EXPECT_FALSE(parse_number<int>("-1", 0, 9));
  EXPECT_FALSE(parse_number<int>("10", 0, 9));
}

TEST(TakeUntil, GoesOnBehindTheSeparator) {
  std::string_view rest = "a=b=";
  EXPECT_EQ(take_until(rest, '='), "a");
  EXPECT_EQ(take_until(rest, '='), "b");
  EXPECT_EQ(rest, "");
  EXPECT_EQ(take_until(rest, '='), "");
}

TEST(PutUtf8, WritesWhatFirstCharacterReads) {
  for (const char32_t code : {0x00U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xFFFDU, 0x10000U, 0x10FFFFU}) {
    char bytes[4];
    const std::size_t size = put_utf8(code, bytes);
    const Character read = first_character({bytes, size});
    EXPECT_EQ(read.code, code);
    EXPECT_EQ(read.bytes, size);
  }
}

}  // namespace
}  // namespace etad
