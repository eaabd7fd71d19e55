#include "storage/dataset_table.h"

#include "storage/codes.h"

namespace etad {

DatasetTable::DatasetTable(sqlite::Connection& c)
    : find_(
          c,
          // The plus: SQLite compares a bare parameter's value with datasets_unnamed's condition, and prepares the
          // statement anew for each device.
          "SELECT id FROM datasets WHERE network = ? AND architecture = ? AND framework = ? AND host = ?"
          " AND device = +? AND devices = ? AND phase = ?"),
      insert_(
          c,
          "INSERT INTO datasets (network, architecture, framework, host, device, devices, phase, generation)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, 0) RETURNING id"),
      newest_(c, "SELECT max(generation) FROM datasets"),
      touch_(c, "UPDATE datasets SET generation = ?2 WHERE id = ?1 AND generation < ?2"),
      // The newest generation stays: the next one is counted from it.
      forget_empty_(c,
                    "DELETE FROM datasets WHERE generation < (SELECT max(generation) FROM datasets)"
                    " AND generation <= (SELECT generation FROM refit_progress)"
                    " AND NOT EXISTS (SELECT 1 FROM run_phases p WHERE p.dataset_id = datasets.id)"
                    " AND NOT EXISTS (SELECT 1 FROM models m WHERE m.dataset_id = datasets.id)") {}

std::int64_t DatasetTable::id_of(const ModelKey& k) {
  const auto run = [&k](sqlite::Statement& statement) {
    return statement.query(k.network, k.architecture, k.framework, k.host, k.device, k.devices,
                           codes::word(k.phase));
  };
  if (auto found = run(find_); found.next()) return found.get<std::int64_t>(0);
  auto inserted = run(insert_);
  inserted.next();
  const auto id = inserted.get<std::int64_t>(0);
  inserted.next();  // to its end, which is what carries it out for good
  return id;
}

void DatasetTable::forget_empty() {
  forget_empty_.run();
}

void DatasetTable::touch(std::int64_t id) {
  if (!generation_) {
    auto newest = newest_.query();
    generation_ = newest.next() ? newest.get<std::int64_t>(0) + 1 : 1;
  }
  touch_.run(id, *generation_);
}

}  // namespace etad
