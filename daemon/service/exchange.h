// One request and its reply as Beast sees them. Included by the connection's source files only: Beast is
// slow to compile.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/service/connection.h"

namespace etad::service {

struct Connection::Buffer {
  explicit Buffer(std::size_t most) : bytes(most) {}
  boost::beast::flat_buffer bytes;
};

struct Connection::Exchange {
  using Response = boost::beast::http::response<boost::beast::http::string_body>;

  explicit Exchange(const Limits& limits);

  // parser -> request, flags; a reply where the head says we can't go on
  void take_head(uid_t uid, bool may_change);
  Response response(Reply reply, const std::string& version) const;

  // Reads some of the body into `piece`; returns how much.
  boost::asio::awaitable<std::size_t> read_some(Socket& socket, Buffer& buffer, std::span<char> piece,
                                                boost::system::error_code& error);

  boost::beast::http::request_parser<boost::beast::http::buffer_body> parser;
  Request request;
  std::string encoding;        // Content-Encoding
  std::optional<Reply> reply;  // decided before the request was whole
  bool head = false;           // HEAD: no body in the reply
  bool keep_alive = false;
  bool streamed = false;
  bool expects_continue = false;
  bool http_1_0 = false;
};

// Handlers report what they expect to fail as replies. What they throw is a defect: it ends the request,
// not the daemon.
Outcome guarded(ServiceState& state, Request request);
std::function<Reply()> guarded(ServiceState& state, std::function<Reply()> job);

// What a worker does, and what came of it. Held by the worker too: who waits may end sooner, for want of memory.
template <class T>
struct PoolJob {
  PoolJob(std::function<T()> f, boost::asio::io_context& i)
      : function(std::move(f)), io(i), done(i, boost::asio::steady_timer::time_point::max()) {}

  void run(const std::shared_ptr<PoolJob>& self) {
    try {
      result.emplace(function());
    } catch (...) {
      failure = std::current_exception();
    }
    for (bool told = false; !told;) {
      try {
        boost::asio::post(io, [self] { self->done.cancel(); });
        told = true;
      } catch (const std::bad_alloc&) {  // whoever waits is told once there is memory
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
      }
    }
  }

  std::function<T()> function;
  boost::asio::io_context& io;
  boost::asio::steady_timer done;
  std::optional<T> result;
  std::exception_ptr failure;
};

// Runs `function` on a worker, once it is that user's turn to have one; resumes on the service thread. Nothing: the
// connection was ended before. Not by co_spawn: that takes what was done back to the service thread only after all else
// that waits for a worker.
template <class T>
boost::asio::awaitable<std::optional<T>> Connection::on_pool(std::function<T()> function) {
  if (!co_await in_turn(state_.worker_turns)) co_return std::nullopt;
  const Place place(state_.worker_turns);
  const auto job = std::make_shared<PoolJob<T>>(std::move(function), state_.io);
  boost::asio::post(state_.pool, [job] { job->run(job); });
  boost::system::error_code ended;
  co_await job->done.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ended));
  if (job->failure) std::rethrow_exception(job->failure);
  co_return std::move(job->result);
}

}  // namespace etad::service
