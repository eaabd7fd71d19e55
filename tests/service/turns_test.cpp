// Whose request is next, and whose job.
#include "daemon/service/turns.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

namespace etad::service::testing {
namespace {

TEST(Turns, GoFromUserToUserHoweverManyRequestsOneOfThemHas) {
  boost::asio::io_context io;
  Turns turns(io);
  std::string order;
  const auto ask = [&](uid_t uid, char sign) -> boost::asio::awaitable<void> {
    boost::asio::steady_timer turn(io);
    co_await turns.wait(uid, turn);
    order += sign;
  };
  for (int i = 0; i < 5; ++i) boost::asio::co_spawn(io, ask(1, 'a'), boost::asio::detached);
  for (int i = 0; i < 2; ++i) boost::asio::co_spawn(io, ask(2, 'b'), boost::asio::detached);
  boost::asio::co_spawn(io, ask(3, 'c'), boost::asio::detached);
  io.run();
  EXPECT_EQ(order, "abcabaaa");
}

TEST(Turns, OfAFewPlacesEachIsGivenToTheNextUserOnceItIsGivenBack) {
  boost::asio::io_context io;
  Turns workers(io, 2);
  std::string order;
  std::vector<std::unique_ptr<boost::asio::steady_timer>> jobs;
  const auto work = [&](uid_t uid, char sign) -> boost::asio::awaitable<void> {
    boost::asio::steady_timer turn(io);
    co_await workers.wait(uid, turn);
    order += sign;
    auto& job = jobs.emplace_back(
        std::make_unique<boost::asio::steady_timer>(io, boost::asio::steady_timer::time_point::max()));
    boost::system::error_code ended;
    co_await job->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ended));
    workers.give_back();
  };
  for (int i = 0; i < 5; ++i) boost::asio::co_spawn(io, work(1, 'a'), boost::asio::detached);
  io.poll();
  EXPECT_EQ(order, "aa");
  boost::asio::co_spawn(io, work(2, 'b'), boost::asio::detached);
  io.poll();
  EXPECT_EQ(order, "aa") << "both are at work";
  for (std::size_t done = 0; done < 6; ++done) {
    jobs.at(done)->cancel();
    io.poll();
  }
  EXPECT_EQ(order, "aaabaa") << "behind one of the others', not behind all of them";
}

TEST(Turns, WhoLeavesTheLineTakesNoPlace) {
  boost::asio::io_context io;
  const auto open = boost::asio::make_work_guard(io);
  Turns workers(io, 1);
  std::string order;
  boost::asio::steady_timer first(io), leaving(io), last(io);
  const auto work = [&](boost::asio::steady_timer& turn, char sign) -> boost::asio::awaitable<void> {
    const bool came = co_await workers.wait(1, turn);
    order += came ? sign : '-';
  };
  boost::asio::co_spawn(io, work(first, 'a'), boost::asio::detached);
  io.poll();
  boost::asio::co_spawn(io, work(leaving, 'b'), boost::asio::detached);
  boost::asio::co_spawn(io, work(last, 'c'), boost::asio::detached);
  io.poll();
  EXPECT_EQ(order, "a");
  leaving.cancel();
  io.poll();
  EXPECT_EQ(order, "a-") << "at once, not when a place is free";
  workers.give_back();
  io.poll();
  EXPECT_EQ(order, "a-c");
}

}  // namespace
}  // namespace etad::service::testing
