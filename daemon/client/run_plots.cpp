#include "daemon/client/run_plots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "daemon/client/plot.h"
#include "daemon/client/run_words.h"
#include "parsers/base/timestamp.h"

namespace etad::client {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostColumns = 60;
constexpr std::size_t kMargin = 14;  // what the axis or the heading takes beside them
constexpr std::size_t kLossRows = 5;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string short_number(double value) {
  return trimmed(number_text(value));
}

// Whether a series' labels, "gpu=0,uuid=GPU-…", name that GPU.
bool is_of(std::string labels, const std::string& gpu) {
  labels = "," + labels + ",";
  if (gpu.empty())
    return labels.find(",gpu=") == std::string::npos && labels.find(",uuid=") == std::string::npos;
  return labels.find(",gpu=" + gpu + ",") != std::string::npos ||
         labels.find(",pci=" + gpu + ",") != std::string::npos ||
         (gpu.starts_with("GPU-") && labels.find(",uuid=" + gpu) != std::string::npos);
}

std::string loss_chart(const Object& progress, std::size_t columns) {
  Chart chart;
  std::int64_t last = 0;
  for (const Object& point : objects_of(progress, "points")) {
    chart.values.push_back(known(point, "loss") ? number_of(point, "loss") : kUnknown);
    last = static_cast<std::int64_t>(number_of(point, "iteration"));
  }
  chart.values = stretched(chart.values, columns);
  chart.name = "loss";
  chart.show = short_number;
  chart.last = "iteration " + count_text(last);
  return chart_text(chart, kLossRows);
}

std::string step_line(const Object& segments, std::size_t columns) {
  std::vector<double> values;
  for (const Object& segment : objects_of(segments, "segments"))
    if (text_of(segment, "phase") == "train")
      values.push_back(number_of(segment, "seconds") / number_of(segment, "iterations"));
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.size() < 2) return {};
  values = condensed(values, columns);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return padded("step time", kMargin - 2) + spark_text(values, *least, *most) + "  " + duration_text(*least) +
         " to " + duration_text(*most) + "\n";
}

std::string use_line(const std::vector<double>& use, std::size_t columns) {
  if (use.size() < 2) return {};
  return padded("GPU use", kMargin - 2) + spark_text(condensed(use, columns), 0, 100) + "  of 100 %\n";
}

}  // namespace

std::vector<double> gpu_use(const Object& usage, const Object& series) {
  std::map<std::string, std::pair<double, double>> by_time;  // sum and count
  for (const Object& gpu : objects_of(usage, "gpus")) {
    for (const Object& one : objects_of(series, "series")) {
      if (!is_of(text_of(one, "labels"), text_of(gpu, "gpu"))) continue;
      for (const Object& sample : objects_of(one, "samples")) {
        if (!known(sample, "mean")) continue;
        auto& [sum, count] = by_time[text_of(sample, "at")];
        sum += number_of(sample, "mean");
        ++count;
      }
    }
  }
  std::vector<double> out;
  for (const auto& [at, value] : by_time) out.push_back(value.first / value.second);
  return out;
}

std::string plots_text(const Object& run, const Ask& ask, const Screen& screen) {
  const std::size_t width = screen.width == 0 ? 80 : screen.width;
  if (width < 2 * kMargin) return {};
  // A step's range stands behind its line.
  const std::size_t columns = std::min(kMostColumns, width - kMargin), short_columns = columns / 2;
  const std::string target = "/v1/runs/" + run_id_text(run);
  std::string out = loss_chart(ask(target + "/progress?points=240"), columns);
  out += step_line(ask(target + "/segments?points=240"), short_columns);
  const Object& usage = object_of(run, "usage");
  const auto from = from_rfc3339(text_of(usage, "from")), to = from_rfc3339(text_of(usage, "to"));
  if (!array_of(usage, "gpus").empty() && from && to) {
    const std::int64_t step = std::max<std::int64_t>(1, (*to - *from) / std::chrono::seconds{240});
    out += use_line(gpu_use(usage, ask("/v1/series/gpu.utilization?from=" + text_of(usage, "from") +
                                       "&to=" + text_of(usage, "to") + "&step=" + std::to_string(step))),
                    short_columns);
  }
  return out.empty() ? out : "\n" + out;
}

}  // namespace etad::client
