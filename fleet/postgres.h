// PostgreSQL's protocol as this room uses it: one connection, statements with text parameters, pipelined.
//
// As with SQLite (storage/sqlite.h), a failing statement throws postgres::Failure inside the room; guarded()
// turns it into the Error it carries. After a failure the connection is of no more use: its owner makes a new
// one.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parsers/base/caught.h"
#include "parsers/base/error.h"
#include "parsers/base/time.h"

namespace etad::postgres {

struct Failure : std::exception {
  Failure(std::string state, Error what) : sql_state(std::move(state)), error(std::move(what)) {}
  const char* what() const noexcept override { return error.message.c_str(); }

  std::string sql_state;  // five characters; empty: the connection itself failed
  Error error;
};

// Bytes, to be told from text where a value becomes a parameter.
struct Bytes {
  std::string_view bytes;
};

// A parameter in text form; nullopt: NULL.
using Parameter = std::optional<std::string>;

Parameter parameter(std::string_view text);
Parameter parameter(std::int64_t number);
Parameter parameter(double number);
Parameter parameter(bool flag);
Parameter parameter(Instant at);
Parameter parameter(Duration seconds);  // as seconds
Parameter parameter(Bytes bytes);
inline Parameter parameter(const std::string& text) {
  return parameter(std::string_view(text));
}
inline Parameter parameter(const char* text) {
  return parameter(std::string_view(text));
}
template <class T>
Parameter parameter(const std::optional<T>& value) {
  return value ? parameter(*value) : Parameter();
}

template <class... Values>
std::vector<Parameter> parameters(const Values&... values) {
  return {parameter(values)...};
}

class Row;

// All rows of an answer.
class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result, PQclear) {}

  const PGresult* get() const { return result_.get(); }
  int size() const { return PQntuples(result_.get()); }
  std::int64_t changed() const;  // rows that the statement inserted, updated or deleted
  bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  std::string_view text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  Row at(int row) const;
  std::int64_t integer(int row, int column) const;
  double number(int row, int column) const;
  bool flag(int row, int column) const { return text(row, column) == "t"; }
  std::string bytes(int row, int column) const;  // of a bytea
  Duration seconds(int row, int column) const;

 private:
  std::shared_ptr<PGresult> result_;
};

// One of them, read by type as SQLite's rows are (storage/sqlite.h). An Instant is a column that is microseconds
// since 1970 (select_instant()), a Duration one of seconds.
class Row {
 public:
  Row(const Rows& rows, int row) : rows_(rows), row_(row) {}

  template <class T>
  T get(int column) const {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) {
      return T(rows_.text(row_, column));
    } else if (rows_.is_null(row_, column)) {
      return T();
    } else if constexpr (requires { std::declval<T>().has_value(); }) {
      return get<typename T::value_type>(column);
    } else if constexpr (std::is_same_v<T, bool>) {
      return rows_.flag(row_, column);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(rows_.integer(row_, column));
    } else if constexpr (std::is_floating_point_v<T>) {
      return rows_.number(row_, column);
    } else if constexpr (std::is_same_v<T, Instant>) {
      return Instant(Instant::duration(rows_.integer(row_, column)));
    } else {
      return rows_.seconds(row_, column);
    }
  }

 private:
  const Rows& rows_;
  int row_;
};

inline Row Rows::at(int row) const {
  return {*this, row};
}

// What selects a timestamptz so that it is read as an Instant, whatever engine and time zone.
std::string select_instant(const std::string& column);

class Connection {
 public:
  static constexpr std::chrono::seconds kTimeout{120};

  // `where`: a connection string or URI, as libpq takes it. Throws where the server can't be reached.
  // `password_file`: a pgpass file for what the string does not say; empty: libpq's usual one.
  explicit Connection(const std::string& where, const std::string& password_file = {},
                      std::chrono::seconds timeout = kTimeout);

  // How long a statement may take. The server ends it then; where nothing comes of the server for a quarter
  // longer, nor takes what we send, the connection counts as lost, whatever TCP believes. 0: as long as it
  // wants.
  void set_timeout(std::chrono::seconds timeout);

  void execute(const std::string& sql);  // any number of statements without parameters
  Rows query(const std::string& sql, const std::vector<Parameter>& values = {});

  // Sent with others, without waiting for its answer; flush() waits for all of them and throws where one failed.
  // `changed`: where flush() puts the number of rows that it changed.
  void queue(const std::string& sql, const std::vector<Parameter>& values, std::int64_t* changed = nullptr);
  void flush();

  // After a failure. On a connection that was lost, or that failed amid a pipeline, it does nothing: the server rolls back
  // when that closes.
  void roll_back() noexcept;

 private:
  [[noreturn]] void fail(const PGresult* result) const;
  [[noreturn]] void refuse() const;
  void check(const PGresult* result) const;
  void wait(bool to_send);
  Rows answer();        // the next result; nullptr: the statement has no more
  Rows whole_answer();  // the last result of a statement, once all of them are there
  void take_answers();

  struct Close {
    void operator()(PGconn* c) const { PQfinish(c); }
  };
  std::unique_ptr<PGconn, Close> handle_;
  std::unordered_map<std::string, std::string> prepared_;  // names by their SQL
  std::vector<std::int64_t*> pending_;     // where each answer's number of rows goes; nullptr: nowhere
  std::chrono::milliseconds patience_{0};  // with a silent server; 0: for ever
  bool lost_ = false;                      // it was at an end
};

// One transaction: rolled back at the end of its scope unless commit() came through. What commit() throws
// leaves open whether it did.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) { connection_.execute("BEGIN"); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Connection& connection_;
  bool done_ = false;
};

template <class Body>
auto guarded(Body&& body) {
  return caught<Failure>(std::forward<Body>(body));
}

}  // namespace etad::postgres
