#include "storage/layer_query.h"

#include "storage/row_values.h"

namespace etad {

std::vector<Layer> layers_of(sqlite::Connection& connection, const std::string& architecture) {
  sqlite::Statement select(connection, std::string("SELECT ") + kLayerColumns +
                                           " FROM layers WHERE architecture = ? ORDER BY position");
  std::vector<Layer> result;
  for (auto rows = select.query(architecture); rows.next();) result.push_back(layer_in(rows));
  return result;
}

std::vector<TimedLayer> timed_layers_of(sqlite::Connection& connection, const ModelKey& key) {
  sqlite::Statement select(
      connection,
      "SELECT CAST(p.samples_per_iteration AS REAL) / max(r.devices, 1), t.layer, t.forward, t.backward FROM"
      " (SELECT * FROM runs WHERE network = ?1 AND architecture = ?2 ORDER BY id DESC LIMIT 1000) r"
      " CROSS JOIN sources s ON s.id = r.source_id"
      " CROSS JOIN run_phases p ON p.run_id = r.id AND p.phase = 'train'"
      " CROSS JOIN layer_times t ON t.run_id = r.id WHERE NOT s.pending AND r.job = 'time'"
      " AND r.framework = ?3 AND r.host = ?4 AND r.device = ?5 AND p.samples_per_iteration > 0 LIMIT 1024");
  std::vector<TimedLayer> result;
  for (auto rows = select.query(key.network, key.architecture, key.framework, key.host, key.device);
       rows.next();)
    result.push_back(
        {rows.get<double>(0), {rows.get<std::string>(1), rows.get<Duration>(2), rows.get<Duration>(3)}});
  return result;
}

}  // namespace etad
