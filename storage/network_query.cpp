#include "storage/network_query.h"

#include <algorithm>

#include "parsers/base/hash.h"
#include "storage/codes.h"

namespace etad {
namespace {

using sqlite::Connection;
using sqlite::Rows;
using sqlite::Statement;

// In the order of Facts' members. What a timing run times is no training.
std::string select_facts(const char* where) {
  return std::string(
             "SELECT r.id, r.network, r.architecture, r.framework, r.device, t.samples_per_iteration, "
             "t.iterations,"
             " coalesce(r.ended_at, r.started_at), r.state = 'running', s.pending"
             " FROM runs r CROSS JOIN sources s ON s.id = r.source_id"
             " LEFT JOIN run_phases t ON t.run_id = r.id AND t.phase = 'train'"
             " AND r.job <> 'time' WHERE ") +
         where;
}

}  // namespace

NetworkQuery::Facts NetworkQuery::facts_of(const Rows& rows) {
  Facts run;
  run.id = rows.get<std::int64_t>(0);
  run.name = {rows.get<std::string>(1), rows.get<std::string>(2)};
  run.framework = rows.get<std::string>(3);
  run.device = rows.get<std::string>(4);
  run.samples = rows.get<std::optional<std::int64_t>>(5);
  run.iterations = rows.get<std::optional<std::int64_t>>(6).value_or(0);
  run.seen = rows.get<std::optional<Instant>>(7);
  run.open = rows.get<bool>(8);
  run.pending = rows.get<bool>(9);
  return run;
}

std::uint64_t NetworkQuery::Facts::hash() const {
  std::uint64_t hash = fnv1a(name.first);
  for (const std::string& text : {name.second, framework, device}) hash = fnv1a(text, fnv1a("\n", hash));
  const std::int64_t at = seen ? seen->time_since_epoch().count() : -1;
  for (const std::int64_t number : {samples.value_or(-1), iterations, at, open || pending ? 1L : 0L})
    hash = fnv1a(std::to_string(number), fnv1a("\n", hash));
  return hash;
}

void NetworkQuery::Summary::add(const Facts& run) {
  if (!run.framework.empty()) frameworks.insert(run.framework);
  if (!run.device.empty()) devices.insert(run.device);
  if (run.samples) batch_sizes.insert(*run.samples);
  if (run.iterations > 0) {
    min_iterations = min_iterations == 0 ? run.iterations : std::min(min_iterations, run.iterations);
    max_iterations = std::max(max_iterations, run.iterations);
  }
  last_seen = std::max(last_seen, run.seen);
  ++runs;
}

NetworkRow NetworkQuery::Summary::row(const Name& name) const {
  NetworkRow row;
  row.network = name.first;
  row.architecture = name.second;
  row.frameworks.assign(frameworks.begin(), frameworks.end());
  row.devices.assign(devices.begin(), devices.end());
  row.batch_sizes.assign(batch_sizes.begin(), batch_sizes.end());
  row.runs = runs;
  row.min_iterations = min_iterations;
  row.max_iterations = max_iterations;
  row.last_seen = last_seen;
  return row;
}

// All names in order, those behind one: each is found by index from the one before it.
class NetworkQuery::NamesInOrder {
 public:
  NamesInOrder(Connection& connection, const std::optional<NetworkName>& behind)
      : same_name_(connection,
                   "SELECT network, architecture FROM runs WHERE network = ? AND architecture > ?"
                   " ORDER BY architecture LIMIT 1"),
        next_name_(connection,
                   "SELECT network, architecture FROM runs WHERE network > ?"
                   " ORDER BY network, architecture LIMIT 1") {
    if (behind) last_ = {behind->network, behind->architecture};
  }

  std::optional<Name> next() {
    auto found = one(same_name_.query(last_.first, last_.second));
    if (!found) found = one(next_name_.query(last_.first));
    if (found) last_ = *found;
    return found;
  }

 private:
  static std::optional<Name> one(Rows rows) {
    if (!rows.next()) return std::nullopt;
    return Name{rows.get<std::string>(0), rows.get<std::string>(1)};
  }

  Statement same_name_, next_name_;
  Name last_;  // without either: before all
};

std::vector<NetworkQuery::Name> NetworkQuery::names_like(Connection& connection,
                                                         const NetworkFilter& filter) {
  std::string sql =
      "SELECT DISTINCT network, architecture FROM runs WHERE (network != '' OR architecture != '')";
  if (filter.network) sql += " AND network = ?1 COLLATE NOCASE";
  if (filter.architecture) sql += " AND architecture = ?2 AND architecture != ''";
  Statement select(connection, sql + " ORDER BY network, architecture LIMIT ?3");
  std::vector<Name> names;
  for (auto rows = select.query(filter.network, filter.architecture, filter.limit); rows.next();)
    names.emplace_back(rows.get<std::string>(0), rows.get<std::string>(1));
  return names;
}

// One call: its statements, and the open runs, which are read once where they are needed.
class NetworkQuery::Asking {
 public:
  Asking(NetworkQuery& query, Connection& connection)
      : query_(query),
        connection_(connection),
        // The database would sort a network's runs to put them together, which takes twice as long as all else.
        of_network_(connection, select_facts("r.network = ? AND r.architecture = ?")),
        count_(connection,
               "SELECT count(*) FROM (SELECT 1 FROM runs WHERE network = ? AND architecture = ? LIMIT ?)") {
    Statement newest(connection, "SELECT max(id) FROM runs");
    if (auto rows = newest.query(); rows.next())
      may_remember_ = rows.get<std::optional<std::int64_t>>(0).value_or(0) <= kMostRuns;
  }

