// Reading what models are fitted from. The functions are those of Reader (history.h) of the same names.
#pragma once

#include <vector>

#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad {

std::vector<ModelKey> changed_keys_of(sqlite::Connection& connection, std::int64_t since,
                                      std::int64_t& reached, std::int64_t most);
std::vector<ModelKey> unnamed_keys_of(sqlite::Connection& connection, std::int64_t most);

// The work is bounded by max_runs alone, and by how many are newer where those are wanted that were over by then: an index
// gives each owner's newest runs of the dataset, and each run's windows are one row.
std::vector<RunData> run_data_of(sqlite::Connection& connection, const ModelKey& key, int max_runs,
                                 int max_windows, const RunsWanted& wanted);

}  // namespace etad
