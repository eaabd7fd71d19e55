// Durations as people write them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "parsers/base/error.h"

namespace etad {

// "90", "90s", "15m", "12h", "7d".
Result<std::chrono::seconds> parse_duration(std::string_view text);

// Whether this is a unit of time, in small letters, and how many seconds it has.
std::optional<double> seconds_of_unit(std::string_view word);

}  // namespace etad
