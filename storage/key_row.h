// A model's key as a row of datasets (d). row_values.h reads it.
#pragma once

#include <cstdint>
#include <optional>

#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad::key_row {

inline constexpr int kCount = 7;
inline constexpr const char* kColumns =
    "d.network, d.architecture, d.framework, d.host, d.device, d.devices, d.phase";

std::optional<std::int64_t> dataset_of(sqlite::Connection& connection, const ModelKey& key);

}  // namespace etad::key_row
