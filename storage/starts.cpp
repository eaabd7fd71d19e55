#include "storage/starts.h"

namespace etad {

void note_start(sqlite::Connection& connection, const std::string& machine) {
  sqlite::Statement(
      connection,
      "INSERT INTO starts (token, machine, after_seq, after_run) VALUES (lower(hex(randomblob(16))), ?,"
      " coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0),"
      " coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'runs'), 0))")
      .run(machine);
  sqlite::Statement(
      connection,
      "DELETE FROM starts WHERE id <= (SELECT max(id) FROM starts) - ? AND machine ="
      " (SELECT machine FROM starts AS before WHERE before.id < starts.id ORDER BY before.id DESC LIMIT 1)")
      .run(kKeptStarts);
}

std::vector<HistoryStart> starts_of(sqlite::Connection& connection) {
  sqlite::Statement select(connection, "SELECT token, machine, after_seq, after_run FROM starts ORDER BY id");
  std::vector<HistoryStart> out;
  for (auto rows = select.query(); rows.next();)
    out.push_back({rows.get<std::string>(0), rows.get<std::string>(1), rows.get<std::int64_t>(2),
                   rows.get<std::int64_t>(3)});
  return out;
}

}  // namespace etad
