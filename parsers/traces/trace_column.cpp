#include "parsers/traces/trace_column.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "parsers/base/cells.h"
#include "parsers/base/number.h"
#include "parsers/base/text.h"
#include "parsers/traces/trace_names.h"
#include "parsers/traces/trace_series.h"

namespace etad {
namespace {

using Table = std::unordered_map<std::string_view, const KnownColumn*>;

Table table_of(std::initializer_list<std::span<const KnownColumn>> lists) {
  Table table;
  for (const auto& list : lists) {
    for (const KnownColumn& column : list) table.emplace(column.name, &column);  // the first one counts
  }
  return table;
}

const Table& table(ColumnNames names) {
  static const Table kTables[] = {
      table_of({nvidia_smi_columns(), common_columns()}),
      table_of({dmon_columns()}),
      table_of({dcgm_columns(), common_columns()}),
      table_of({dcgm_columns(), prometheus_columns()}),
      table_of({host_columns()}),
      table_of({nvidia_smi_columns(), dcgm_columns(), common_columns()}),
  };
  return kTables[static_cast<std::size_t>(names)];
}

// NVML's clocks-event reasons (nvml.h): those that heat or power is the cause of.
constexpr std::uint64_t kPowerAndHeat = 0x04 | 0x08 | 0x20 | 0x40 | 0x80;

// What DCGM writes where it has no value: the int32, int64 and floating-point "blanks" and their neighbours
// (dcgm_structs.h: not found, not supported, not permissioned, …).
constexpr double kLeastBlank = 2147483632.0;
bool blank(double v) {
  return (v >= kLeastBlank && v <= 2147483647.0) || v >= 9223372036854775792.0 ||
         (v >= 140737488355328.0 && v <= 140737488355343.0);
}

// A share in per cent may pass 100 by a little (a fan, a sum of samples), never by much.
constexpr double kHottest = 1000, kLargestShare = 1000;
bool possible(std::string_view unit, double value) {
  if (!std::isfinite(value)) return false;
  if (unit == "C") return value > -274 && value < kHottest;
  if (unit == "%") return value >= 0 && value <= kLargestShare;
  return value >= 0;
}

bool says_nothing(std::string_view cell) {
  if (!cell.empty() && is_digit(cell.front())) return false;
  if (cell.empty() || cell == "-" || cell.front() == '[') return true;
  static constexpr std::string_view kWords[] = {"N/A",
                                                "n/a",
                                                "NA",
                                                "ERR!",
                                                "nan",
                                                "NaN",
                                                "Unknown",
                                                "unknown",
                                                "none",
                                                "None",
                                                "Not Supported",
                                                "Not Available",
                                                "Insufficient Permissions",
                                                "Unknown Error",
                                                "GPU is lost",
                                                "GPU requires reset"};
  return std::find(std::begin(kWords), std::end(kWords), cell) != std::end(kWords);
}

std::optional<double> flag(std::string_view cell) {
  static constexpr std::string_view kOn[] = {"Active", "Enabled", "Yes", "On", "True", "true", "1"};
  static constexpr std::string_view kOff[] = {"Not Active", "Disabled", "No", "Off", "False", "false", "0"};
  if (std::find(std::begin(kOn), std::end(kOn), cell) != std::end(kOn)) return 1;
  if (std::find(std::begin(kOff), std::end(kOff), cell) != std::end(kOff)) return 0;
  return std::nullopt;
}

std::optional<double> mask(std::string_view cell) {
  const bool hex = cell.starts_with("0x") || cell.starts_with("0X");
  if (!hex) return parse_number<double>(cell);
  return parse_number<std::uint64_t>(cell.substr(2), 16);
}

bool take_number(std::string_view& text, double& value) {
  if (take_plain_number(text, value)) return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// "25073 MiB": the number, in the column's unit.
bool measure(const TraceColumn& column, std::string_view cell, double& value) {
  if (!take_number(cell, value)) return false;
  while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
  if (cell.empty() || cell == column.cell_unit) {
    value *= column.scale;
    return true;
  }
  const auto scale = unit_scale(trim(cell));
  if (!scale || scale->base != column.unit) return false;
  value *= scale->factor;
  return true;
}

bool read_form(const TraceColumn& column, std::string_view cell, double& value) {
  if (column.form == ValueForm::number) return measure(column, cell, value);
  std::optional<double> read;
  if (column.form == ValueForm::flag) read = flag(cell);
  if (column.form == ValueForm::mask) read = mask(cell);
  if (column.form == ValueForm::pstate)
    read = parse_number<double>(cell.starts_with('P') ? cell.substr(1) : cell);
  value = read.value_or(0);
  return read.has_value();
}

TraceColumn column_of(const KnownColumn& known) {
  TraceColumn column;
  column.role = known.role;
  column.form = known.form;
  column.scale = known.scale;
  column.stands_in = known.stands_in;
  if (known.role == ColumnRole::label) column.label = *trace_label(known.series);
  if (known.role != ColumnRole::value) return column;
  column.series = known.series;
  column.unit = find_trace_series(known.series)->unit;
  return column;
}

// "{gpu=0,host=a}" behind a configured name.
Result<void> read_labels(std::string_view text, TraceColumn& column) {
  while (!text.empty()) {
    const std::string_view pair = trim(take_until(text, ','));
    const std::size_t equals = pair.find('=');
    const auto label = trace_label(pair.substr(0, std::min(equals, pair.size())));
    if (!label || equals == std::string_view::npos || equals + 1 == pair.size())
      return fail("'" + std::string(pair) + "' is no label of a column", "write {gpu=0}");
    column.labels.emplace_back(*label, pair.substr(equals + 1));
  }
  return {};
}

// A series of one's own: small letters, digits, '_' and at least one dot.
bool own_name(std::string_view name) {
  return name.find('.') != std::string_view::npos && name.front() != '.' && name.back() != '.' &&
         name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '.';
         });
}

// The unit in brackets is what the numbers are in.
void use_unit(std::string_view unit, TraceColumn& column) {
  if (column.role != ColumnRole::value || column.form != ValueForm::number) return;
  const auto scale = unit_scale(unit);
  if (!scale || scale->base != column.unit) return;
  column.scale = scale->factor;
  column.cell_unit = unit;
}

// "name{labels} [unit]" or "name [unit]".
struct HeaderCell {
  std::string_view name, labels, unit;
};
HeaderCell split_cell(std::string_view cell) {
  HeaderCell out;
  cell = trim(cell);
  if (cell.ends_with(']')) {
    if (const std::size_t open = cell.rfind('['); open != std::string_view::npos) {
      out.unit = cell.substr(open + 1, cell.size() - open - 2);
      cell = trim(cell.substr(0, open));
    }
  }
  if (cell.ends_with('}')) {
    if (const std::size_t open = cell.find('{'); open != std::string_view::npos) {
      out.labels = cell.substr(open + 1, cell.size() - open - 2);
      cell = trim(cell.substr(0, open));
    }
  }
  out.name = cell;
  return out;
}

}  // namespace

