// A guard before TOML is parsed.
#pragma once

#include <string_view>

namespace etad {

inline constexpr const char* kDeepKey = "a key of more than 16 dotted parts";

// True where some dotted key may have more than 16 parts. Looks at the text without parsing it, so that no file can
// make the parser build (and later destroy, recursively) a table a million levels deep.
bool has_deep_key(std::string_view toml);

}  // namespace etad
