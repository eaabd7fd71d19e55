// The socket's file, removed or replaced while the server runs.
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "daemon/service/server.h"
#include "tests/service/server_fixture.h"

namespace etad::service::testing {
namespace {

using namespace std::chrono_literals;

class ServerFileTest : public ServerTest {
 protected:
  ServerFileTest() {
    options_.limits.place_look = 5ms;
    options_.log = [this](std::string_view message) {
      const std::lock_guard lock(mutex_);
      told_.emplace_back(message);
    };
  }

  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  // Until so many messages have been written.
  void wait_until_told(std::size_t many) {
    const auto end = std::chrono::steady_clock::now() + 120s;
    while (told().size() < many && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
    ASSERT_EQ(told().size(), many);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> told_;
};

TEST_F(ServerFileTest, IsMadeAnewWhereItIsGoneAndWhoIsConnectedGoesOn) {
  start();
  RawClient before(path_);
  EXPECT_EQ(status_of(before.ask(get("/v1"))), 200);
  for (const bool is_replaced : {false, true}) {
    if (is_replaced)
      std::filesystem::rename(path_, path_ + ".away");
    else
      std::filesystem::remove(path_);
    wait_until_told(is_replaced ? 2 : 1);
    EXPECT_NE(told().back().find("made anew"), std::string::npos) << told().back();
    EXPECT_EQ(status_of(ask(get("/v1"))), 200);
    EXPECT_EQ(status_of(before.ask(get("/v1"))), 200);
  }
  stop();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ServerFileTest, IsMadeOnceItsFolderIsThereAgain) {
  const std::filesystem::path folder = history_.dir().file("run");
  std::filesystem::create_directory(folder);
  options_.socket_path = path_ = (folder / "etad.sock").string();
  start();
  std::filesystem::remove_all(folder);
  wait_until_told(1);
  EXPECT_NE(told().back().find("no other can be made"), std::string::npos) << told().back();
  std::filesystem::create_directory(folder);
  wait_until_told(2);
  EXPECT_EQ(status_of(ask(get("/v1"))), 200);
}

TEST_F(ServerFileTest, IsLeftToTheServiceManagerWhoseItIs) {
  inherit_socket();
  start();
  EXPECT_EQ(status_of(ask(get("/v1"))), 200);
  std::filesystem::rename(path_, path_ + ".away");
  wait_until_told(1);
  EXPECT_NE(told().back().find("systemctl restart etad.socket"), std::string::npos) << told().back();
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::filesystem::rename(path_ + ".away", path_);
  wait_until_told(2);
  EXPECT_EQ(status_of(ask(get("/v1"))), 200);
}

}  // namespace
}  // namespace etad::service::testing
