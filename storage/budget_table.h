// What the sources of one owner may add to the history, so that nobody fills it: how many networks, runs and
// series, and how much log a day. What is refused is counted by owner.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "storage/history.h"
#include "storage/sqlite.h"

namespace etad {

class BudgetTable {
 public:
  BudgetTable(sqlite::Connection& connection, const Budgets& budgets);

  void begin(Instant now) { now_ = now; }  // at the beginning of a writing transaction
  void end();           // before its commit: writes down the bytes that were taken, once for each owner
  void forget_state();  // after many runs were removed: the counts are read again, of each owner of all runs
  void forget_all();    // after a transaction that failed: the bytes of the day too

  // Whether a run that is new may come, and whether one may bear that network. Counts it where it may.
  bool admits_run(std::int64_t owner, const Run& run);
  bool admits_network(std::int64_t owner, const Run& run);
  void give_back(std::int64_t owner, const Run& run);         // one of those, once it is removed
  bool admits_series(std::int64_t owner);                     // a new one
  bool admits_bytes(std::int64_t owner, std::int64_t bytes);  // of log, today

  void refuse(std::int64_t owner, const char* what, std::int64_t count);
  bool has_refused(std::int64_t owner);

 private:
  using Network = std::pair<std::string, std::string>;  // name and architecture
  struct Owner {
    std::optional<std::int64_t> runs, series;
    std::optional<std::set<Network>> networks;  // at most as many as the budget
  };

  // Of log, on the last day that any were taken.
  struct Day {
    std::int64_t day = 0, bytes = 0;
    std::int64_t unsaved = 0;
  };

  std::set<Network>& networks_of(std::int64_t owner);
  Day& today(std::int64_t owner);

  Budgets budgets_;
  Instant now_{};
  std::map<std::int64_t, Owner> owners_;
  std::map<std::int64_t, Day> days_;  // by owner
  sqlite::Statement runs_, networks_, bears_, series_, day_, put_day_, refuse_, refused_;
};

}  // namespace etad
