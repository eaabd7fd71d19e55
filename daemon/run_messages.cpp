#include "daemon/run_messages.h"

#include <utility>

namespace etad {

void RunMessages::tell(const RunEvent& event, MessageLimit::Time now) {
  const auto& owner = event.row.owner;
  MessageLimit& limit = limits_.try_emplace(owner, kMostAMinute).first->second;
  if (const std::size_t many = limit.take_left_out(now); many > 0)
    write_left_out_(std::to_string(many) + " messages about runs of " +
                    (owner ? "user " + std::to_string(*owner) : "an unknown user") +
                    " were left out: `etactl runs` tells all");
  if (limit.admits(now)) write_(event);
}

}  // namespace etad
