#include "fleet/host_rows.h"

#include <array>
#include <functional>
#include <map>
#include <utility>

#include "parsers/base/hash.h"
#include "storage/codes.h"
#include "storage/layer_table.h"
#include "storage/text_map.h"

namespace etad::fleet {
namespace {

using postgres::Bytes;
using postgres::Parameter;
using postgres::parameter;
using postgres::parameters;
using postgres::Rows;

// One that is taken is left to the next try.
std::int64_t number_of(const std::string& host_id, std::int64_t attempt) {
  return static_cast<std::int64_t>((std::hash<std::string>()(host_id) + static_cast<std::size_t>(attempt)) %
                                   static_cast<std::size_t>(kHostNumbers));
}

// Any change of what a model would be fitted from changes the sum over a model's runs.
std::int64_t digest_of(const std::vector<Parameter>& values) {
  std::uint64_t hash = fnv1a({});
  for (const Parameter& value : values)
    hash = value ? fnv1a("\xff", fnv1a(*value, hash)) : fnv1a("\xfe", hash);
  return static_cast<std::int64_t>(hash >> 16U);
}

}  // namespace

// A row as column, value, column, value: the key first. Columns that the database does not have are left out.
struct HostRows::Row {
  std::string table;
  int keys = 0;
  std::vector<std::pair<const char*, Parameter>> values;

  void add(const char* column, Parameter value) { values.emplace_back(column, std::move(value)); }
};

void HostRows::put(Row row) {
  if (!known_.columns.contains(row.table)) return;
  row.add("generation", parameter(now_.generation));
  std::string columns, places, updates;
  std::vector<Parameter> values;
  int at = 0;
  std::string keys;
  for (auto& [column, value] : row.values) {
    if (!known_.has(row.table, column)) continue;
    ++at;
    const std::string separator = at == 1 ? "" : ", ";
    columns += separator + column;
    places += separator + "$" + std::to_string(at);
    if (at <= row.keys) {
      keys += separator + column;
    } else {
      updates += (updates.empty() ? "" : ", ") + std::string(column) + " = excluded." + column;
    }
    values.push_back(std::move(value));
  }
  connection_.queue("INSERT INTO " + row.table + " (" + columns + ") VALUES (" + places + ") ON CONFLICT (" +
                        keys + ") DO UPDATE SET " + updates,
                    values);
}

void HostRows::end_lost_sessions(std::chrono::seconds silent) {
  try {
    connection_.query("SELECT set_config('application_name', $1, false)",
                      parameters("etad-export " + host_id_));
    connection_.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user"
        " AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()"
        " AND xact_start IS NOT NULL AND wait_event = 'ClientRead'"
        " AND current_timestamp - state_change >= CAST($1 AS bigint) * interval '1 second'",
        parameters(static_cast<std::int64_t>(silent.count())));
  } catch (
      const postgres::Failure& failure) {  // an engine that can't: there the server's own keepalives must do
    if (failure.sql_state.empty()) throw;
  }
}

std::optional<HostRow> HostRows::find() {
  const Rows rows = connection_.query(
      "SELECT start_token, up_to, generation, sweep_at, session, exporter_schema,"
      " CAST(extract(epoch FROM current_timestamp - seen_at) AS double precision) FROM hosts WHERE host_id = "
      "$1",
      parameters(host_id_));
  if (rows.size() == 0) return std::nullopt;
  HostRow out;
  out.start_token = rows.text(0, 0);
  out.up_to = rows.integer(0, 1);
  out.generation = rows.integer(0, 2);
  out.sweep_at = rows.at(0).get<std::optional<std::int64_t>>(3);
  out.session = rows.text(0, 4);
  out.schema = rows.integer(0, 5);
  out.silent_seconds = rows.number(0, 6);
  return out;
}

void HostRows::claim(const std::string& session, const std::string& name, const HostRow& from,
                     std::optional<std::int64_t> sweep_at) {
  postgres::Transaction transaction(connection_);
  for (std::int64_t attempt = 0;; ++attempt) {
    const Rows there = connection_.query("SELECT 1 FROM hosts WHERE host_id = $1", parameters(host_id_));
    if (there.size() > 0) break;
    connection_.query(
        "INSERT INTO hosts (host_id, number, name, start_token, up_to, generation, session, exporter_schema, "
        "seen_at)"
        " VALUES ($1, $2, $3, '', 0, 0, '', 0, current_timestamp) ON CONFLICT DO NOTHING",
        parameters(host_id_, number_of(host_id_, attempt), name));
  }
  connection_.query(
      "UPDATE hosts SET session = $2, name = $3, start_token = $4, up_to = $5, generation = $6, sweep_at = "
      "$7,"
      " exporter_schema = $8, seen_at = current_timestamp WHERE host_id = $1",
      parameters(host_id_, session, name, from.start_token, from.up_to, from.generation, sweep_at,
                 known_.version));
  transaction.commit();
  now_ = from;
  now_.session = session;
  now_.sweep_at = sweep_at;
}

