#include <algorithm>

#include "parsers/network/net_text.h"
#include "prediction/knowledge.h"
#include "tests/service/router_fixture.h"

namespace etad::service::testing {
namespace {

constexpr char kNet[] =
    "name: 'mine' layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 3 dim: 8 "
    "dim: 8 } } }\n"
    "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c' convolution_param { num_output: 4 "
    "kernel_size: 3 } }\n";

TEST_F(RouterTest, ANetworkThatIsShownIsReadOrRefusedWithTheReason) {
  const auto shown = [&](const std::string& query, const std::string& body, unsigned status) {
    const Reply reply = ask("/v1/estimate?" + query, "POST", body, false);
    EXPECT_EQ(reply.status, status) << reply.body;
    return json::parse(reply.body).as_object();
  };
  const std::string query = "phase=train&batch_size=8&iterations=10";
  EXPECT_EQ(shown(query, "", 422).at("title"), "Unreadable network");
  EXPECT_EQ(shown(query, "hello\n", 422).at("title"), "Unreadable network");
  EXPECT_EQ(shown(query, std::string(kNet) + "layer {", 422).at("title"), "Unreadable network");
  const auto alone = shown(query, kNet, 404);
  EXPECT_EQ(alone.at("title"), "Nothing to compare with");
  EXPECT_NE(alone.at("detail").as_string().find("mine"), std::string::npos);
  EXPECT_EQ(shown("phase=train&iterations=10", kNet, 400).at("parameter"), "batch_size")
      << "that of a deployed net is not meant";
  EXPECT_EQ(shown("phase=train&batch_size=8", kNet, 400).at("parameter"), "iterations");
  std::string odd = kNet;
  odd.replace(odd.find("Convolution"), 11, "Mine");
  const auto unknown = shown(query, odd, 404);
  EXPECT_EQ(unknown.at("title"), "Unknown costs");
  EXPECT_NE(unknown.at("detail").as_string().find("Mine"), std::string::npos) << unknown.at("detail");
}

TEST_F(RouterTest, ATotalsTestsAreOfTheSizeThatTheNetSaysForTraining) {
  auto train = fitted(1, "mine", Phase::train, 0.5, 0.01, 0.0006);
  auto test = fitted(2, "mine", Phase::test, 0, 0.01, 0.0004);
  train.key.architecture = test.key.architecture = read_network(kNet, Phase::train)->architecture;
  std::vector<RunData> runs(1);
  runs[0].iterations = 100;
  runs[0].samples_per_iteration = 64;
  runs[0].duration = std::chrono::seconds{4};
  auto set = std::make_shared<ModelSet>();
  set->knowledge =
      prediction::Knowledge::of({{train.key, prediction::data_of(train.key, runs)}}, nullptr, [] {});
  set->models = held({train, test});
  backend_.model_set = set;
  const std::string total = "/v1/estimate?phase=total&iterations=100&test_interval=50&test_iterations=5";
  const auto shown = [&](const std::string& query, const std::string& net, unsigned status) {
    const Reply reply = ask(total + query, "POST", net, false);
    EXPECT_EQ(reply.status, status) << reply.body;
    return json::parse(reply.body).as_object();
  };
  EXPECT_EQ(shown("&batch_size=64", kNet, 400).at("parameter"), "test_batch_size")
      << "that of a deployed net is not meant";
  EXPECT_EQ(shown("&batch_size=64&test_batch_size=32", kNet, 200).at("test_batch_size"), 32);
  std::string told = kNet;
  told.replace(told.find("dim: 1"), 6, "dim: 16");
  EXPECT_EQ(shown("", told, 200).at("test_batch_size"), 16) << "and the answer says so";
}

TEST_F(RouterTest, TheIndexNamesVersionAndEndpoints) {
  const auto body = get("/v1");
  EXPECT_EQ(body.at("version"), "1.2.3");
  EXPECT_EQ(body.at("uptime_seconds").to_number<double>(), 120);
  const auto& endpoints = body.at("endpoints").as_array();
  EXPECT_NE(std::find(endpoints.begin(), endpoints.end(), json::value("GET /v1/estimate")), endpoints.end());
}

TEST_F(RouterTest, HealthIsOkOrNamesEachFailingPart) {
  auto body = get("/v1/health");
  EXPECT_EQ(body.at("status"), "ok");
  EXPECT_EQ(body.at("history").at("runs"), 3);
  EXPECT_EQ(body.at("notes"), json::parse("[]"));
  backend_.health_.notes = {{Health::Noted::patterns, "match no file", "mend paths", {"/a/*.log"}, 1}};
  EXPECT_EQ(get("/v1/health").at("notes"), json::parse(R"([{"part":"patterns","why":"match no file",
    "hint":"mend paths","count":1,"subjects":["/a/*.log"]}])"));
  EXPECT_EQ(get("/v1/health").at("status"), "ok") << "it may be meant so";
  backend_.health_.failures = {{"sources", "2 files can't be read", "see etactl sources"}};
  body = get("/v1/health");
  EXPECT_EQ(body.at("status"), "degraded");
  EXPECT_EQ(body.at("failing").at(0).at("part"), "sources");
  EXPECT_EQ(body.at("failing").at(0).at("hint"), "see etactl sources");
}

TEST_F(RouterTest, TheDescriptionKnowsEveryPartThatHealthNotes) {
  const auto described = get("/v1/openapi.json");
  json::array parts;
  for (std::size_t i = 0; i < Health::kNoted.size(); ++i) {
    backend_.health_.notes = {{static_cast<Health::Noted>(i), "", "", {}, 1}};
    parts.push_back(get("/v1/health").at("notes").at(0).at("part"));
  }
  EXPECT_EQ(json::value(described).at_pointer(
                "/components/schemas/Health/properties/notes/items/properties/part/enum"),
            parts);
}

TEST_F(RouterTest, TheRunObjectIsAsPromised) {
  const auto run = get("/v1/runs/1");
  EXPECT_EQ(run.at("id"), 1);
  EXPECT_EQ(run.at("source"), "/var/log/caffe/lenet.log");
  EXPECT_EQ(run.at("framework"), "caffe");
  EXPECT_EQ(run.at("network"), "LeNet");
  EXPECT_EQ(run.at("architecture"), "9c1d7a52");
  EXPECT_EQ(run.at("host"), "gpu1");
  EXPECT_EQ(run.at("device"), "Tesla K80");
  EXPECT_TRUE(run.at("devices").is_null()) << "its log does not say";
  EXPECT_EQ(run.at("state"), "finished");
  EXPECT_EQ(run.at("started_at"), "2026-11-21T09:00:00Z");
  EXPECT_EQ(run.at("ended_at"), "2026-11-21T09:01:00Z");
  EXPECT_EQ(run.at("wall_seconds").to_number<double>(), 60);
  EXPECT_TRUE(get("/v1/runs/3").at("wall_seconds").is_null()) << "it is running";
  EXPECT_EQ(run.at("settings").at("max_iter"), "1000");
  EXPECT_EQ(run.at("train"),
            json::parse(
                R"({"batch_size":64,"samples_per_iteration":64,"tokens_per_iteration":null,"iterations":1000,
                                             "seconds":50,"segments":10})"));
  EXPECT_EQ(run.at("test").at("iterations"), 10);
  EXPECT_EQ(run.at("test").at("seconds").to_number<double>(), 0.5);
  EXPECT_EQ(run.at("progress").at("iteration"), 1000);
  EXPECT_EQ(run.at("progress").at("of"), 1000);
  EXPECT_NEAR(run.at("progress").at("loss").as_double(), 0.2, 1e-6) << "the last one it showed";
  EXPECT_TRUE(run.at("remaining").is_null());
  EXPECT_TRUE(run.at("expected_end").is_null());
}

TEST_F(RouterTest, RunsComeNewestFirstInPages) {
  auto page = get("/v1/runs?limit=2");
  ASSERT_EQ(page.at("runs").as_array().size(), 2U);
  EXPECT_EQ(page.at("runs").at(0).at("id"), 3);
  ASSERT_TRUE(page.at("next").is_string());
  page = get("/v1/runs?limit=2&cursor=" + std::string(page.at("next").as_string()));
  ASSERT_EQ(page.at("runs").as_array().size(), 1U);
  EXPECT_EQ(page.at("runs").at(0).at("id"), 1);
  EXPECT_TRUE(page.at("next").is_null());
}

TEST_F(RouterTest, SegmentsAndProgressAreTheDataBehindARun) {
  auto body = get("/v1/runs/1/segments?limit=4");
  ASSERT_EQ(body.at("segments").as_array().size(), 4U);
  const auto& first = body.at("segments").at(0).as_object();
  for (const char* key :
       {"phase", "iterations", "samples_per_iteration", "seconds", "first_iteration", "started_at"}) {
    EXPECT_TRUE(first.contains(key)) << key;
  }
  std::size_t seen = 4;
  while (body.at("next").is_string()) {
    body = get("/v1/runs/1/segments?limit=4&cursor=" + std::string(body.at("next").as_string()));
    seen += body.at("segments").as_array().size();
  }
  EXPECT_EQ(seen, 11U);
  body = get("/v1/runs/1/progress");
  ASSERT_EQ(body.at("points").as_array().size(), 10U);
  EXPECT_EQ(body.at("points").at(1).at("iteration"), 100);
  EXPECT_EQ(body.at("points").at(1).at("loss").to_number<double>(), 1.0);
}

TEST_F(RouterTest, SnapshotsAreToldApartFromDisplayedPoints) {
  history_.save(150, kNow);
  const auto thinned = get("/v1/runs/3/progress?points=2");
  EXPECT_EQ(thinned.at("points").as_array().size(), 2U);
  ASSERT_EQ(thinned.at("snapshots").as_array().size(), 1U);
  EXPECT_EQ(thinned.at("snapshots").at(0).at("iteration"), 150);
  EXPECT_FALSE(thinned.at("snapshots").at(0).at("at").is_null());
  const auto page = get("/v1/runs/3/progress");
  EXPECT_EQ(page.at("points").at(2).at("snapshot"), true);
  EXPECT_TRUE(page.at("points").at(2).at("loss").is_null());
  EXPECT_EQ(get("/v1/runs/3").at("progress").at("loss").to_number<double>(), 1.0)
      << "the last that was shown";
}

TEST_F(RouterTest, WhatIsNotThereIsA404WithWhatIsNear) {
  EXPECT_EQ(get("/v1/runs/99", 404).at("status"), 404);
  get("/v1/runs/abc", 404);
  get("/v1/runs/1/", 404);
  get("/v1/runs/0x1/segments", 404);
  get("/v1/models/77", 404);
  get("/v1/series/nosuch", 404);
  const auto body = get("/v1/estimates", 404);
  EXPECT_EQ(body.at("candidates").at(0), "/v1/estimate");
}

TEST_F(RouterTest, AWrongMethodIsToldTheRightOnes) {
  const Reply reply = ask("/v1/runs", "DELETE");
  EXPECT_EQ(reply.status, 405U);
  ASSERT_EQ(reply.headers.size(), 1U);
  EXPECT_EQ(reply.headers[0], (std::pair<std::string, std::string>{"Allow", "GET, HEAD"}));
  EXPECT_EQ(reply.type, "application/problem+json");
  EXPECT_EQ(ask("/v1/refit", "GET").headers[0].second, "POST");
  EXPECT_EQ(ask("/v1/runs", "HEAD").status, 200U);
}

TEST_F(RouterTest, ParametersAreCheckedByName) {
  for (const auto& [target, parameter] : std::vector<std::pair<std::string, std::string>>{
           {"/v1/runs?limit=0", "limit"},
           {"/v1/runs?limit=ten", "limit"},
           {"/v1/runs?state=done", "state"},
           {"/v1/runs?since=yesterday", "since"},
           {"/v1/runs?netwrok=LeNet", "netwrok"},
           {"/v1/runs?network=%zz", "network"},
           {"/v1/runs?network=a&network=b", "network"},
           {"/v1/runs?watch=maybe", "watch"},
           {"/v1/health?verbose=1", "verbose"},
           {"/v1/estimate?phase=train&iterations=10", "network"},
           {"/v1/estimate?network=&phase=train&iterations=10", "network"},
           {"/v1/next?network=", "network"},
           {"/v1/predictions?cursor=5", "cursor"},
           {"/v1/estimate?network=LeNet&iterations=10", "phase"},
           {"/v1/estimate?network=LeNet&phase=train", "iterations"},
           {"/v1/estimate?network=LeNet&phase=train&iterations=0", "iterations"},
           {"/v1/estimate?network=LeNet&phase=train&iterations=1&confidence=1", "confidence"},
           {"/v1/estimate?network=LeNet&phase=train&iterations=1&confidence=nan", "confidence"},
           {"/v1/estimate?network=LeNet&phase=total&iterations=10", "test_interval"},
           {"/v1/estimate?network=LeNet&phase=train&iterations=1&test_interval=5", "test_interval"},
       }) {
    const auto body = get(target, 400);
    EXPECT_EQ(body.at("parameter").as_string(), parameter) << target;
    EXPECT_NE(std::string(body.at("detail").as_string()).find(parameter), std::string::npos);
  }
  EXPECT_EQ(get("/v1/runs?netwrok=LeNet", 400).at("candidates").at(0), "network");
  EXPECT_NE(ask("/v1/next?network=LeNet&devices=").status, 400U) << "of an unknown number, as in estimates";
}

TEST_F(RouterTest, WhatIsOfATotalAloneIsSaidToBe) {
  const auto body = get("/v1/estimate?network=LeNet&phase=train&iterations=1&test_iterations=5", 400);
  EXPECT_EQ(body.at("detail"), "Parameter \"test_iterations\" is of a total alone: \"phase\" must be total.");
}

TEST_F(RouterTest, EpochsAreCountedByTheOnlyBatchSize) {
  const std::string epochs = "/v1/estimate?network=LeNet&epochs=3&samples_per_epoch=1000&phase=";
  EXPECT_EQ(get(epochs + "test").at("iterations"), 30);
  EXPECT_EQ(get(epochs + "train", 400).at("parameter"), "batch_size") << "it has several";
}

TEST_F(RouterTest, EpochsOfMoreIterationsThanANumberHoldsAreRefused) {
  const auto body = get(
      "/v1/estimate?network=LeNet&phase=train&batch_size=64&epochs=9e8&samples_per_epoch=1000000000000", 400);
  EXPECT_EQ(body.at("parameter"), "epochs");
}

TEST_F(RouterTest, ForeignRequestsAreRefused) {
  Request request;
  request.method = "GET";
  request.target = "/v1";
  request.host = "localhost";
  request.has_origin = true;
  EXPECT_EQ(std::get<Reply>(router_.handle(request)).status, 403U);
  request.has_origin = false;
  for (const char* host : {"", "localhost", "LOCALHOST", "localhost:80", "etad"}) {
    request.host = host;
    EXPECT_EQ(std::get<Reply>(router_.handle(request)).status, 200U) << host;
  }
  for (const char* host : {"example.org", "127.0.0.1", "etad.example.org", "localhost.example.org"}) {
    request.host = host;
    EXPECT_EQ(std::get<Reply>(router_.handle(request)).status, 403U) << host;
  }
}

TEST_F(RouterTest, ChangingNeedsTheRightTo) {
  for (const char* target : {"/v1/refit", "/v1/reload", "/v1/runs/1/labels", "/v1/imports", "/v1/backup"}) {
    EXPECT_EQ(ask(target, "POST", "{\"network\":\"x\"}", false).status, 403U) << target;
  }
  EXPECT_TRUE(backend_.labelled.empty());
  EXPECT_EQ(ask("/v1/refit", "POST").status, 200U);
}

TEST_F(RouterTest, LabelsComeAsJsonOrAsParameters) {
  EXPECT_EQ(
      ask("/v1/runs/1/labels", "POST", R"({"network": "LeNet5", "batch_size": 64, "host": null})").status,
      200U);
  EXPECT_EQ(backend_.labelled[1],
            (std::map<std::string, std::string>{{"batch_size", "64"}, {"host", ""}, {"network", "LeNet5"}}));
  EXPECT_EQ(ask("/v1/runs/2/labels?label.device=CPU", "POST").status, 200U);
  EXPECT_EQ(backend_.labelled[2].at("device"), "CPU");
  for (const char* body :
       {"", "{}", "[1]", "{\"network\": [1]}", "{\"batch_size\": 1.5}", "nonsense", "{\"a\":"}) {
    EXPECT_EQ(ask("/v1/runs/3/labels", "POST", body).status, 400U) << body;
  }
  EXPECT_EQ(ask("/v1/runs/3/labels?label.user=a", "POST", R"({"user": "b"})").status, 400U) << "which?";
  EXPECT_EQ(backend_.labelled.count(3), 0U);
  EXPECT_EQ(ask("/v1/runs/99/labels", "POST", "{\"network\":\"x\"}").status, 404U);
}

TEST_F(RouterTest, MistakesArePutRight) {
  EXPECT_EQ(change("DELETE", "/v1/runs/1").at("forgotten"), true);
  EXPECT_EQ(change("POST", "/v1/sources/1/reread").at("reread"), true);
  EXPECT_EQ(change("DELETE", "/v1/sources/1").at("forgotten"), true);
  EXPECT_EQ(backend_.put_right,
            (std::vector<std::string>{"forget run 1", "reread source 1", "forget source 1"}));
  EXPECT_EQ(change("DELETE", "/v1/owners/0").at("runs"), 3);
  change("DELETE", "/v1/owners/4711", 404);
  change("DELETE", "/v1/owners/-1", 404);
  change("DELETE", "/v1/owners/alice", 404);
  EXPECT_EQ(backend_.put_right.size(), 5U);
  change("DELETE", "/v1/runs/99", 404);
  change("DELETE", "/v1/sources/99", 404);
  change("POST", "/v1/sources/x/reread", 404);
  backend_.is_import = true;
  change("POST", "/v1/sources/1/reread", 422);
}

TEST_F(RouterTest, RefitAndReloadReport) {
  EXPECT_EQ(json::parse(ask("/v1/refit", "POST").body).at("fitted"), 3);
  EXPECT_EQ(ask("/v1/reload", "POST").body, "{\"reloaded\":true,\"after_restart\":[\"[alerts]\"]}\n");
  backend_.broken_config = true;
  const Reply reply = ask("/v1/reload", "POST");
  EXPECT_EQ(reply.status, 422U);
  EXPECT_NE(reply.body.find("etad.toml:3"), std::string::npos);
}

TEST_F(RouterTest, AnImportIsAStreamWithItsParameters) {
  Request request;
  request.method = "POST";
  request.target = "/v1/imports?name=%2Ftmp%2Fa+b.log&format=auto&label.batch_size=64&modified=2026-01-02";
  request.may_change = true;
  EXPECT_TRUE(router_.streams(request));
  const auto outcome = router_.handle(request);
  const auto& import = std::get<Import>(outcome).request;
  EXPECT_EQ(import.name, "/tmp/a b.log");
  EXPECT_EQ(import.format, "");
  EXPECT_EQ(import.labels.at("batch_size"), "64");
  EXPECT_EQ(import.modified, from_rfc3339("2026-01-02T00:00:00Z"));
}

TEST_F(RouterTest, ARunningRunSaysWhatRemains) {
  const auto run = get("/v1/runs?state=running").at("runs").at(0).as_object();
  ASSERT_TRUE(run.at("remaining").is_object());
  const double seconds = run.at("remaining").at("seconds").to_number<double>();
  // 800 iterations at 0.05 s and the tests at 500 and 1000 are 41 s; its last line is an hour ago, of which a
  // window's time is thought to be over.
  EXPECT_NEAR(seconds, 41 - 6, 4);
  EXPECT_TRUE(run.at("stalled").as_bool());
  EXPECT_NEAR(run.at("pace").at("seconds_per_iteration").to_number<double>(), 0.05, 0.005);
  EXPECT_LE(run.at("remaining").at("lower").to_number<double>(), seconds);
  EXPECT_GE(run.at("remaining").at("upper").to_number<double>(), seconds);
  EXPECT_TRUE(run.at("expected_end").is_string());
  EXPECT_TRUE(run.at("ended_at").is_null());
}

// A log of long ago that just ends: what remained is told as of its last line.
TEST_F(RouterTest, AnImportedRunThatJustEndsSaysWhatRemainedThen) {
  SourceCommit commit;
  commit.source.path = "/archive/lenet.log";
  commit.source.kind = "import";
  commit.source.format = "caffe";
  const Instant begun = kNow - std::chrono::hours{24 * 400};
  auto run = lenet(0, RunState::lost, begun);
  run.iteration = 200;
  for (std::int64_t w = 0; w < 2; ++w) {
    const Segment each = segment(Phase::train, w * 100, 100, 5.0, begun + std::chrono::seconds{5 * w});
    commit.records.segments.push_back({0, each});
    run.train.iterations += each.iterations;
    run.train.duration += each.duration;
    ++run.train.segments;
  }
  commit.records.runs.push_back(run);
  std::vector<SourceCommit> commits{commit};
  ASSERT_TRUE(history_.writer().commit(commits, kNow));
  const auto told = get("/v1/runs?state=lost").at("runs").at(0).as_object();
  ASSERT_TRUE(told.at("remaining").is_object());
  EXPECT_NEAR(told.at("remaining").at("seconds").to_number<double>(), 41, 4);
  EXPECT_FALSE(told.at("stalled").as_bool());
  EXPECT_TRUE(told.at("expected_end").is_null()) << "nothing was ever to happen then";
  EXPECT_TRUE(told.at("pace").is_null()) << "no iteration is to come";
}

TEST_F(RouterTest, AFinishedTimingRunHasDoneAllThatItsLogCountsNoneOf) {
  SourceCommit commit;
  commit.source.path = "/archive/timing.log";
  for (const RunState state : {RunState::finished, RunState::failed}) {
    auto run = lenet(static_cast<std::int64_t>(commit.records.runs.size()), state, kNow);
    run.job = Job::time;
    run.iteration.reset();
    run.max_iterations = 10;
    commit.records.runs.push_back(run);
  }
  std::vector<SourceCommit> commits{commit};
  ASSERT_TRUE(history_.writer().commit(commits, kNow));
  const auto runs = get("/v1/runs?limit=2").at("runs").as_array();
  EXPECT_TRUE(runs.at(0).at("progress").at("iteration").is_null()) << "it failed amid them";
  EXPECT_EQ(runs.at(1).at("progress").at("iteration"), 10);
}

TEST_F(RouterTest, AWatchSendsEachRunOnceAndThenItsChanges) {
  Request request;
  request.method = "GET";
  request.target = "/v1/runs?watch=true&state=running";
  const auto outcome = router_.handle(request);
  const auto& watch = std::get<Watch>(outcome);
  Watched watched;
  const std::string first = router_.changes(watch, watched);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1);
  EXPECT_EQ(router_.changes(watch, watched), "");
  history_.go_on(300);
  EXPECT_EQ(json::parse(router_.changes(watch, watched)).at("progress").at("iteration"), 300);
  history_.go_on(1000);  // no longer running: said once more, then gone
  EXPECT_EQ(json::parse(router_.changes(watch, watched)).at("state"), "finished");
  EXPECT_EQ(router_.changes(watch, watched), "");
  EXPECT_TRUE(watched.sent.empty());
}

