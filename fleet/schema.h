// The fleet's tables in PostgreSQL, or in what speaks its protocol: how they are made and brought up to date,
// and what of them an exporter of another version may use. docs/fleet.md describes them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "fleet/postgres.h"

namespace etad::fleet {

std::span<const char* const> migrations();
inline std::int64_t current_version() {
  return static_cast<std::int64_t>(migrations().size());
}

// The last version that gave the rows of hosts new columns: rows that were written by an older one lack them.
inline constexpr std::int64_t kRowsVersion = 6;

// Brings the database from its version to `to`, step by step, each in a transaction of its own under an
// advisory lock; gives the roles etad_writer, etad_reader and etad_models, as far as there are such, what
// they need. A newer database stays as it is. The version it has then.
std::int64_t migrate(postgres::Connection& connection, std::int64_t to = current_version());

// The database as an exporter finds it.
struct Known {
  std::int64_t version = 0;  // of the schema that both know: the older one
  std::map<std::string, std::set<std::string>, std::less<>> columns;  // by table

  bool has(const std::string& table, const std::string& column) const {
    const auto found = columns.find(table);
    return found != columns.end() && found->second.contains(column);
  }
};

// Throws where there are no tables, or where they no longer go with this version.
Known known_schema(postgres::Connection& connection);

// For who reads all hosts' rows: throws also where the tables lack what this version reads.
void check_readable(postgres::Connection& connection);

}  // namespace etad::fleet
