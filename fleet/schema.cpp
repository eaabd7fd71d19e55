#include "fleet/schema.h"

#include <array>
#include <vector>

#include "fleet/schema_steps.h"

namespace etad::fleet {
namespace {

using postgres::Connection;
using postgres::Failure;
using postgres::Rows;

constexpr std::array kSteps = {kStep1, kStep2, kStep3, kStep4, kStep5, kStep6};
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(1702125924)";  // "etad"

std::int64_t version_of(Connection& connection) {
  const Rows rows = connection.query("SELECT coalesce(max(version), 0) FROM schema_versions");
  return rows.integer(0, 0);
}

// When a row was first there is the database's to say: exporters may not. CockroachDB grants by table only.
void grant_but_first_at(Connection& connection, const std::string& table, const std::string& role) {
  const Rows columns = connection.query(
      "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND "
      "table_name = $1"
      " AND column_name <> 'first_at' AND version() NOT LIKE 'CockroachDB%' ORDER BY ordinal_position",
      postgres::parameters(table));
  if (columns.size() == 0) {
    connection.execute("GRANT INSERT, UPDATE, DELETE ON " + table + " TO " + role);
    return;
  }
  std::string names;
  for (int i = 0; i < columns.size(); ++i) names += (i > 0 ? ", " : "") + std::string(columns.text(i, 0));
  connection.execute("REVOKE INSERT, UPDATE ON " + table + " FROM " + role);
  connection.execute("GRANT INSERT (" + names + "), UPDATE (" + names + "), DELETE ON " + table + " TO " +
                     role);
}

void grant(Connection& connection) {
  const Rows roles = connection.query(
      "SELECT rolname FROM pg_roles WHERE rolname IN ('etad_writer', 'etad_reader', 'etad_models')");
  for (int i = 0; i < roles.size(); ++i) {
    const std::string role(roles.text(i, 0));
    connection.execute(
        "GRANT SELECT ON schema_versions, hosts, runs, phases, predictions, architectures, series_minutes, "
        "models,"
        " model_progress, networks TO " +
        role);
    const std::int64_t version = version_of(connection);
    if (version >= 2) connection.execute("GRANT SELECT ON training_runs TO " + role);
    if (version >= 3) connection.execute("GRANT SELECT ON learnt TO " + role);
    if (role == "etad_writer") {
      connection.execute("GRANT INSERT, UPDATE, DELETE ON hosts, phases, predictions, series_minutes TO " +
                         role);
      for (const char* table : {"runs", "architectures"}) grant_but_first_at(connection, table, role);
    }
    if (role != "etad_models") continue;
    connection.execute("GRANT INSERT, UPDATE, DELETE ON models, model_progress TO " + role);
    if (version >= 3) connection.execute("GRANT INSERT, UPDATE, DELETE ON learnt TO " + role);
  }
}

}  // namespace

std::span<const char* const> migrations() {
  return kSteps;
}

// Engines without advisory locks take the lock's statement as one that does nothing; there the version's row is
// what only one of two can insert.
std::int64_t migrate(Connection& connection, std::int64_t to) {
  while (true) {
    postgres::Transaction transaction(connection);
    connection.query(kLock);
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_versions (version bigint NOT NULL, oldest_exporter bigint NOT "
        "NULL,"
        " applied_at timestamptz NOT NULL, PRIMARY KEY (version))");
    const std::int64_t version = version_of(connection);
    if (version >= std::min(to, current_version())) {
      if (version > 0) grant(connection);
      transaction.commit();
      return version;
    }
    connection.query("INSERT INTO schema_versions VALUES ($1, 1, current_timestamp)",
                     postgres::parameters(version + 1));
    connection.execute(kSteps[static_cast<std::size_t>(version)]);
    transaction.commit();
  }
}

namespace {

// The database's; throws where this program can do nothing with it.
std::int64_t usable_version(Connection& connection) {
  const Rows versions =
      connection.query("SELECT version, oldest_exporter FROM schema_versions ORDER BY version DESC LIMIT 1");
  if (versions.size() == 0)
    throw Failure("42P01", Error{"the fleet's database", "it has no tables of etad's yet",
                                 "etad-export --migrate makes them", ErrorKind::not_found});
  if (versions.integer(0, 1) > current_version())
    throw Failure("42P01",
                  Error{"the fleet's database",
                        "its schema " + std::string(versions.text(0, 0)) + " no longer takes what schema " +
                            std::to_string(current_version()) + " wrote",
                        "install a newer etad-export", ErrorKind::conflict});
  return versions.integer(0, 0);
}

}  // namespace

void check_readable(Connection& connection) {
  const std::int64_t version = usable_version(connection);
  if (version >= current_version()) return;
  throw Failure("42P01",
                Error{"the fleet's database",
                      "it has schema " + std::to_string(version) + ", and schema " +
                          std::to_string(current_version()) + " is read here",
                      "etad-export --migrate of this version brings it up to date, and older exporters go on",
                      ErrorKind::conflict});
}

Known known_schema(Connection& connection) {
  Known out;
  out.version = std::min(usable_version(connection), current_version());
  const Rows columns = connection.query(
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()");
  for (int i = 0; i < columns.size(); ++i)
    out.columns[std::string(columns.text(i, 0))].insert(std::string(columns.text(i, 1)));
  return out;
}

}  // namespace etad::fleet
