// The exchanges that are streams: an import's content coming in, a watch's changes and backups going out.
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/file_body.hpp>
#include <exception>

#include "daemon/service/exchange.h"
#include "daemon/service/places.h"
#include "parsers/lines/inflater.h"

namespace etad::service {
namespace {

namespace http = boost::beast::http;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

constexpr std::size_t kPiece = 64UL * 1024;

Reply busy(std::string detail) {
  return reply_of(Problem{
      503, "", std::move(detail), "try again when one of them is done", {}, {}, {{"Retry-After", "5"}}});
}

Reply import_reply(const ImportReport& report) {
  JsonWriter json;
  json.begin_object();
  json.field("lines", report.lines).field("matched", report.matched).field("unmatched", report.unmatched);
  json.field("runs", report.runs).field("segments", report.segments).field("samples", report.samples);
  json.field("rejected", report.rejected);
  if (report.note.empty()) {
    json.key("note").null();
  } else {
    json.field("note", report.note);
  }
  json.field("format", report.format).field("already_read", report.already_read).end_object();
  return {200, "application/json", {}, json.take() + "\n"};
}

Reply import_failed(const Error& error) {
  Problem problem = problem_of(error);
  problem.title = "The import failed";
  return reply_of(problem);
}

Reply cut_short() {
  return import_failed(Error{"", "the content ended before it was complete", ""});
}

// An import at work: its session behind the decompression. All but the making of it happens on the pool.
struct ImportJob {
  ImportJob(std::unique_ptr<ImportSession> s, bool encoded) : session(std::move(s)) {
    Inflater::Sink into_session = [this](std::string_view bytes) { return session->feed(bytes); };
    content = std::make_unique<Inflater>(std::move(into_session));  // .gz as is
    if (!encoded) return;
    Inflater::Sink into_content = [this](std::string_view bytes) { return content->feed(bytes); };
    encoding = std::make_unique<Inflater>(std::move(into_content), true);
  }

  Result<void> feed(std::string_view bytes) {
    return encoding ? encoding->feed(bytes) : content->feed(bytes);
  }

  Result<ImportReport> finish() {
    if (encoding) {
      if (auto done = encoding->finish(); !done) return tl::unexpected(done.error());
    }
    if (auto done = content->finish(); !done) return tl::unexpected(done.error());
    return session->finish();
  }

  std::unique_ptr<ImportSession> session;
  std::unique_ptr<Inflater> content, encoding;
};

using Begun = Result<std::shared_ptr<ImportJob>>;

// One of the imports under way, for as long as it lasts.
class Slot {
 public:
  explicit Slot(std::size_t& taken) : taken_(taken) { ++taken_; }
  ~Slot() { --taken_; }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  std::size_t& taken_;
};

// Who waits for news, for as long as it does.
class Waiter {
 public:
  Waiter(ServiceState& state, boost::asio::steady_timer& timer) : state_(state), timer_(timer) {
    state_.news_timers.insert(&timer_);
  }
  ~Waiter() { state_.news_timers.erase(&timer_); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

 private:
  ServiceState& state_;
  boost::asio::steady_timer& timer_;
};

template <class T>
std::function<Result<T>()> no_throw(std::function<Result<T>()> function) {
  return [function = std::move(function)]() -> Result<T> {
    try {
      return function();
    } catch (const std::exception& error) {
      return fail(std::string("unexpectedly: ") + error.what());
    }
  };
}

std::function<Begun()> beginning(Backend& backend, ImportRequest request, bool encoded) {
  return no_throw<std::shared_ptr<ImportJob>>([&backend, request = std::move(request), encoded]() -> Begun {
    auto session = backend.begin_import(request);
    if (!session) return tl::unexpected(session.error());
    return std::make_shared<ImportJob>(std::move(*session), encoded);
  });
}

// Dropping an unfinished import may mean work on the history: not on the service thread.
class OffThread {
 public:
  OffThread(ServiceState& state, std::shared_ptr<ImportJob> job) : state_(state), job_(std::move(job)) {}
  ~OffThread() {
    try {
      boost::asio::post(state_.pool, [job = std::move(job_)]() mutable { job.reset(); });
    } catch (const std::exception&) {  // there is no memory: it goes here after all
    }
  }
  OffThread(const OffThread&) = delete;
  OffThread& operator=(const OffThread&) = delete;

