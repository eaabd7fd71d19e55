#include "daemon/service/privacy.h"

#include "daemon/service/router.h"
#include "tests/service/fixtures.h"

namespace etad::service::testing {
namespace {

// What is shown of a run to somebody else, who may not change things.
TEST(Privacy, LeavesOfAnothersRunItsNetworkItsSizesAndItsTimes) {
  RunRow row;
  row.id = 7;
  row.owner = 1001;
  row.source = "/home/alice/secret.log";
  row.labels = row.label_origins = row.run.settings = {{"snapshot_prefix", "/home/alice/next-paper"}};
  row.run.message = "alice's last words";
  row.run.host = "gpu1";
  row.run.network = "LeNet";
  row.run.train.batch_size = 64;
  row.run.started_at = kNow;
  const Privacy wanted(true), open(false);
  Request bob, alice, admin, nobody;
  bob.uid = 1002;
  alice.uid = 1001;
  admin.uid = 1003;
  admin.may_change = true;
  for (const Request* other : {&bob, &nobody}) {
    const RunRow shown = wanted.shown(row, *other);
    EXPECT_EQ(shown.source + shown.run.message + shown.run.host, "");
    EXPECT_TRUE(shown.labels.empty() && shown.label_origins.empty() && shown.run.settings.empty());
    EXPECT_EQ(shown.run.network, "LeNet");
    EXPECT_EQ(shown.run.train.batch_size, 64);
    EXPECT_EQ(shown.run.started_at, kNow);
    EXPECT_EQ(open.shown(row, *other).source, row.source);
  }
  EXPECT_EQ(wanted.shown(row, alice).source, row.source);
  EXPECT_EQ(wanted.shown(row, admin).source, row.source);
  row.owner.reset();
  EXPECT_EQ(wanted.shown(row, alice).source, "") << "whose it is is not known";
}

TEST(Privacy, OfOthersPrivateRunsNeitherLogsNorLossesAreTold) {
  History history;
  FakeBackend backend;
  backend.health_.started_at = kNow - std::chrono::minutes{2};
  const auto reader = history.reader();
  prediction::LiveRuns live(*reader);
  Router router({"1", [] { return kNow; }, [] { return ServiceCounters{}; }, {}, true}, backend, *reader,
                live);
  backend.open_reader = [&] { return history.reader(); };
  backend.statuses = {{"/home/alice/unread.log", "waiting: permission denied"}};
  backend.health_.failures = {{"sources", "1 can't be read; /home/alice/unread.log", ""}};
  backend.health_.notes = {
      {Health::Noted::folders, "can't be looked into", "", {"/home/alice/x.log: denied"}, 1},
      {Health::Noted::rotated, "grow and are not read", "", {"/home/alice/exp.log"}, 1},
      {Health::Noted::patterns, "match no file", "", {"/data/*.csv"}, 1}};
  std::vector<SourceCommit> unknown(1);
  unknown[0].source.path = "/home/alice/other.log";
  unknown[0].source.lines = 3;
  ASSERT_TRUE(history.writer().commit(unknown, kNow));
  Request bob;
  bob.method = "GET";
  bob.uid = 1002;
  const auto tells_nothing = [](const std::string& said, const std::string& where) {
    for (const char* told :
         {".log", "SGD", "max_iter", "\"loss\":0", "\"loss\":1", "\"loss\":2", "\"usage\""})
      EXPECT_EQ(said.find(told), std::string::npos) << where << " tells " << told << ": " << said;
  };
  for (const char* target : {"/v1/runs", "/v1/runs/1", "/v1/runs/2", "/v1/sources", "/v1/runs/1/progress",
                             "/v1/runs/1/progress?points=5", "/v1/health"}) {
    bob.target = target;
    const Outcome outcome = router.handle(bob);
    const auto* work = std::get_if<Work>(&outcome);
    const Reply reply = work != nullptr ? work->job() : std::get<Reply>(outcome);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    tells_nothing(reply.body, target);
  }
  bob.target = "/v1/health";
  const std::string health = std::get<Reply>(router.handle(bob)).body;
  for (const char* told : {"can't be looked into", "grow and are not read", "fits no format", "/data/*.csv"})
    EXPECT_NE(health.find(told), std::string::npos) << "that there are such, and the configuration, is told";
  bob.target = "/v1/runs?watch=true";
  Watched watched;
  const std::string lines = router.changes(std::get<Watch>(router.handle(bob)), watched);
  EXPECT_NE(lines.find("LeNet"), std::string::npos);
  tells_nothing(lines, "a watch");
}

// A total with fewer tests would be another total, without a word.
TEST(Privacy, WhatIsLikeAnothersRunTakesItsPlanAndTellsNoSettings) {
  History history;
  FakeBackend backend;
  auto set = std::make_shared<ModelSet>();
  set->models = held({fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.0006),
                      fitted(2, "LeNet", Phase::test, 0, 0.01, 0.0004, {100, 100})});
  backend.model_set = set;
  const auto reader = history.reader();
  prediction::LiveRuns live(*reader);
  Router router({"1", [] { return kNow; }, [] { return ServiceCounters{}; }, {}, true}, backend, *reader,
                live);
  Request bob;
  bob.method = "GET";
  bob.uid = 1002;
  bob.target = "/v1/estimate?like=1";
  const Reply reply = std::get<Reply>(router.handle(bob));
  const auto answer = json::parse(reply.body).as_object();
  ASSERT_EQ(reply.status, 200U) << reply.body;
  EXPECT_EQ(answer.at("test_interval"), 500);
  EXPECT_EQ(answer.at("test_iterations"), 10);
  EXPECT_EQ(answer.if_contains("settings"), nullptr);

  backend.model_set = std::make_shared<ModelSet>();
  const Reply alone = std::get<Reply>(router.handle(bob));
  EXPECT_EQ(alone.status, 200U) << alone.body;
  EXPECT_EQ(alone.body.find("gpu1"), std::string::npos) << "nor where it ran, in no model: " << alone.body;
  bob.target = "/v1/estimate?like=1&host=gpu1";
  EXPECT_NE(std::get<Reply>(router.handle(bob)).status, 200U) << "nor whether it ran there";
}

}  // namespace
}  // namespace etad::service::testing
