#include "daemon/message_limit.h"

#include <iterator>

namespace etad {

std::optional<std::string> MessageLimit::take_left_out(Owner owner, Time now) {
  Window& window = windows_[owner];
  const std::size_t many = now < window.ends ? 0 : std::exchange(window.left_out, 0);
  if (many == 0) return std::nullopt;
  return std::to_string(many) + " messages about " + of_what_ + " of " +
         (owner ? "user " + std::to_string(*owner) : "an unknown user") + " were left out: " + told_by_ +
         " tells all";
}

std::vector<std::string> MessageLimit::take_all_left_out(Time now) {
  std::vector<std::string> out;
  for (auto each = windows_.begin(); each != windows_.end();) {
    if (auto left_out = take_left_out(each->first, now)) out.push_back(std::move(*left_out));
    each = now < each->second.ends ? std::next(each) : windows_.erase(each);
  }
  return out;
}

bool MessageLimit::admits(Owner owner, Time now) {
  Window& window = windows_[owner];
  if (now >= window.ends) {
    window.ends = now + kWindow;
    window.written = 0;
  }
  const bool fits = window.written < most_;
  ++(fits ? window.written : window.left_out);
  return fits;
}

}  // namespace etad
