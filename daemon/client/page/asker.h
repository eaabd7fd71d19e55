// Whose program is at the other end of a connection over the loopback interface, as the kernel tells in
// /proc/net/tcp. Not what the program says of itself.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace etad::client {

// One end of a connection, as the kernel has it: an IPv4 address in network order.
struct TcpEnd {
  std::array<unsigned char, 4> address{};
  std::uint16_t port = 0;
};

// The uid of the socket `there`, connected to `here`, by the text of /proc/net/tcp or /proc/net/tcp6 (a program that
// speaks IPv6 reaches an IPv4 address, too). None: it is not there, or nobody's any more: what the kernel keeps of one
// that was closed is root's.
std::optional<uid_t> owner_in(std::string_view table, const TcpEnd& there, const TcpEnd& here);

// The same of the system's tables. None, too, where they can't be read.
std::optional<uid_t> owner_of(const TcpEnd& there, const TcpEnd& here);

// Whom the page answers: its own user, and who became that user by sudo.
class OwnUsers {
 public:
  // `sudo_uid`: the environment's SUDO_UID; may be nullptr.
  OwnUsers(uid_t own, const char* sudo_uid);
  bool contains(std::optional<uid_t> uid) const { return uid && (uid == own_ || uid == by_sudo_); }

 private:
  uid_t own_;
  std::optional<uid_t> by_sudo_;
};

}  // namespace etad::client
