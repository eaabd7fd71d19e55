// The names that a rule file may use, and what to say of one that is none of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/event.h"

namespace etad {

const std::vector<std::string_view>& field_names();
const std::vector<std::string_view>& kind_names();

// The words that a field may say, where it says one of a few; empty: whatever a log has.
const std::vector<std::string_view>& words_of(Field field);

// The nearest of them, or those there are.
std::string did_you_mean(std::string_view mistyped, const std::vector<std::string_view>& known);

// Of a group, or its like, whose name should be a field's or "time": the nearest of these, or `otherwise` where none is
// near, and where the fields are listed.
std::string field_hint(std::string_view mistyped, std::string_view otherwise = "");

}  // namespace etad
