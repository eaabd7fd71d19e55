// What becomes of who is connected when the server stops, as over a restart or an upgrade.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include "daemon/service/server.h"
#include "tests/service/server_fixture.h"

namespace etad::service::testing {
namespace {

TEST_F(ServerTest, StopFinishesWhatIsUnderWay) {
  class SlowBackend : public FakeBackend {
   public:
    Result<RefitReport> refit() override {
      begun.set_value();
      go_on.get_future().wait();
      return RefitReport{};
    }
    std::promise<void> begun, go_on;
  } slow;
  auto server = Server::listen(options_, slow, history_.reader(), live_);
  ASSERT_TRUE(server);
  std::thread thread([&] { (*server)->run(); });
  RawClient busy(path_), idle(path_);
  EXPECT_EQ(status_of(idle.ask(get("/v1"))), 200);
  busy.send(post("/v1/refit", ""));
  slow.begun.get_future().wait();
  (*server)->stop();
  EXPECT_EQ(idle.receive(), "");  // closed at once
  slow.go_on.set_value();
  EXPECT_EQ(status_of(busy.receive()), 200);
  thread.join();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

// A stop took a minute where a user had asked for two hundred lists.
TEST_F(ServerTest, AStopWaitsForNoJobThatHasNotBegun) {
  options_.limits.drain = std::chrono::milliseconds{1};
  std::atomic<int> jobs = 0;
  std::promise<void> both, go_on;
  backend_.list_networks = [&, gate = go_on.get_future().share()] {
    if (++jobs == 2) both.set_value();
    gate.wait();
    return std::vector<NetworkRow>();
  };
  start();
  RawClient one(path_), two(path_), waiting(path_);
  one.send(get("/v1/networks"));
  two.send(get("/v1/networks"));
  both.get_future().wait();
  waiting.send(get("/v1/networks"));
  EXPECT_EQ(status_of(ask(get("/v1"))), 200) << "it stands in line by now";
  server_->stop();
  EXPECT_EQ(waiting.receive(), "");
  go_on.set_value();
  stop();
  EXPECT_EQ(jobs, 2);
}

// Over an upgrade one question of thousands failed: it had been let in and not been read yet.
TEST_F(ServerTest, AtAStopWhoWasLetInIsStillAnswered) {
  start();
  RawClient served(path_), fresh(path_);
  EXPECT_EQ(status_of(served.ask(get("/v1"))), 200);
  server_->stop();
  EXPECT_EQ(served.receive(), "");  // the stop has begun
  const std::string reply = fresh.ask(get("/v1"));
  EXPECT_EQ(status_of(reply), 200);
  EXPECT_NE(reply.find("Connection: close"), std::string::npos);
  EXPECT_EQ(fresh.receive(), "");
  stop();
}

TEST_F(ServerTest, AtAStopWhoWaitsToBeLetInIsAnswered) {
  auto server = Server::listen(options_, backend_, history_.reader(), live_);
  ASSERT_TRUE(server);
  RawClient waiting(path_);
  waiting.send(get("/v1"));
  (*server)->stop();  // before it has let anybody in
  std::thread thread([&] { (*server)->run(); });
  EXPECT_EQ(status_of(waiting.reply()), 200);
  thread.join();
}

TEST_F(ServerTest, WhoAsksNothingHoldsNoStopUp) {
  start();
  RawClient served(path_), silent(path_);
  EXPECT_EQ(status_of(served.ask(get("/v1"))), 200);
  server_->stop();
  EXPECT_EQ(silent.receive(), "");
  stop();
}

}  // namespace
}  // namespace etad::service::testing
