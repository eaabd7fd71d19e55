// SQLite as this room uses it: one connection, statements that are prepared once and bound by type.
//
// Inside the room a failing statement throws sqlite::Failure, because nearly every line could fail and none
// could go on; the faces in writer.cpp and reader.cpp turn it into an Error (guarded()). It never leaves
// the room.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "parsers/base/caught.h"
#include "parsers/base/error.h"
#include "parsers/base/time.h"

namespace etad::sqlite {

// A failed call: SQLite's extended result code, and what to tell the reader.
struct Failure : std::exception {
  Failure(int result_code, Error what) : code(result_code), error(std::move(what)) {}
  const char* what() const noexcept override { return error.message.c_str(); }

  int code;
  Error error;
};

// How long a call waits for a lock, in milliseconds. Locks are short: only a restart or a backup makes one
// wait.
inline constexpr int kBusyTimeout = 5000;

// Bytes, to be told from text where a value is bound or read.
struct Blob {
  std::string_view bytes;
};

class Connection {
 public:
  enum class Mode { write, read };

  // Throws where the file can't be opened. Reading or writing nothing yet: a foreign file is noticed later.
  Connection(const std::string& path, Mode mode);

  // Has the write-ahead log on the disk, with all that was committed. Throws where the disk refuses.
  void sync();

  void execute(const char* sql);  // any number of statements without parameters
  void execute(const std::string& sql) { execute(sql.c_str()); }
  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(handle()); }
  std::int64_t changes() const { return sqlite3_changes64(handle()); }
  bool in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }
  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }

  // Gives back what it keeps of the database's pages, where that is more than so many bytes.
  void keep_pages(int most) noexcept;

  // A statement that was given back before, or a new one. Questions are asked again and again, and preparing one takes
  // longer than most answers.
  sqlite3_stmt* take(const std::string& sql);
  void give_back(sqlite3_stmt* statement) noexcept;

  [[noreturn]] void fail(int code) const;  // throws what the connection has to say of `code`

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
  };
  static constexpr std::size_t kMostKept = 64;

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::unordered_map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>>
      kept_;  // by their text; none is in use
};

class Statement;

// The rows of one execution of a statement; gives the statement back (and ends its implicit read transaction)
// at the end of its scope. Views it gives out live until the next call of next().
class Rows {
 public:
  explicit Rows(Statement& statement) : statement_(&statement) {}
  Rows(Rows&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  bool next();
  template <class T>
  T get(int column) const;
  bool is_null(int column) const;

 private:
  Statement* statement_;
};

// Prepared when it is first asked, since most of the writer's are needed rarely or never. Ends before its connection.
class Statement {
 public:
  Statement(Connection& connection, std::string sql) : connection_(&connection), sql_(std::move(sql)) {}

  // Binds by type (optional: NULL where empty; Instant: microseconds; durations: their count) and runs. Text and
  // blobs are read where they lie until the rows are gone; those of temporaries, which go before, are copied.
  template <class... Values>
  Rows query(Values&&... values) {
    if (handle_) {
      reset();
    } else {
      prepare();
    }
    int index = 0;
    (bind(++index, values, std::is_lvalue_reference_v<Values> ? SQLITE_STATIC : SQLITE_TRANSIENT), ...);
    return Rows(*this);
  }
  // What a query answers that asks for one number; 0 where there is none.
  template <class... Values>
  std::int64_t number(const Values&... values) {
    Rows rows = query(values...);
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
  }
  template <class... Values>
  void run(const Values&... values) {
    Rows rows = query(values...);
    while (rows.next()) {
    }
  }

 private:
  friend class Rows;
  struct GiveBack {
    Connection* connection;
    void operator()(sqlite3_stmt* s) const { connection->give_back(s); }
  };
  using Handle = std::unique_ptr<sqlite3_stmt, GiveBack>;

  template <class T>
  void bind(int index, const T& value, sqlite3_destructor_type copying) {
    if constexpr (std::is_same_v<T, Blob>) {
      check(sqlite3_bind_blob64(handle(), index, value.bytes.empty() ? "" : value.bytes.data(),
                                value.bytes.size(), copying));
    } else if constexpr (std::convertible_to<T, std::string_view>) {
      const std::string_view text = value;
      check(sqlite3_bind_text64(handle(), index, text.empty() ? "" : text.data(), text.size(), copying,
                                SQLITE_UTF8));
    } else if constexpr (std::is_integral_v<T>) {
      check(sqlite3_bind_int64(handle(), index, static_cast<sqlite3_int64>(value)));
    } else if constexpr (std::is_floating_point_v<T>) {
      check(sqlite3_bind_double(handle(), index, value));
    } else if constexpr (std::is_same_v<T, Instant>) {
      bind(index, static_cast<std::int64_t>(value.time_since_epoch().count()), copying);
    } else if constexpr (requires { value.has_value(); }) {
      if (value) {
        bind(index, *value, copying);
      } else {
        check(sqlite3_bind_null(handle(), index));
      }
    } else {
      bind(index, static_cast<std::int64_t>(value.count()), copying);
    }
  }

  void prepare() { handle_ = Handle(connection_->take(sql_), GiveBack{connection_}); }
  sqlite3_stmt* handle() const { return handle_.get(); }
  void reset() { sqlite3_reset(handle()); }
  void check(int code) const {
    if (code != SQLITE_OK) connection_->fail(code);
  }

  Connection* connection_;
  std::string sql_;
  Handle handle_;
};

template <class T>
T Rows::get(int column) const {
  sqlite3_stmt* s = statement_->handle();
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(s, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(s, column));
    return text ? T(text, size) : T();
  } else if constexpr (std::is_same_v<T, Blob>) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(s, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(s, column));
    return Blob{bytes ? std::string_view(bytes, size) : std::string_view()};
  } else if constexpr (std::is_same_v<T, bool>) {
    return sqlite3_column_int64(s, column) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(sqlite3_column_int64(s, column));
  } else if constexpr (std::is_floating_point_v<T>) {
    return sqlite3_column_double(s, column);
  } else if constexpr (std::is_same_v<T, Instant>) {
    return Instant(Instant::duration(sqlite3_column_int64(s, column)));
  } else if constexpr (requires {
                         typename T::value_type;
                         std::declval<T>().has_value();
                       }) {
    return is_null(column) ? T() : T(get<typename T::value_type>(column));
  } else {
    return T(sqlite3_column_int64(s, column));
  }
}

// All or nothing: rolls back at the end of its scope unless commit() came through.
class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(Connection& connection, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Connection& connection_;
};

// Runs `body` and turns a Failure into the Error it carries.
template <class Body>
auto guarded(Body&& body) {
  return caught<Failure>(std::forward<Body>(body));
}

}  // namespace etad::sqlite
