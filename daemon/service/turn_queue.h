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
    const auto found = std::ranges::find(owners_, owner, &Waiting::first);
    if (found != owners_.end()) return found->second.push_back(std::move(thing));
    std::deque<Thing> things;
    things.push_back(std::move(thing));
    owners_.emplace_back(owner, std::move(things));
  }

  // False: it does not wait.
  bool remove(const Owner& owner, const Thing& thing) {
    const auto found = std::ranges::find(owners_, owner, &Waiting::first);
    if (found == owners_.end() || std::erase(found->second, thing) == 0) return false;
    if (found->second.empty()) owners_.erase(found);
    return true;
  }

  // The next one; there must be one. Needs no memory.
  Thing pop() {
    auto& things = owners_.front().second;
    Thing next = std::move(things.front());
    things.pop_front();
    if (things.empty())
      owners_.pop_front();
    else
      owners_.splice(owners_.end(), owners_, owners_.begin());
    return next;
  }

 private:
  using Waiting = std::pair<Owner, std::deque<Thing>>;

  std::list<Waiting> owners_;  // the first is next; none without anything
};

}  // namespace etad::service
