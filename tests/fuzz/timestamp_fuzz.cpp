// Any line under any header form: no crash, a message that lies within the line, and the same answer from a
// context that was saved and restored as from one that went on.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parsers/base/timestamp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using etad::HeaderForm;
using etad::TimeContext;

TimeContext restored(const TimeContext& context) {
  TimeContext fresh;
  fresh.zone = context.zone;
  fresh.reference = context.reference;
  fresh.last = context.last;
  fresh.year = context.year;
  return fresh;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto form = static_cast<HeaderForm>(data[0] % 5);
  TimeContext context;
  // As zones do, it changes only at quarters of an hour, those before 1970 included.
  context.zone = [](std::int64_t local) {
    using Quarters = std::chrono::duration<std::int64_t, std::ratio<900>>;
    return std::chrono::floor<Quarters>(std::chrono::seconds{local}).count() % 2 == 0 ? 0 : 3600;
  };
  context.reference = etad::Instant{std::chrono::hours{data[1] * 5000}};
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    TimeContext other = restored(context);
    const auto header = read_header(form, line, context);
    const auto again = read_header(form, line, other);
    if (header.message > line.size() || header.message != again.message || header.time != again.time)
      std::abort();
    static_cast<void>(read_time(line, context));
    at = end + 1;
  }
  return 0;
}
