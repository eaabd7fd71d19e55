#include "daemon/service/connection.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <optional>
#include <utility>

#include "daemon/service/exchange.h"

namespace etad::service {
namespace {

using boost::asio::redirect_error;
using boost::asio::use_awaitable;
namespace errors = boost::asio::error;

// Beyond the header: so much of a body or of further requests is read ahead.
constexpr std::size_t kReadAhead = 64UL * 1024;
constexpr std::chrono::milliseconds kLinger{1000};
constexpr std::chrono::milliseconds kFirstWord{1000};  // of who was let in and has asked nothing, at a stop
constexpr std::size_t kLingerBytes = 16UL * 1024 * 1024;

Problem problem_with(unsigned status, std::string detail, std::string hint = {}) {
  return {status, "", std::move(detail), std::move(hint)};
}

Problem header_too_large(const Limits& limits) {
  return problem_with(
      431, "The request's header is larger than " + std::to_string(limits.header_bytes) + " bytes.");
}

Problem body_too_large(const Limits& limits) {
  return problem_with(413,
                      "The request's body is larger than " + std::to_string(limits.body_bytes) + " bytes.");
}

Problem too_much_held() {
  Problem problem = problem_with(503, "Too many answers of yours wait to be read.",
                                 "read them, or ask for fewer at a time: smaller pages (`limit`)");
  problem.headers.emplace_back("Retry-After", "1");
  return problem;
}

// What is wrong with what was sent; nothing where it only ended.
std::optional<Problem> malformed(const boost::system::error_code& error) {
  namespace http = boost::beast::http;
  if (error.category() != http::make_error_code(http::error::bad_method).category() ||
      error == http::error::end_of_stream || error == http::error::partial_message)
    return std::nullopt;
  return problem_with(400, "This is no HTTP/1.1 request: " + error.message() + ".");
}

Problem too_slow() {
  return problem_with(408, "The request did not come in time.");
}

}  // namespace

Connection::Connection(ServiceState& state, Socket socket, uid_t uid, bool may_change)
    : state_(state),
      socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      waiting_(socket_.get_executor()),
      uid_(uid),
      may_change_(may_change),
      buffer_(std::make_unique<Buffer>(state.options.limits.header_bytes + kReadAhead)) {
  state_.connections.insert(this);
  state_.counters.connections = static_cast<std::int64_t>(state_.connections.size());
}

Connection::~Connection() {
  leave();
  if (state_.stopping && state_.connections.empty()) state_.drain.cancel();
}

// Whoever was let in has asked, or is about to: without an answer, that question would have failed for the stop.
void Connection::hurry_if_idle() {
  if (!idle_since_) return;
  if (answered_)
    socket_.cancel();
  else
    within(kFirstWord);
}

// Gives its places back.
void Connection::leave() {
  hold(0);
  state_.connections.erase(this);
  state_.watching.erase(this);
  state_.counters.connections = static_cast<std::int64_t>(state_.connections.size());
}

void Connection::abort() {
  leave();
  waiting_.cancel();  // who stands in line would hold what it asks, and its job be done for nobody
  boost::system::error_code ignored;
  deadline_.cancel();
  socket_.close(ignored);
}

void Connection::within(std::chrono::milliseconds time) {
  expired_ = false;
  deadline_.expires_after(time);
  deadline_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    // A wait that ended just before the deadline was moved comes here without an error.
    if (error || self->deadline_.expiry() > std::chrono::steady_clock::now()) return;
    self->expired_ = true;
    boost::system::error_code ignored;
    self->socket_.cancel(ignored);
  });
}

// For what this request is going to have held. False: of its user so much is that it has to be refused.
bool Connection::make_room() {
  if (!state_.held.has_room_for(uid_)) {
    ++state_.counters.refused_requests;
    return false;
  }
  while (Connection* const other = state_.held.one_too_many()) {
    ++state_.counters.refused_requests;
    other->abort();
  }
  return true;
}

