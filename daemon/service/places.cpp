#include "daemon/service/places.h"

#include <cstddef>
#include <map>

#include "daemon/service/connection.h"

namespace etad::service {
namespace {

// Whether `one` is to go before `other`.
bool goes_before(const Connection& one, const Connection& other) {
  if (!one.idle_since() || !other.idle_since()) return one.idle_since().has_value();
  return *one.idle_since() < *other.idle_since();
}

}  // namespace

Connection* one_to_go(const std::set<Connection*>& taken, uid_t uid) {
  std::map<uid_t, std::size_t> places;
  for (const Connection* each : taken) ++places[each->uid()];
  Connection* found = nullptr;
  for (Connection* each : taken) {
    if (each->may_change() || places[each->uid()] <= places[uid] + 1) continue;
    const bool more = found != nullptr && places[each->uid()] > places[found->uid()];
    const bool as_many = found != nullptr && places[each->uid()] == places[found->uid()];
    if (found == nullptr || more || (as_many && goes_before(*each, *found))) found = each;
  }
  return found;
}

Connection* longest_idle(const std::set<Connection*>& taken) {
  Connection* found = nullptr;
  for (Connection* each : taken) {
    if (each->idle_since() && (found == nullptr || goes_before(*each, *found))) found = each;
  }
  return found;
}

}  // namespace etad::service
