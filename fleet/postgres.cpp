#include "fleet/postgres.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>

#include "parsers/base/number.h"
#include "parsers/base/printable.h"
#include "parsers/base/text.h"

namespace etad::postgres {
namespace {

constexpr std::size_t kMostPending = 128;  // answers that wait in the socket's buffers while we send

// A message of several lines, such as one for each host that was tried, as one sentence.
std::string one_line(const char* text) {
  std::string out;
  std::string_view left(text == nullptr ? "" : text);
  while (!left.empty()) {
    const std::string_view line = trim(take_until(left, '\n'));
    if (!line.empty()) out += (out.empty() ? "" : "; ") + std::string(line);
  }
  return out;
}

// What the caller can do about a failure follows from its class.
ErrorKind kind_of(std::string_view state) {
  const std::string_view of = state.substr(0, 2);
  if (state.empty() || of == "08" || of == "25" || of == "57" || of == "40" || of == "55")
    return ErrorKind::unavailable;
  if (of == "53") return ErrorKind::exhausted;
  if (state == "42P01" || of == "3D") return ErrorKind::not_found;
  if (of == "28" || of == "42") return ErrorKind::invalid;
  return ErrorKind::internal;
}

// `what`: the message. Of a connection that was refused libpq gives nothing else.
std::string hint_for(std::string_view state, std::string_view what) {
  const auto says = [what](std::string_view words) { return what.find(words) != std::string_view::npos; };
  if (state == "42P01") return "make its tables first: etad-export --migrate";
  if (state == "42501")
    return "GRANT etad_reader to this role, or etad_writer to an exporter's; etad-export --migrate, as the "
           "owner, gives "
           "those two their rights";
  if (state == "25006" || says("session is read-only"))
    return "name all of its servers and target_session_attrs=read-write in the connection string";
  if (state.substr(0, 2) == "28" || says("password authentication failed") || says("no password supplied"))
    return "check the user and its password in the connection string or pgpass file; what systemd gives a "
           "service "
           "(LoadCredential) is read when that starts";
  return {};
}

template <class T>
T parsed(std::string_view text) {
  if (const auto value = parse_number<T>(text)) return *value;
  throw Failure("22P02", Error{{},
                               "the database answered \"" + std::string(text.substr(0, 40)) +
                                   "\" where a number belongs",
                               {},
                               ErrorKind::corrupt});
}

}  // namespace

// What is no UTF-8 becomes U+FFFD, and NUL goes: the database takes neither, and a log may hold both.
Parameter parameter(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = first_character(text).bytes;
    if (length == 0) out += "\xEF\xBF\xBD";
    if (length > 0 && text.front() != '\0') out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}
Parameter parameter(std::int64_t number) {
  return std::to_string(number);
}
Parameter parameter(bool flag) {
  return flag ? "t" : "f";
}
Parameter parameter(Instant at) {
  return to_rfc3339(at);
}

Parameter parameter(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  if (std::isnan(number)) return "NaN";
  return std::string(text.data(), end);
}

Parameter parameter(Duration seconds) {
  return parameter(to_seconds(seconds));
}

Parameter parameter(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\\x";
  for (const char c : bytes.bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::int64_t Rows::changed() const {
  const std::string_view count = PQcmdTuples(result_.get());
  return count.empty() ? 0 : parsed<std::int64_t>(count);
}

std::int64_t Rows::integer(int row, int column) const {
  return parsed<std::int64_t>(text(row, column));
}
double Rows::number(int row, int column) const {
  return parsed<double>(text(row, column));
}

Duration Rows::seconds(int row, int column) const {
  return Duration(std::llround(number(row, column) * 1e9));
}

std::string Rows::bytes(int row, int column) const {
  const std::string_view hex = text(row, column);
  std::string out;
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  for (std::size_t i = 2; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(digit(hex[i]) << 4U | digit(hex[i + 1]));
  return out;
}

std::string select_instant(const std::string& column) {
  const std::string first = "timestamptz '0001-01-01 00:00:00+00'",
                    last = "timestamptz '9999-12-31 00:00:00+00'";
  return "CAST(round(extract(epoch FROM CASE WHEN " + column + " > " + last + " THEN " + last + " WHEN " +
         column + " < " + first + " THEN " + first + " ELSE " + column + " END) * 1000000) AS bigint)";
}

Connection::Connection(const std::string& where, const std::string& password_file,
                       std::chrono::seconds timeout) {
  // What stands before "dbname" are defaults: what the string says itself comes later and wins.
  std::vector<const char*> names = {"connect_timeout", "tcp_user_timeout", "fallback_application_name"};
  std::vector<const char*> values = {"10", "30000", "etad"};
  if (!password_file.empty()) {
    names.push_back("passfile");
    values.push_back(password_file.c_str());
  }
  names.insert(names.end(), {"dbname", nullptr});
  values.insert(values.end(), {where.c_str(), nullptr});
  handle_.reset(PQconnectdbParams(names.data(), values.data(), 1));
  if (PQstatus(handle_.get()) != CONNECTION_OK) refuse();
  PQsetNoticeProcessor(
      handle_.get(), [](void*, const char*) {}, nullptr);
  if (PQsetnonblocking(handle_.get(), 1) != 0) fail(nullptr);
  patience_ = kTimeout;
  set_timeout(timeout);
  // A server that loses us mid-way must not keep our locks for long.
  execute("SET idle_in_transaction_session_timeout = '60s'");
}

void Connection::set_timeout(std::chrono::seconds timeout) {
  execute("SET statement_timeout = '" + std::to_string(timeout.count()) + "s'");
  const std::chrono::milliseconds whole = timeout;
  patience_ = whole + std::max<std::chrono::milliseconds>(std::chrono::seconds(1), whole / 4);
  if (timeout.count() == 0) patience_ = {};
}

// Of a connection that did not come about libpq gives a sentence and no code.
void Connection::refuse() const {
  try {
    fail(nullptr);
  } catch (Failure& failure) {
    const char* host = PQhost(handle_.get());
    const bool found = host != nullptr && *host != '\0';
    if (!failure.error.hint.empty()) throw;
    failure.error.hint =
        found ? "see that the server runs, and that host, port, database, user and password are right"
              : "a connection string, a URI, or a service that a pg_service.conf of libpq's has";
    throw;
  }
}

void Connection::fail(const PGresult* result) const {
  const char* state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* primary = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string code = state == nullptr ? "" : state;
  // The connection's own message names host and port, and no password.
  const std::string what = one_line(primary != nullptr ? primary : PQerrorMessage(handle_.get()));
  const char* name = PQdb(handle_.get());
  throw Failure(code,
                Error{name == nullptr ? "the fleet's database" : "database " + std::string(name),
                      what.empty() ? "the connection was lost" : what, hint_for(code, what), kind_of(code)});
}

void Connection::check(const PGresult* result) const {
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_PIPELINE_SYNC:
    case PGRES_EMPTY_QUERY:
      return;
    default:
      fail(result);
  }
}

// TCP keeps a connection for as long as the other kernel answers, and a proxy between us answers for a server that
// is not there. So whatever is waited for has an end.
void Connection::wait(bool to_send) {
  pollfd socket{PQsocket(handle_.get()), static_cast<short>(to_send ? POLLIN | POLLOUT : POLLIN), 0};
  const int milliseconds = patience_.count() == 0 ? -1 : static_cast<int>(patience_.count());
  int ready = 0;
  do {
    ready = poll(&socket, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  if (ready > 0) return;
  lost_ = true;
  const char* name = PQdb(handle_.get());
  throw Failure("", Error{"database " + std::string(name == nullptr ? "" : name),
                          "no answer for " + std::to_string(patience_.count() / 1000) +
                              " s: the connection is given up",
                          {},
                          ErrorKind::unavailable});
}

Rows Connection::answer() {
  if (lost_) fail(nullptr);
  while (true) {
    const int left = PQflush(handle_.get());
    if (left < 0) fail(nullptr);
    if (PQisBusy(handle_.get()) == 0) return Rows(PQgetResult(handle_.get()));
    wait(left > 0);
    if (PQconsumeInput(handle_.get()) != 1) fail(nullptr);
  }
}

Rows Connection::whole_answer() {
  Rows last(nullptr);
  for (Rows next = answer(); next.get() != nullptr; next = answer())
    last = next;  // the first that fails is the last
  check(last.get());
  return last;
}

void Connection::execute(const std::string& sql) {
  if (lost_ || PQsendQuery(handle_.get(), sql.c_str()) != 1) fail(nullptr);
  whole_answer();
}

Rows Connection::query(const std::string& sql, const std::vector<Parameter>& values) {
  std::vector<const char*> texts;
  for (const Parameter& value : values) texts.push_back(value ? value->c_str() : nullptr);
  if (lost_ || PQsendQueryParams(handle_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                                 texts.data(), nullptr, nullptr, 0) != 1)
    fail(nullptr);
  return whole_answer();
}

void Connection::roll_back() noexcept {
  if (lost_ || PQpipelineStatus(handle_.get()) != PQ_PIPELINE_OFF) return;
  try {
    execute("ROLLBACK");
  } catch (const Failure&) {  // with the connection the transaction is gone
  }
}

void Connection::queue(const std::string& sql, const std::vector<Parameter>& values, std::int64_t* changed) {
  if (PQpipelineStatus(handle_.get()) == PQ_PIPELINE_OFF && PQenterPipelineMode(handle_.get()) != 1)
    fail(nullptr);
  std::string& name = prepared_[sql];
  const auto count = static_cast<int>(values.size());
  if (name.empty()) {
    name = "s" + std::to_string(prepared_.size());
    if (PQsendPrepare(handle_.get(), name.c_str(), sql.c_str(), count, nullptr) != 1) fail(nullptr);
    pending_.push_back(nullptr);
  }
  std::vector<const char*> texts;
  for (const Parameter& value : values) texts.push_back(value ? value->c_str() : nullptr);
  if (PQsendQueryPrepared(handle_.get(), name.c_str(), count, texts.data(), nullptr, nullptr, 0) != 1)
    fail(nullptr);
  pending_.push_back(changed);
  if (pending_.size() >= kMostPending) {
    if (PQsendFlushRequest(handle_.get()) != 1) fail(nullptr);
    take_answers();
  }
}

void Connection::take_answers() {
  for (std::int64_t* const changed : pending_) {
    const Rows rows = answer();
    check(rows.get());
    if (changed != nullptr) *changed = rows.changed();
    const Rows end = answer();  // each answer ends with an empty one
    if (end.get() != nullptr) fail(end.get());
  }
  pending_.clear();
}

void Connection::flush() {
  if (PQpipelineStatus(handle_.get()) == PQ_PIPELINE_OFF) return;
  if (PQpipelineSync(handle_.get()) != 1) fail(nullptr);
  take_answers();
  const Rows sync = answer();
  check(sync.get());
  if (PQexitPipelineMode(handle_.get()) != 1) fail(nullptr);
}

Transaction::~Transaction() {
  if (!done_) connection_.roll_back();
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  done_ = true;
}

}  // namespace etad::postgres
