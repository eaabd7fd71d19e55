// SQL for the runs in the fleet's database, and how a row of them is read. The tables' names in it: r (runs), h
// (hosts), t and v (a run's train and test phases).
#pragma once

#include <string>
#include <vector>

#include "fleet/postgres.h"
#include "storage/rows.h"

namespace etad::fleet {

// A run's id in the fleet: its host's number and its id there, in one number (kRunsOfHost in fleet_reader.h is 2^31).
// kRunIdIs takes the two as parameters $1 and $2, which run_id_parameters() makes of such an id.
inline constexpr const char* kRunId = "(h.number * 2147483648 + r.run_id)";
inline constexpr const char* kRunIdIs = "h.number = $1 AND r.run_id = $2";
// A host may write anything into its own rows: a run whose id would not fit, or be another host's, is passed over, so that
// no other's is lost or mistaken by it. (2097152 is kHostNumbers, 2147483648 kRunsOfHost.)
inline constexpr const char* kRunTables =
    " FROM runs r JOIN hosts h ON h.host_id = r.host_id AND h.number >= 0 AND h.number < 2097152"
    " AND r.run_id >= 0 AND r.run_id < 2147483648 ";
std::vector<postgres::Parameter> run_id_parameters(std::int64_t id);

std::string run_select();  // SELECT … that run_at() reads; ends before WHERE
RunRow run_at(const postgres::Rows& rows, int row);

}  // namespace etad::fleet
