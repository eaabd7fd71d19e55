#include "storage/budget_table.h"

#include <utility>

namespace etad {
namespace {

constexpr std::int64_t kUnsaved =
    64 * 1024;  // bytes that a start may have forgotten: not each line writes its row

// Of an owner. What has no budget uses up none.
const std::string kOfFollowedLogs =
    "FROM runs r JOIN sources s ON s.id = r.source_id"
    " WHERE r.owner IS ? AND s.kind <> 'import' AND NOT s.pending";

std::optional<std::int64_t> value_of(std::int64_t owner) {
  return owner == kUnknownOwner ? std::nullopt : std::optional(owner);
}

std::int64_t count(sqlite::Statement& statement, std::int64_t owner) {
  return statement.number(value_of(owner));
}

bool fits(std::int64_t has, std::int64_t budget) {
  return budget == 0 || has < budget;
}

}  // namespace

BudgetTable::BudgetTable(sqlite::Connection& c, const Budgets& budgets)
    : budgets_(budgets),
      runs_(c, "SELECT count(*) " + kOfFollowedLogs),
      networks_(c, "SELECT DISTINCT r.network, r.architecture " + kOfFollowedLogs +
                       " AND (r.network <> '' OR r.architecture <> '') LIMIT ?"),
      bears_(c, "SELECT 1 " + kOfFollowedLogs + " AND r.network = ? AND r.architecture = ? LIMIT 1"),
      series_(c, "SELECT count(*) FROM series WHERE owner IS ?"),
      day_(c, "SELECT bytes FROM owner_days WHERE owner = ? AND day = ?"),
      put_day_(c,
               "INSERT INTO owner_days VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET day = ?2, bytes = ?3"),
      refuse_(c,
              "INSERT INTO refused VALUES (?1, ?2, ?3, ?4)"
              " ON CONFLICT DO UPDATE SET count = count + ?3, last_at = ?4"),
      refused_(c, "SELECT 1 FROM refused WHERE owner = ? LIMIT 1") {}

void BudgetTable::forget_state() {
  owners_.clear();
}

void BudgetTable::forget_all() {
  forget_state();
  days_.clear();
}

std::set<BudgetTable::Network>& BudgetTable::networks_of(std::int64_t owner) {
  auto& known = owners_[owner].networks;
  if (known) return *known;
  known.emplace();
  auto rows = networks_.query(value_of(owner), budgets_.networks);
  while (rows.next()) known->insert({rows.get<std::string>(0), rows.get<std::string>(1)});
  return *known;
}

bool BudgetTable::admits_run(std::int64_t owner, const Run& run) {
  auto& runs = owners_[owner].runs;
  if (!runs) runs = count(runs_, owner);
  if (!fits(*runs, budgets_.runs)) {
    if (run.state != RunState::running) refuse(owner, "runs", 1);
    return false;
  }
  if (!admits_network(owner, run)) {
    if (run.state != RunState::running) refuse(owner, "networks", 1);
    return false;
  }
  ++*runs;
  return true;
}

bool BudgetTable::admits_network(std::int64_t owner, const Run& run) {
  if (budgets_.networks == 0 || (run.network.empty() && run.architecture.empty())) return true;
  auto& networks = networks_of(owner);
  Network network{run.network, run.architecture};
  if (networks.contains(network)) return true;
  if (!fits(static_cast<std::int64_t>(networks.size()), budgets_.networks)) return false;
  networks.insert(std::move(network));
  return true;
}

void BudgetTable::give_back(std::int64_t owner, const Run& run) {
  const auto known = owners_.find(owner);
  if (known == owners_.end()) return;
  auto& [runs, series, networks] = known->second;
  if (runs) --*runs;
  const Network network{run.network, run.architecture};
  if (!networks || !networks->contains(network)) return;
  if (!bears_.query(value_of(owner), network.first, network.second).next()) networks->erase(network);
}

bool BudgetTable::admits_series(std::int64_t owner) {
  auto& series = owners_[owner].series;
  if (!series) series = count(series_, owner);
  if (!fits(*series, budgets_.series)) return false;
  ++*series;
  return true;
}

BudgetTable::Day& BudgetTable::today(std::int64_t owner) {
  const std::int64_t day = std::chrono::floor<std::chrono::days>(now_).time_since_epoch().count();
  const auto [known, is_new] = days_.try_emplace(owner);
  if (!is_new && known->second.day == day) return known->second;
  known->second = {day, 0, 0};
  if (auto rows = day_.query(owner, day); rows.next()) known->second.bytes = rows.get<std::int64_t>(0);
  return known->second;
}

bool BudgetTable::admits_bytes(std::int64_t owner, std::int64_t bytes) {
  if (bytes <= 0) return true;
  Day& day = today(owner);
  const bool fitting = fits(day.bytes, budgets_.bytes_a_day);
  day.bytes += bytes;
  day.unsaved += bytes;
  if (!fitting) refuse(owner, "bytes", bytes);
  return fitting;
}

void BudgetTable::end() {
  for (auto& [owner, day] : days_) {
    if (day.unsaved < kUnsaved) continue;
    day.unsaved = 0;
    put_day_.run(owner, day.day, day.bytes);
  }
}

void BudgetTable::refuse(std::int64_t owner, const char* what, std::int64_t count) {
  refuse_.run(owner, std::string_view(what), count, now_);
}

bool BudgetTable::has_refused(std::int64_t owner) {
  return refused_.query(owner).next();
}

}  // namespace etad
