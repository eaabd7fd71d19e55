#include "storage/datasets_query.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "storage/chunks.h"
#include "storage/codes.h"
#include "storage/damage.h"

namespace etad {
namespace {

constexpr const char* kKeyColumns =
    "d.network, d.architecture, d.framework, d.host, d.device, d.devices, d.phase";

ModelKey read_key(const sqlite::Rows& row) {
  ModelKey key;
  key.network = row.get<std::string>(0);
  key.architecture = row.get<std::string>(1);
  key.framework = row.get<std::string>(2);
  key.host = row.get<std::string>(3);
  key.device = row.get<std::string>(4);
  key.devices = row.get<std::int64_t>(5);
  key.phase = codes::value_of<Phase>(row.get<std::string_view>(6));
  return key;
}

std::int64_t positive(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::max<std::int64_t>(value, 1);
}

// At most `limit` of the windows, evenly spaced, the first among them.
void thin(std::vector<Segment>& windows, std::size_t limit) {
  const std::size_t size = windows.size();
  if (size <= limit) return;
  for (std::size_t i = 0; i < limit; ++i) windows[i] = windows[i * size / limit];
  windows.resize(limit);
}

RunData read_run(const sqlite::Connection& connection, const sqlite::Rows& row, Phase phase,
                 int max_windows) {
  RunData data;
  data.run_id = row.get<std::int64_t>(0);
  data.samples_per_iteration = row.get<std::int64_t>(1);
  data.iterations = row.get<std::int64_t>(2);
  data.duration = row.get<Duration>(3);
  data.started_at = row.get<std::optional<Instant>>(4);
  data.loss_is_nan = row.get<bool>(5);
  data.solver_type = row.get<std::string>(6);
  data.iter_size = phase == Phase::train ? positive(row.get<std::string_view>(7)) : 1;
  data.startup = row.get<std::optional<Duration>>(10);
  data.snapshot_time = row.get<Duration>(11);
  data.snapshots = row.get<std::int64_t>(12);
  data.precision = row.get<std::string>(13);
  data.workers = row.get<std::string>(14);
  data.ended_at = row.get<std::optional<Instant>>(15);
  SegmentCodec codec;
  if (!unpack_chunk(row.get<sqlite::Blob>(9).bytes, row.get<std::int64_t>(8), codec, data.windows))
    throw_damaged(connection, "the windows of run", data.run_id);
  thin(data.windows, static_cast<std::size_t>(std::max(max_windows, 0)));
  for (Segment& window : data.windows) {
    if (window.samples_per_iteration == 0) window.samples_per_iteration = data.samples_per_iteration;
  }
  return data;
}

}  // namespace

std::vector<ModelKey> changed_keys_of(sqlite::Connection& connection, std::int64_t since, std::int64_t& now) {
  sqlite::Statement newest(connection, "SELECT coalesce(max(generation), 0) FROM datasets");
  auto newest_row = newest.query();
  newest_row.next();
  sqlite::Statement select(connection,
                           std::string("SELECT ") + kKeyColumns +
                               " FROM datasets d WHERE d.generation > ? ORDER BY d.generation, d.id");
  std::vector<ModelKey> keys;
  for (auto rows = select.query(std::max<std::int64_t>(since, 0)); rows.next();)
    keys.push_back(read_key(rows));
  now = newest_row.get<std::int64_t>(0);
  return keys;
}

std::vector<RunData> run_data_of(sqlite::Connection& connection, const ModelKey& k, int max_runs,
                                 int max_windows) {
  sqlite::Statement select(
      connection,
      "SELECT r.id, p.samples_per_iteration, p.iterations, p.duration, r.started_at, r.loss_is_nan,"
      " r.settings ->> 'type', r.settings ->> 'iter_size', w.count, w.body, r.startup, r.snapshot_time,"
      " r.snapshots, r.settings ->> 'precision', r.settings ->> 'workers', r.ended_at"
      " FROM datasets d CROSS JOIN run_phases p ON p.dataset_id = d.id AND p.phase = d.phase"
      " CROSS JOIN runs r ON r.id = p.run_id"
      " LEFT JOIN run_windows w ON w.run_id = p.run_id AND w.phase = p.phase"
      " WHERE d.network = ? AND d.architecture = ? AND d.framework = ? AND d.host = ? AND d.device = ?"
      " AND d.devices = ? AND d.phase = ? ORDER BY p.run_id DESC LIMIT ?");
  std::vector<RunData> result;
  auto rows = select.query(k.network, k.architecture, k.framework, k.host, k.device, k.devices,
                           codes::word(k.phase), std::max(max_runs, 0));
  while (rows.next()) result.push_back(read_run(connection, rows, k.phase, max_windows));
  return result;
}

std::vector<ModelRow> models_of(sqlite::Connection& connection) {
  sqlite::Statement select(connection, std::string("SELECT ") + kKeyColumns +
                                           ", m.id, m.fitted_at, m.body FROM models m"
                                           " CROSS JOIN datasets d ON d.id = m.dataset_id ORDER BY m.id");
  std::vector<ModelRow> result;
  for (auto rows = select.query(); rows.next();) {
    ModelRow& model = result.emplace_back();
    model.key = read_key(rows);
    model.id = rows.get<std::int64_t>(7);
    model.fitted_at = rows.get<Instant>(8);
    model.body = rows.get<std::string>(9);
  }
  return result;
}

}  // namespace etad
