#include "storage/model_table.h"

namespace etad {

ModelTable::ModelTable(sqlite::Connection& c, DatasetTable& datasets)
    : connection_(c),
      datasets_(datasets),
      find_(c, "SELECT id FROM models WHERE dataset_id = ?"),
      insert_(c,
              "INSERT INTO models (dataset_id, fitted_at, body, owner, runs, error_percent)"
              " VALUES (?, ?, ?, ?, ?, ?)"),
      update_(c,
              "UPDATE models SET fitted_at = ?2, body = ?3, owner = ?4, runs = ?5, error_percent = ?6"
              " WHERE id = ?1"),
      remove_(c, "DELETE FROM models WHERE dataset_id = ?"),
      reached_(c,
               "INSERT INTO refit_progress VALUES (1, ?1, ?2)"
               " ON CONFLICT DO UPDATE SET version = ?1, generation = ?2"),
      records_(c,
               "INSERT INTO estimator_records VALUES (1, ?1)"
               " ON CONFLICT DO UPDATE SET body = ?1") {}

std::int64_t ModelTable::put(const ModelRow& model) {
  const std::int64_t dataset = datasets_.id_of(model.key);
  std::int64_t id = 0;
  if (auto found = find_.query(dataset); found.next()) id = found.get<std::int64_t>(0);
  if (id == 0) {
    insert_.run(dataset, model.fitted_at, model.body, model.owner, model.runs, model.error_percent);
    return connection_.last_insert_id();
  }
  update_.run(id, model.fitted_at, model.body, model.owner, model.runs, model.error_percent);
  return id;
}

void ModelTable::remove(const ModelKey& key) {
  remove_.run(datasets_.id_of(key));
}

void ModelTable::put(const RefitProgress& reached) {
  reached_.run(reached.version, reached.generation);
}

void ModelTable::put_records(const std::string& records) {
  records_.run(records);
}

}  // namespace etad
