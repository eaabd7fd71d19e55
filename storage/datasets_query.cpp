#include "storage/datasets_query.h"

#include <algorithm>
#include <string>

#include "storage/chunks.h"
#include "storage/codes.h"
#include "storage/damage.h"
#include "storage/text_map.h"
#include "storage/thin.h"

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

RunData read_run(const sqlite::Connection& connection, const sqlite::Rows& row, int max_windows) {
  RunData data;
  data.run_id = row.get<std::int64_t>(0);
  data.samples_per_iteration = row.get<std::int64_t>(1);
  data.iterations = row.get<std::int64_t>(2);
  data.duration = row.get<Duration>(3);
  data.started_at = row.get<std::optional<Instant>>(4);
  data.loss_is_nan = row.get<bool>(5);
  data.settings = text_map(row.get<std::string_view>(6));
  data.startup = row.get<std::optional<Duration>>(9);
  data.snapshot_time = row.get<Duration>(10);
  data.snapshots = row.get<std::int64_t>(11);
  data.ended_at = row.get<std::optional<Instant>>(12);
  SegmentCodec codec;
  if (!unpack_chunk(row.get<sqlite::Blob>(8).bytes, row.get<std::int64_t>(7), codec, data.windows))
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
      " r.settings, w.count, w.body, r.startup, r.snapshot_time, r.snapshots, r.ended_at"
      " FROM datasets d CROSS JOIN run_phases p ON p.dataset_id = d.id AND p.phase = d.phase"
      " CROSS JOIN runs r ON r.id = p.run_id"
      " LEFT JOIN run_windows w ON w.run_id = p.run_id AND w.phase = p.phase"
      " WHERE d.network = ? AND d.architecture = ? AND d.framework = ? AND d.host = ? AND d.device = ?"
      " AND d.devices = ? AND d.phase = ? ORDER BY p.run_id DESC LIMIT ?");
  std::vector<RunData> result;
  auto rows = select.query(k.network, k.architecture, k.framework, k.host, k.device, k.devices,
                           codes::word(k.phase), std::max(max_runs, 0));
  while (rows.next()) result.push_back(read_run(connection, rows, max_windows));
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
