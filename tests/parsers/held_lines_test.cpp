#include "parsers/log/held_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace etad {
namespace {

HeldLine line(std::size_t size, char of) {
  return {std::string(size, of), {}};
}

TEST(HeldLines, OneThatIsLongTakesNotTheRoomOfAll) {
  HeldLines held;
  for (int i = 0; i < 40; ++i) held.add(line(1000, 'a'));
  EXPECT_EQ(held.add(line(65'536, 'x')), 0);
  EXPECT_EQ(held.size(), 41);
  EXPECT_EQ(held.add(line(1000, 'b')), 0);
  EXPECT_LT(held.all()[40].text.size(), 65'536U);
}

// A restart must not have more lines among the first than there were: what lies between is forgotten otherwise.
TEST(HeldLines, AreRestoredAsTheyWere) {
  HeldLines held;
  for (int i = 0; i < 20; ++i) held.add(line(1000, 'a'));
  held.add(line(16'000, 'x'));  // closes the first ones, though shorter ones would fit there
  for (int i = 0; i < 3; ++i) held.add(line(1000, 'b'));
  HeldLines again;
  again.restore(held.all(), held.first_size(), held.forgotten());
  EXPECT_EQ(again.first_size(), 20);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(held.add(line(1000, 'c')), again.add(line(1000, 'c'))) << i;
  EXPECT_EQ(again.size(), held.size());
  HeldLines of_before;
  of_before.restore(held.all(), -1, 7);
  EXPECT_EQ(of_before.forgotten(), 7 + held.size() - of_before.size());
}

}  // namespace
}  // namespace etad
