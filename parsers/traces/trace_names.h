// The tables behind column_named(): data only. Private to the trace readers.
#pragma once

#include <span>
#include <string_view>

#include "parsers/traces/trace_column.h"

namespace etad {

struct KnownColumn {
  std::string_view name;  // in lower case
  ColumnRole role = ColumnRole::value;
  std::string_view series{};  // of a value; a label's name
  double scale = 1;           // of a bare number
  ValueForm form = ValueForm::number;
  std::string_view stands_in{};
};

std::span<const KnownColumn> nvidia_smi_columns();
std::span<const KnownColumn> dmon_columns();
std::span<const KnownColumn> dcgm_columns();
std::span<const KnownColumn> prometheus_columns();  // beside DCGM's
std::span<const KnownColumn> host_columns();
std::span<const KnownColumn> common_columns();  // times and labels, however they are written by hand

}  // namespace etad
