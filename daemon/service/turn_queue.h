// What waits, in turns of those whose it is: however much one of them has waiting, another's waits for one of each only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <list>
#include <utility>

namespace etad::service {

template <class Owner, class Thing>
class TurnQueue {
 public:
  bool empty() const { return owners_.empty(); }

  std::size_t waiting_of(const Owner& owner) const {
    const auto found = std::ranges::find(owners_, owner, &Waiting::first);
    return found == owners_.end() ? 0 : found->second.size();
  }

  void push(const Owner& owner, Thing thing) {
    auto found = std::ranges::find(owners_, owner, &Waiting::first);
    if (found == owners_.end()) found = owners_.insert(owners_.end(), {owner, {}});
    found->second.push_back(std::move(thing));
  }

  // False: it does not wait.
  bool remove(const Owner& owner, const Thing& thing) {
    const auto found = std::ranges::find(owners_, owner, &Waiting::first);
    if (found == owners_.end() || std::erase(found->second, thing) == 0) return false;
    if (found->second.empty()) owners_.erase(found);
    return true;
  }

  // The next one; there must be one.
  Thing pop() {
    auto [owner, things] = std::move(owners_.front());
    owners_.pop_front();
    Thing next = std::move(things.front());
    things.pop_front();
    if (!things.empty()) owners_.emplace_back(std::move(owner), std::move(things));
    return next;
  }

 private:
  using Waiting = std::pair<Owner, std::deque<Thing>>;

  std::list<Waiting> owners_;  // the first is next; none without anything
};

}  // namespace etad::service
