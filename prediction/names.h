// Names as people type them: matching them leniently, and finding what was probably meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace etad::prediction {

bool equal_ignoring_case(std::string_view a, std::string_view b);

// How well this name is the one that is asked for; nullopt asks for none. Where any name is as it was asked for, those that
// are so but for their case are others: whoever makes one up is not asked about in its place.
enum class Fit { none, but_for_case, as_asked };
Fit fit_of(const std::optional<std::string>& asked, std::string_view has);
inline bool fits(const std::optional<std::string>& asked, std::string_view has) {
  return fit_of(asked, has) != Fit::none;
}

// The smallest number of inserted, deleted, replaced or swapped neighbouring letters that turns `a` into `b`
// (optimal string alignment; Damerau 1964), ASCII case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Those of `names` that `wanted` was probably meant to be, best first, at most `limit`: close by edit
// distance, or one containing the other. Each once.
std::vector<std::string> near_names(std::string_view wanted, std::vector<std::string> names,
                                    std::size_t limit = 5);

}  // namespace etad::prediction
