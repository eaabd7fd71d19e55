// Runs of several owners: who was there first, whom others must not contradict; and turns, so that whoever made many runs
// does not crowd out the others where only some can be taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace etad::estimators {

// Each owner's rank, 0 for who was there first: by the lowest place of his (and by his number, where these are the same).
// `run_of` gives what has the `owner` and `place` of a thing.
template <class Thing, class RunOf>
std::map<std::int64_t, std::size_t> ranks_of_owners(const std::vector<Thing>& things, const RunOf& run_of) {
  std::map<std::int64_t, std::int64_t> places;
  for (const Thing& thing : things) {
    const auto& run = run_of(thing);
    std::int64_t& place = places.try_emplace(run.owner, run.place).first->second;
    place = std::min(place, run.place);
  }
  std::set<std::pair<std::int64_t, std::int64_t>> in_order;
  for (const auto& [owner, place] : places) in_order.emplace(place, owner);
  std::map<std::int64_t, std::size_t> out;
  for (const auto& [place, owner] : in_order) out.emplace(owner, out.size());
  return out;
}

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