void Connection::hold(std::size_t bytes) {
  state_.held.set(*this, bytes);
  state_.counters.held_bytes = static_cast<std::int64_t>(state_.held.bytes());
}

void Connection::disarm() {
  deadline_.expires_at(std::chrono::steady_clock::time_point::max());  // cancels the wait
}

boost::asio::awaitable<void> Connection::serve() {
  bool go_on = true;
  while (go_on && !(state_.stopping && answered_)) go_on = co_await one_request();
  if (unread_) co_await linger();
  deadline_.cancel();
}

boost::asio::awaitable<void> serve(std::shared_ptr<Connection> connection) {
  co_await connection->serve();
}

boost::asio::awaitable<bool> Connection::first_byte() {
  auto& bytes = buffer_->bytes;
  if (bytes.size() > 0) co_return true;
  within(state_.stopping ? kFirstWord : state_.options.limits.idle);
  idle_since_ = std::chrono::steady_clock::now();
  boost::system::error_code error;
  const auto room = bytes.prepare(4096);
  const std::size_t n = co_await socket_.async_read_some(room, redirect_error(use_awaitable, error));
  idle_since_.reset();
  bytes.commit(n);
  co_return !error && n > 0;
}

boost::asio::awaitable<bool> Connection::one_request() {
  if (!co_await first_byte()) co_return false;
  within(state_.options.limits.request);
  Exchange exchange(state_.options.limits);
  if (!co_await read_head(exchange)) co_return false;
  if (!exchange.reply && !exchange.streamed && !co_await read_body(exchange)) co_return false;
  disarm();
  answered_ = true;
  co_await answer(exchange);
  unread_ = !exchange.parser.is_done();
  co_return exchange.keep_alive;
}

// False: the client is gone. A request that can't be served has its reply set.
boost::asio::awaitable<bool> Connection::read_head(Exchange& exchange) {
  namespace http = boost::beast::http;
  boost::system::error_code error;
  co_await http::async_read_header(socket_, buffer_->bytes, exchange.parser,
                                   redirect_error(use_awaitable, error));
  if (error) {
    exchange.keep_alive = false;
    if (expired_) {
      ++state_.counters.timeouts;
      exchange.reply = reply_of(too_slow());
    } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      exchange.reply = reply_of(header_too_large(state_.options.limits));
    } else if (const auto problem = malformed(error)) {
      exchange.reply = reply_of(*problem);
    } else {
      co_return false;
    }
    co_return true;
  }
  exchange.take_head(uid_, may_change_);
  if (!exchange.reply) exchange.reply = state_.router.objection(exchange.request);
  exchange.streamed = state_.router.streams(exchange.request);
  const auto length = exchange.parser.content_length();
  if (!exchange.reply && !exchange.streamed && length && *length > state_.options.limits.body_bytes) {
    exchange.reply = reply_of(body_too_large(state_.options.limits));
  }
  // What is not going to be read would be taken for the next request.
  if (exchange.reply && !exchange.parser.is_done()) exchange.keep_alive = false;
  co_return true;
}

boost::asio::awaitable<bool> Connection::read_body(Exchange& exchange) {
  if (exchange.parser.is_done()) co_return true;
  co_await send_continue(exchange);
  std::vector<char> piece(16UL * 1024);
  std::string& body = exchange.request.body;
  while (!exchange.parser.is_done()) {
    boost::system::error_code error;
    const std::size_t n = co_await exchange.read_some(socket_, *buffer_, piece, error);
    if (error) {
      const auto problem = malformed(error);
      if (!expired_ && !problem) co_return false;
      if (!problem) ++state_.counters.timeouts;
      exchange.reply = reply_of(problem ? *problem : too_slow());
    } else if (body.size() + n > state_.options.limits.body_bytes) {
      exchange.reply = reply_of(body_too_large(state_.options.limits));
    } else if (!make_room()) {
      exchange.reply = reply_of(too_much_held());
    } else if (!socket_.is_open()) {
      co_return false;  // it was the one too many itself
    } else {
      body.append(piece.data(), n);
      hold(body.size());
      continue;
    }
    exchange.keep_alive = false;
    break;
  }
  co_return true;
}

