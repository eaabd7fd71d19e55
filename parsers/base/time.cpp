#include "parsers/base/time.h"

#include <date/date.h>

#include <cstdio>

namespace etad {

std::string to_rfc3339(Instant at) {
  const auto day = date::floor<date::days>(at);
  const date::year_month_day ymd{day};
  const date::hh_mm_ss<std::chrono::microseconds> time{at - day};
  char text[64];
  int length = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(ymd.year()),
                             static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                             static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                             static_cast<int>(time.seconds().count()));
  std::string out(text, static_cast<std::size_t>(length));
  if (const auto micros = time.subseconds().count(); micros != 0) {
    length = std::snprintf(text, sizeof text, ".%06d", static_cast<int>(micros));
    std::string fraction(text, static_cast<std::size_t>(length));
    fraction.erase(fraction.find_last_not_of('0') + 1);
    out += fraction;
  }
  return out + "Z";
}

}  // namespace etad
