#include "daemon/service/turns.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <new>

namespace etad::service {

// Who stands in line; no more once this has gone, also where there was no memory to wait, or to tell that it is its turn.
class Turns::InLine {
 public:
  InLine(Turns& turns, uid_t uid, boost::asio::steady_timer& turn) : turns_(turns), uid_(uid), turn_(turn) {
    turns_.waiting_.push(uid_, &turn_);
  }
  ~InLine() {
    if (waits_ && !turns_.waiting_.remove(uid_, &turn_)) turns_.give_back();
  }
  InLine(const InLine&) = delete;
  InLine& operator=(const InLine&) = delete;

  bool leave() {  // false: it was its turn
    waits_ = false;
    return turns_.waiting_.remove(uid_, &turn_);
  }

 private:
  Turns& turns_;
  uid_t uid_;
  boost::asio::steady_timer& turn_;
  bool waits_ = true;
};

boost::asio::awaitable<bool> Turns::wait(uid_t uid, boost::asio::steady_timer& turn) {
  turn.expires_at(boost::asio::steady_timer::time_point::max());
  InLine in_line(*this, uid, turn);
  give_later();
  boost::system::error_code ended;
  co_await turn.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ended));
  co_return !in_line.leave();
}

// Behind whatever is ready to be done: requests that have come in the meantime stand in line by then.
void Turns::give_later() {
  if (given_later_) return;
  boost::asio::post(io_, [this] {
    given_later_ = false;
    give();
  });
  given_later_ = true;  // not before: where there is no memory for it, the next who comes tries again
}

// Where there is none, all of them out of turn: nobody is to wait for who may never come.
void Turns::give_soon() {
  try {
    give_later();
  } catch (const std::bad_alloc&) {
    while (give_one()) {
    }
  }
}

void Turns::give_back() {
  if (free_) ++*free_;
  give_soon();
}

void Turns::give() {
  if (give_one() && !waiting_.empty()) give_soon();
}

bool Turns::give_one() {
  if (waiting_.empty() || free_ == 0) return false;
  if (free_) --*free_;
  waiting_.pop()->cancel();
  return true;
}

}  // namespace etad::service
