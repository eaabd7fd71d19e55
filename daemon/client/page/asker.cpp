#include "daemon/client/page/asker.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

namespace etad::client {
namespace {

constexpr std::string_view kConnected = "01";
// Of a row's columns, a blank between any two.
enum Column : std::size_t { kLocal = 1, kRemote = 2, kState = 3, kUid = 7, kInode = 9, kColumns = 10 };

std::vector<std::string_view> columns_of(std::string_view row) {
  std::vector<std::string_view> out;
  while (out.size() < kColumns) {
    const std::size_t begin = row.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    row.remove_prefix(begin);
    const std::size_t end = std::min(row.find(' '), row.size());
    out.push_back(row.substr(0, end));
    row.remove_prefix(end);
  }
  return out;
}

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

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<uid_t> owner_in(std::string_view table, const TcpEnd& there, const TcpEnd& here) {
  const std::array<std::string, 2> theirs{hex(there, false), hex(there, true)};
  const std::array<std::string, 2> ours{hex(here, false), hex(here, true)};
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    const auto columns = columns_of(table.substr(0, end));
    table.remove_prefix(std::min(end + 1, table.size()));
    if (columns.size() < kColumns || columns[kState] != kConnected || columns[kInode] == "0") continue;
    for (const std::size_t six : {0U, 1U})
      if (columns[kLocal] == theirs[six] && columns[kRemote] == ours[six])
        return number_of<uid_t>(columns[kUid]);
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
    : own_(own), by_sudo_(sudo_uid == nullptr ? std::nullopt : number_of<uid_t>(sudo_uid)) {}

}  // namespace etad::client
