// Whoever made many runs is not to crowd out the others: where only some can be taken, they are taken in turns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

namespace etad::estimators {

// Orders things so that the first of each owner come first, then the second of each, and so on; within a turn, and of one
// owner, they stay in their order.
template <class Thing, class OwnerOf>
void take_turns(std::vector<Thing>& things, const OwnerOf& owner_of) {
  std::map<std::decay_t<std::invoke_result_t<OwnerOf, const Thing&>>, std::size_t> turns;
  std::vector<std::pair<std::size_t, Thing>> ordered;
  for (Thing& each : things) {
    const std::size_t turn = turns[owner_of(each)]++;
    ordered.emplace_back(turn, std::move(each));
  }
  std::ranges::stable_sort(ordered, {}, [](const auto& each) { return each.first; });
  for (std::size_t i = 0; i < things.size(); ++i) things[i] = std::move(ordered[i].second);
}

}  // namespace etad::estimators
