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

}  // namespace etad
