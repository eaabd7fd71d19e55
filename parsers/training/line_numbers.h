// The numbers of a line, held to what can be true. Internal to parsers/training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parsers/base/event.h"
#include "parsers/base/record.h"

namespace etad {

namespace track {

inline constexpr std::int64_t kMaxCount = 1'000'000'000'000;  // no iteration or batch size is larger
// The longest time taken for a measurement: three years. A clock that jumps further is no clock.
inline constexpr double kMaxSeconds = 1e8;

}  // namespace track

std::optional<std::int64_t> whole_number(std::string_view text);  // 0 … kMaxCount
std::string without_grouping(std::string_view text);  // "1,234,000" is "1234000"; of all else nothing
inline std::optional<std::int64_t> count_of(const Event& event, Field f) {  // 0 … kMaxCount
  std::int64_t n = 0;
  if (!event.read(f, n) || n < 0 || n > track::kMaxCount) return std::nullopt;
  return n;
}
inline std::optional<std::int64_t> positive_of(const Event& event, Field f) {
  std::int64_t n = 0;
  if (!event.read(f, n) || n <= 0 || n > track::kMaxCount) return std::nullopt;
  return n;
}
inline std::int64_t clamped_sum(std::int64_t a, std::int64_t b) {  // of counts, up to kMaxCount
  return a + b < track::kMaxCount ? a + b : track::kMaxCount;
}
std::int64_t product_or_zero(std::int64_t a, std::int64_t b);  // 0 where it would be beyond kMaxCount
Duration between(Instant from, Instant to);                    // zero beyond kMaxSeconds
bool is_long_over(const Run& run, std::optional<Instant> at);  // at that time, so that another program speaks
void add_bounded(Duration& sum, Duration more);                // up to kMaxSeconds
std::optional<Duration> positive_seconds(std::optional<double> seconds);  // what can be a measurement

// A written number with the most that rounding can have taken from it: "0.263" is 0.263 ± 0.0005, and so with
// "26.3ms" and "2.63e-1". Of a clock, "1:02:03", it is half a second, and of "2s500ms" half a millisecond.
std::optional<std::pair<double, double>> rounded(const Event& event, Field f);
bool is_fine(const std::pair<double, double>& number);  // rounding has taken next to nothing from it

// How many iterations took so long by a rate, of iterations or of samples, that the line states: those
// planned, where the rate is theirs within its rounding, or else the only whole number that is. 0: not known.
std::int64_t iterations_by_rate(const Event& event, Field rate, Duration took, std::int64_t samples,
                                std::int64_t planned);

}  // namespace etad
