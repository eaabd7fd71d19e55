// The uids that a user hands out are he.
#include "daemon/accounts.h"

#include <gtest/gtest.h>

namespace etad {
namespace {

std::optional<std::int64_t> uid_of(const std::string& login) {
  if (login == "ada") return 1001;
  if (login == "root") return 0;
  if (login == "etad") return 990;
  return std::nullopt;
}

TEST(Accounts, UidsThatAUserHandsOutAreHis) {
  const auto accounts = Accounts::parse("1002:165536:65536\nada:100000:65536\nada:3000000:10\n", 990, uid_of);
  EXPECT_EQ(accounts.of(99999), 99999);
  EXPECT_EQ(accounts.of(100000), 1001);
  EXPECT_EQ(accounts.of(165535), 1001);
  EXPECT_EQ(accounts.of(165536), 1002);
  EXPECT_EQ(accounts.of(231072), 231072);
  EXPECT_EQ(accounts.of(3000009), 1001);
  EXPECT_EQ(accounts.of(3000010), 3000010);
  EXPECT_EQ(accounts.of(1001), 1001);
  EXPECT_EQ(accounts.of(0), 0);
}

// Else a process in a container of root's might change things.
TEST(Accounts, NoUidBecomesRootsOrTheDaemons) {
  const auto accounts = Accounts::parse("root:100000:65536\n0:200000:5\netad:300000:65536\n", 990, uid_of);
  for (const std::int64_t uid : {100000, 200000, 300000}) EXPECT_EQ(accounts.of(uid), uid);
}

TEST(Accounts, LinesThatSayNothingArePassedOver) {
  const auto accounts = Accounts::parse(
      "\n# note\nnobody-known:1:5\nada\nada:x:5\nada:7:\nada:-7:5\nada:10:-5\nada:500000:5", 990, uid_of);
  EXPECT_EQ(accounts.of(7), 7);
  EXPECT_EQ(accounts.of(2), 2);
  EXPECT_EQ(accounts.of(500004), 1001);
}

}  // namespace
}  // namespace etad