TEST_F(RouterTest, AWatchTellsTheEndOfARunThatNewerOnesHaveCrowdedOut) {
  const auto outcome = handle("/v1/runs?watch=true&state=running&limit=1");
  const auto& watch = std::get<Watch>(outcome);
  Watched watched;
  EXPECT_EQ(json::parse(router_.changes(watch, watched)).at("id"), 3);
  history_.begin(3);
  EXPECT_EQ(json::parse(router_.changes(watch, watched)).at("id"), 4);
  EXPECT_EQ(router_.changes(watch, watched), "") << "the older one is not over";
  history_.go_on(1000);
  const auto last = json::parse(router_.changes(watch, watched));
  EXPECT_EQ(last.at("id"), 3);
  EXPECT_EQ(last.at("state"), "finished");
  EXPECT_EQ(router_.changes(watch, watched), "");
  EXPECT_EQ(watched.sent.size(), 1U);
}

TEST_F(RouterTest, AWatchIsNotCutAtAPage) {
  for (std::int64_t i = 3; i < 153; ++i) history_.begin(i);
  const auto outcome = handle("/v1/runs?watch=true&state=running");
  Watched watched;
  const std::string first = router_.changes(std::get<Watch>(outcome), watched);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 151);
}

// For as long as it lasts, of as many as there may be.
TEST_F(RouterTest, AWatchKeepsNoBody) {
  const auto outcome = handle("/v1/runs?watch=true", "GET", std::string(1000, ' '));
  ASSERT_TRUE(std::holds_alternative<Watch>(outcome));
  EXPECT_TRUE(std::get<Watch>(outcome).request.body.empty());
}

