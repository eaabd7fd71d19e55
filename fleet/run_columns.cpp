#include "fleet/run_columns.h"

#include "fleet/fleet_reader.h"
#include "storage/codes.h"
#include "storage/text_map.h"

namespace etad::fleet {
namespace {

PhaseSummary phase_at(const postgres::Rows& rows, int row, int at) {
  PhaseSummary out;
  if (rows.is_null(row, at + 2)) return out;
  out.batch_size = rows.maybe_integer(row, at);
  out.samples_per_iteration = rows.maybe_integer(row, at + 1);
  out.iterations = rows.integer(row, at + 2);
  out.duration = rows.seconds(row, at + 3);
  out.segments = rows.integer(row, at + 4);
  out.joules = rows.maybe_number(row, at + 5);
  out.peak_bytes = rows.maybe_number(row, at + 6);
  return out;
}

}  // namespace

std::vector<postgres::Parameter> run_id_parameters(std::int64_t id) {
  return postgres::parameters(id / kRunsOfHost, id % kRunsOfHost);
}

std::string run_select() {
  using postgres::select_instant;
  return std::string("SELECT ") + kRunId +
         ", r.source_id, r.source, r.source_kind, r.owner, r.job, r.state, r.framework, r.network, "
         "r.architecture,"
         " coalesce(nullif(r.host, ''), h.name), r.device, r.devices, " +
         select_instant("r.started_at") + ", " + select_instant("r.ended_at") + ", " +
         select_instant("r.updated_at") +
         ", CAST(r.settings AS text), r.iteration, r.max_iterations, r.first_iteration, r.startup_seconds,"
         " r.snapshot_seconds, r.snapshots, r.stalls, r.loss_is_nan, r.message, CAST(r.labels AS text),"
         " t.batch_size, t.samples_per_iteration, t.iterations, t.seconds, t.segments, t.joules, "
         "t.peak_bytes,"
         " v.batch_size, v.samples_per_iteration, v.iterations, v.seconds, v.segments, v.joules, "
         "v.peak_bytes" +
         kRunTables +
         "LEFT JOIN phases t ON t.host_id = r.host_id AND t.run_id = r.run_id AND t.phase = 'train'"
         " LEFT JOIN phases v ON v.host_id = r.host_id AND v.run_id = r.run_id AND v.phase = 'test'";
}

RunRow run_at(const postgres::Rows& rows, int i) {
  RunRow out;
  out.id = rows.integer(i, 0);
  out.source_id = rows.integer(i, 1);
  out.source = rows.text(i, 2);
  out.source_kind = rows.text(i, 3);
  out.owner = rows.maybe_integer(i, 4);
  out.updated_at = rows.instant(i, 15);
  if (!rows.is_null(i, 26)) out.labels = text_map(rows.text(i, 26));
  etad::Run& run = out.run;
  run.job = codes::value_of<Job>(rows.text(i, 5));
  run.state = codes::value_of<RunState>(rows.text(i, 6));
  run.framework = rows.text(i, 7);
  run.network = rows.text(i, 8);
  run.architecture = rows.text(i, 9);
  run.host = rows.text(i, 10);
  run.device = rows.text(i, 11);
  run.devices = rows.integer(i, 12);
  run.started_at = rows.instant(i, 13);
  run.ended_at = rows.instant(i, 14);
  run.settings = text_map(rows.text(i, 16));
  run.iteration = rows.maybe_integer(i, 17);
  run.max_iterations = rows.maybe_integer(i, 18);
  run.first_iteration = rows.maybe_integer(i, 19);
  if (!rows.is_null(i, 20)) run.startup = rows.seconds(i, 20);
  run.snapshot_time = rows.seconds(i, 21);
  run.snapshots = rows.integer(i, 22);
  run.stalls = rows.integer(i, 23);
  run.loss_is_nan = rows.flag(i, 24);
  run.message = rows.text(i, 25);
  run.train = phase_at(rows, i, 27);
  run.test = phase_at(rows, i, 34);
  return out;
}

}  // namespace etad::fleet
