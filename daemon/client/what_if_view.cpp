// etactl what-if: a row for each value, with a bar for its throughput.
#include <algorithm>
#include <cmath>

#include "daemon/client/text.h"
#include "daemon/client/views.h"

namespace etad::client {
namespace {

constexpr std::size_t kBar = 24;

// "████████▌   " of `most`: eighths of a cell, so that near values can be told apart.
std::string throughput_bar(double rate, double most) {
  if (!(most > 0)) return {};
  const auto eighths = static_cast<std::size_t>(std::lround(rate / most * 8 * static_cast<double>(kBar)));
  static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out + kParts[eighths % 8];
}

std::string value_text(const Object& row, const std::string& vary) {
  if (vary == "device") return text_of(row, "device");
  return count_text(static_cast<std::int64_t>(number_of(row, vary)));
}

}  // namespace

std::string what_if_text(const Object& answer, const Screen& screen) {
  const std::string vary = text_of(answer, "vary");
  const auto& rows = array_of(answer, "rows");
  double most = 0;
  for (const auto& each : rows)
    if (each.is_object()) most = std::max(most, number_of(each.get_object(), "samples_per_second"));
  const Object& best = object_of(answer, "best");
  std::string heading = vary;
  std::replace(heading.begin(), heading.end(), '_', ' ');
  Table table({(vary == "device" ? "" : ">") + heading, ">time", "interval", ">samples/s", "?throughput",
               "measured", "note"});
  std::int64_t index = 0;
  for (const auto& each : rows) {
    if (!each.is_object()) continue;
    const Object& row = each.get_object();
    const auto seen = static_cast<std::int64_t>(number_of(row, "seen"));
    const double rate = number_of(row, "samples_per_second");
    std::string marks;
    if (known(answer, "knee") && number_of(answer, "knee") == number_of(row, "batch_size")) marks = "knee";
    if (!best.empty() && static_cast<std::int64_t>(number_of(best, "row")) == index)
      marks += marks.empty() ? "best" : ", best";
    table.row({value_text(row, vary), duration_text(number_of(row, "seconds")),
               duration_text(number_of(row, "lower")) + " to " + duration_text(number_of(row, "upper")),
               rate > 0 ? number_text(rate, 4) : "-", throughput_bar(rate, most),
               seen > 0 ? counted(seen, "run") : "no", marks});
    ++index;
  }
  std::string out = table.text(screen.width, screen.colours);
  for (const auto& each : array_of(answer, "unanswered")) {
    if (!each.is_object()) continue;
    const Object& one = each.get_object();
    out += printable(text_of(one, "value")) + ": " + printable(text_of(one, "why")) + "\n";
  }
  if (known(answer, "knee")) out += "knee: the smallest batch within 5 % of the best throughput\n";
  return out;
}

}  // namespace etad::client
