// How many messages the log is given in a minute: whoever writes logs makes them up at will. Where one user's messages
// must not hide another's, each owner has a limit of their own.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

namespace etad {

class MessageLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds kWindow{60};

  explicit MessageLimit(std::size_t most_in_window) : most_(most_in_window) {}

  // Whether one more message may be written; else it is counted.
  bool admits(Time now) {
    if (now >= ends_) {
      ends_ = now + kWindow;
      written_ = 0;
    }
    const bool fits = written_ < most_;
    ++(fits ? written_ : left_out_);
    return fits;
  }
  // How many were left out in the windows that are over, each told once; 0: none.
  std::size_t take_left_out(Time now) { return now < ends_ ? 0 : std::exchange(left_out_, 0); }

 private:
  std::size_t most_, written_ = 0, left_out_ = 0;
  Time ends_{};
};

}  // namespace etad
