#include "storage/run_query.h"

#include <algorithm>
#include <limits>

#include "storage/codes.h"
#include "storage/fair_share.h"
#include "storage/run_row.h"

namespace etad {

namespace {

// Of the runs that fit. Only conditions that were asked for stand in the statement, so that their indexes serve.
std::string newest(const RunFilter& filter, const std::string& select) {
  std::string sql = select + "WHERE NOT s.pending";
  if (filter.before_id) sql += " AND r.id < ?1";
  if (filter.state) sql += " AND r.state = ?2";
  if (!filter.network.empty()) sql += " AND r.network = ?3 COLLATE NOCASE";
  if (!filter.framework.empty()) sql += " AND r.framework = ?4";
  if (filter.since) sql += " AND r.started_at >= ?5";
  if (filter.after_id) sql += " AND r.id > ?6";
  return sql + " ORDER BY r.id DESC LIMIT ?7";
}

sqlite::Rows query(sqlite::Statement& select, const RunFilter& filter, std::int64_t limit) {
  return select.query(filter.before_id, codes::word(filter.state.value_or(RunState::running)), filter.network,
                      filter.framework, filter.since, filter.after_id, std::max<std::int64_t>(limit, 0));
}

// Those to take; nullopt: there are no more than may be.
std::optional<std::vector<std::int64_t>> fair_ids(sqlite::Connection& connection, const RunFilter& filter) {
  sqlite::Statement select(connection, newest(filter,
                                              "SELECT r.id, r.source_id, r.owner FROM runs r"
                                              " CROSS JOIN sources s ON s.id = r.source_id "));
  std::vector<Evidence> all;
  for (auto rows = query(select, filter, std::numeric_limits<std::int64_t>::max()); rows.next();)
    all.push_back({rows.get<std::int64_t>(0), rows.get<std::int64_t>(1),
                   rows.get<std::optional<std::int64_t>>(2).value_or(kUnknownOwner)});
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(filter.limit, 0));
  if (all.size() <= most) return std::nullopt;
  return fair_share(std::move(all), most, most);
}

}  // namespace

std::vector<RunRow> runs_of(sqlite::Connection& connection, const RunFilter& filter) {
  std::vector<RunRow> result;
  if (const auto ids = filter.fair ? fair_ids(connection, filter) : std::nullopt) {
    sqlite::Statement select(connection, run_row::select() + "WHERE r.id = ?");
    for (const std::int64_t id : *ids)
      if (auto rows = select.query(id); rows.next()) result.push_back(run_row::read(rows));
    return result;
  }
  sqlite::Statement select(connection, newest(filter, run_row::select()));
  for (auto rows = query(select, filter, filter.limit); rows.next();) result.push_back(run_row::read(rows));
  return result;
}

std::optional<RunRow> run_of(sqlite::Connection& connection, std::int64_t id) {
  sqlite::Statement select(connection, run_row::select() + "WHERE r.id = ? AND NOT s.pending");
  auto rows = select.query(id);
  if (!rows.next()) return std::nullopt;
  return run_row::read(rows);
}

std::vector<RunningCount> running_of(sqlite::Connection& connection) {
  sqlite::Statement select(connection,
                           "SELECT r.network, r.framework, count(*) FROM runs r CROSS JOIN sources s"
                           " ON s.id = r.source_id WHERE NOT s.pending AND r.state = ? GROUP BY 1, 2");
  std::vector<RunningCount> result;
  for (auto rows = select.query(codes::word(RunState::running)); rows.next();)
    result.push_back({rows.get<std::string>(0), rows.get<std::string>(1), rows.get<std::int64_t>(2)});
  return result;
}

std::vector<RunCount> run_counts_of(sqlite::Connection& connection, const std::string& network, Phase phase,
                                    std::int64_t newest) {
  sqlite::Statement select(
      connection,
      "SELECT device, devices, samples, count(*) FROM (SELECT r.device AS device, r.devices AS devices,"
      " coalesce(p.samples_per_iteration, 0) AS samples FROM runs r CROSS JOIN sources s ON s.id = "
      "r.source_id"
      " CROSS JOIN run_phases p ON p.run_id = r.id AND p.phase = ?2 WHERE NOT s.pending"
      " AND r.network = ?1 COLLATE NOCASE AND p.iterations > 0 ORDER BY r.id DESC LIMIT ?3)"
      " GROUP BY device, devices, samples");
  std::vector<RunCount> result;
  for (auto rows = select.query(network, codes::word(phase), newest); rows.next();)
    result.push_back({rows.get<std::string>(0), rows.get<std::int64_t>(1), rows.get<std::int64_t>(2),
                      rows.get<std::int64_t>(3)});
  return result;
}

}  // namespace etad
