// A rule to begin with for a line that none knows, by what its numbers are called: for who writes rules.
#pragma once

#include <string>
#include <string_view>

namespace etad {

// A rule in TOML with the words it rests on. What the line counts, how long that takes and the loss are told by their
// names and units as far as these are plain; other numbers stand in a list `figure`, to be named by whoever knows
// them. Empty: the line counts nothing, or nothing but that.
std::string field_rule_for(std::string_view line);

}  // namespace etad
