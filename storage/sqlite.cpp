#include "storage/sqlite.h"

#include <cerrno>
#include <new>

namespace etad::sqlite {
namespace {

// A disk is full, too, where a file of SQLite's own could not grow, which it calls an I/O error. `error`: of the system.
int essence_of(int code, int error) {
  const bool no_room = (code & 0xff) == SQLITE_IOERR && (error == ENOSPC || error == EDQUOT);
  return no_room ? SQLITE_FULL : code;
}

// What the reader can do about it; the message itself is SQLite's.
std::string hint_for(int code, int error) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "make room on its file system; etad goes on by itself";
    case SQLITE_IOERR:
      return "see the kernel log for errors of its disk; etad tries again";
    case SQLITE_CORRUPT:
      return "restart etad first, since a disk that fails may look so; then restore a backup, or rescue "
             "what is left with `sqlite3 FILE .recover`";
    case SQLITE_NOTADB:
      return "another file bears the database's name; move it away or name another path";
    case SQLITE_CANTOPEN:
      if (error == EMFILE || error == ENFILE)
        return "no more files may be open: raise LimitNOFILE in etad's unit, or lower [follow] "
               "max_open_files";
      return "its folder must exist and be writable for the user that etad runs as";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "the file and its folder must be writable for the user that etad runs as; etad goes on by "
             "itself";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program holds the database locked; is a second etad running on it?";
    default:
      return {};
  }
}

ErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return ErrorKind::exhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorKind::corrupt;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_NOMEM:
      return ErrorKind::unavailable;
    default:
      return ErrorKind::internal;
  }
}

// What SQLite does at first and need not. Before anything else is asked of it: later it does not listen, which costs time
// and memory and nothing else.
void spare_sqlite() {
  static const int once = [] {
    // It counts the bytes of each allocation behind one lock of all threads; nobody here asks how many they are.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    // It takes twenty pages for each connection at once; most of those here read fewer.
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0);
    return 0;
  }();
  static_cast<void>(once);
}

}  // namespace

Connection::Connection(const std::string& path, Mode mode) : path_(path) {
  spare_sqlite();
  const int access = mode == Mode::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  sqlite3* db = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &db, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(db);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(db, kBusyTimeout);
}

void Connection::sync() {
  sqlite3_file* log = nullptr;
  const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code != SQLITE_OK) fail(code);
  // None: nothing was written since it was folded into the database, which is synced then.
  if (log == nullptr || log->pMethods == nullptr) return;
  if (const int synced = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL); synced != SQLITE_OK) fail(synced);
}

void Connection::keep_pages(int most) noexcept {
  int used = 0, unused = 0;
  sqlite3_db_status(handle(), SQLITE_DBSTATUS_CACHE_USED, &used, &unused, 0);
  if (used > most) sqlite3_db_release_memory(handle());
}

void Connection::execute(const char* sql) {
  const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Connection::fail(int code) const {
  const char* const kind = sqlite3_errstr(code);
  // A sync of our own is not told to it.
  const bool tells = handle_ && (sqlite3_errcode(handle()) & 0xff) == (code & 0xff);
  std::string message = tells ? sqlite3_errmsg(handle()) : kind;
  if (message != kind) message += std::string(", ") + kind;
  const int error = tells ? sqlite3_system_errno(handle()) : 0;
  const int essence = essence_of(code, error);
  throw Failure(code, Error{path_, "the history's database failed: " + message, hint_for(essence, error),
                            kind_of(essence)});
}

sqlite3_stmt* Connection::take(const std::string& sql) {
  if (const auto kept = kept_.find(sql); kept != kept_.end()) {
    sqlite3_stmt* statement = kept->second.release();
    kept_.erase(kept);
    return statement;
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return statement;
}

void Connection::give_back(sqlite3_stmt* statement) noexcept {
  std::unique_ptr<sqlite3_stmt, Finalize> ours(statement);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);  // what they lead to is gone by the next time
  try {
    if (kept_.size() >= kMostKept) kept_.clear();
    kept_.try_emplace(sqlite3_sql(statement), std::move(ours));
  } catch (const std::bad_alloc&) {  // then it is not kept
  }
}

Rows::~Rows() {
  if (statement_) statement_->reset();
}

bool Rows::next() {
  const int code = sqlite3_step(statement_->handle());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  statement_->connection_->fail(code);
}

bool Rows::is_null(int column) const {
  return sqlite3_column_type(statement_->handle(), column) == SQLITE_NULL;
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  // One may be left open where there was no memory, neither for its end nor for its rollback.
  if (connection.in_transaction()) connection.execute("ROLLBACK");
  Statement(connection, kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN").run();
}

Transaction::~Transaction() {
  // A full disk or an I/O error may have rolled back already. The result of a rollback is of no use: SQLite
  // undoes the transaction from the journal at the next access at the latest.
  if (connection_.in_transaction()) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  Statement(connection_, "COMMIT").run();
}

}  // namespace etad::sqlite
