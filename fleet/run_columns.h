// A run's row in the fleet's database, read. Its tables: r (runs), h (hosts), t and v (its phases).
#pragma once

#include <string>
#include <vector>

#include "fleet/postgres.h"
#include "storage/rows.h"

namespace etad::fleet {

inline constexpr const char* kRunId = "(h.number * 4194304 + r.run_id)";
inline constexpr const char* kRunIdIs = "h.number = $1 AND r.run_id = $2";
inline constexpr const char* kRunTables = " FROM runs r JOIN hosts h ON h.host_id = r.host_id ";
std::vector<postgres::Parameter> run_id_parameters(std::int64_t id);

std::string run_select();  // SELECT … that run_at() reads; ends before WHERE
RunRow run_at(const postgres::Rows& rows, int row);

}  // namespace etad::fleet
