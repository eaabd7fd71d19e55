// Reading networks: what all runs of one have in common. Runs of pending sources are left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/history.h"
#include "storage/sqlite.h"

namespace etad {

// Reads networks again and again over one history. Of a network of many runs, what its ended runs have in common
// is remembered, and brought up to date by the list of changes (storage/change_reader.h): it is put together
// once, not at each question. Belongs to one thread; each call is part of a read transaction of the caller's.
//
// Memory: a summary for each network of many runs, and 16 bytes for each run the history ever had; beyond
// `kMostRuns` of them nothing is remembered.
class NetworkQuery {
 public:
  // The work is that of the networks that are given, however many others there are.
  std::vector<NetworkRow> read(sqlite::Connection& connection, const NetworkFilter& filter);

 private:
  using Name = std::pair<std::string, std::string>;  // and architecture

  // One run, as far as it tells of its network.
  struct Facts {
    std::int64_t id = 0;
    Name name;
    std::string framework, device;
    std::optional<std::int64_t> samples;
    std::int64_t iterations = 0;
    std::optional<Instant> seen;
    bool open = false;     // it goes on: what it tells will change
    bool pending = false;  // it is not there yet

    std::uint64_t hash() const;
  };
  static Facts facts_of(const sqlite::Rows& rows);

  // What the runs that were added have in common.
  struct Summary {
    std::set<std::string> frameworks, devices;
    std::set<std::int64_t> batch_sizes;
    std::int64_t runs = 0, min_iterations = 0, max_iterations = 0;
    std::optional<Instant> last_seen;

    void add(const Facts& run);
    NetworkRow row(const Name& name) const;
  };
  struct Remembered {
    std::uint32_t number = 0;  // no other's, ever
    Summary ended;
  };
  struct Added {
    std::uint32_t to = 0;  // the number of the summary that it is in; 0: in none
    std::uint64_t facts = 0;
  };

  class Asking;
  class NamesInOrder;
  static std::vector<Name> names_like(sqlite::Connection& connection, const NetworkFilter& filter);

  std::vector<NetworkRow> rows(sqlite::Connection& connection, const NetworkFilter& filter);
  void catch_up(sqlite::Connection& connection);
  void take_change(std::int64_t id, const std::optional<Facts>& now);
  void add_ended(Remembered& to, const Facts& run);
  void forget(std::uint32_t number);
  void forget_all();

  static constexpr std::int64_t kMostRuns = 2'000'000;
  static constexpr std::int64_t kMany = 64;             // runs: fewer are read quickly
  static constexpr std::int64_t kMostChanges = 20'000;  // more at once: all is put together anew

  std::int64_t seq_ = -1;  // of the last change taken; -1: none was
  std::map<Name, Remembered> by_name_;
  std::map<std::uint32_t, Name> by_number_;
  std::uint32_t last_number_ = 0;
  std::vector<Added> added_;  // by the run's id
};

}  // namespace etad
