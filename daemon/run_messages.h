// What the log says of followed runs. Of one user's it is given so many messages a minute: a log that begins run after run
// would else fill it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "daemon/message_limit.h"
#include "daemon/run_watch.h"

namespace etad {

class RunMessages {
 public:
  static constexpr std::size_t kMostAMinute = 240;

  using Write = std::function<void(const RunEvent&)>;
  using WriteLeftOut = std::function<void(const std::string& text)>;
  RunMessages(Write write, WriteLeftOut write_left_out)
      : write_(std::move(write)), write_left_out_(std::move(write_left_out)) {}

  void tell(const RunEvent& event, MessageLimit::Time now);
  // How many messages were left out, also of who has no more of them. To be asked now and again.
  void tell_left_out(MessageLimit::Time now);

 private:
  Write write_;
  WriteLeftOut write_left_out_;
  MessageLimit limit_{kMostAMinute, "runs", "`etactl runs`"};
};

}  // namespace etad
