#include "storage/fair_share.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace etad {
namespace {

using Ids = std::vector<std::int64_t>;

// The first of each, then the second of each, and so on; what has the newest begins.
Ids in_turns(std::vector<Ids> lists) {
  std::sort(lists.begin(), lists.end(), [](const Ids& a, const Ids& b) { return a.front() > b.front(); });
  Ids out;
  std::size_t all = 0;
  for (const Ids& list : lists) all += list.size();
  out.reserve(all);
  for (std::size_t i = 0; out.size() < all; ++i) {
    std::erase_if(lists, [i](const Ids& list) { return i >= list.size(); });
    for (const Ids& list : lists) out.push_back(list[i]);
  }
  return out;
}

// Only one can have more than all others together. With `most` in turns, others leave it what they lack.
void cut_the_largest(std::map<std::int64_t, Ids>& owners, std::size_t always,
                     const std::optional<std::int64_t>& first) {
  if (owners.size() < 2) return;
  const auto largest = std::max_element(owners.begin(), owners.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  if (largest->first == first) return;
  std::size_t others = 0;
  for (const auto& [owner, its] : owners) others += its.size();
  others -= largest->second.size();
  const std::size_t share = std::max(always, others);
  if (largest->second.size() > share) largest->second.resize(share);
}

}  // namespace

std::vector<std::int64_t> fair_share(std::vector<Evidence> all, std::size_t most, std::size_t always,
                                     std::optional<std::int64_t> first) {
  std::sort(all.begin(), all.end(), [](const Evidence& a, const Evidence& b) { return a.id > b.id; });
  using BySource = std::map<std::int64_t, Ids>;
  std::map<std::int64_t, std::map<std::int64_t, BySource>> owners;
  for (const Evidence& each : all) owners[each.owner][each.point][each.source].push_back(each.id);
  std::map<std::int64_t, Ids> by_owner;
  for (auto& [owner, points] : owners) {
    std::vector<Ids> by_point;
    for (auto& [point, sources] : points) {
      std::vector<Ids> by_source;
      by_source.reserve(sources.size());
      for (auto& [source, its] : sources) by_source.push_back(std::move(its));
      by_point.push_back(in_turns(std::move(by_source)));
    }
    by_owner.emplace(owner, in_turns(std::move(by_point)));
  }
  cut_the_largest(by_owner, always, first);
  std::vector<Ids> shares;
  shares.reserve(by_owner.size());
  for (auto& [owner, its] : by_owner) shares.push_back(std::move(its));
  Ids out = in_turns(std::move(shares));
  if (out.size() > most) out.resize(most);
  std::sort(out.begin(), out.end(), std::greater<>());
  return out;
}

}  // namespace etad
