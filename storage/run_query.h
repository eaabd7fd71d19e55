// Reading runs. Runs of pending sources are left out.
#pragma once

#include <optional>
#include <vector>

#include "storage/history.h"
#include "storage/sqlite.h"

namespace etad {

std::vector<RunRow> runs_of(sqlite::Connection& connection, const RunFilter& filter);
std::optional<RunRow> run_of(sqlite::Connection& connection, std::int64_t id);
std::vector<RunningCount> running_of(sqlite::Connection& connection);
std::vector<RunCount> run_counts_of(sqlite::Connection& connection, const std::string& network, Phase phase,
                                    std::int64_t newest);

}  // namespace etad
