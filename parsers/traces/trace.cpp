#include "parsers/traces/trace.h"

#include <algorithm>
#include <cmath>

#include "parsers/base/cells.h"
#include "parsers/base/number.h"
#include "parsers/traces/trace_reader.h"

namespace etad {
namespace {

constexpr std::string_view kFormats[] = {"nvidia-smi", "nvidia-dmon", "nvidia-pmon", "dcgmi-dmon", "dcgm-csv",
                                         "prometheus", "dstat",       "sadf",        "csv"};

std::unique_ptr<TraceReader> make(std::string_view format, const TraceOptions& options) {
  if (format == "nvidia-smi") return make_csv_reader(ColumnNames::nvidia_smi, options);
  if (format == "nvidia-dmon" || format == "nvidia-pmon") return make_dmon_reader(options);
  if (format == "dcgmi-dmon") return make_dcgmi_reader(options);
  if (format == "dcgm-csv") return make_csv_reader(ColumnNames::dcgm, options);
  if (format == "prometheus") return make_prometheus_reader(options);
  if (format == "dstat") return make_dstat_reader(options);
  if (format == "sadf") return make_sadf_reader(options);
  return make_csv_reader(ColumnNames::any, options);
}

}  // namespace

std::span<const std::string_view> trace_formats() {
  return kFormats;
}

bool is_trace_format(std::string_view name) {
  return std::find(std::begin(kFormats), std::end(kFormats), name) != std::end(kFormats);
}

Result<TraceOptions> trace_options(const std::map<std::string, std::string>& labels,
                                   const std::vector<std::string>& columns, const ZoneOffset& zone) {
  TraceOptions options;
  for (const auto& [name, value] : labels) {
    if (trace_label(name)) options.labels[name] = value;
    if (name == "start") {
      TimeContext time;
      time.zone = zone;
      options.start = read_time(value, time);
      if (!options.start) options.start = read_time(value + " 00:00:00", time);
      if (!options.start)
        return fail("start = '" + value + "' is no time", "write 2026-11-21 09:30:00, or 2026-11-21");
    }
    if (name == "interval") {
      const auto seconds = parse_number<double>(value);
      if (!seconds || !(*seconds >= 0.001) || *seconds > 86'400)
        return fail("interval = '" + value + "' is no interval", "seconds between two scans: 1, 0.5, 60");
      options.interval = std::chrono::microseconds(std::llround(*seconds * 1e6));
    }
  }
  if (columns.size() > kMostColumns)
    return fail("more than " + std::to_string(kMostColumns) + " columns", "");
  for (const std::string& text : columns) {
    auto column = column_of_config(text);
    if (!column) return tl::unexpected(column.error());
    options.columns.push_back(std::move(*column));
  }
  return options;
}

std::vector<std::string> split_columns(std::string_view text) {
  std::vector<std::string> columns;
  std::string column;
  bool inside = false;
  for (const char c : text) {
    if (c == '{' || c == '}') inside = c == '{';
    if (c == ',' && !inside) {
      columns.push_back(std::exchange(column, {}));
    } else {
      column += c;
    }
  }
  columns.push_back(std::move(column));
  return columns;
}

Result<std::unique_ptr<TraceReader>> make_trace_reader(std::string_view format, const TraceOptions& options) {
  if (!is_trace_format(format)) return fail("'" + std::string(format) + "' is no format of traces", "");
  if (format == "csv" && options.columns.empty())
    return fail("the format csv needs columns", R"(columns = ["time", "gpu", "gpu.power"])");
  return make(format, options);
}

std::string_view recognise_trace(std::string_view line) {
  if (line.size() < 3) return {};
  switch (line.front()) {
    case '#':
      if (is_pmon_header(line)) return "nvidia-pmon";
      if (is_dmon_header(line)) return "nvidia-dmon";
      if (is_dcgmi_header(line)) return "dcgmi-dmon";
      if (is_sadf_header(line)) return "sadf";
      return is_known_metric(line) ? "prometheus" : "";
    case '"':
      return is_dstat_header(line) ? "dstat" : "";
    default:
      break;
  }
  if (is_known_metric(line)) return "prometheus";
  if (line.find(',') == std::string_view::npos && line.find('[') == std::string_view::npos) return {};
  if (is_csv_header(ColumnNames::nvidia_smi, line) || is_headless_smi(line)) return "nvidia-smi";
  if (is_csv_header(ColumnNames::dcgm, line)) return "dcgm-csv";
  return {};
}

}  // namespace etad
