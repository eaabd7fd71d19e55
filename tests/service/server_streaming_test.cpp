// Bodies that come in pieces, and answers that go out in pieces: imports, backups, watches.
#include <future>
#include <thread>

#include "tests/service/gzip.h"
#include "tests/service/server_fixture.h"

namespace etad::service::testing {
namespace {

using namespace std::chrono_literals;

TEST_F(ServerTest, AnImportIsStreamedPlainChunkedAndCompressed) {
  start();
  EXPECT_EQ(status_of(ask(post("/v1/imports?name=a.log&format=caffe", "one\ntwo\n"))), 200);
  EXPECT_EQ(backend_.content, "one\ntwo\n");
  EXPECT_EQ(backend_.import_request.name, "a.log");
  backend_.content.clear();
  RawClient chunked(path_);
  const std::string reply = chunked.ask(
      "POST /v1/imports HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n");
  EXPECT_EQ(status_of(reply), 200);
  EXPECT_NE(reply.find("\"lines\":2"), std::string::npos);
  EXPECT_EQ(backend_.content, "one\ntwo\n");
}

TEST_F(ServerTest, ACompressedImportIsInflatedByContentOrByHeader) {
  start();
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string two_members = gzip(text.substr(0, 1000)) + gzip(text.substr(1000));
  for (const auto& [body, header] : std::vector<std::pair<std::string, std::string>>{
           {gzip(text), ""},
           {two_members, ""},
           {gzip(text), "Content-Encoding: gzip\r\n"},
           {gzip(gzip(text)), "Content-Encoding: gzip\r\n"},
       }) {
    backend_.content.clear();
    EXPECT_EQ(status_of(ask(post("/v1/imports", body, header))), 200);
    EXPECT_EQ(backend_.content, text);
  }
  const std::string whole = gzip(text);
  EXPECT_EQ(status_of(ask(post("/v1/imports", whole.substr(0, whole.size() / 2)))), 422);
  EXPECT_EQ(status_of(ask(post("/v1/imports", "plain", "Content-Encoding: gzip\r\n"))), 422);
  EXPECT_EQ(status_of(ask(post("/v1/imports", "x", "Content-Encoding: br\r\n"))), 415);
}

TEST_F(ServerTest, AFailedImportIsToldAndLeavesTheSessionUnfinished) {
  start();
  EXPECT_EQ(status_of(ask(post("/v1/imports?format=unheard-of", "x\n"))), 422);
  const std::string reply = ask(post("/v1/imports", "poison\n"));
  EXPECT_EQ(status_of(reply), 422);
  EXPECT_NE(reply.find("take it out"), std::string::npos);
  EXPECT_FALSE(backend_.finished);
}

TEST_F(ServerTest, AnImportCutShortIsNotFinished) {
  start();
  {
    RawClient client(path_);
    client.send("POST /v1/imports HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf a li");
    client.shut_down();
    EXPECT_EQ(status_of(client.receive()), 422);
  }
  EXPECT_FALSE(backend_.finished);
}

TEST_F(ServerTest, AContinueIsSentBeforeALargeBody) {
  start();
  RawClient client(path_);
  client.send("POST /v1/imports HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(status_of(client.reply()), 100);
  client.send("one\n");
  EXPECT_EQ(status_of(client.reply()), 200);
}

TEST_F(ServerTest, ABackupIsSentAndItsFileRemoved) {
  start();
  EXPECT_EQ(status_of(ask(post("/v1/backup", ""))), 507);
  backend_.backup_file = history_.dir().file("copy.db");
  const std::string content(3'000'000, 'x');
  std::ofstream(backend_.backup_file) << content;
  RawClient client(path_);
  const std::string reply = client.ask(post("/v1/backup", ""));
  EXPECT_EQ(status_of(reply), 200);
  EXPECT_TRUE(reply.ends_with("\r\n\r\n" + content));
  EXPECT_FALSE(std::filesystem::exists(backend_.backup_file));
  EXPECT_EQ(status_of(client.ask(get("/v1"))), 200);
}

TEST_F(ServerTest, AWatchTellsChangesAsTheyCome) {
  options_.limits.watch_pause = 1ms;
  start();
  RawClient client(path_);
  client.send(get("/v1/runs?watch=true&state=running"));
  std::string seen = client.receive("\"iteration\":200");
  EXPECT_NE(seen.find("application/x-ndjson"), std::string::npos);
  history_.go_on(300);
  server_->changed();
  client.receive("\"iteration\":300");
  history_.go_on(1000);
  server_->changed();
  client.receive("\"state\":\"finished\"");
}

TEST_F(ServerTest, AWatchEndsWhoseUserHasTooMuchThatHeDoesNotRead) {
  options_.limits.watch_pause = 1ms;
  options_.limits.held_bytes = 400'000;
  start();
  RawClient watch(path_), hog(path_);
  watch.send(get("/v1/runs?watch=true&state=running"));
  watch.receive("\"iteration\":200");
  backend_.list_networks = [] {
    NetworkRow row;
    row.network = std::string(600'000, 'x');
    return std::vector<NetworkRow>{row};
  };
  hog.send(get("/v1/networks"));
  ASSERT_TRUE(hog.receive("HTTP/1.1 200").starts_with("HTTP/1.1 200"));
  history_.go_on(300);
  server_->changed();
  EXPECT_EQ(watch.receive("\"iteration\":300").find("\"iteration\":300"), std::string::npos);
}

TEST_F(ServerTest, AWatchTellsThatARunHangsThoughNothingIsCommitted) {
  options_.limits.watch_pause = 1ms;
  options_.limits.watch_heartbeat = 5ms;
  const Instant last_line = kNow - std::chrono::hours{1} + std::chrono::seconds{60};
  std::atomic<bool> hours_later = false;
  options_.now = [&] { return hours_later ? kNow : last_line; };
  start();
  RawClient client(path_);
  client.send(get("/v1/runs?watch=true&state=running"));
  client.receive("\"stalled\":false");
  client.receive("1\r\n\n\r\n");  // quiet: time that merely passes is no change
  hours_later = true;
  client.receive("\"stalled\":true");
  stop();
}

// Whoever watches knows at once that the connection is there.
TEST_F(ServerTest, AWatchThatNoRunMatchesSaysThatItHasBegun) {
  start();
  RawClient client(path_);
  client.send(get("/v1/runs?watch=true&state=stopped"));
  client.receive("1\r\n\n\r\n");
}

TEST_F(ServerTest, AQuietWatchHasAHeartbeatAndEndsWithTheServer) {
  options_.limits.watch_pause = 1ms;
  options_.limits.watch_heartbeat = 5ms;
  start();
  RawClient client(path_);
  client.send(get("/v1/runs?watch=true&state=stopped"));
  client.receive("1\r\n\n\r\n1\r\n\n\r\n");
  stop();
  EXPECT_TRUE(client.receive().ends_with("0\r\n\r\n"));
}

// Commits that are none of a watch's were taken for a sign of life of it.
TEST_F(ServerTest, AQuietWatchHasAHeartbeatWhateverElseIsCommitted) {
  options_.limits.watch_pause = 1ms;
  options_.limits.watch_heartbeat = 50ms;
  start();
  RawClient client(path_);
  client.send(get("/v1/runs?watch=true&state=stopped"));
  client.receive("1\r\n\n\r\n");
  for (int i = 0; i < 10'000 && !client.has_answer(); ++i) server_->changed();
  EXPECT_TRUE(client.has_answer());
}

}  // namespace
}  // namespace etad::service::testing
