// "did you mean …?": the known name nearest to a mistyped one.
#pragma once

#include <string_view>
#include <vector>

namespace etad {

// The candidate within two edits (one, for names of up to four letters), nearest first; empty where there is
// none.
std::string_view nearest_name(std::string_view mistyped, const std::vector<std::string_view>& candidates);

}  // namespace etad
