#include "daemon/accounts.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "daemon/settings/read_file.h"
#include "parsers/base/number.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

std::optional<std::int64_t> uid_of_login(const std::string& login) {
  std::array<char, 16 * 1024> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  ::getpwnam_r(login.c_str(), &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? std::nullopt : std::optional<std::int64_t>(found->pw_uid);
}

}  // namespace

Accounts Accounts::parse(std::string_view text, std::int64_t own, const UidOf& uid_of) {
  Accounts out;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const std::string user(take_until(line, ':'));
    const auto first = parse_number<std::int64_t>(take_until(line, ':'));
    const auto count = parse_number<std::int64_t>(line);
    if (!first || !count || *first < 0 || *count <= 0) continue;
    auto account = parse_number<std::int64_t>(user);
    if (!account) account = uid_of(user);
    if (account && *account != 0 && *account != own) out.ranges_.push_back({*first, *count, *account});
  }
  std::ranges::stable_sort(out.ranges_, {}, &Range::first);
  return out;
}

Accounts Accounts::of_machine() {
  const auto text = config::read_file("/etc/subuid");
  return text ? parse(*text, ::geteuid(), uid_of_login) : Accounts();
}

std::int64_t Accounts::of(std::int64_t uid) const {
  const auto behind = std::ranges::upper_bound(ranges_, uid, {}, &Range::first);
  if (behind == ranges_.begin()) return uid;
  const Range& range = *std::prev(behind);
  return uid - range.first < range.count ? range.account : uid;
}

}  // namespace etad
