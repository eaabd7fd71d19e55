#include "daemon/service/server.h"

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <future>
#include <new>
#include <thread>

#include "tests/service/server_fixture.h"

namespace etad::service::testing {
namespace {

using namespace std::chrono_literals;

TEST_F(ServerTest, AnswersAndKeepsTheConnection) {
  start();
  RawClient client(path_);
  EXPECT_EQ(status_of(client.ask(get("/v1"))), 200);
  EXPECT_EQ(status_of(client.ask(get("/v1/nosuch"))), 404);
  EXPECT_EQ(status_of(client.ask(get("/v1/health"))), 200);
}

TEST_F(ServerTest, AnswersAPipelineInOrder) {
  start();
  RawClient client(path_);
  std::string requests;
  for (int i = 0; i < 50; ++i) requests += get("/v1/runs/" + std::to_string(i % 3 + 1));
  client.send(requests);
  for (int i = 0; i < 50; ++i) {
    const std::string reply = client.reply();
    EXPECT_NE(reply.find("{\"id\":" + std::to_string(i % 3 + 1) + ","), std::string::npos) << i;
  }
}

TEST_F(ServerTest, AHalfClosedPeerStillGetsItsAnswer) {
  start();
  RawClient client(path_);
  client.send(get("/v1/runs"));
  client.shut_down();
  EXPECT_EQ(status_of(client.receive()), 200);
}

TEST_F(ServerTest, AHeadHasNoBodyAndTheLengthOfOne) {
  start();
  RawClient client(path_);
  client.send("HEAD /v1/runs HTTP/1.1\r\n\r\n" + get("/v1/runs", "Connection: close\r\n"));
  const std::string both = client.receive();
  const std::size_t second = both.find("HTTP/1.1", 8);
  ASSERT_NE(second, std::string::npos);
  EXPECT_EQ(both.substr(second - 4, 4), "\r\n\r\n");  // nothing between the first header and the second reply
  EXPECT_EQ(both.find("Content-Length: 0"), std::string::npos);
}

TEST_F(ServerTest, HttpTenIsAnsweredAndClosed) {
  start();
  RawClient client(path_);
  client.send("GET /v1 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(status_of(client.receive()), 200);
}

TEST_F(ServerTest, WhatIsNoRequestIsA400) {
  start();
  for (const char* bytes :
       {"hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01 tls\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n"}) {
    RawClient client(path_);
    client.send(bytes);
    const std::string reply = client.receive();
    EXPECT_EQ(status_of(reply), 400) << bytes << reply;
    EXPECT_NE(reply.find("application/problem+json"), std::string::npos);
  }
}

TEST_F(ServerTest, ABodyThatCannotBeReadIsToldSo) {
  start();
  const std::string head = "POST /v1/estimate?phase=train HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ";
  for (const auto& [rest, status] :
       std::vector<std::pair<std::string, int>>{{"chunked\r\n\r\nno size\r\n", 400},
                                                {"chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n", 400},
                                                {"gzip\r\n\r\n", 501},
                                                {"gzip, chunked\r\n\r\n0\r\n\r\n", 501}}) {
    RawClient client(path_);
    client.send(head + rest);
    EXPECT_EQ(status_of(client.receive()), status) << rest;
  }
}

TEST_F(ServerTest, WhatThereIsNoMemoryForIsA503) {
  std::string told;
  options_.log = [&](std::string_view message) { told = message; };
  backend_.list_networks = []() -> std::vector<NetworkRow> { throw std::bad_alloc(); };
  start();
  EXPECT_EQ(status_of(ask(get("/v1/networks"))), 503);
  stop();
  EXPECT_EQ(told, "there was no memory for a request");
}

TEST_F(ServerTest, AnOversizedHeaderIsA431) {
  start();
  RawClient client(path_);
  client.send("GET /v1 HTTP/1.1\r\nX: " + std::string(9000, 'x') + "\r\n\r\n");
  EXPECT_EQ(status_of(client.receive()), 431);
}

TEST_F(ServerTest, AnOversizedBodyIsA413WhetherAnnouncedOrNot) {
  options_.limits.body_bytes = 1000;
  start();
  RawClient announced(path_);
  announced.send(post("/v1/refit", std::string(2000, ' ')));
  EXPECT_EQ(status_of(announced.receive()), 413);
  RawClient chunked(path_);
  chunked.send("POST /v1/refit HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" +
               std::string(2000, ' ') + "\r\n0\r\n\r\n");
  EXPECT_EQ(status_of(chunked.receive()), 413);
  EXPECT_EQ(status_of(ask(post("/v1/refit", std::string(1000, ' ')))), 200);
}

TEST_F(ServerTest, ASlowHeaderIsTimedOutHoweverSteadilyItDrips) {
  options_.limits.request = 60ms;
  start();
  RawClient client(path_);
  client.send("GET /v1 HTTP/1.1\r\n");
  while (client.send("X: y\r\n") && !client.has_answer()) {  // a slowloris: never idle, never done
  }
  EXPECT_EQ(status_of(client.receive()), 408);
}

TEST_F(ServerTest, ASlowBodyIsTimedOut) {
  options_.limits.request = 60ms;
  start();
  RawClient client(path_);
  client.send("POST /v1/refit HTTP/1.1\r\nContent-Length: 100\r\n\r\nsome");
  EXPECT_EQ(status_of(client.receive()), 408);
}

TEST_F(ServerTest, AnIdleConnectionIsClosed) {
  options_.limits.idle = 30ms;
  start();
  RawClient client(path_);
  EXPECT_EQ(client.receive(), "");
}

TEST_F(ServerTest, ConnectionsAreBoundedAndTheOneTooManyIsTold) {
  options_.limits.connections = 8;
  options_.limits.admin_connections = 2;
  std::atomic<int> asked = 0;
  options_.peer_of = [&](int) {
    ++asked;
    return Peer{12345, {12345}};  // nobody special
  };
  start();
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 8; ++i) {
    held.push_back(std::make_unique<RawClient>(path_));
    EXPECT_EQ(status_of(held.back()->ask(get("/v1"))), 200);
  }
  for (int i = 0; i < 500; ++i) {
    RawClient refused(path_);
    const std::string reply = refused.receive();
    ASSERT_EQ(status_of(reply), 503) << i;
    ASSERT_NE(reply.find("Retry-After"), std::string::npos);
  }
  EXPECT_EQ(asked, 508);
  held.pop_back();
  // The place is free as soon as the server has seen the goodbye.
  for (int i = 0; i < 10'000 && status_of(RawClient(path_).ask(get("/v1"))) != 200; ++i) {
  }
  EXPECT_EQ(status_of(held.front()->ask(get("/v1"))), 200);
}

TEST_F(ServerTest, OneUserWhoTakesAllConnectionsShutsNobodyElseOut) {
  options_.limits.connections = 8;
  options_.limits.admin_connections = 0;
  std::atomic<uid_t> caller = 1001;
  options_.peer_of = [&](int) { return Peer{caller, {100}}; };
  start();
  std::vector<std::unique_ptr<RawClient>> hog;
  for (int i = 0; i < 8; ++i) {
    hog.push_back(std::make_unique<RawClient>(path_));
    ASSERT_EQ(status_of(hog.back()->ask(get("/v1"))), 200);
  }
  EXPECT_EQ(status_of(RawClient(path_).receive()), 503) << "he has them all himself";
  caller = 1002;
  std::vector<std::unique_ptr<RawClient>> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(std::make_unique<RawClient>(path_));
    ASSERT_EQ(status_of(others.back()->ask(get("/v1"))), 200) << i;
  }
  EXPECT_EQ(status_of(RawClient(path_).receive()), 503) << "half of them is his share";
  caller = 1001;
  EXPECT_EQ(status_of(RawClient(path_).receive()), 503) << "and nobody gets it back by asking again";
  for (const auto& each : others) EXPECT_EQ(status_of(each->ask(get("/v1"))), 200);
  EXPECT_EQ(status_of(hog.back()->ask(get("/v1"))), 200) << "the one that was idle the longest went first";
}

TEST_F(ServerTest, OneUserWhoTakesAllWatchesShutsNobodyElseOut) {
  options_.limits.watchers = 2;
  options_.limits.watch_pause = 1ms;
  std::atomic<uid_t> caller = 1001;
  options_.peer_of = [&](int) { return Peer{caller, {100}}; };
  start();
  RawClient first(path_), second(path_);
  for (RawClient* each : {&first, &second}) {
    each->send(get("/v1/runs?watch=true"));
    each->receive("\r\n\r\n");
  }
  EXPECT_EQ(status_of(ask(get("/v1/runs?watch=true"))), 503);
  caller = 1002;
  RawClient other(path_);
  other.send(get("/v1/runs?watch=true"));
  EXPECT_EQ(status_of(other.receive("\r\n\r\n")), 200);
}

TEST_F(ServerTest, WithoutDescriptorsAnIdleConnectionMakesRoom) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizers look at an object's type through a pipe, for which no descriptor is left";
#endif
#endif
  options_.log = {};
  start();
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 4; ++i) {
    idle.push_back(std::make_unique<RawClient>(path_));
    ASSERT_EQ(status_of(idle.back()->ask(get("/v1"))), 200);
  }
  std::vector<int> filler;
  for (int fd = dup(0); fd >= 0; fd = dup(0)) filler.push_back(fd);
  close(filler.back());  // for the client; there is none for the server
  filler.pop_back();
  const std::string reply = ask(get("/v1"));
  for (const int fd : filler) close(fd);
  EXPECT_EQ(status_of(reply), 200);
  EXPECT_EQ(status_of(idle.back()->ask(get("/v1"))), 200) << "the one that was idle the longest made it";
}