 private:
  ServiceState& state_;
  std::shared_ptr<ImportJob> job_;
};

}  // namespace

boost::asio::awaitable<void> Connection::run_import(Exchange& exchange, ImportRequest request) {
  Reply reply;
  if (state_.imports >= state_.options.limits.imports) {
    reply = busy(std::to_string(state_.imports) + " imports are under way already.");
  } else {
    const Slot slot(state_.imports);
    reply = co_await stream_import(exchange, exchange.encoding, std::move(request));
  }
  if (!exchange.parser.is_done()) exchange.keep_alive = false;
  if (socket_.is_open()) co_await send(exchange, std::move(reply));
}

boost::asio::awaitable<Reply> Connection::stream_import(Exchange& exchange, std::string encoding,
                                                        ImportRequest request) {
  const bool encoded = boost::beast::iequals(encoding, "gzip") || boost::beast::iequals(encoding, "x-gzip");
  if (!encoded && !encoding.empty() && !boost::beast::iequals(encoding, "identity")) {
    co_return reply_of(Problem{415, "", "Content-Encoding " + encoding + " is not understood, only gzip."});
  }
  auto begin = beginning(state_.backend, std::move(request), encoded);
  std::optional<Begun> begun = co_await on_pool<Begun>(std::move(begin));
  if (!begun) co_return cut_short();
  if (!*begun) co_return import_failed(begun->error());
  const std::shared_ptr<ImportJob> job = **begun;
  const OffThread let_go_of(state_, job);
  begun.reset();
  co_await send_continue(exchange);
  std::vector<char> piece(kPiece);
  while (!exchange.parser.is_done()) {
    // A whole piece before the pool has it: what the socket gives at once would cost more to hand over than to read.
    std::size_t n = 0;
    while (n < piece.size() && !exchange.parser.is_done()) {
      within(state_.options.limits.idle);
      boost::system::error_code error;
      n += co_await exchange.read_some(socket_, *buffer_, std::span(piece).subspan(n), error);
      disarm();
      if (!error) continue;
      if (expired_) ++state_.counters.timeouts;
      exchange.keep_alive = false;
      co_return cut_short();
    }
    if (n == 0) continue;
    const std::string_view bytes(piece.data(), n);
    std::function<Result<void>()> feed = [job, bytes] { return job->feed(bytes); };
    feed = no_throw<void>(std::move(feed));
    const auto fed = co_await on_pool<Result<void>>(std::move(feed));
    if (!fed) co_return cut_short();
    if (!*fed) co_return import_failed(fed->error());
  }
  std::function<Result<ImportReport>()> finish = [job] { return job->finish(); };
  finish = no_throw<ImportReport>(std::move(finish));
  const auto report = co_await on_pool<Result<ImportReport>>(std::move(finish));
  if (!report) co_return cut_short();
  if (!*report) co_return import_failed(report->error());
  ++state_.counters.imports;
  co_return import_reply(**report);
}

boost::asio::awaitable<bool> Connection::write_chunk(bool chunked, std::string lines) {
  within(state_.options.limits.write);
  hold(lines.size());
  boost::system::error_code error;
  if (chunked) {
    const auto buffer = boost::asio::buffer(lines);
    co_await boost::asio::async_write(socket_, http::make_chunk(buffer),
                                      redirect_error(use_awaitable, error));
  } else {
    co_await boost::asio::async_write(socket_, boost::asio::buffer(lines),
                                      redirect_error(use_awaitable, error));
  }
  if (error && expired_) ++state_.counters.timeouts;
  disarm();
  hold(0);
  co_return !error;
}

boost::asio::awaitable<void> Connection::run_backup(Exchange& exchange) {
  using Copied = Result<std::string>;
  std::function<Copied()> copy =
      no_throw<std::string>([&backend = state_.backend] { return backend.backup(); });
  const std::optional<Copied> copied = co_await on_pool<Copied>(std::move(copy));
  if (!copied) co_return;
  const Copied& path = *copied;
  if (!path) {
    co_await send(exchange, reply_of(problem_of(path.error())));
    co_return;
  }
  http::response<http::file_body> response(http::status::ok, exchange.http_1_0 ? 10 : 11);
  boost::system::error_code error;
  response.body().open(path->c_str(), boost::beast::file_mode::read, error);
  ::unlink(path->c_str());  // the open file stays until it is sent, whatever becomes of us
  if (error) {
    co_await send(exchange, reply_of(problem_of(Error{*path, error.message(), "", ErrorKind::unavailable})));
    co_return;
  }
  response.set(http::field::content_type, "application/vnd.sqlite3");
  response.keep_alive(exchange.keep_alive);
  response.prepare_payload();
  ++state_.counters.requests;
  http::response_serializer<http::file_body> serializer(response);
  while (!error && !serializer.is_done()) {
    within(state_.options.limits.write);  // for each piece, however many there are
    co_await http::async_write_some(socket_, serializer, redirect_error(use_awaitable, error));
  }
  disarm();
  if (error) exchange.keep_alive = false;
}

// Returns when the history has changed since `version`, or when a heartbeat is due.
boost::asio::awaitable<void> Connection::wait_for_news(std::uint64_t version,
                                                       std::chrono::steady_clock::time_point heartbeat) {
  waiting_.expires_after(state_.options.limits.watch_pause);
  boost::system::error_code error;
  co_await waiting_.async_wait(redirect_error(use_awaitable, error));
  if (state_.changes_seen != version || state_.stopping || !socket_.is_open()) co_return;
  waiting_.expires_at(heartbeat);
  const Waiter waiter(state_, waiting_);
  co_await waiting_.async_wait(redirect_error(use_awaitable, error));
}

boost::asio::awaitable<void> Connection::run_watch(Exchange& exchange, Watch watch) {
  exchange.keep_alive = false;
  if (state_.watching.size() >= state_.options.limits.watchers) {
    Connection* const other = one_to_go(state_.watching, uid_);
    if (other == nullptr) {
      co_await send(exchange,
                    busy(std::to_string(state_.watching.size()) + " clients are watching already."));
      co_return;
    }
    other->abort();
  }
  state_.watching.insert(this);
  ++state_.counters.requests;
  const bool chunked = !exchange.http_1_0;
  http::response<http::empty_body> head(http::status::ok, chunked ? 11 : 10);
  head.set(http::field::content_type, "application/x-ndjson");
  head.keep_alive(false);
  head.chunked(chunked);
  http::response_serializer<http::empty_body> serializer(head);
  within(state_.options.limits.write);
  boost::system::error_code error;
  co_await http::async_write_header(socket_, serializer, redirect_error(use_awaitable, error));
  disarm();
  if (error || exchange.head) co_return;
  Watched watched;
  // The first look tells something even where no run matches: that the watch has begun.
  auto heartbeat = std::chrono::steady_clock::now();
  while (!state_.stopping) {
    if (!co_await in_turn(state_.service_turns)) co_return;
    if (!make_room() || !socket_.is_open()) co_return;
    const std::uint64_t version = state_.changes_seen;
    // Without news too: that a run hangs is told by no line of it, but by their absence.
    std::string lines = state_.router.changes(watch, watched);
    if (lines.empty() && std::chrono::steady_clock::now() >= heartbeat) lines = "\n";
    if (!lines.empty()) {
      if (!co_await write_chunk(chunked, std::move(lines))) co_return;
      heartbeat = std::chrono::steady_clock::now() + state_.options.limits.watch_heartbeat;
    }
    co_await wait_for_news(version, heartbeat);
  }
  if (!chunked) co_return;
  co_await boost::asio::async_write(socket_, http::make_chunk_last(), redirect_error(use_awaitable, error));
}

}  // namespace etad::service
