// How many messages the log is given in a minute of what one user owns: whoever writes logs makes them up at will, and one
// user's must not hide another's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace etad {

class MessageLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Owner = std::optional<std::int64_t>;  // an account (accounts.h); none: not known

  static constexpr std::chrono::seconds kWindow{60};

  // `of_what` these messages are, and what tells all of it: "files", "`etactl sources`".
  MessageLimit(std::size_t most_in_window, std::string of_what, std::string told_by)
      : most_(most_in_window), of_what_(std::move(of_what)), told_by_(std::move(told_by)) {}

  // How many messages of this owner's were left out in the windows that are over, each told once; none: none were.
  std::optional<std::string> take_left_out(Owner owner, Time now);
  // The same of all owners: of who has fallen silent nobody would else hear. To be asked now and again.
  std::vector<std::string> take_all_left_out(Time now);
  // Whether one more message of this owner's may be written; else it is counted.
  bool admits(Owner owner, Time now);

 private:
  struct Window {
    Time ends{};
    std::size_t written = 0, left_out = 0;
  };

  std::size_t most_;
  std::string of_what_, told_by_;
  std::map<Owner, Window> windows_;
};

}  // namespace etad
