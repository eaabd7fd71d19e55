// "did you mean …?": the known names nearest to a mistyped one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace etad {

// The smallest number of inserted, deleted, replaced or swapped neighbouring letters that turns `a` into `b`
// (optimal string alignment; Damerau 1964), ASCII case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Those of `names` that `wanted` was probably meant to be, best first, at most `limit`: close by edit
// distance, or one containing the other. Each once.
std::vector<std::string> near_names(std::string_view wanted, std::vector<std::string> names,
                                    std::size_t limit = 5);

// The candidate within two edits (one, for names of up to four letters), nearest first; empty where there is
// none.
std::string_view nearest_name(std::string_view mistyped, const std::vector<std::string_view>& candidates);

}  // namespace etad
