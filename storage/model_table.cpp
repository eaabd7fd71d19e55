#include "storage/model_table.h"

namespace etad {

ModelTable::ModelTable(sqlite::Connection& c, DatasetTable& datasets)
    : connection_(c),
      datasets_(datasets),
      find_(c, "SELECT id FROM models WHERE dataset_id = ?"),
      insert_(c,
              "INSERT INTO models (dataset_id, fitted_at, body, owner, runs, error_percent, teaches)"
              " VALUES (?, ?, ?, ?, ?, ?, ?)"),
      update_(c,
              "UPDATE models SET fitted_at = ?2, body = ?3, owner = ?4, runs = ?5, error_percent = ?6,"
              " teaches = ?7 WHERE id = ?1"),
      remove_(c, "DELETE FROM models WHERE dataset_id = ?"),
      reached_(c,
               "INSERT INTO refit_progress VALUES (1, ?1, ?2)"
               " ON CONFLICT DO UPDATE SET version = ?1, generation = ?2"),
      find_deployment_(
          c, "SELECT id FROM deployments WHERE framework = ? AND host = ? AND device = ? AND devices = ?"),
      insert_deployment_(c,
                         "INSERT INTO deployments (framework, host, device, devices) VALUES (?, ?, ?, ?)") {}

std::int64_t ModelTable::deployment_of(const ModelKey& key) {
  if (auto found = find_deployment_.query(key.framework, key.host, key.device, key.devices); found.next())
    return found.get<std::int64_t>(0);
  insert_deployment_.run(key.framework, key.host, key.device, key.devices);
  return connection_.last_insert_id();
}

std::int64_t ModelTable::put(const ModelRow& model) {
  const std::int64_t dataset = datasets_.id_of(model.key);
  std::int64_t id = 0;
  if (auto found = find_.query(dataset); found.next()) id = found.get<std::int64_t>(0);
  std::optional<std::int64_t> teaches;
  if (model.teaches) teaches = deployment_of(model.key);
  if (id == 0) {
    insert_.run(dataset, model.fitted_at, model.body, model.owner, model.runs, model.error_percent, teaches);
    return connection_.last_insert_id();
  }
  update_.run(id, model.fitted_at, model.body, model.owner, model.runs, model.error_percent, teaches);
  return id;
}

void ModelTable::remove(const ModelKey& key) {
  remove_.run(datasets_.id_of(key));
}

void ModelTable::put(const RefitProgress& reached) {
  reached_.run(reached.version, reached.generation);
}

}  // namespace etad
