// Those who knock at the socket, in crowds.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "daemon/service/server.h"
#include "tests/service/server_fixture.h"

namespace etad::service::testing {
namespace {

// What the first user's requests are that were answered before the second's shows in its answer.
TEST_F(ServerTest, WhoKnocksBehindAnotherUsersCrowdIsNotAnsweredBehindAllOfIt) {
  constexpr int kCrowd = 150;
  int let_in = 0;
  options_.peer_of = [&](int) {
    Peer peer;
    peer.uid = let_in++ < kCrowd ? 1001 : 1002;
    return peer;
  };
  auto server = Server::listen(options_, backend_, history_.reader(), live_);
  ASSERT_TRUE(server) << server.error().text();
  server_ = std::move(*server);
  std::vector<std::unique_ptr<RawClient>> crowd;
  for (int i = 0; i < kCrowd; ++i) {
    crowd.push_back(std::make_unique<RawClient>(path_));
    ASSERT_TRUE(crowd.back()->send(get("/v1/runs")));
  }
  RawClient other(path_);
  ASSERT_TRUE(other.send(get("/metrics")));
  thread_ = std::thread([this] { server_->run(); });
  const std::string answer = other.reply();
  const std::string counter = "\netad_http_requests_total ";
  const std::size_t at = answer.find(counter);
  ASSERT_NE(at, std::string::npos) << answer;
  EXPECT_LT(std::stoi(answer.substr(at + counter.size())), kCrowd / 5);
}

TEST_F(ServerTest, WhoHasGoneAndHasAskedNothingIsNotLetIn) {
  int let_in = 0;
  options_.peer_of = [&](int) {
    ++let_in;
    return Peer{};
  };
  auto server = Server::listen(options_, backend_, history_.reader(), live_);
  ASSERT_TRUE(server) << server.error().text();
  server_ = std::move(*server);
  for (int i = 0; i < 300; ++i) RawClient gone(path_);
  RawClient other(path_), half_closed(path_);
  half_closed.send(get("/v1"));
  half_closed.shut_down();
  thread_ = std::thread([this] { server_->run(); });
  EXPECT_EQ(status_of(other.ask(get("/v1"))), 200);
  EXPECT_EQ(status_of(half_closed.receive()), 200);
  stop();
  EXPECT_EQ(let_in, 2);
}

}  // namespace
}  // namespace etad::service::testing