bool HostRows::write(const Step& step) {
  const bool sweeps = now_.sweep_at && step.changes.up_to >= *now_.sweep_at;
  const auto sweep_at = sweeps ? std::nullopt : now_.sweep_at;
  postgres::Transaction transaction(connection_);
  // First, because it takes the host's lock: of two exporters one waits here, and then finds that it was late.
  std::int64_t claimed = 0;
  connection_.queue(
      "UPDATE hosts SET name = $4, start_token = $5, up_to = $6, sweep_at = $7, seen_at = current_timestamp"
      " WHERE host_id = $1 AND session = $2 AND up_to = $3",
      parameters(host_id_, now_.session, now_.up_to, step.name, step.start_token, step.changes.up_to,
                 sweep_at),
      &claimed);
  if (known_.has("hosts", "waiting"))
    connection_.queue("UPDATE hosts SET exporter = $2, waiting = $3 WHERE host_id = $1",
                      parameters(host_id_, exporter_, step.changes.waiting));
  for (const auto& architecture : step.changes.architectures) write_architecture(architecture);
  for (const auto& run : step.changes.runs) write_run(run);
  for (const auto& minutes : step.changes.minutes) write_minutes(minutes);
  if (sweeps) sweep(step.oldest_minutes);
  connection_.flush();
  if (claimed != 1) return false;
  transaction.commit();
  now_.up_to = step.changes.up_to;
  now_.start_token = step.start_token;
  now_.sweep_at = sweep_at;
  return true;
}

void HostRows::write_run(const ChangedRun& change) {
  if (!change.now) {
    for (const char* table : {"runs", "phases", "predictions"})
      connection_.queue(std::string("DELETE FROM ") + table + " WHERE host_id = $1 AND run_id = $2",
                        parameters(host_id_, change.id));
    return;
  }
  const RunRow& row = *change.now;
  const etad::Run& run = row.run;
  Row out = row_of(change, "runs", 2);
  out.add("source_id", parameter(row.source_id));
  out.add("source", parameter(row.source));
  out.add("source_kind", parameter(row.source_kind));
  out.add("owner", parameter(row.owner));
  out.add("job", parameter(codes::word(run.job)));
  out.add("state", parameter(codes::word(run.state)));
  out.add("framework", parameter(run.framework));
  out.add("network", parameter(run.network));
  out.add("architecture", parameter(run.architecture));
  out.add("host", parameter(run.host));
  out.add("device", parameter(run.device));
  out.add("devices", parameter(run.devices));
  out.add("started_at", parameter(run.started_at));
  out.add("ended_at", parameter(run.ended_at));
  out.add("settings", parameter(to_json(run.settings)));
  out.add("iteration", parameter(run.iteration));
  out.add("max_iterations", parameter(run.max_iterations));
  out.add("first_iteration", parameter(run.first_iteration));
  out.add("startup_seconds", parameter(run.startup));
  out.add("snapshot_seconds", parameter(run.snapshot_time));
  out.add("snapshots", parameter(run.snapshots));
  out.add("stalls", parameter(run.stalls));
  out.add("loss_is_nan", parameter(run.loss_is_nan));
  out.add("message", parameter(run.message));
  out.add("updated_at", parameter(row.updated_at));
  out.add("labels", parameter(to_json(row.labels)));
  // What the fit of a model takes from the run: all but what is said of the log and of the user.
  std::vector<Parameter> fitted_from;
  for (const auto& [column, value] : out.values) {
    const std::string_view name = column;
    if (name != "source" && name != "updated_at" && name != "labels" && name != "message")
      fitted_from.push_back(value);
  }
  put(std::move(out));
  for (const Phase phase : {Phase::train, Phase::test}) write_phase(change, phase, fitted_from);
  write_predictions(change);
}

HostRows::Row HostRows::row_of(const ChangedRun& change, const char* table, int keys) const {
  return {table, keys, {{"host_id", parameter(host_id_)}, {"run_id", parameter(change.id)}}};
}

