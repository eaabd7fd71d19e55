// Whose request is next: users take turns, however many connections each of them has and however many
// requests wait in them. Without it, one user's hundred busy connections would make another wait for a
// hundred requests before each of his own. Likewise for the workers, of which there are few. On the service thread
// only.
#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <optional>

#include "daemon/service/turn_queue.h"

namespace etad::service {

class Turns {
 public:
  // `places`: of so many things; each is taken until it is given back. Without: of the service thread itself.
  explicit Turns(boost::asio::io_context& io, std::optional<std::size_t> places = std::nullopt)
      : io_(io), free_(places) {}

  // Returns when it is that user's turn: true. What is done then, up to the next wait for anything, is one turn; where
  // there are places, up to give_back(). False: `turn` was cancelled before, and who waited stands in line no more.
  boost::asio::awaitable<bool> wait(uid_t uid, boost::asio::steady_timer& turn);
  void give_back();

 private:
  class InLine;
  void give_later();
  void give_soon();
  void give();
  bool give_one();

  boost::asio::io_context& io_;
  TurnQueue<uid_t, boost::asio::steady_timer*> waiting_;
  bool given_later_ = false;
  std::optional<std::size_t> free_;  // places
};

// A place that was waited for: given back when this goes, however what was done in it has ended.
class Place {
 public:
  explicit Place(Turns& turns) : turns_(turns) {}
  ~Place() { turns_.give_back(); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  Turns& turns_;
};

}  // namespace etad::service