// Asks for more at once than the socket takes, and reads nothing.
std::unique_ptr<RawClient> who_reads_nothing(const std::string& path) {
  auto client = std::make_unique<RawClient>(path);
  std::string requests;
  for (int i = 0; i < 16; ++i) requests += get("/v1/openapi.json");
  client->send(requests);
  return client;
}

std::size_t held_bytes(const std::string& metrics) {
  static constexpr std::string_view kName = "\netad_http_held_bytes ";
  const std::size_t found = metrics.find(kName);
  return found == std::string::npos ? 0 : std::stoul(metrics.substr(found + kName.size()));
}

TEST_F(ServerTest, AnswersThatOneUserDoesNotReadAreBounded) {
  options_.limits.held_bytes = 400'000;
  std::atomic<uid_t> caller = 1001;
  options_.peer_of = [&](int) { return Peer{caller, {100}}; };
  start();
  RawClient patient(path_);
  EXPECT_EQ(status_of(patient.ask(get("/v1"))), 200);
  std::vector<std::unique_ptr<RawClient>> hog;
  for (int i = 0; i < 20; ++i) hog.push_back(who_reads_nothing(path_));
  std::string refused;
  for (int i = 0; i < 10'000 && status_of(refused) != 503; ++i) refused = patient.ask(get("/v1"));
  EXPECT_EQ(status_of(refused), 503);
  EXPECT_NE(refused.find("Retry-After"), std::string::npos);
  EXPECT_NE(refused.find("wait to be read"), std::string::npos) << refused;
  caller = 1002;
  const std::string metrics = ask(get("/metrics"));
  EXPECT_EQ(status_of(metrics), 200) << "another user has his own share";
  EXPECT_GT(held_bytes(metrics), 60'000U);
  EXPECT_LE(held_bytes(metrics), 200'000U + 70'000U) << "half of all, and an answer more";
  EXPECT_EQ(metrics.find("etad_http_refused_requests_total 0\n"), std::string::npos);
  hog.clear();
  for (int i = 0; i < 10'000 && status_of(refused) != 200; ++i) refused = patient.ask(get("/v1"));
  EXPECT_EQ(status_of(refused), 200) << "nothing of his waits any more";
}

TEST_F(ServerTest, AnswersThatOneUserDoesNotReadAreBoundedWhereManyWereBeingMadeAtOnce) {
  options_.limits.held_bytes = 2'000'000;
  std::atomic<uid_t> caller = 1001;
  options_.peer_of = [&](int) { return Peer{caller, {100}}; };
  std::promise<void> go_on;
  backend_.list_networks = [gate = go_on.get_future().share()] {  // a worker may still be in it at the end
    gate.wait();
    NetworkRow row;
    row.network = std::string(400'000, 'x');
    return std::vector<NetworkRow>{row};
  };
  start();
  std::vector<std::unique_ptr<RawClient>> hog;
  for (int i = 0; i < 20; ++i) {
    hog.push_back(std::make_unique<RawClient>(path_));
    hog.back()->send(get("/v1/networks"));
  }
  EXPECT_EQ(status_of(ask(get("/v1"))), 200) << "all of them are at work by now";
  caller = 1002;
  go_on.set_value();
  std::string metrics;
  for (int i = 0; i < 10'000 && metrics.find("refused_requests_total 17\n") == std::string::npos; ++i)
    metrics = ask(get("/metrics"));
  EXPECT_LE(held_bytes(metrics), 1'000'000U + 400'200U) << "half of all, and an answer more";
  EXPECT_NE(metrics.find("refused_requests_total 17\n"), std::string::npos) << metrics;
}

TEST_F(ServerTest, AnswersThatManyUsersDoNotReadAreBoundedTogether) {
  options_.limits.held_bytes = 400'000;
  std::atomic<uid_t> caller = 1001;
  options_.peer_of = [&](int) { return Peer{caller++, {100}}; };
  start();
  std::vector<std::unique_ptr<RawClient>> hogs;
  for (int i = 0; i < 40; ++i) hogs.push_back(who_reads_nothing(path_));
  std::string metrics = ask(get("/metrics"));
  for (int i = 0; i < 10'000 && metrics.find("refused_requests_total 0\n") != std::string::npos; ++i)
    metrics = ask(get("/metrics"));
  EXPECT_EQ(status_of(metrics), 200) << "there is always room for one more";
  EXPECT_GT(held_bytes(metrics), 200'000U);
  EXPECT_LE(held_bytes(metrics), 400'000U + 70'000U);
}

TEST_F(ServerTest, BodiesThatDoNotEndAreBounded) {
  options_.limits.held_bytes = 400'000;
  options_.peer_of = [](int) { return Peer{1001, {100}}; };
  start();
  const std::string head = "POST /v1/estimate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100001\r\n\r\n";
  std::vector<std::unique_ptr<RawClient>> hog;
  std::string refused;
  for (int i = 0; i < 20 && refused.empty(); ++i) {
    hog.push_back(std::make_unique<RawClient>(path_));
    hog.back()->send(head + std::string(100'000, ' '));
    for (int k = 0; k < 100 && refused.empty(); ++k)
      for (const auto& each : hog)
        if (each->has_answer()) refused = each->reply();
  }
  EXPECT_EQ(status_of(refused), 503) << refused;
  EXPECT_LE(hog.size(), 5U);
}

// What has come whole waits for a worker.
TEST_F(ServerTest, BodiesOfRequestsThatWaitAreBounded) {
  options_.limits.held_bytes = 400'000;
  options_.peer_of = [](int) { return Peer{1001, {100}}; };
  std::promise<void> go_on;
  backend_.list_networks = [gate = go_on.get_future().share()] {  // a worker may still be in it at the end
    gate.wait();
    return std::vector<NetworkRow>();
  };
  start();
  RawClient one(path_), two(path_);
  one.send(get("/v1/networks"));
  two.send(get("/v1/networks"));
  EXPECT_EQ(status_of(ask(get("/v1"))), 200) << "the workers are at work by now";
  const std::string request = post("/v1/estimate?phase=train&iterations=10", std::string(100'000, ' '));
  std::vector<std::unique_ptr<RawClient>> hog;
  std::string refused;
  for (int i = 0; i < 20 && refused.empty(); ++i) {
    hog.push_back(std::make_unique<RawClient>(path_));
    hog.back()->send(request);
    for (int k = 0; k < 100 && refused.empty(); ++k)
      for (const auto& each : hog)
        if (each->has_answer()) refused = each->reply();
  }
  go_on.set_value();
  EXPECT_EQ(status_of(refused), 503) << refused;
  EXPECT_LE(hog.size(), 5U);
}

TEST_F(ServerTest, PlacesAreKeptForThoseWhoMayChangeThings) {
  options_.limits.connections = 1;
  options_.limits.admin_connections = 1;
  start();  // we are the daemon's own user
  RawClient first(path_), second(path_);
  EXPECT_EQ(status_of(first.ask(get("/v1"))), 200);
  EXPECT_EQ(status_of(second.ask(get("/v1"))), 200);
  EXPECT_EQ(status_of(RawClient(path_).receive()), 503);
}

TEST_F(ServerTest, WhoMayNotChangeThingsIsToldBeforeTheBody) {
  options_.peer_of = [](int) { return Peer{12345, {12345}}; };
  start();
  RawClient client(path_);
  client.send("POST /v1/imports HTTP/1.1\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(status_of(client.receive()), 403);
  EXPECT_EQ(status_of(ask(get("/v1/runs"))), 200);
}

TEST_F(ServerTest, TheAdminGroupMayChangeThings) {
  options_.access.admin_group = 4711;
  options_.peer_of = [](int) { return Peer{12345, {100, 4711}}; };
  start();
  EXPECT_EQ(status_of(ask(post("/v1/refit", ""))), 200);
}

// The real thing, with real credentials: needs root to become somebody else.
TEST_F(ServerTest, TheKernelSaysWhoThePeerIs) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  options_.access.own_uid = 65533;
  options_.access.admin_group = 4711;
  start();
  chmod(history_.dir().file("").c_str(), 0755);
  const auto status_as = [&](uid_t uid, std::vector<gid_t> groups) {
    const pid_t child = fork();
    if (child == 0) {  // from here on: system calls and our own client only
      if (setgroups(groups.size(), groups.data()) != 0 || setgid(65534) != 0 || setuid(uid) != 0) _exit(1);
      _exit(status_of(RawClient(path_).ask(post("/v1/refit", ""))) == 200 ? 42 : 43);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(status_as(65534, {}), 43);
  EXPECT_EQ(status_as(65533, {}), 42);            // the daemon's own user
  EXPECT_EQ(status_as(65534, {4710, 4711}), 42);  // by a supplementary group
  EXPECT_EQ(status_as(0, {}), 42);
}

TEST_F(ServerTest, ADeadSocketFileIsReplacedALivingDaemonIsNot) {
  close(bound_socket());  // a daemon that was killed: its socket is closed, its file stays
  start();
  const auto second = Server::listen(options_, backend_, history_.reader(), live_);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another daemon"), std::string::npos);
  EXPECT_EQ(status_of(ask(get("/v1"))), 200);
}

TEST_F(ServerTest, WhatIsNoSocketIsNotTouched) {
  std::ofstream(path_) << "precious";
  const auto server = Server::listen(options_, backend_, history_.reader(), live_);
  ASSERT_FALSE(server);
  EXPECT_EQ(std::filesystem::file_size(path_), 8U);
  options_.socket_path = std::string(200, 'x');
  EXPECT_FALSE(Server::listen(options_, backend_, history_.reader(), live_));
}

TEST_F(ServerTest, TheSocketsModeIsAsAsked) {
  options_.world_accessible = false;
  start();
  struct stat found {};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0660U);
}

TEST_F(ServerTest, AnInheritedSocketIsServedAndItsFileLeftAlone) {
  inherit_socket();
  start();
  EXPECT_EQ(status_of(ask(get("/v1"))), 200);
  stop();
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(ServerTest, APingIsAnsweredByALivingThread) {
  start();
  std::promise<void> answered;
  server_->ping([&] { answered.set_value(); });
  EXPECT_EQ(answered.get_future().wait_for(120s), std::future_status::ready);
}

}  // namespace
}  // namespace etad::service::testing
