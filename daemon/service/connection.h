// One client: requests in, replies out, in order, each within its time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/service/service_state.h"

namespace etad::service {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;

  Connection(ServiceState& state, Socket socket, uid_t uid, bool may_change);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  boost::asio::awaitable<void> serve();

  void hurry_if_idle();  // at a stop: a wait for the next request ends, one for the first is short
  void abort();          // ends whatever it is doing; its places are free at once

  uid_t uid() const { return uid_; }  // of the peer
  bool may_change() const { return may_change_; }
  // Since when it has been waiting for a request; nothing: one is under way.
  const std::optional<std::chrono::steady_clock::time_point>& idle_since() const { return idle_since_; }

 private:
  struct Exchange;  // one request and its reply

  boost::asio::awaitable<bool> first_byte();
  boost::asio::awaitable<bool> one_request();
  boost::asio::awaitable<bool> read_head(Exchange& exchange);
  boost::asio::awaitable<bool> read_body(Exchange& exchange);
  boost::asio::awaitable<void> answer(Exchange& exchange);
  boost::asio::awaitable<void> send(Exchange& exchange, Reply reply);
  boost::asio::awaitable<void> send_continue(Exchange& exchange);
  boost::asio::awaitable<void> run_import(Exchange& exchange, ImportRequest request);
  boost::asio::awaitable<Reply> stream_import(Exchange& exchange, std::string encoding,
                                              ImportRequest request);
  boost::asio::awaitable<void> run_watch(Exchange& exchange, Watch watch);
  boost::asio::awaitable<void> run_backup(Exchange& exchange);
  boost::asio::awaitable<void> wait_for_news(std::uint64_t version,
                                             std::chrono::steady_clock::time_point heartbeat);
  boost::asio::awaitable<bool> write_chunk(bool chunked, std::string lines);
  boost::asio::awaitable<void> linger();
  boost::asio::awaitable<bool> in_turn(Turns& turns);
  template <class T>
  boost::asio::awaitable<std::optional<T>> on_pool(std::function<T()> function);

  void within(std::chrono::milliseconds time);  // what follows must be done by then, or it is cancelled
  void disarm();
  bool make_room();
  void hold(std::size_t bytes);
  void leave();

  ServiceState& state_;
  Socket socket_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer waiting_;  // for a turn, or for news
  bool expired_ = false;
  std::optional<std::chrono::steady_clock::time_point> idle_since_;
  bool unread_ = false;    // the last request was answered before all of it had come
  bool answered_ = false;  // a request at least
  uid_t uid_;
  bool may_change_;
  struct Buffer;
  std::unique_ptr<Buffer> buffer_;  // bytes read, not yet taken: the next requests of a pipeline
};

// Serves until the client is done, misbehaves, or the server stops; keeps the connection alive for so long.
// A free function: GCC 12 leaves the parameter of a static member coroutine uninitialised.
boost::asio::awaitable<void> serve(std::shared_ptr<Connection> connection);

// The whole reply to a connection that is one too many, as bytes.
std::string refusal_of_connection();

}  // namespace etad::service
