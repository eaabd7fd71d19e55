// What a column of a trace holds, and the names that each tool has for it. Private to the trace readers.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/record.h"
#include "parsers/base/trace_labels.h"

namespace etad {

enum class ColumnRole : std::uint8_t {
  unknown,      // no name that we know
  ignored,      // known, of no interest
  value,        // a series
  label,        // says which device
  time,         // the row's time
  date,         // only its date …
  clock,        // … and only its time of day
  field,        // long form: names the value in …
  field_value,  // … this column
};

enum class ValueForm : std::uint8_t {
  number,
  flag,    // "Active", "Not Active", "Enabled", "Yes", 0, 1
  mask,    // 0x0000000000000004: NVML's throttle reasons
  pstate,  // P0, P8
};

struct TraceColumn {
  ColumnRole role = ColumnRole::unknown;
  ValueForm form = ValueForm::number;
  TraceLabel label = TraceLabel::count_;
  std::string series;
  std::string unit;
  double scale = 1;       // of a number without a unit of its own, or with this one:
  std::string cell_unit;  // "MiB", where the header says it
  std::string stands_in;  // the series it is taken for where no other column is it
  std::vector<std::pair<TraceLabel, std::string>> labels;  // its own, given in the configuration
  // Its series by the rows' labels, as the sink numbers these; made when first needed.
  struct KnownSeries {
    std::shared_ptr<const Series> series;
    double good_below = 0;    // numbers from 0 up to it need not be judged
    std::uint32_t place = 0;  // in the records that had its last sample
    // What a mask of reasons says beside: whether there was one of power or heat.
    std::shared_ptr<const Series> throttled = {};
    std::uint32_t throttled_place = 0;
  };
  std::vector<KnownSeries> known_series = {};
};

// One tool's names.
enum class ColumnNames : std::uint8_t { nvidia_smi, dmon, dcgm, prometheus, host, any };

// Case does not matter. Role `unknown` where the tool has no such name.
TraceColumn column_named(ColumnNames names, std::string_view name);

// A header's cell: the name with or without its unit, "memory.used [MiB]".
TraceColumn column_of_header(ColumnNames names, std::string_view cell);

// A column as the configuration writes it: a tool's name or one of ours, or a name of one's own with a dot in
// it; then labels and a unit: "power.draw", "gpu.temperature{gpu=0}", "room.temperature [C]"; "-": nothing.
Result<TraceColumn> column_of_config(std::string_view text);

// Where a series comes from several columns the one that is meant for it stays; a stand-in takes an empty
// place.
void settle_columns(std::vector<TraceColumn>& columns);

// A cell's value, in the column's unit. `missing`: the tool says that there is none; `bad`: no such value.
struct CellValue {
  enum class State : std::uint8_t { good, missing, bad } state = State::missing;
  double value = 0;
};
CellValue read_cell(const TraceColumn& column, std::string_view cell);

inline constexpr double kUnread = std::numeric_limits<double>::quiet_NaN();  // of a cell that was not read so

// What a number of the column, in its unit, is worth.
CellValue judge(const TraceColumn& column, double value);

// All numbers of the column from 0 up to this one are good.
double good_below(const TraceColumn& column);

// The number of base units in one `unit`, and which they are: "MiB" is 1048576 B.
struct UnitScale {
  std::string_view base;
  double factor = 1;
};
std::optional<UnitScale> unit_scale(std::string_view unit);

// Whether the mask has a reason of power or heat: throttling in the narrow sense.
bool throttled(double mask);

}  // namespace etad
