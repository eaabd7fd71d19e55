// etactl what-if: a row for each value, with a bar for its throughput.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/client/deployment_words.h"
#include "daemon/client/plot.h"
#include "daemon/client/text.h"
#include "daemon/client/views.h"

namespace etad::client {
namespace {

using Rows = std::vector<std::reference_wrapper<const Object>>;

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

// Into the device's memory, or nobody knows.
bool fits(const Object& row) {
  const auto* const said = row.if_contains("fits");
  return said == nullptr || !said->is_bool() || said->get_bool();
}

std::string value_text(const Object& row, const std::string& vary) {
  if (vary == "device") return or_dash(text_of(row, "device"));
  return count_text(static_cast<std::int64_t>(number_of(row, vary)));
}

// Throughput over the batch size or the number of devices, on a logarithmic axis; between the rows it is
// drawn as a straight line. Hatched: beyond what was measured.
std::string throughput_chart(const Rows& rows, const std::string& vary, const std::string& name,
                             std::size_t width) {
  struct Point {
    double x, rate;
    bool beyond;
  };
  std::vector<Point> points;
  for (const Object& row : rows) {
    const auto& beyond = array_of(row, "extrapolates");
    const bool outside = std::any_of(beyond.begin(), beyond.end(), [&](const auto& what) {
      return what.is_string() && what.get_string() == vary;
    });
    const Point point{number_of(row, vary), number_of(row, "samples_per_second"), outside};
    if (!(point.x > 0) || !(point.rate > 0)) continue;
    if (points.empty() || point.x > points.back().x) points.push_back(point);
  }
  if (points.size() < 3) return {};
  Chart chart;
  const std::size_t columns =
      std::min<std::size_t>(60, (width == 0 ? 80 : std::max<std::size_t>(width, 30)) - 12);
  const double from = std::log(points.front().x), to = std::log(points.back().x);
  for (std::size_t i = 0, right = 1; i < columns; ++i) {
    const double x = from + (to - from) * static_cast<double>(i) / static_cast<double>(columns - 1);
    while (right + 1 < points.size() && std::log(points[right].x) < x) ++right;
    const Point &a = points[right - 1], &b = points[right];
    const double share = (x - std::log(a.x)) / (std::log(b.x) - std::log(a.x));
    chart.values.push_back(a.rate + std::clamp(share, 0.0, 1.0) * (b.rate - a.rate));
    chart.hatched.push_back(a.beyond || b.beyond);
  }
  const bool guessed = std::find(chart.hatched.begin(), chart.hatched.end(), true) != chart.hatched.end();
  chart.name = std::string("samples a second") + (guessed ? "; \u2591: beyond what was measured" : "");
  chart.from_zero = true;
  chart.show = [](double value) { return number_text(value); };
  chart.first = name + " " + count_text(static_cast<std::int64_t>(points.front().x));
  chart.last = count_text(static_cast<std::int64_t>(points.back().x));
  return "\n" + chart_text(chart, 6);
}

}  // namespace

namespace {

// The shares of one batch, and how long it takes until all are ready.
std::string split_text(const Object& answer, const Screen& screen) {
  const Object& split = object_of(answer, "split");
  Table table({"device", ">batch size"});
  for (const Object& share : objects_of(split, "shares")) {
    table.row({or_dash(text_of(share, "device")),
               count_text(static_cast<std::int64_t>(number_of(share, "batch_size")))});
  }
  return table.text(screen.width, screen.colours) + "all are ready after " +
         duration_text(number_of(split, "seconds_per_iteration")) + ": " +
         number_text(number_of(split, "samples_per_second"), 4) +
         " samples/s; what joining their results costs is not in it\n";
}

}  // namespace

std::string what_if_text(const Object& answer, const Screen& screen) {
  if (text_of(answer, "vary") == "split") return split_text(answer, screen);
  const std::string vary = text_of(answer, "vary");
  const Rows rows = objects_of(answer, "rows");
  double most = 0;
  for (const Object& row : rows) most = std::max(most, number_of(row, "samples_per_second"));
  const Object& best = object_of(answer, "best");
  std::string heading = vary;
  std::replace(heading.begin(), heading.end(), '_', ' ');
  const auto any = [&](const char* name) {
    return std::any_of(rows.begin(), rows.end(), [&](const Object& row) { return known(row, name); });
  };
  const bool energy = any("energy_joules"), memory = any("peak_memory_bytes");
  std::vector<std::string> headings = {(vary == "device" ? "" : ">") + heading, ">time", "interval",
                                       ">samples/s"};
  if (energy) headings.emplace_back(">energy");
  if (memory) headings.emplace_back(">memory");
  for (const char* const name : {"?throughput", "measured", "note"}) headings.emplace_back(name);
  Table table(headings);
  std::int64_t index = 0;
  for (const Object& row : rows) {
    const auto seen = static_cast<std::int64_t>(number_of(row, "seen"));
    const double rate = number_of(row, "samples_per_second");
    std::string marks;
    if (known(answer, "knee") && number_of(answer, "knee") == number_of(row, "batch_size")) marks = "knee";
    if (!best.empty() && static_cast<std::int64_t>(number_of(best, "row")) == index)
      marks += marks.empty() ? "best" : ", best";
    if (!fits(row)) marks = "does not fit";
    std::vector<std::string> cells = {
        value_text(row, vary), duration_text(number_of(row, "seconds")),
        duration_text(number_of(row, "lower")) + " to " + duration_text(number_of(row, "upper")),
        rate > 0 ? number_text(rate, 4) : "-"};
    const auto cost = [&](const char* name, const auto& shown) {
      cells.push_back(known(row, name) ? shown(number_of(row, name)) : "-");
    };
    if (energy) cost("energy_joules", [](double joules) { return metric_text(joules, "J"); });
    if (memory) cost("peak_memory_bytes", bytes_text);
    cells.push_back(throughput_bar(rate, most));
    cells.push_back(seen > 0 ? counted(seen, "run") : "no");
    cells.push_back(marks);
    table.row(std::move(cells));
    ++index;
  }
  std::string out = table.text(screen.width, screen.colours);
  for (const Object& one : objects_of(answer, "unanswered")) {
    out += printable(text_of(one, "value")) + ": " + printable(text_of(one, "why")) + "\n";
    if (const std::string hint = text_of(one, "hint"); !hint.empty()) out += "  " + printable(hint) + "\n";
  }
  const auto over = std::find_if(rows.begin(), rows.end(), [](const Object& row) { return !fits(row); });
  if (over != rows.end())
    out += "does not fit: needs more than the device's " +
           bytes_text(number_of(*over, "device_memory_bytes")) + " of memory\n";
  if (known(answer, "knee"))
    out += "knee: the smallest batch within " + percent_text(100 * number_of(answer, "knee_within")) +
           " of the best throughput\n";
  return out + throughput_chart(rows, vary, heading, screen.width);
}

// Rounded up: a job that is ended a second early has run for nothing.
std::optional<std::string> limit_text(const Object& estimate) {
  constexpr double kLongest = 1e10;  // three hundred years: no estimate to make a limit of
  if (!known(estimate, "upper") || !(number_of(estimate, "upper") < kLongest)) return std::nullopt;
  const auto seconds = static_cast<std::int64_t>(std::ceil(number_of(estimate, "upper")));
  const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return two(seconds / 3600) + ":" + two(seconds / 60 % 60) + ":" + two(seconds % 60) + "\n";
}

std::string estimators_text(const Object& answer, const Screen& screen) {
  static constexpr std::pair<const char*, const char*> kKinds[] = {{"seen", ">seen"},
                                                                   {"batch_size", ">batch size"},
                                                                   {"batch_size_range", ">larger half"},
                                                                   {"batch_size_beyond_all", ">beyond all"},
                                                                   {"batch_size_from_one", ">from one size"},
                                                                   {"settings", ">settings"},
                                                                   {"devices", ">devices"},
                                                                   {"devices_range", ">more devices"},
                                                                   {"device", ">device"},
                                                                   {"machine", ">machine"},
                                                                   {"network", ">network"}};
  std::vector<std::string> headings = {"estimator"};
  for (const auto& [name, heading] : kKinds) headings.emplace_back(heading);
  headings.emplace_back("?<needs");
  Table table(headings);
  for (const Object& one : objects_of(answer, "estimators")) {
    std::vector<std::string> cells = {text_of(one, "name")};
    for (const auto& [name, heading] : kKinds) {
      const Object& record = object_of(object_of(one, "kinds"), name);
      const auto* const chosen = record.if_contains("chosen");
      const bool answers = chosen != nullptr && chosen->is_bool() && chosen->get_bool();
      cells.push_back(known(record, "left_out_error_percent")
                          ? percent_text(number_of(record, "left_out_error_percent")) + (answers ? "*" : " ")
                          : "- ");
    }
    cells.push_back(text_of(object_of(one, "needs"), "missing"));
    table.row(std::move(cells));
  }
  if (table.empty()) return "nothing to compare yet: it takes a refit over some runs\n";
  return table.text(screen.width, screen.colours) + "mean left-out error by kind of question; * answers it\n";
}

}  // namespace etad::client
