#include "daemon/run_messages.h"

namespace etad {

void RunMessages::tell(const RunEvent& event, MessageLimit::Time now) {
  if (const auto left_out = limit_.take_left_out(event.row.owner, now)) write_left_out_(*left_out);
  if (limit_.admits(event.row.owner, now)) write_(event);
}

void RunMessages::tell_left_out(MessageLimit::Time now) {
  for (const std::string& left_out : limit_.take_all_left_out(now)) write_left_out_(left_out);
}

}  // namespace etad
