#include "storage/key_row.h"

#include <string>
#include <string_view>

#include "storage/codes.h"

namespace etad::key_row {

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