TraceColumn column_named(ColumnNames names, std::string_view name) {
  const std::string key = lower_case(name);
  const auto it = table(names).find(key);
  return it == table(names).end() ? TraceColumn{} : column_of(*it->second);
}

TraceColumn column_of_header(ColumnNames names, std::string_view cell) {
  const HeaderCell split = split_cell(cell);
  TraceColumn column = column_named(names, split.name);
  if (!split.unit.empty()) use_unit(split.unit, column);
  return column;
}

Result<TraceColumn> column_of_config(std::string_view text) {
  const HeaderCell split = split_cell(text);
  if (split.name.empty() || split.name == "-") {
    TraceColumn nothing;
    nothing.role = ColumnRole::ignored;
    return nothing;
  }
  TraceColumn column = column_named(ColumnNames::any, split.name);
  if (const TraceSeries* series = find_trace_series(split.name)) {
    column = {};
    column.role = ColumnRole::value;
    column.series = series->name;
    column.unit = series->unit;
    if (series->name == "gpu.throttle_reasons") column.form = ValueForm::mask;
    if (series->name == "gpu.pstate") column.form = ValueForm::pstate;
  } else if (column.role == ColumnRole::unknown) {
    if (!own_name(split.name))
      return fail("'" + std::string(split.name) + "' names no column",
                  "a column of nvidia-smi or DCGM, a series of docs/formats.md, time, gpu, uuid, host, "
                  "your.own_name [unit], or \"-\" for nothing");
    const auto scale = unit_scale(split.unit);
    column.role = ColumnRole::value;
    column.series = split.name;
    column.unit = scale ? scale->base : split.unit;
  }
  if (column.role == ColumnRole::value && !split.unit.empty()) {
    const auto scale = unit_scale(split.unit);
    if (scale ? scale->base != column.unit : split.unit != column.unit)
      return fail("'" + column.series + "' is in " + (column.unit.empty() ? "no unit" : column.unit) +
                      ", which [" + std::string(split.unit) + "] is none of",
                  "see docs/formats.md");
    use_unit(split.unit, column);
  }
  if (auto read = read_labels(split.labels, column); !read) return tl::unexpected(read.error());
  return column;
}

