// Layers, once for each architecture, and their times in timing runs. They are those of the run that first showed
// them, and go with it: nothing of a forged log is to stay that was forgotten. The next log that shows the
// architecture then writes them, as it does where a version has kept them that counted no costs.
#pragma once

#include <string>
#include <vector>

#include "parsers/base/record.h"
#include "storage/sqlite.h"

namespace etad {

class LayerTable {
 public:
  explicit LayerTable(sqlite::Connection& connection);

  void put(std::int64_t run_id, const std::string& architecture, const std::vector<Layer>& layers);
  void hand_over(std::int64_t old_source, std::int64_t source);  // those of its runs, before they go
  void put(std::int64_t run_id, const std::vector<LayerTime>& times);

 private:
  sqlite::Statement known_, insert_, hand_over_, drop_, clear_times_, insert_time_;
};

// Shapes as text: dimensions apart by blanks, shapes by ";". Reading takes what it can.
std::string shapes_text(const std::vector<std::vector<std::int64_t>>& shapes);
std::vector<std::vector<std::int64_t>> shapes_of(std::string_view text);

}  // namespace etad
