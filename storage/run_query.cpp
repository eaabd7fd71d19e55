#include "storage/run_query.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "storage/codes.h"
#include "storage/run_row.h"

namespace etad {
namespace {

// What one network's runs have in common, while its rows come in.
struct Gathered {
  NetworkRow row;
  std::set<std::string, std::less<>> frameworks, devices;
  std::set<std::int64_t> batch_sizes;
};

void gather(const sqlite::Rows& rows, Gathered& network) {
  const auto add = [&rows](int column, auto& to) {
    const auto text = rows.get<std::string_view>(column);
    if (!text.empty() && !to.contains(text)) to.emplace(text);
  };
  add(2, network.frameworks);
  add(3, network.devices);
  if (const auto samples = rows.get<std::optional<std::int64_t>>(4)) network.batch_sizes.insert(*samples);
  NetworkRow& row = network.row;
  ++row.runs;
  if (const std::int64_t iterations = rows.get<std::optional<std::int64_t>>(5).value_or(0); iterations > 0) {
    row.min_iterations = row.min_iterations == 0 ? iterations : std::min(row.min_iterations, iterations);
    row.max_iterations = std::max(row.max_iterations, iterations);
  }
  row.last_seen = std::max(row.last_seen, rows.get<std::optional<Instant>>(6));
  row.last_run = std::max(row.last_run, rows.get<std::int64_t>(7));
}

using Name = std::pair<std::string, std::string>;  // and architecture

std::optional<Name> one(sqlite::Rows rows) {
  if (!rows.next()) return std::nullopt;
  return Name{rows.get<std::string>(0), rows.get<std::string>(1)};
}

// All in order, those behind a run's: each is found by index from the one before it.
class NamesInOrder {
 public:
  NamesInOrder(sqlite::Connection& connection, std::int64_t behind)
      : same_name_(connection,
                   "SELECT network, architecture FROM runs WHERE network = ? AND architecture > ?"
                   " ORDER BY architecture LIMIT 1"),
        next_name_(connection,
                   "SELECT network, architecture FROM runs WHERE network > ?"
                   " ORDER BY network, architecture LIMIT 1") {
    sqlite::Statement of_run(connection, "SELECT network, architecture FROM runs WHERE id = ?");
    last_ = one(of_run.query(behind)).value_or(Name{});
  }

  std::optional<Name> next() {
    auto found = one(same_name_.query(last_.first, last_.second));
    if (!found) found = one(next_name_.query(last_.first));
    if (found) last_ = *found;
    return found;
  }

 private:
  sqlite::Statement same_name_, next_name_;
  Name last_;  // without either: before all
};

std::vector<Name> names_like(sqlite::Connection& connection, const NetworkFilter& filter) {
  std::string sql =
      "SELECT DISTINCT network, architecture FROM runs WHERE (network != '' OR architecture != '')";
  if (filter.network) sql += " AND network = ?1 COLLATE NOCASE";
  if (filter.architecture) sql += " AND architecture = ?2 AND architecture != ''";
  sqlite::Statement select(connection, sql + " ORDER BY network, architecture LIMIT ?3");
  std::vector<Name> names;
  for (auto rows = select.query(filter.network, filter.architecture, filter.limit); rows.next();)
    names.emplace_back(rows.get<std::string>(0), rows.get<std::string>(1));
  return names;
}

}  // namespace

// Only conditions that were asked for stand in the statement, so that their indexes serve.
std::vector<RunRow> runs_of(sqlite::Connection& connection, const RunFilter& filter) {
  std::string sql = run_row::select() + "WHERE NOT s.pending";
  if (filter.before_id) sql += " AND r.id < ?1";
  if (filter.state) sql += " AND r.state = ?2";
  if (!filter.network.empty()) sql += " AND r.network = ?3 COLLATE NOCASE";
  if (!filter.framework.empty()) sql += " AND r.framework = ?4";
  if (filter.since) sql += " AND r.started_at >= ?5";
  sql += " ORDER BY r.id DESC LIMIT ?6";
  sqlite::Statement select(connection, sql);
  std::vector<RunRow> result;
  auto rows =
      select.query(filter.before_id, codes::word(filter.state.value_or(RunState::running)), filter.network,
                   filter.framework, filter.since, std::max<std::int64_t>(filter.limit, 0));
  while (rows.next()) result.push_back(run_row::read(rows));
  return result;
}

std::optional<RunRow> run_of(sqlite::Connection& connection, std::int64_t id) {
  sqlite::Statement select(connection, run_row::select() + "WHERE r.id = ? AND NOT s.pending");
  auto rows = select.query(id);
  if (!rows.next()) return std::nullopt;
  return run_row::read(rows);
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

// Each network is put together here: the database would sort its runs for it, which takes twice as long as all else.
std::vector<NetworkRow> networks_of(sqlite::Connection& connection, const NetworkFilter& filter) {
  sqlite::Statement select(
      connection,
      "SELECT r.network, r.architecture, r.framework, r.device, t.samples_per_iteration, t.iterations,"
      " coalesce(r.ended_at, r.started_at), r.id"
      " FROM runs r CROSS JOIN sources s ON s.id = r.source_id"
      " LEFT JOIN run_phases t ON t.run_id = r.id AND t.phase = 'train'"
      " WHERE r.network = ? AND r.architecture = ? AND NOT s.pending");
  std::vector<NetworkRow> result;
  const auto add = [&](const Name& name) {
    Gathered network;
    for (auto rows = select.query(name.first, name.second); rows.next();) gather(rows, network);
    NetworkRow& row = network.row;
    if (row.runs == 0) return;  // of a pending import
    std::tie(row.network, row.architecture) = name;
    row.frameworks.assign(network.frameworks.begin(), network.frameworks.end());
    row.devices.assign(network.devices.begin(), network.devices.end());
    row.batch_sizes.assign(network.batch_sizes.begin(), network.batch_sizes.end());
    result.push_back(std::move(row));
  };
  if (filter.network || filter.architecture) {
    for (const Name& name : names_like(connection, filter)) add(name);
    return result;
  }
  NamesInOrder names(connection, filter.after_run);
  while (static_cast<std::int64_t>(result.size()) < filter.limit) {
    const auto name = names.next();
    if (!name) break;
    add(*name);
  }
  return result;
}

}  // namespace etad