void settle_columns(std::vector<TraceColumn>& columns) {
  const auto taken = [&](const std::string& series, const TraceColumn* except) {
    return std::any_of(columns.begin(), columns.end(), [&](const TraceColumn& c) {
      return &c != except && c.role == ColumnRole::value && c.series == series;
    });
  };
  for (TraceColumn& column : columns) {
    if (column.stands_in.empty() || taken(column.stands_in, &column)) continue;
    column.role = ColumnRole::value;
    column.series = column.stands_in;
    column.unit = find_trace_series(column.series)->unit;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < i && columns[i].role == ColumnRole::value; ++j) {
      const bool twice = columns[j].role == ColumnRole::value && columns[j].series == columns[i].series &&
                         columns[j].labels == columns[i].labels;
      if (twice) columns[i].role = ColumnRole::ignored;
    }
  }
}

CellValue read_cell(const TraceColumn& column, std::string_view cell) {
  using State = CellValue::State;
  cell = trim(cell);
  if (says_nothing(cell)) return {State::missing, 0};
  double value = 0;
  if (!read_form(column, cell, value)) return {State::bad, 0};
  return judge(column, value);
}

CellValue judge(const TraceColumn& column, double value) {
  using State = CellValue::State;
  if (value >= kLeastBlank * column.scale && blank(value / column.scale)) return {State::missing, 0};
  if (!possible(column.unit, value)) return {State::bad, 0};
  return {State::good, value};
}

double good_below(const TraceColumn& column) {
  const double blanks = kLeastBlank * column.scale;
  return column.unit == "C" || column.unit == "%" ? std::min({kHottest, kLargestShare, blanks}) : blanks;
}

std::optional<UnitScale> unit_scale(std::string_view unit) {
  static const std::unordered_map<std::string_view, UnitScale> kUnits = {
      {"%", {"%", 1}},
      {"W", {"W", 1}},
      {"mW", {"W", 1e-3}},
      {"kW", {"W", 1e3}},
      {"J", {"J", 1}},
      {"mJ", {"J", 1e-3}},
      {"kJ", {"J", 1e3}},
      {"Wh", {"J", 3600}},
      {"kWh", {"J", 3.6e6}},
      {"C", {"C", 1}},
      {"°C", {"C", 1}},
      {"c", {"C", 1}},
      {"B", {"B", 1}},
      {"bytes", {"B", 1}},
      {"kB", {"B", 1e3}},
      {"KB", {"B", 1e3}},
      {"MB", {"B", 1e6}},
      {"GB", {"B", 1e9}},
      {"KiB", {"B", 1024.0}},
      {"MiB", {"B", 1048576.0}},
      {"GiB", {"B", 1073741824.0}},
      {"B/s", {"B/s", 1}},
      {"kB/s", {"B/s", 1e3}},
      {"KB/s", {"B/s", 1e3}},
      {"MB/s", {"B/s", 1e6}},
      {"GB/s", {"B/s", 1e9}},
      {"KiB/s", {"B/s", 1024.0}},
      {"MiB/s", {"B/s", 1048576.0}},
      {"Hz", {"Hz", 1}},
      {"kHz", {"Hz", 1e3}},
      {"MHz", {"Hz", 1e6}},
      {"GHz", {"Hz", 1e9}},
      {"s", {"s", 1}},
      {"ms", {"s", 1e-3}},
      {"us", {"s", 1e-6}},
      {"1/s", {"1/s", 1}},
  };
  const auto it = kUnits.find(unit);
  if (it == kUnits.end()) return std::nullopt;
  return it->second;
}

bool throttled(double mask) {
  return mask >= 0 && mask < 9e15 && (static_cast<std::uint64_t>(mask) & kPowerAndHeat) != 0;
}

}  // namespace etad
