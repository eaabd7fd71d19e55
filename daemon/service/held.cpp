#include "daemon/service/held.h"

#include <algorithm>
#include <set>

#include "daemon/service/connection.h"

namespace etad::service {

void Held::set(Connection& connection, std::size_t bytes) {
  const auto found = items_.find(&connection);
  if (found == items_.end()) {
    if (bytes > 0) items_[&connection] = {bytes, std::chrono::steady_clock::now()};
    bytes_ += bytes;
    return;
  }
  bytes_ += bytes - found->second.bytes;
  found->second.bytes = bytes;
  if (bytes == 0) items_.erase(found);
}

bool Held::has_room_for(uid_t uid) const {
  std::size_t own = 0;
  std::set<uid_t> users;
  for (const auto& [connection, item] : items_) {
    users.insert(connection->uid());
    if (connection->uid() == uid) own += item.bytes;
  }
  return own == 0 || own < most_ / (users.size() + 1);
}

Connection* Held::one_too_many() const {
  if (bytes_ < most_) return nullptr;
  const auto oldest = std::min_element(items_.begin(), items_.end(), [](const auto& a, const auto& b) {
    return a.second.since < b.second.since;
  });
  return oldest == items_.end() ? nullptr : oldest->first;
}

}  // namespace etad::service
