// The two time types of the project, and the one conversion that depends on where a machine stands.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

namespace etad {

// An instant, UTC, to the microsecond: the resolution of glog, the finest of the logs we read.
using Instant = std::chrono::sys_time<std::chrono::microseconds>;

// A measured length of time. Nanoseconds, because a stated step time may be 0.000353 s over 10,000 steps.
using Duration = std::chrono::nanoseconds;

// Takes what lies between two instants, too, which a Duration may not hold: logs may be dated 1601 and 9999.
inline double to_seconds(std::chrono::duration<double> d) {
  return d.count();
}
// What a Duration can't hold becomes the longest that it can, and what is no number nothing.
inline Duration from_seconds(double s) {
  constexpr double kLongest = 9e9;
  const double held = std::isnan(s) ? 0 : std::clamp(s, -kLongest, kLongest);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(held));
}

// Seconds east of UTC at a local wall-clock time given in seconds since 1970-01-01 00:00 *local*.
// Injected, so that parsers read no time-zone database. At the hour that a change to winter time repeats,
// it gives the earlier of the two; in the hour that summer time skips, the offset before the change.
using ZoneOffset = std::function<std::int32_t(std::int64_t local_seconds)>;

// A machine that stands at UTC: for tests, and for logs whose times carry their zone.
inline std::int32_t utc_offset(std::int64_t) {
  return 0;
}

// RFC 3339 in UTC with microseconds only where there are any: "2026-11-20T12:00:00.25Z".
std::string to_rfc3339(Instant at);

}  // namespace etad
