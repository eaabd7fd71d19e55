#include "daemon/service/turns.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace etad::service {

boost::asio::awaitable<bool> Turns::wait(uid_t uid, boost::asio::steady_timer& turn) {
  turn.expires_at(boost::asio::steady_timer::time_point::max());
  waiting_.push(uid, &turn);
  give_later();
  boost::system::error_code ended;
  co_await turn.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ended));
  co_return !waiting_.remove(uid, &turn);
}

// Behind whatever is ready to be done: requests that have come in the meantime stand in line by then.
void Turns::give_later() {
  if (std::exchange(given_later_, true)) return;
  boost::asio::post(io_, [this] {
    given_later_ = false;
    give();
  });
}

void Turns::give_back() {
  if (free_) ++*free_;
  give_later();
}

void Turns::give() {
  if (waiting_.empty() || free_ == 0) return;
  if (free_) --*free_;
  waiting_.pop()->cancel();
  if (!waiting_.empty()) give_later();
}

}  // namespace etad::service
