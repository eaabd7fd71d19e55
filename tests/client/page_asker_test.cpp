// Whose program is at the other end of a connection, by the kernel's tables.
#include "daemon/client/page/asker.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
#include <string>

namespace etad::client {
namespace {

constexpr TcpEnd kBrowserEnd{{127, 0, 0, 1}, 0x9C40}, kPageEnd{{127, 0, 0, 1}, 0x4833};

// A row as the kernel prints it; addresses are this machine's numbers.
std::string kernel_row(const std::string& local, const std::string& remote, const char* state, int uid,
                       int inode) {
  return "   3: " + local + " " + remote + " " + state + " 00000000:00000000 00:00000000 00000000  " +
         std::to_string(uid) + "        0 " + std::to_string(inode) + " 1 0000000000000000 20 4 30 10 -1\n";
}
const std::string kLoopbackHex = std::endian::native == std::endian::little ? "0100007F" : "7F000001";
const std::string kTheirs = kLoopbackHex + ":9C40", kOurs = kLoopbackHex + ":4833";
const std::string kHead =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

TEST(PageAsker, IsTheOwnerOfTheOtherEndsSocket) {
  const std::string table = kHead + kernel_row(kLoopbackHex + ":4833", "00000000:0000", "0A", 7, 1) +
                            kernel_row(kOurs, kTheirs, "01", 1001, 2) +
                            kernel_row(kTheirs, kOurs, "01", 1002, 3);
  EXPECT_EQ(owner_in(table, kBrowserEnd, kPageEnd), 1002U);
  EXPECT_FALSE(owner_in(table, {{127, 0, 0, 2}, 0x9C40}, kPageEnd));
  EXPECT_FALSE(owner_in(table, {{127, 0, 0, 1}, 0x9C41}, kPageEnd));
  EXPECT_FALSE(owner_in(kHead, kBrowserEnd, kPageEnd));
}

// The kernel shows what is left of it as root's.
TEST(PageAsker, IsNobodyWhoseSocketIsClosed) {
  EXPECT_FALSE(owner_in(kHead + kernel_row(kTheirs, kOurs, "05", 0, 0), kBrowserEnd, kPageEnd));
  EXPECT_FALSE(owner_in(kHead + kernel_row(kTheirs, kOurs, "06", 0, 0), kBrowserEnd, kPageEnd));
  EXPECT_FALSE(owner_in(kHead + kernel_row(kTheirs, kOurs, "01", 0, 0), kBrowserEnd, kPageEnd));
  EXPECT_FALSE(owner_in(kHead + "   3: " + kTheirs + " " + kOurs + " 01", kBrowserEnd, kPageEnd));
}

class Loopback : public testing::Test {
 protected:
  Loopback() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 4), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    page_ = {{127, 0, 0, 1}, ntohs(address.sin_port)};
  }
  ~Loopback() override { close(listening_); }

  TcpEnd browser_of(int socket, bool six) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const auto port = six ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                          : reinterpret_cast<sockaddr_in*>(&address)->sin_port;
    return {{127, 0, 0, 1}, ntohs(port)};
  }

  int listening_ = -1;
  TcpEnd page_;
};

TEST_F(Loopback, TheSystemTellsWhoseAConnectionIs) {
  const int browser = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(page_.port);
  ASSERT_EQ(connect(browser, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  const TcpEnd there = browser_of(browser, false);
  EXPECT_EQ(owner_of(there, page_), geteuid());
  close(browser);
  EXPECT_FALSE(owner_of(there, page_));
}

TEST_F(Loopback, AlsoOfAProgramThatSpeaksIpv6) {
  const int browser = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (browser < 0) GTEST_SKIP() << "there is no IPv6";
  sockaddr_in6 to{};
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(page_.port);
  ASSERT_EQ(inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr), 1);
  ASSERT_EQ(connect(browser, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  EXPECT_EQ(owner_of(browser_of(browser, true), page_), geteuid());
  close(browser);
}

TEST(PageUsers, AreItsOwnAndWhoBecameItBySudo) {
  const OwnUsers plain(1001, nullptr), odd(0, "1001x"), sudo(0, "1001");
  EXPECT_TRUE(plain.contains(1001));
  EXPECT_FALSE(plain.contains(0));
  EXPECT_FALSE(plain.contains(std::nullopt)) << "nobody knows whose";
  EXPECT_FALSE(odd.contains(1001));
  EXPECT_FALSE(odd.contains(std::nullopt));
  EXPECT_TRUE(sudo.contains(1001));
  EXPECT_TRUE(sudo.contains(0));
  EXPECT_FALSE(sudo.contains(1002));
}

}  // namespace
}  // namespace etad::client