TEST_F(RouterTest, EveryByteSentIsUtf8) {
  backend_.statuses = {{"/tmp/\xff\xfe caf\xc3\xa9", "\xc3\x28 broken"}};
  const Reply reply = ask("/v1/sources");
  EXPECT_EQ(valid_utf8(reply.body), reply.body);
  EXPECT_NE(reply.body.find("caf\xc3\xa9"), std::string::npos);
  const Reply echo = ask("/v1/nosuch%ff\xff");
  EXPECT_EQ(valid_utf8(echo.body), echo.body);
}

TEST_F(RouterTest, ManyContradictionsOfAUsersHideNobodysFromTheHealth) {
  auto set = std::make_shared<ModelSet>();
  backend_.model_set = set;
  const auto contradict = [&](const std::string& network, std::int64_t owner) {
    prediction::Contradiction& each = set->contradictions.emplace_back();
    each.key.network = network;
    each.fast.runs = each.slow.runs = {1};
    each.owner = owner;
  };
  for (int i = 0; i < 25; ++i) contradict("Net" + std::to_string(i), 1002);
  contradict("VGG", 1001);
  EXPECT_NE(ask("/v1/health").body.find("runs of VGG"), std::string::npos);
}

// Of a network without a name, or whose runs contradict each other, or of which nothing was fitted since.
TEST_F(RouterTest, ARunThatIsInNoModelAnswersForWhatIsLikeIt) {
  const std::string like = "/v1/estimate?like=1&phase=train";
  EXPECT_EQ(get(like).at("model").at("id"), 1) << "where there is a model it answers";
  auto set = std::make_shared<ModelSet>();
  backend_.model_set = set;
  for (const bool contradicted : {false, true}) {
    const auto run = reader_->run(1).value()->run;
    if (contradicted)
      set->contradictions.push_back(
          {{run.network, run.architecture, run.framework, run.host, run.device, run.devices, Phase::train},
           {64, 0.01, {1}},
           {64, 0.05, {2}},
           1001});
    const auto body = get(like + "&iterations=2000");
    EXPECT_NEAR(body.at("seconds").to_number<double>(), 100, 1e-6) << "as its ten windows of five seconds";
    EXPECT_TRUE(body.at("model").at("id").is_null());
    EXPECT_EQ(body.at("model").at("runs"), 1);
    EXPECT_TRUE(body.at("model").at("disputed").is_null());
    EXPECT_EQ(get("/v1/estimate?like=1").at("phase"), "total");
    EXPECT_EQ(get("/v1/estimate?like=1&phase=test&iterations=20").at("model").at("runs"), 1);
    get(like + "&device=H100", 404);
    get(like + "&at=2026-01-01T00:00:00Z", 404);
  }
  get("/v1/estimate?network=LeNet&phase=train&iterations=10", 409);
}

}  // namespace
}  // namespace etad::service::testing
