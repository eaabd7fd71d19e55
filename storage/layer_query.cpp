#include "storage/layer_query.h"

#include <optional>

#include "storage/layer_table.h"

namespace etad {

std::vector<Layer> layers_of(sqlite::Connection& connection, const std::string& architecture) {
  sqlite::Statement select(
      connection,
      "SELECT name, type, parameters, shapes, operations, backward_operations, weights, inputs, "
      "outputs, copies, lowered "
      "FROM layers WHERE architecture = ? ORDER BY position");
  std::vector<Layer> result;
  for (auto rows = select.query(architecture); rows.next();) {
    const auto number = [&](int column) { return rows.get<std::optional<double>>(column); };
    result.push_back({rows.get<std::string>(0),
                      rows.get<std::string>(1),
                      rows.get<std::string>(2),
                      shapes_of(rows.get<std::string_view>(3)),
                      {number(4), number(5), number(6), number(7), number(8), number(9), number(10)}});
  }
  return result;
}

}  // namespace etad
