// Whose a uid is. Where /etc/subuid gives a user uids of his own to hand out (as Debian's adduser does, for rootless
// containers), he may own files and connect as each of 65,536: all of these are he, or his shares would be as many.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace etad {

class Accounts {
 public:
  using UidOf = std::function<std::optional<std::int64_t>(const std::string& login)>;

  // Each uid is its own account.
  Accounts() = default;
  // `text` as subuid(5) has it. What is root's or `own`'s, the daemon's user, stays apart: whoever runs in their
  // containers has none of their rights.
  static Accounts parse(std::string_view text, std::int64_t own, const UidOf& uid_of);
  // As this machine has them now.
  static Accounts of_machine();

  std::int64_t of(std::int64_t uid) const;

 private:
  struct Range {
    std::int64_t first, count, account;
  };
  std::vector<Range> ranges_;  // by `first`
};

}  // namespace etad
