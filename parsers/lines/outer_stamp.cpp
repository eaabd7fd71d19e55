#include "parsers/lines/outer_stamp.h"

#include "parsers/base/cursor.h"
#include "parsers/base/written_date.h"
#include "parsers/lines/launcher_label.h"

namespace etad {
namespace {

constexpr std::size_t kLongestName = 96;

bool take_clock_of_stamp(Cursor& c) {
  int two = 0;
  if (!c.take_digits(2, two) || !c.take(':') || !c.take_digits(2, two) || !c.take(':') ||
      !c.take_digits(2, two))
    return false;
  if (Cursor behind = c; behind.take_any(".,") && behind.skip_digits()) c = behind;
  return true;
}

// "2026-03-04T05:06:07.250Z", "2026-03-04 05:06:07+0100", "2026-03-04 05:06:07 +0100".
bool take_date_and_clock(Cursor& c) {
  int two = 0, four = 0;
  if (!c.take_digits(4, four) || !c.take('-') || !c.take_digits(2, two) || !c.take('-') ||
      !c.take_digits(2, two) || !c.take_any("T ") || !take_clock_of_stamp(c))
    return false;
  if (c.take('Z')) return true;
  Cursor zone = c;
  const bool apart = zone.take(' ');
  if (zone.take_any("+-") && zone.take_digits(2, two)) {
    zone.take(':');
    if (zone.take_digits(2, two) && (!apart || zone.peek() == ' ' || zone.peek() == ']')) c = zone;
  }
  return true;
}

// "Mar 04 05:06:07", "Mar  4 05:06:07".
bool take_month_and_clock(Cursor& c) {
  if (month_named(c.rest().substr(0, 3)) == 0) return false;
  c.skip(3);
  c.skip_blanks();
  const std::size_t digits = c.digits_ahead();
  return (digits == 1 || digits == 2) && c.skip_digits() && c.take(' ') && take_clock_of_stamp(c);
}

std::optional<HeaderForm> take_time(Cursor& c) {
  if (c.at_letter()) return take_month_and_clock(c) ? std::optional(HeaderForm::date) : std::nullopt;
  const std::size_t digits = c.digits_ahead();
  if (digits == 4) return take_date_and_clock(c) ? std::optional(HeaderForm::iso8601) : std::nullopt;
  if (digits != 10 && digits != 13) return {};
  c.skip(digits);
  if (Cursor behind = c; digits == 10 && behind.take('.') && behind.skip_digits()) c = behind;
  return HeaderForm::epoch;
}

// "node-3 train.sh[71]: ", and the same without a host.
bool take_program(Cursor& c) {
  for (int words = 0; words < 2; ++words) {
    const std::string_view name = c.take_until(" [:");
    if (name.empty() || name.size() > kLongestName) return false;
    if (c.take('[')) return c.skip_digits() && c.take(']') && c.take(':') && (c.take(' ') || c.done());
    if (!c.take(' ')) return false;
  }
  return false;
}

// "01O ": GitLab's number of a stream, and which one it is. "01O+" goes on with a line.
bool take_number_of_stream(Cursor& c) {
  int two = 0;
  return c.take_digits(2, two) && c.take_any("OE") && c.take_any(" +");
}

// "job/algo-1-1772 ": what CloudWatch calls a stream.
bool take_name_of_stream(Cursor& c) {
  const std::string_view name = c.take_until(" \t=:");
  const std::size_t slash = name.find('/');
  return name.size() <= kLongestName && slash > 0 && slash + 1 < name.size() && is_digit(name.back()) &&
         c.take(' ');
}

bool take_origin(Cursor& c, bool is_cloudwatchs) {
  for (const auto take : {take_program, take_number_of_stream, take_name_of_stream}) {
    Cursor behind = c;
    if ((take == take_name_of_stream && !is_cloudwatchs) || !take(behind)) continue;
    c = behind;
    return true;
  }
  return false;
}

}  // namespace

std::optional<OuterStamp> outer_stamp(std::string_view line) {
  OuterStamp out;
  const auto label = launcher_label(line);
  if (label && label->certain) {
    out.length = label->length;
    out.speaker = label->speaker;
  }
  Cursor c(line.substr(out.length));
  const bool bracketed = c.take('[');
  const std::size_t from = c.offset();
  const auto form = take_time(c);
  if (!form) return {};
  out.form = *form;
  out.time = line.substr(out.length + from, c.offset() - from);
  if (bracketed && !c.take(']')) return {};
  if (!c.take_any(" \t")) return {};
  out.names_origin = take_origin(c, out.time.ends_with("+00:00"));
  out.length += c.offset();
  return out;
}

}  // namespace etad
