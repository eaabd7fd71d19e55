// A run's row: its columns in one order for writing and for reading.
#pragma once

#include <string>

#include "storage/codes.h"
#include "storage/rows.h"
#include "storage/sqlite.h"
#include "storage/text_map.h"

namespace etad::run_row {

// The columns of `runs` that a Run fills, in the order of write() below.
inline constexpr const char* kColumns =
    "ordinal, job, state, framework, network, architecture, host, device, devices, started_at, ended_at, "
    "settings,"
    " iteration, max_iterations, first_iteration, startup, snapshot_time, snapshots, stalls, loss_is_nan, "
    "message";
inline constexpr const char* kPlaces =
    "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21";

// SELECT … that gives a RunRow by read(); ends before WHERE. Its tables: r (runs), s (sources), t and v (the
// train and test run_phases), l (run_labels).
std::string select();
RunRow read(const sqlite::Rows& row);

// Executes a statement that writes a run: its values at ?1 to ?21, `key` (whose row it is) at ?22, the
// instant at ?23, and what else it has behind them.
template <class... More>
void write(sqlite::Statement& statement, const Run& run, std::int64_t key, Instant updated_at,
           const More&... more) {
  statement.run(run.ordinal, codes::word(run.job), codes::word(run.state), run.framework, run.network,
                run.architecture, run.host, run.device, run.devices, run.started_at, run.ended_at,
                to_json(run.settings), run.iteration, run.max_iterations, run.first_iteration, run.startup,
                run.snapshot_time, run.snapshots, run.stalls, run.loss_is_nan, run.message, key, updated_at,
                more...);
}

}  // namespace etad::run_row