boost::asio::awaitable<void> Connection::send_continue(Exchange& exchange) {
  if (!exchange.expects_continue) co_return;
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  boost::system::error_code error;
  co_await boost::asio::async_write(socket_, boost::asio::buffer(kContinue.data(), kContinue.size()),
                                    redirect_error(use_awaitable, error));
}

boost::asio::awaitable<void> Connection::answer(Exchange& exchange) {
  if (exchange.reply) {
    co_await send(exchange, std::move(*exchange.reply));
    co_return;
  }
  if (!co_await in_turn(state_.service_turns)) co_return;
  if (!make_room()) {
    co_await send(exchange, reply_of(too_much_held()));
    co_return;
  }
  if (!socket_.is_open()) co_return;  // it was the one too many itself
  Outcome outcome = guarded(state_, std::move(exchange.request));
  if (!std::holds_alternative<Work>(outcome)) hold(0);  // a job may have the body until it is done
  if (auto* ready = std::get_if<Reply>(&outcome)) {
    co_await send(exchange, std::move(*ready));
  } else if (auto* work = std::get_if<Work>(&outcome)) {
    std::optional<Reply> reply = co_await on_pool<Reply>(guarded(state_, std::move(work->job)));
    hold(0);
    if (!reply) co_return;
    if (!make_room())
      reply = reply_of(too_much_held());  // many were let in before the first of them was done
    co_await send(exchange, std::move(*reply));
  } else if (auto* import = std::get_if<Import>(&outcome)) {
    co_await run_import(exchange, std::move(import->request));
  } else if (auto* watch = std::get_if<Watch>(&outcome)) {
    co_await run_watch(exchange, std::move(*watch));
  } else {
    co_await run_backup(exchange);
  }
}

boost::asio::awaitable<void> Connection::send(Exchange& exchange, Reply reply) {
  ++state_.counters.requests;
  if (reply.status >= 400) ++state_.counters.failed_requests;
  if (state_.stopping) exchange.keep_alive = false;
  hold(reply.body.size());
  auto response = exchange.response(std::move(reply), state_.options.version);
  within(state_.options.limits.write);
  boost::system::error_code error;
  if (exchange.head) {
    boost::beast::http::response_serializer<boost::beast::http::string_body> serializer(response);
    co_await boost::beast::http::async_write_header(socket_, serializer,
                                                    redirect_error(use_awaitable, error));
  } else {
    co_await boost::beast::http::async_write(socket_, response, redirect_error(use_awaitable, error));
  }
  if (error) {
    if (expired_) ++state_.counters.timeouts;
    exchange.keep_alive = false;
  }
  hold(0);
}

// False: the connection was ended meanwhile.
boost::asio::awaitable<bool> Connection::in_turn(Turns& turns) {
  if (!socket_.is_open()) co_return false;
  const bool came = co_await turns.wait(uid_, waiting_);
  if (!came || socket_.is_open()) co_return came;
  turns.give_back();
  co_return false;
}

// A client that is still sending must get to read our last reply: closing on unread bytes would reset it.
boost::asio::awaitable<void> Connection::linger() {
  boost::system::error_code error;
  socket_.shutdown(Socket::shutdown_send, error);
  if (error || expired_) co_return;
  within(kLinger);
  std::array<char, 16UL * 1024> discarded{};
  for (std::size_t total = 0; !error && total < kLingerBytes;) {
    total += co_await socket_.async_read_some(boost::asio::buffer(discarded),
                                              redirect_error(use_awaitable, error));
  }
}

std::string refusal_of_connection() {
  Problem problem = problem_with(503, "Too many connections at present.", "try again in a moment");
  const Reply reply = reply_of(problem);
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " + reply.type +
         "\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: " + std::to_string(reply.body.size()) +
         "\r\n\r\n" + reply.body;
}

}  // namespace etad::service
