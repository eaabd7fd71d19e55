// What is held in memory for clients: the bodies of requests until what is done with them is done, and the
// answers that nobody has read yet. Each connection holds one of them at most; what all of a user's hold together is
// bounded, and what all users' do. On the service thread only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <map>

namespace etad::service {

class Connection;

class Held {
 public:
  // `most` bytes in all.
  explicit Held(std::size_t most) : most_(most) {}

  void set(Connection& connection, std::size_t bytes);  // 0: nothing any more

  // Whether a further request of that user may be answered. Alone a user may have half of all, two of them a
  // third each: so there is always room for one more, and for who has nothing held at all.
  bool has_room_for(uid_t uid) const;

  // Where all together hold as much as they may (of many users each, or of one answer that was larger than a
  // share): the connection that has held something for longest. Who reads its answers is never that.
  Connection* one_too_many() const;

  std::size_t bytes() const { return bytes_; }

 private:
  struct Item {
    std::size_t bytes = 0;
    std::chrono::steady_clock::time_point since;
  };
  std::size_t most_, bytes_ = 0;
  std::map<Connection*, Item> items_;  // no more than there are connections
};

}  // namespace etad::service
