// A server on a socket of its own, over a history and a backend of the tests'.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "daemon/service/server.h"
#include "tests/service/fixtures.h"
#include "tests/service/raw_client.h"

namespace etad::service::testing {

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    options_.socket_path = path_;
    options_.access.own_uid = geteuid();
    options_.version = "1.2.3";
    options_.now = [] { return kNow; };
    options_.log = [](std::string_view message) { ADD_FAILURE() << message; };
  }
  ~ServerTest() override { stop(); }

  void start() {
    auto server = Server::listen(options_, backend_, history_.reader(), live_);
    ASSERT_TRUE(server) << server.error().text();
    server_ = std::move(*server);
    thread_ = std::thread([this] { server_->run(); });
  }

  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }

  // A socket that another process made there: the service manager, or a daemon that is gone.
  int bound_socket() const {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  void inherit_socket() {
    options_.inherited_fd = bound_socket();
    ASSERT_EQ(listen(options_.inherited_fd, 16), 0);
  }

  std::string ask(std::string_view request) { return RawClient(path_).ask(request); }

  History history_;
  FakeBackend backend_;
  std::unique_ptr<Reader> live_reader_ = history_.reader();
  prediction::LiveRuns live_{*live_reader_};
  std::string path_ = history_.dir().file("etad.sock");
  Options options_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace etad::service::testing
