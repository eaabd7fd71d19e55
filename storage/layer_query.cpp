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

}  // namespace etad
