#include "storage/layer_table.h"

#include <charconv>

namespace etad {

std::string shapes_text(const std::vector<std::vector<std::int64_t>>& shapes) {
  std::string text;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += ';';
    for (std::size_t j = 0; j < shapes[i].size(); ++j) {
      if (j > 0) text += ' ';
      text += std::to_string(shapes[i][j]);
    }
  }
  return text;
}

std::vector<std::vector<std::int64_t>> shapes_of(std::string_view text) {
  std::vector<std::vector<std::int64_t>> shapes;
  if (text.empty()) return shapes;
  shapes.emplace_back();
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    std::int64_t dimension = 0;
    const auto parsed = std::from_chars(p, end, dimension);
    if (parsed.ec == std::errc()) {
      shapes.back().push_back(dimension);
      p = parsed.ptr;
    } else {
      if (*p == ';') shapes.emplace_back();
      ++p;
    }
  }
  return shapes;
}

LayerTable::LayerTable(sqlite::Connection& c)
    : known_(c, "SELECT 1 FROM layers WHERE architecture = ? AND outputs IS NOT NULL LIMIT 1"),
      insert_(c, "INSERT OR REPLACE INTO layers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      hand_over_(c,
                 "UPDATE layers SET run_id = (SELECT min(id) FROM runs WHERE source_id = ?2"
                 "  AND architecture = layers.architecture)"
                 " WHERE run_id IN (SELECT id FROM runs WHERE source_id = ?1)"),
      drop_(c, "DELETE FROM layers WHERE run_id IS NULL"),
      clear_times_(c, "DELETE FROM layer_times WHERE run_id = ?"),
      insert_time_(c, "INSERT INTO layer_times VALUES (?, ?, ?, ?, ?)") {}

void LayerTable::put(std::int64_t run_id, const std::string& architecture, const std::vector<Layer>& layers) {
  if (architecture.empty() || known_.query(architecture).next()) return;
  std::int64_t position = 0;
  for (const Layer& layer : layers) {
    const LayerCosts& costs = layer.costs;
    insert_.run(architecture, position++, layer.name, layer.type, layer.parameters, shapes_text(layer.shapes),
                costs.operations, costs.backward_operations, costs.parameters, costs.inputs, costs.outputs,
                costs.copies, costs.lowered, run_id);
  }
}

void LayerTable::hand_over(std::int64_t old_source, std::int64_t source) {
  hand_over_.run(old_source, source);
  drop_.run();
}

void LayerTable::put(std::int64_t run_id, const std::vector<LayerTime>& times) {
  clear_times_.run(run_id);
  std::int64_t position = 0;
  for (const LayerTime& time : times)
    insert_time_.run(run_id, position++, time.layer, time.forward, time.backward);
}

}  // namespace etad
