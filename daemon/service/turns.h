// Whose request is next: users take turns, however many connections each of them has and however many
// requests wait in them. Without it, one user's hundred busy connections would make another wait for a
// hundred requests before each of his own. On the service thread only.
#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <list>
#include <utility>

namespace etad::service {

class Turns {
 public:
  explicit Turns(boost::asio::io_context& io) : io_(io) {}

  // Returns when it is that user's turn. What is done then, up to the next wait for anything, is one turn.
  boost::asio::awaitable<void> wait(uid_t uid);

 private:
  using Waiting = std::deque<boost::asio::steady_timer*>;

  void give_later();
  void give();

  boost::asio::io_context& io_;
  std::list<std::pair<uid_t, Waiting>> users_;  // those who wait; the first is next
  bool given_later_ = false;
};

}  // namespace etad::service
