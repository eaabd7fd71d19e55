#include "storage/run_row.h"

#include "storage/labels.h"
#include "storage/row_values.h"

namespace etad::run_row {

std::string select() {
  return std::string("SELECT ") + kColumns +
         ", t.batch_size, t.samples_per_iteration, t.iterations, t.duration, t.segments, t.joules, "
         "t.peak_bytes,"
         " v.batch_size, v.samples_per_iteration, v.iterations, v.duration, v.segments, v.joules, "
         "v.peak_bytes,"
         " r.id, r.source_id, s.path, s.kind, r.owner, r.updated_at, l.labels"
         " FROM runs r CROSS JOIN sources s ON s.id = r.source_id"
         " LEFT JOIN run_phases t ON t.run_id = r.id AND t.phase = 'train'"
         " LEFT JOIN run_phases v ON v.run_id = r.id AND v.phase = 'test'"
         " LEFT JOIN run_labels l ON l.run_id = r.id ";
}

RunRow read(const sqlite::Rows& row) {
  constexpr int kBehind = 1 + kRunColumns;
  RunRow result = run_row_in(row, 1, kBehind);
  result.run.ordinal = row.get<std::int64_t>(0);
  RunLabels labels = read_labels(row.get<std::string_view>(kBehind + 6));
  result.labels = std::move(labels.values);
  result.label_origins = std::move(labels.origins);
  return result;
}

}  // namespace etad::run_row
