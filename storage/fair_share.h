// Which of many are taken as evidence where there are more than are needed. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace etad {

// Something that could be taken, such as a run by its id, with where it is from and what it tells of, such as its batch
// size. Ids are unique.
struct Evidence {
  std::int64_t id = 0, source = 0, owner = 0, point = 0;
};

inline constexpr std::size_t kAlwaysTheirs = 16;

// At most `most` ids, newest (highest) first. Owners take turns; in each turn of an owner the next of its points, and
// there the next of its sources, gives its newest id not taken yet: what one wrote last crowds out nothing else that he
// tells of. Where there are several owners, each but `first` gets at most as many as all others together, or `always`
// where those have fewer: nobody crowds the others out by writing more, nor who was there first by writing little.
std::vector<std::int64_t> fair_share(std::vector<Evidence> all, std::size_t most,
                                     std::size_t always = kAlwaysTheirs,
                                     std::optional<std::int64_t> first = std::nullopt);

}  // namespace etad
