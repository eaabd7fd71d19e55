// A date and time as a line writes them, and the instant that is. Internal to parsers/base.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/base/timestamp.h"

namespace etad {

inline constexpr std::int64_t kDaySeconds = 86400;

struct WallTime {
  std::optional<int> year;
  int month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::int64_t micros = 0;
  std::optional<std::int32_t> offset;  // stated by the line, seconds east of UTC
};

// Moves `context.last` on. Nothing where there is no such date or time.
std::optional<Instant> to_instant(const WallTime& t, TimeContext& context);

// Of the log's zone at that local time: seconds east of UTC.
std::int32_t zone_offset(std::int64_t local_seconds, TimeContext& context);

bool date_exists(int year, int month, int day);
std::int64_t days_from_civil(int year, int month, int day);  // since 1970-01-01

}  // namespace etad