// `digested`: what a fit takes from the run itself. The digest tells whether a model has to be fitted anew.
void HostRows::write_phase(const ChangedRun& change, Phase phase, std::vector<Parameter> digested) {
  const etad::Run& run = change.now->run;
  const PhaseSummary& sum = phase == Phase::train ? run.train : run.test;
  ChangedRun::Windows windows{phase, 0, {}};
  for (const auto& each : change.windows)
    if (each.phase == phase) windows = each;
  Row part = row_of(change, "phases", 3);
  part.add("phase", parameter(codes::word(phase)));
  part.add("batch_size", parameter(sum.batch_size));
  part.add("samples_per_iteration", parameter(sum.samples_per_iteration));
  part.add("iterations", parameter(sum.iterations));
  part.add("seconds", parameter(sum.duration));
  part.add("segments", parameter(sum.segments));
  part.add("window_count", parameter(windows.count));
  part.add("windows", parameter(Bytes{windows.packed}));
  if (const auto place = change.places.find(phase); place != change.places.end())
    part.add("place", parameter(place->second));
  for (const auto& [column, value] : part.values) digested.push_back(value);
  for (const auto& [column, cost] :
       {std::pair{"joules", sum.joules}, std::pair{"peak_bytes", sum.peak_bytes}}) {
    part.add(column, parameter(cost));
    if (cost) digested.insert(digested.end(), {parameter(column), parameter(cost)});
  }
  part.add("digest", parameter(digest_of(digested)));
  put(std::move(part));
}

void HostRows::write_predictions(const ChangedRun& change) {
  for (const PredictionRow& prediction : change.predictions) {
    Row part = row_of(change, "predictions", 4);
    part.add("kind", parameter(codes::word(prediction.kind)));
    part.add("at_fraction", parameter(prediction.at_fraction));
    part.add("made_at", parameter(prediction.made_at));
    part.add("elapsed_seconds", parameter(prediction.elapsed));
    part.add("seconds", parameter(prediction.seconds));
    part.add("lower_seconds", parameter(prediction.lower));
    part.add("upper_seconds", parameter(prediction.upper));
    part.add("confidence", parameter(prediction.confidence));
    part.add("basis", parameter(prediction.basis));
    part.add("actual_seconds", parameter(prediction.actual));
    part.add("error_percent", parameter(prediction.error_percent));
    part.add("covered", parameter(prediction.covered));
    put(std::move(part));
  }
}

void HostRows::write_architecture(const ChangedArchitecture& change) {
  connection_.queue(
      "DELETE FROM architectures WHERE host_id = $1 AND architecture = $2 AND position >= $3",
      parameters(host_id_, change.architecture, static_cast<std::int64_t>(change.layers.size())));
  std::int64_t position = 0;
  for (const Layer& layer : change.layers) {
    const LayerCosts& costs = layer.costs;
    Row row{"architectures", 3, {{"host_id", parameter(host_id_)}}};
    row.add("architecture", parameter(change.architecture));
    row.add("position", parameter(position++));
    row.add("name", parameter(layer.name));
    row.add("type", parameter(layer.type));
    row.add("parameters", parameter(layer.parameters));
    row.add("shapes", parameter(shapes_text(layer.shapes)));
    row.add("operations", parameter(costs.operations));
    row.add("backward_operations", parameter(costs.backward_operations));
    row.add("weights", parameter(costs.parameters));
    row.add("inputs", parameter(costs.inputs));
    row.add("outputs", parameter(costs.outputs));
    row.add("copies", parameter(costs.copies));
    row.add("lowered", parameter(costs.lowered));
    put(std::move(row));
  }
}

void HostRows::write_minutes(const ChangedMinutes& change) {
  for (const SeriesPoint& point : change.points) {
    Row row{"series_minutes", 4, {{"host_id", parameter(host_id_)}}};
    row.add("series", parameter(change.series.name));
    row.add("labels", parameter(change.series.labels));
    row.add("minute", parameter(point.at));
    row.add("unit", parameter(change.series.unit));
    row.add("samples", parameter(point.count));
    row.add("minimum", parameter(point.min));
    row.add("mean", parameter(point.mean));
    row.add("maximum", parameter(point.max));
    put(std::move(row));
  }
}

void HostRows::sweep(const std::optional<Instant>& oldest_minutes) {
  for (const char* table : {"runs", "phases", "predictions", "architectures"})
    connection_.queue(std::string("DELETE FROM ") + table + " WHERE host_id = $1 AND generation < $2",
                      parameters(host_id_, now_.generation));
  if (oldest_minutes)
    connection_.queue("DELETE FROM series_minutes WHERE host_id = $1 AND generation < $2 AND minute >= $3",
                      parameters(host_id_, now_.generation, *oldest_minutes));
}

}  // namespace etad::fleet
