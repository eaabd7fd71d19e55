// Durations as people write them.
#pragma once

#include <chrono>
#include <string_view>

#include "parsers/base/error.h"

namespace etad {

// "90", "90s", "15m", "12h", "7d".
Result<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace etad
