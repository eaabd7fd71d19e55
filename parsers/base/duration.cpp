#include "parsers/base/duration.h"

#include <charconv>
#include <cstdint>
#include <string>

namespace etad {

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  std::int64_t seconds = 0;
  if (unit.empty() || unit == "s") seconds = 1;
  if (unit == "m") seconds = 60;
  if (unit == "h") seconds = 3600;
  if (unit == "d") seconds = 86400;
  static constexpr std::int64_t kLongest = 3'000'000'000;  // a century: more is a typing mistake
  if (error != std::errc{} || seconds == 0 || count <= 0 || count > kLongest / seconds) {
    return fail("'" + std::string(text) + "' is no duration", "write 90s, 15m, 12h or 7d");
  }
  return std::chrono::seconds(count * seconds);
}

std::optional<double> seconds_of_unit(std::string_view word) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr Unit kUnits[] = {
      {"s", 1},        {"sec", 1},          {"secs", 1},     {"second", 1},
      {"seconds", 1},  {"ms", 1e-3},        {"msec", 1e-3},  {"milliseconds", 1e-3},
      {"us", 1e-6},    {"\xC2\xB5s", 1e-6}, {"\xB5s", 1e-6}, {"ns", 1e-9},
      {"m", 60},       {"min", 60},         {"mins", 60},    {"minute", 60},
      {"minutes", 60}, {"h", 3600},         {"hr", 3600},    {"hrs", 3600},
      {"hour", 3600},  {"hours", 3600},     {"d", 86400},    {"days", 86400}};
  for (const Unit& unit : kUnits)
    if (unit.name == word) return unit.seconds;
  return {};
}

}  // namespace etad
