// What to do about a name that should be a field's and is none.
#pragma once

#include <string>
#include <string_view>

namespace etad {

// The nearest field's name, or `otherwise` where none is near, and where the fields are listed.
std::string field_hint(std::string_view mistyped, std::string_view otherwise = "");

}  // namespace etad
