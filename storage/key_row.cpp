#include "storage/key_row.h"

#include <string>
#include <string_view>

#include "storage/codes.h"

namespace etad::key_row {

ModelKey read(const sqlite::Rows& row) {
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

std::optional<std::int64_t> dataset_of(sqlite::Connection& connection, const ModelKey& k) {
  sqlite::Statement find(connection,
                         "SELECT id FROM datasets WHERE network = ? AND architecture = ? AND framework = ?"
                         " AND host = ? AND device = ? AND devices = ? AND phase = ?");
  auto rows =
      find.query(k.network, k.architecture, k.framework, k.host, k.device, k.devices, codes::word(k.phase));
  if (!rows.next()) return std::nullopt;
  return rows.get<std::int64_t>(0);
}

}  // namespace etad::key_row
