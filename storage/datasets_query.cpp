#include "storage/datasets_query.h"

#include <algorithm>
#include <string>

#include "storage/codes.h"
#include "storage/damage.h"
#include "storage/fair_share.h"
#include "storage/key_row.h"
#include "storage/row_values.h"

namespace etad {
namespace {

constexpr std::int64_t kMostOwners = 64;  // whose runs are looked at: those who were there first

// The runs of a dataset to choose from: of each owner the newest, more than will be chosen.
std::vector<Evidence> evidence_of(sqlite::Connection& connection, std::int64_t dataset, std::size_t most,
                                  const RunsWanted& wanted) {
  sqlite::Statement owners(connection,
                           "SELECT owner FROM dataset_owners WHERE dataset_id = ? ORDER BY id LIMIT ?");
  sqlite::Statement newest(connection,
                           "SELECT p.run_id, r.source_id, p.samples_per_iteration"
                           " FROM run_phases p CROSS JOIN runs r ON r.id = p.run_id"
                           " WHERE p.dataset_id = ?1 AND p.owner = ?2"
                           " AND (?4 IS NULL OR coalesce(r.ended_at, r.started_at) <= ?4)"
                           " ORDER BY p.run_id DESC LIMIT ?3");
  std::vector<Evidence> out;
  const auto take = [&](std::int64_t of) {
    for (auto rows = newest.query(dataset, of, 4 * most, wanted.over_by); rows.next();)
      out.push_back({rows.get<std::int64_t>(0), rows.get<std::int64_t>(1), of, rows.get<std::int64_t>(2)});
  };
  if (wanted.owner) {
    take(*wanted.owner);
  } else {
    for (auto rows = owners.query(dataset, kMostOwners); rows.next();) take(rows.get<std::int64_t>(0));
  }
  return out;
}

}  // namespace

std::vector<ModelKey> changed_keys_of(sqlite::Connection& connection, std::int64_t since,
                                      std::int64_t& reached, std::int64_t most) {
  since = std::max<std::int64_t>(since, 0);
  sqlite::Statement last(
      connection,
      "SELECT coalesce((SELECT generation FROM datasets WHERE generation > ?1"
      " ORDER BY generation LIMIT 1 OFFSET ?2), (SELECT max(generation) FROM datasets), 0)");
  auto last_row = last.query(since, std::max<std::int64_t>(most, 1) - 1);
  last_row.next();
  const auto until = last_row.get<std::int64_t>(0);
  sqlite::Statement select(connection, std::string("SELECT ") + key_row::kColumns +
                                           " FROM datasets d WHERE d.generation > ? AND d.generation <= ?"
                                           " ORDER BY d.generation, d.id");
  std::vector<ModelKey> keys;
  for (auto rows = select.query(since, until); rows.next();) keys.push_back(key_in(rows));
  reached = until;
  return keys;
}

std::vector<ModelKey> unnamed_keys_of(sqlite::Connection& connection, std::int64_t most) {
  sqlite::Statement select(
      connection, std::string("SELECT ") + key_row::kColumns +
                      " FROM datasets d WHERE d.device = '' AND +d.generation > 0"
                      " AND NOT EXISTS (SELECT 1 FROM models m WHERE m.dataset_id = d.id)"
                      " AND EXISTS (SELECT 1 FROM run_phases p WHERE p.dataset_id = d.id)"
                      " ORDER BY row_number() OVER (PARTITION BY (SELECT min(p.owner) FROM run_phases p"
                      " WHERE p.dataset_id = d.id) ORDER BY d.id DESC), d.id DESC LIMIT ?");
  std::vector<ModelKey> keys;
  for (auto rows = select.query(most); rows.next();) keys.push_back(key_in(rows));
  return keys;
}

std::vector<RunData> run_data_of(sqlite::Connection& connection, const ModelKey& k, int max_runs,
                                 int max_windows, const RunsWanted& wanted) {
  const auto most = static_cast<std::size_t>(std::max(max_runs, 0));
  const auto dataset = key_row::dataset_of(connection, k);
  if (!dataset) return {};
  sqlite::Statement select(
      connection,
      "SELECT r.id, r.source_id, p.owner, p.samples_per_iteration, p.iterations, p.duration, r.started_at,"
      " r.ended_at, r.settings, r.loss_is_nan, r.startup, r.snapshot_time, r.snapshots, p.joules, "
      "p.peak_bytes,"
      " coalesce((SELECT t.duration FROM run_phases t"
      "           WHERE t.run_id = p.run_id AND t.phase = 'test' AND p.phase = 'train'), 0),"
      " w.count, w.body, o.id FROM run_phases p CROSS JOIN runs r ON r.id = p.run_id"
      " CROSS JOIN dataset_owners o ON o.dataset_id = p.dataset_id AND o.owner = p.owner"
      " LEFT JOIN run_windows w ON w.run_id = p.run_id AND w.phase = p.phase"
      " WHERE p.run_id = ? AND p.phase = ?");
  std::vector<RunData> result;
  for (const std::int64_t run : fair_share(evidence_of(connection, *dataset, most, wanted), most, most)) {
    auto rows = select.query(run, codes::word(k.phase));
    if (!rows.next()) continue;
    RunData& data = result.emplace_back(run_data_in(rows));
    data.place = rows.get<std::int64_t>(kRunDataColumns + 2);
    if (!take_windows(data, rows.get<std::int64_t>(kRunDataColumns),
                      rows.get<sqlite::Blob>(kRunDataColumns + 1).bytes, max_windows))
      throw_damaged(connection, "the windows of run", run);
  }
  return result;
}

}  // namespace etad
