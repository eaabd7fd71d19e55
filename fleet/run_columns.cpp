#include "fleet/run_columns.h"

#include "fleet/fleet_reader.h"
#include "fleet/host_rows.h"
#include "storage/row_values.h"
#include "storage/text_map.h"

namespace etad::fleet {

static_assert(kHostNumbers == 2097152 && kRunsOfHost == 2147483648);  // as kRunTables and kRunId have them
static_assert(kHostNumbers * kRunsOfHost <= std::int64_t{1} << 53);

std::vector<postgres::Parameter> run_id_parameters(std::int64_t id) {
  return postgres::parameters(id / kRunsOfHost, id % kRunsOfHost);
}

std::string run_select() {
  using postgres::select_instant;
  return "SELECT r.job, r.state, r.framework, r.network, r.architecture, coalesce(nullif(r.host, ''), "
         "h.name),"
         " r.device, r.devices, " +
         select_instant("r.started_at") + ", " + select_instant("r.ended_at") +
         ", CAST(r.settings AS text), r.iteration, r.max_iterations, r.first_iteration, r.startup_seconds,"
         " r.snapshot_seconds, r.snapshots, r.stalls, r.loss_is_nan, r.message,"
         " t.batch_size, t.samples_per_iteration, t.iterations, t.seconds, t.segments, t.joules, "
         "t.peak_bytes,"
         " v.batch_size, v.samples_per_iteration, v.iterations, v.seconds, v.segments, v.joules, "
         "v.peak_bytes, " +
         kRunId + ", r.source_id, r.source, r.source_kind, r.owner, " + select_instant("r.updated_at") +
         ", CAST(r.labels AS text)" + kRunTables +
         "LEFT JOIN phases t ON t.host_id = r.host_id AND t.run_id = r.run_id AND t.phase = 'train'"
         " LEFT JOIN phases v ON v.host_id = r.host_id AND v.run_id = r.run_id AND v.phase = 'test'";
}

RunRow run_at(const postgres::Rows& rows, int i) {
  RunRow out = run_row_in(rows.at(i), 0, kRunColumns);
  out.labels = text_map(rows.text(i, kRunColumns + 6));
  return out;
}

}  // namespace etad::fleet
