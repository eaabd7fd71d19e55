#include "parsers/base/printable.h"

#include <gtest/gtest.h>

namespace etad {
namespace {

TEST(Printable, LetsNothingSteerATerminalOrHide) {
  EXPECT_EQ(printable("a\x1b[31mb\x07"), "a\\x1b[31mb\\x07");
  EXPECT_EQ(printable("\x1b]52;c;ZWNobw==\x07"), "\\x1b]52;c;ZWNobw==\\x07");  // the clipboard
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");  // CSI as one C1 character
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");  // and as a byte
  EXPECT_EQ(printable("gnp.\xe2\x80\xae"
                      "log"),
            "gnp.\\u202elog");
  EXPECT_EQ(printable("\xe2\x81\xa6x\xe2\x81\xa9"), "\\u2066x\\u2069");
  EXPECT_EQ(printable("a\xe2\x80\xa8"
                      "b\xe2\x80\x8b"
                      "c"),
            "a\\u2028b\\u200bc");
  EXPECT_EQ(printable("\xf3\xa0\x81\x81"), "\\U000e0041");
  EXPECT_EQ(printable("line\nline\r\ttab"), "line\\x0aline\\x0d\\x09tab");
}

TEST(Printable, LeavesWhatPeopleWrite) {
  for (const char* text :
       {"caf\xc3\xa9", "\xe8\xae\xad\xe7\xbb\x83.log", "\xd7\xa9\xd7\x9c", "\xf0\x9f\x94\xa5", "a b\\c", ""})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xc0\xaf\xff\xed\xa0\x80\xe2\x82"), "\\xc0\\xaf\\xff\\xed\\xa0\\x80\\xe2\\x82");
}

}  // namespace
}  // namespace etad
