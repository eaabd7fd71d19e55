#include "parsers/base/wall_time.h"

#include <date/date.h>

#include <cstdlib>

namespace etad {
namespace {

date::year_month_day civil(int year, int month, int day) {
  return date::year{year} / month / day;
}

}  // namespace

bool date_exists(int year, int month, int day) {
  return civil(year, month, day).ok();
}

std::int64_t days_from_civil(int year, int month, int day) {
  return date::sys_days(civil(year, month, day)).time_since_epoch().count();
}

namespace {

std::int64_t floor_days(Instant at) {
  return std::chrono::floor<std::chrono::days>(at).time_since_epoch().count();
}

int year_of(Instant at) {
  // Near enough for choosing candidates: the caller looks a year further on either side.
  return static_cast<int>(1970 + floor_days(at) * 400 / 146097);
}

// The year of a month and day that stand without one. Candidates are the years around what is known: after
// a previous line the first one that does not lie more than a week before it (clocks step back, years do
// not); at the beginning the last one that does not lie after the reference.
std::optional<int> infer_year(int month, int day, const TimeContext& context) {
  const std::int64_t latest = floor_days(context.reference) + 1;
  if (context.last) {
    const std::int64_t earliest = floor_days(*context.last) - 7;
    const int around = year_of(*context.last);
    std::optional<int> before;
    for (int y = around - 2; y <= around + 8; ++y) {
      if (!date_exists(y, month, day)) continue;
      const std::int64_t days = days_from_civil(y, month, day);
      if (days < earliest) {
        before = y;
        continue;
      }
      // A jump far forward, past the file's own end, is a step back instead.
      const std::int64_t now = earliest + 7;
      const bool nearer = before && now - days_from_civil(*before, month, day) < days - now;
      return nearer && context.reference != Instant{} && days > latest ? before : std::optional(y);
    }
    return {};
  }
  if (context.year && date_exists(*context.year, month, day)) return context.year;
  const int around = year_of(context.reference);
  for (int y = around + 2; y >= around - 10; --y)
    if (date_exists(y, month, day) && days_from_civil(y, month, day) <= latest) return y;
  return {};
}

}  // namespace

std::int32_t zone_offset(std::int64_t local_seconds, TimeContext& context) {
  constexpr std::int64_t kQuarter = 900;
  const std::int64_t quarter =
      local_seconds >= 0 ? local_seconds / kQuarter : (local_seconds - kQuarter + 1) / kQuarter;
  if (context.zone_cache.quarter != quarter) {
    context.zone_cache = {quarter, context.zone ? context.zone(local_seconds) : 0};
  }
  return context.zone_cache.offset;
}

std::optional<Instant> to_instant(const WallTime& t, TimeContext& context) {
  if (t.month < 1 || t.month > 12 || t.day < 1 || t.day > 31) return {};
  if (t.hour > 23 || t.minute > 59 || t.second > 60) return {};  // 60: a leap second
  auto& cache = context.day_cache;
  std::int64_t days = 0;
  if (!t.year && context.last && cache.month == t.month && cache.day == t.day &&
      std::abs(floor_days(*context.last) - cache.days) <= 1) {
    days = cache.days;
  } else {
    const auto year = t.year ? t.year : infer_year(t.month, t.day, context);
    constexpr int kFirst = 1000, kLast = 9998;  // of four digits in whatever zone: RFC 3339 has no others
    if (!year || *year < kFirst || *year > kLast || !date_exists(*year, t.month, t.day)) return {};
    days = days_from_civil(*year, t.month, t.day);
    cache = {t.month, t.day, days};
  }
  const std::int64_t local = days * kDaySeconds + t.hour * 3600 + t.minute * 60 + t.second;
  const std::int32_t offset = t.offset ? *t.offset : zone_offset(local, context);
  const Instant at{std::chrono::microseconds{(local - offset) * 1'000'000 + t.micros}};
  context.last = at;
  return at;
}

}  // namespace etad
