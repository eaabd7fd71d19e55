// One request and its reply as Beast sees them. Included by the connection's source files only: Beast is
// slow to compile.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
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
Outcome guarded(ServiceState& state, const Request& request);
std::function<Reply()> guarded(ServiceState& state, std::function<Reply()> job);

// GCC 12 destroys what a lambda coroutine captured twice: these take their function by value instead.
template <class T>
boost::asio::awaitable<T> call(std::function<T()> function) {
  co_return function();
}

// Runs `function` on the worker pool; resumes on the service thread.
template <class T>
boost::asio::awaitable<T> on_pool(ServiceState& state, std::function<T()> function) {
  co_return co_await boost::asio::co_spawn(state.pool, call<T>(std::move(function)),
                                           boost::asio::use_awaitable);
}

}  // namespace etad::service
