#include "daemon/client/page/asker.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "parsers/base/cells.h"
#include "parsers/base/number.h"

namespace etad::client {
namespace {

constexpr std::string_view kConnected = "01";
// Of a row's columns, a blank between any two.
enum Column : std::size_t { kLocal = 1, kRemote = 2, kState = 3, kUid = 7, kInode = 9, kColumns = 10 };

// Words of an address are printed as this machine's numbers.
std::string hex(std::uint32_t word) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08X", word);
  return text.data();
}

std::string hex(const TcpEnd& end, bool six) {
  std::uint32_t word = 0;
  std::memcpy(&word, end.address.data(), sizeof word);
  std::array<char, 6> port{};
  std::snprintf(port.data(), port.size(), ":%04X", end.port);
  return (six ? hex(0) + hex(0) + hex(htonl(0xffff)) : std::string()) + hex(word) + port.data();
}

}  // namespace

std::optional<uid_t> owner_in(std::string_view table, const TcpEnd& there, const TcpEnd& here) {
  const std::array<std::string, 2> theirs{hex(there, false), hex(there, true)};
  const std::array<std::string, 2> ours{hex(here, false), hex(here, true)};
  std::vector<std::string_view> columns;
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    split_words(table.substr(0, end), kColumns + 1, columns);  // and what stands behind them
    table.remove_prefix(std::min(end + 1, table.size()));
    if (columns.size() < kColumns || columns[kState] != kConnected || columns[kInode] == "0") continue;
    for (const std::size_t six : {0U, 1U})
      if (columns[kLocal] == theirs[six] && columns[kRemote] == ours[six])
        return parse_number<uid_t>(columns[kUid]);
  }
  return std::nullopt;
}

std::optional<uid_t> owner_of(const TcpEnd& there, const TcpEnd& here) {
  for (const char* const path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ostringstream table;
    table << std::ifstream(path).rdbuf();
    if (const auto uid = owner_in(table.str(), there, here)) return uid;
  }
  return std::nullopt;
}

OwnUsers::OwnUsers(uid_t own, const char* sudo_uid)
    : own_(own), by_sudo_(sudo_uid == nullptr ? std::nullopt : parse_number<uid_t>(sudo_uid)) {}

}  // namespace etad::client
