// What a run cost beside time, by the monitoring traces of its GPUs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parsers/base/error.h"
#include "storage/history.h"

namespace etad::prediction {

struct RunCosts {
  std::optional<double> watts;       // mean over the run, of all its GPUs together
  std::optional<double> peak_bytes;  // the largest sample of any one of them
};

// Whether a series of that name tells the one or the other.
bool tells_watts(std::string_view name);
bool tells_peak_bytes(std::string_view name);

// Of a run that is over. Absent where the traces tell of less than half its time, of not all its GPUs, or in steps
// longer than a tenth of it: what they did not see may be anything.
Result<RunCosts> costs_of_run(Reader& reader, const RunRow& row, const std::string& own_host);

}  // namespace etad::prediction