  Summary summary(const Name& name) {
    const auto found = query_.by_name_.find(name);
    if (found != query_.by_name_.end()) return with_open(name, found->second.ended);
    if (!may_remember_ || !are_many(name)) {
      Summary all;
      each_run(name, [&](const Facts& run) { all.add(run); });
      return all;
    }
    Remembered& remembered = query_.by_name_[name];
    remembered.number = ++query_.last_number_;
    query_.by_number_[remembered.number] = name;
    each_run(name, [&](const Facts& run) {
      if (!run.open) query_.add_ended(remembered, run);
    });
    return with_open(name, remembered.ended);
  }

 private:
  template <class Take>
  void each_run(const Name& name, Take take) {
    for (auto rows = of_network_.query(name.first, name.second); rows.next();) {
      if (const Facts run = facts_of(rows); !run.pending) take(run);
    }
  }

  bool are_many(const Name& name) {
    auto rows = count_.query(name.first, name.second, kMany);
    return rows.next() && rows.get<std::int64_t>(0) == kMany;
  }

  Summary with_open(const Name& name, Summary summary) {
    if (!open_) {
      open_.emplace();
      Statement select(connection_, select_facts("r.state = 'running' AND NOT s.pending"));
      for (auto rows = select.query(); rows.next();) {
        Facts run = facts_of(rows);
        Name of = run.name;
        open_->emplace(std::move(of), std::move(run));
      }
    }
    const auto [first, last] = open_->equal_range(name);
    for (auto each = first; each != last; ++each) summary.add(each->second);
    return summary;
  }

  NetworkQuery& query_;
  Connection& connection_;
  Statement of_network_, count_;
  bool may_remember_ = false;
  std::optional<std::multimap<Name, Facts>> open_;
};

std::vector<NetworkRow> NetworkQuery::read(Connection& connection, const NetworkFilter& filter) {
  try {
    catch_up(connection);
    return rows(connection, filter);
  } catch (...) {
    forget_all();  // half of something may have been added
    throw;
  }
}

std::vector<NetworkRow> NetworkQuery::rows(Connection& connection, const NetworkFilter& filter) {
  std::vector<NetworkRow> result;
  Asking asking(*this, connection);
  const auto add = [&](const Name& name) {
    const Summary summary = asking.summary(name);
    if (summary.runs > 0) result.push_back(summary.row(name));  // else all are of a pending import
  };
  if (filter.network || filter.architecture) {
    for (const Name& name : names_like(connection, filter)) add(name);
    return result;
  }
  NamesInOrder names(connection, filter.after);
  while (static_cast<std::int64_t>(result.size()) < filter.limit) {
    const auto name = names.next();
    if (!name) break;
    add(*name);
  }
  return result;
}

void NetworkQuery::catch_up(Connection& connection) {
  std::int64_t newest = 0;
  Statement last(connection, "SELECT max(seq) FROM changes");
  if (auto rows = last.query(); rows.next()) newest = rows.get<std::int64_t>(0);
  if (by_name_.empty()) {
    seq_ = newest;
    return;
  }
  // The plus keeps the database from reading all there are of the kind by its index.
  Statement changed(connection,
                    "SELECT key FROM changes WHERE seq > ? AND +kind = 'run' ORDER BY seq LIMIT ?");
  std::vector<std::int64_t> ids;
  for (auto rows = changed.query(seq_, kMostChanges); rows.next();) ids.push_back(rows.get<std::int64_t>(0));
  if (static_cast<std::int64_t>(ids.size()) == kMostChanges) {
    forget_all();
  } else if (!ids.empty()) {
    Statement select(connection, select_facts("r.id = ?"));
    for (const std::int64_t id : ids) {
      auto rows = select.query(id);
      take_change(id, rows.next() ? std::optional(facts_of(rows)) : std::nullopt);
    }
  }
  seq_ = newest;
}

// A run that was added and is another now leaves nothing to take back: its network is put together anew.
void NetworkQuery::take_change(std::int64_t id, const std::optional<Facts>& now) {
  const auto place = static_cast<std::size_t>(id);
  if (place < added_.size() && by_number_.contains(added_[place].to)) {
    if (now && now->hash() == added_[place].facts) return;  // its predictions have changed, say
    forget(added_[place].to);
  }
  if (!now || now->open || now->pending) return;
  if (id > kMostRuns) return forget_all();
  if (const auto found = by_name_.find(now->name); found != by_name_.end()) add_ended(found->second, *now);
}

void NetworkQuery::add_ended(Remembered& to, const Facts& run) {
  const auto place = static_cast<std::size_t>(run.id);
  if (place >= added_.size()) added_.resize(place + 1 + place / 8);
  to.ended.add(run);
  added_[place] = {to.number, run.hash()};
}

void NetworkQuery::forget(std::uint32_t number) {
  const auto found = by_number_.find(number);
  by_name_.erase(found->second);
  by_number_.erase(found);
}

void NetworkQuery::forget_all() {
  by_name_.clear();
  by_number_.clear();
  added_.clear();
}

}  // namespace etad
