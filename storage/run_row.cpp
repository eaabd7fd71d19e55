#include "storage/run_row.h"

#include "storage/codes.h"
#include "storage/labels.h"
#include "storage/text_map.h"

namespace etad::run_row {
namespace {

PhaseSummary read_phase(const sqlite::Rows& row, int at, int costs) {
  PhaseSummary phase;
  phase.batch_size = row.get<std::optional<std::int64_t>>(at);
  phase.samples_per_iteration = row.get<std::optional<std::int64_t>>(at + 1);
  phase.iterations = row.get<std::int64_t>(at + 2);
  phase.duration = row.get<Duration>(at + 3);
  phase.segments = row.get<std::int64_t>(at + 4);
  phase.joules = row.get<std::optional<double>>(costs);
  phase.peak_bytes = row.get<std::optional<double>>(costs + 1);
  return phase;
}

Run read_run(const sqlite::Rows& row) {
  Run run;
  run.ordinal = row.get<std::int64_t>(0);
  run.job = codes::value_of<Job>(row.get<std::string_view>(1));
  run.state = codes::value_of<RunState>(row.get<std::string_view>(2));
  run.framework = row.get<std::string>(3);
  run.network = row.get<std::string>(4);
  run.architecture = row.get<std::string>(5);
  run.host = row.get<std::string>(6);
  run.device = row.get<std::string>(7);
  run.devices = row.get<std::int64_t>(8);
  run.started_at = row.get<std::optional<Instant>>(9);
  run.ended_at = row.get<std::optional<Instant>>(10);
  run.settings = text_map(row.get<std::string_view>(11));
  run.iteration = row.get<std::optional<std::int64_t>>(12);
  run.max_iterations = row.get<std::optional<std::int64_t>>(13);
  run.first_iteration = row.get<std::optional<std::int64_t>>(14);
  run.startup = row.get<std::optional<Duration>>(15);
  run.snapshot_time = row.get<Duration>(16);
  run.snapshots = row.get<std::int64_t>(17);
  run.stalls = row.get<std::int64_t>(18);
  run.loss_is_nan = row.get<bool>(19);
  run.message = row.get<std::string>(20);
  run.train = read_phase(row, 26, 38);
  run.test = read_phase(row, 31, 40);
  return run;
}

}  // namespace

std::string select() {
  return std::string("SELECT ") + kColumns +
         ", r.id, r.source_id, s.path, r.updated_at, l.labels,"
         " t.batch_size, t.samples_per_iteration, t.iterations, t.duration, t.segments,"
         " v.batch_size, v.samples_per_iteration, v.iterations, v.duration, v.segments, r.owner, s.kind,"
         " t.joules, t.peak_bytes, v.joules, v.peak_bytes"
         " FROM runs r CROSS JOIN sources s ON s.id = r.source_id"
         " LEFT JOIN run_phases t ON t.run_id = r.id AND t.phase = 'train'"
         " LEFT JOIN run_phases v ON v.run_id = r.id AND v.phase = 'test'"
         " LEFT JOIN run_labels l ON l.run_id = r.id ";
}

RunRow read(const sqlite::Rows& row) {
  RunRow result;
  result.run = read_run(row);
  result.id = row.get<std::int64_t>(21);
  result.source_id = row.get<std::int64_t>(22);
  result.source = row.get<std::string>(23);
  result.updated_at = row.get<std::optional<Instant>>(24);
  result.owner = row.get<std::optional<std::int64_t>>(36);
  RunLabels labels = read_labels(row.get<std::string_view>(25));
  result.labels = std::move(labels.values);
  result.label_origins = std::move(labels.origins);
  result.source_kind = row.get<std::string>(37);
  return result;
}

}  // namespace etad::run_row
