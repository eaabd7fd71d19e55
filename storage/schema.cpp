#include "storage/schema.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "storage/schema_steps.h"

namespace etad::schema {
namespace {

using sqlite::Connection;
using sqlite::Failure;
using sqlite::Statement;

constexpr std::array kSteps = {kStep1,  kStep2,  kStep3,  kStep4,  kStep5,  kStep6,  kStep7,  kStep8,
                               kStep9,  kStep10, kStep11, kStep12, kStep13, kStep14, kStep15, kStep16,
                               kStep17, kStep18, kStep19, kStep20, kStep21, kStep22};

// What the steps make: a history that was rescued from a damaged disk may lack some.
constexpr std::array kTables = {"changes",        "dataset_owners", "datasets",        "estimator_records",
                                "finished_files", "forgotten_runs", "layer_times",     "layers",
                                "models",         "owner_days",     "pending_samples", "point_chunks",
                                "predictions",    "recent_samples", "refit_progress",  "refused",
                                "rollups",        "rules_tried",    "run_labels",      "run_phases",
                                "run_windows",    "runs",           "sample_chunks",   "segment_chunks",
                                "series",         "sources",        "starts",          "totals"};

[[noreturn]] void refuse(const Connection& connection, std::string message, std::string hint) {
  throw Failure(SQLITE_NOTADB,
                Error{connection.path(), std::move(message), std::move(hint), ErrorKind::corrupt});
}

std::int64_t number(Connection& connection, const char* sql) {
  return Statement(connection, sql).number();
}

std::int64_t version_of(Connection& connection) {
  return number(connection, "PRAGMA user_version");
}

// The first read of the file: SQLite checks its header and size, we whose it is.
void check_owner(Connection& connection, bool may_be_empty) {
  const std::int64_t application = number(connection, "PRAGMA application_id");
  if (application == kApplicationId) return;
  const bool empty =
      number(connection, "SELECT count(*) FROM sqlite_schema") == 0 && version_of(connection) == 0;
  if (application == 0 && empty && may_be_empty) return;
  if (application == 0 && empty)
    refuse(connection, "the history is empty", "it is made when etad starts for the first time");
  refuse(connection, "this SQLite database is not a history of etad",
         "name another path in [storage], or move this file away");
}

void check_version(Connection& connection) {
  const std::int64_t version = version_of(connection);
  if (version < 0)
    refuse(connection, "the history's schema is numbered " + std::to_string(version), "restore a backup");
  if (version <= current_version()) return;
  refuse(connection,
         "the history was written by a newer etad (schema " + std::to_string(version) + ", this one knows " +
             std::to_string(current_version()) + ")",
         "install the newer etad again, or name another path in [storage]");
}

std::vector<std::string> tables_of(Connection& connection) {
  std::vector<std::string> out;
  Statement names(connection,
                  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  for (auto rows = names.query(); rows.next();) out.push_back(rows.get<std::string>(0));
  return out;
}

void check_tables(const Connection& connection, const std::vector<std::string>& tables) {
  for (const char* const table : kTables) {
    if (std::ranges::find(tables, table) == tables.end())
      refuse(connection, std::string("the history has lost its table ") + table, "restore a backup");
  }
}

// Touches the first page of each table: cheap whatever the size, and finds most of a damaged or half-copied
// file before anything is written to it. Statements are prepared later, when they are first asked.
void probe_tables(Connection& connection) {
  const std::vector<std::string> tables = tables_of(connection);
  std::string first_rows;
  for (const std::string& table : tables)
    first_rows += (first_rows.empty() ? "SELECT" : ",") + (" (SELECT 1 FROM \"" + table + "\" LIMIT 1)");
  connection.execute(first_rows);
  if (version_of(connection) == current_version()) check_tables(connection, tables);
}

void migrate(Connection& connection) {
  while (version_of(connection) < current_version()) {
    sqlite::Transaction transaction(connection, sqlite::Transaction::Kind::write);
    const std::int64_t version = version_of(connection);
    connection.execute(kSteps[static_cast<std::size_t>(version)]);
    connection.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
    connection.execute("PRAGMA user_version = " + std::to_string(version + 1));
    transaction.commit();
  }
}

// The write-ahead log, empty, and its index stay where they are when the history is closed: beginning them anew
// needs room on the disk, and a start on a full one would fail. The limit only says that what has been carried
// over is cut off then.
void keep_log_at_close(Connection& connection) {
  int keep = 1;
  sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  connection.execute("PRAGMA journal_size_limit = 67108864");
}

}  // namespace

std::span<const char* const> migrations() {
  return kSteps;
}

void check(Connection& connection) {
  // While it may still be somebody else's, closing the file must not even fold its WAL into it.
  sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  check_owner(connection, true);
  check_version(connection);
  probe_tables(connection);
  sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

void prepare_for_writing(Connection& connection) {
  {
    Statement wal(connection, "PRAGMA journal_mode = WAL");
    auto rows = wal.query();
    if (!rows.next() || rows.get<std::string>(0) != "wal")
      refuse(connection, "the history's file system can't hold a write-ahead log",
             "put it on a local file system: SQLite's WAL needs shared memory");
  }
  // NORMAL: the WAL is synced before a checkpoint only. A power cut may take back the last commits, together
  // with the offsets they moved; it can't tear them apart.
  connection.execute(
      "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
      " PRAGMA cache_size = -8192");
  keep_log_at_close(connection);
  migrate(connection);
  // What is written comes from enumerations (codes.h), whose words the tables admit. A CHECK of three words or more
  // would make a table of them at each statement: a fifth of what importing a run costs.
  connection.execute("PRAGMA ignore_check_constraints = ON");
}

void prepare_for_copying(Connection& connection) {
  check_owner(connection, false);
  check_version(connection);
}

void prepare_for_reading(Connection& connection) {
  connection.execute("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY");
  check_owner(connection, false);
  check_version(connection);
  if (version_of(connection) < current_version())
    refuse(connection, "the history is of an older schema", "etad migrates it when it starts");
  check_tables(connection, tables_of(connection));  // whoever writes it has looked into them
}

}  // namespace etad::schema
