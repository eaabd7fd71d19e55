// Layers, once for each architecture, and their times in timing runs. An architecture that was kept by a
// version that counted no costs is written again when a log next shows it.
#pragma once

#include <string>
#include <vector>

#include "parsers/base/record.h"
#include "storage/sqlite.h"

namespace etad {

class LayerTable {
 public:
  explicit LayerTable(sqlite::Connection& connection);

  void put(const std::string& architecture, const std::vector<Layer>& layers);
  void put(std::int64_t run_id, const std::vector<LayerTime>& times);

 private:
  sqlite::Statement known_, insert_, clear_times_, insert_time_;
};

// Shapes as text: dimensions apart by blanks, shapes by ";". Reading takes what it can.
std::string shapes_text(const std::vector<std::vector<std::int64_t>>& shapes);
std::vector<std::vector<std::int64_t>> shapes_of(std::string_view text);

}  // namespace etad
