// What the router lists: runs, sources, networks, models, series and the rest.
#include "prediction/knowledge.h"
#include "tests/service/router_fixture.h"

namespace etad::service::testing {
namespace {

TEST_F(RouterTest, RunsAreFiltered) {
  EXPECT_EQ(get("/v1/runs?state=failed").at("runs").as_array().size(), 1U);
  EXPECT_EQ(get("/v1/runs?network=nosuch").at("runs").as_array().size(), 0U);
  EXPECT_EQ(get("/v1/runs?framework=caffe").at("runs").as_array().size(), 3U);
  EXPECT_EQ(get("/v1/runs?since=2026-11-21T09:30:00Z").at("runs").as_array().size(), 2U);
  EXPECT_EQ(get("/v1/runs?since=2026-11-21T11:30:00%2B02:00").at("runs").as_array().size(), 2U);
  EXPECT_EQ(get("/v1/runs?since=150m").at("runs").as_array().size(), 2U);
  EXPECT_EQ(get("/v1/runs?since=90m").at("runs").as_array().size(), 1U);
  get("/v1/runs?since=1x", 400);
  get("/v1/runs?since=99999999999999999999h", 400);
  EXPECT_EQ(get("/v1/runs?network=lenet").at("runs").as_array().size(), 3U) << "in any case";
}

TEST_F(RouterTest, SourcesShowTheHistorysRowsAndWhatTheDaemonSays) {
  backend_.statuses = {{"/var/log/caffe/lenet.log", "waiting: permission denied"},
                       {"/tmp/fifo", "not a regular file"}};
  const auto body = get("/v1/sources");
  ASSERT_EQ(body.at("sources").as_array().size(), 2U);
  const auto& known = body.at("sources").at(0).as_object();
  EXPECT_EQ(known.at("path"), "/var/log/caffe/lenet.log");
  EXPECT_EQ(known.at("state"), "waiting: permission denied");
  EXPECT_EQ(known.at("lines"), 100);
  EXPECT_EQ(known.at("unmatched"), 10);
  EXPECT_TRUE(known.at("last_error").is_null());
  EXPECT_EQ(body.at("sources").at(1).at("path"), "/tmp/fifo");
  EXPECT_EQ(body.at("sources").at(1).at("last_error"), "not a regular file");
}

TEST_F(RouterTest, ASourceWhoseFileIsGoneIsListedOnce) {
  std::vector<SourceCommit> commits(1);
  commits[0].source = history_.writer().source(1).value().value();
  commits[0].source.gone = true;
  ASSERT_TRUE(history_.writer().commit(commits, kNow));
  backend_.statuses = {{commits[0].source.path, "gone"}};
  const auto body = get("/v1/sources");
  ASSERT_EQ(body.at("sources").as_array().size(), 1U);
  EXPECT_EQ(body.at("sources").at(0).at("state"), "gone");
}

TEST_F(RouterTest, SourcesComePageByPageAndThenWhatIsOnlyLookedAt) {
  std::vector<SourceCommit> commits(1);
  commits[0].source.path = "/b.log";
  ASSERT_TRUE(history_.writer().commit(commits, kNow));
  backend_.statuses = {{"/b.log", "following"}, {"/tmp/a", "a folder"}, {"/tmp/b", "a folder"}};
  for (const int limit : {1, 2, 3}) {
    std::vector<std::string> paths;
    std::string cursor;
    do {
      const auto body = get("/v1/sources?limit=" + std::to_string(limit) + cursor);
      for (const auto& source : body.at("sources").as_array())
        paths.emplace_back(source.at("path").as_string());
      cursor = body.at("next").is_null() ? "" : "&cursor=" + std::string(body.at("next").as_string());
    } while (!cursor.empty());
    EXPECT_EQ(paths, (std::vector<std::string>{"/var/log/caffe/lenet.log", "/b.log", "/tmp/a", "/tmp/b"}));
  }
}

TEST_F(RouterTest, EstimatorsAndPredictionsAreListsBeforeAnythingIsKnown) {
  EXPECT_TRUE(get("/v1/estimators").at("estimators").is_array());
  EXPECT_TRUE(get("/v1/predictions").at("predictions").is_array());
}

// Of all sizes the smallest whose throughput is near the best's is the knee.
TEST_F(RouterTest, WhatIfAnswersForEachValue) {
  const auto answer = get("/v1/whatif?network=LeNet&phase=train&iterations=100&vary=batch_size&values=16,64");
  const auto rows = answer.at("rows").as_array();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("batch_size"), 16);
  EXPECT_EQ(rows[0].at("seen"), 0);
  EXPECT_EQ(rows[1].at("seen"), 3);
  EXPECT_TRUE(answer.contains("knee"));
  EXPECT_EQ(answer.at("knee_within").to_number<double>(), 0.05);
  EXPECT_TRUE(rows[0].at("energy_joules").is_null()) << "nobody measured any";
  const auto some = get(
      "/v1/"
      "whatif?network=LeNet&phase=train&iterations=100&batch_size=64&vary=device&values=Tesla%20K80,H100");
  ASSERT_EQ(some.at("unanswered").as_array().size(), 1U);
  EXPECT_TRUE(some.at("unanswered").at(0).at("hint").is_string());
  const std::string whatif = "/v1/whatif?network=LeNet&phase=train&iterations=100&vary=";
  EXPECT_EQ(get(whatif + "batch_size&values=16,64,16").at("rows").as_array().size(), 2U) << "none twice";
  EXPECT_EQ(get(whatif + "batch_size&values=16,%2064,%2016").at("rows").as_array().size(), 2U) << "nor so";
  EXPECT_EQ(get(whatif + "batch_size&values=16,x", 400).at("detail"),
            "Parameter \"values\" must be whole numbers from 1 on with commas between them, not \"x\".");
  EXPECT_EQ(get(whatif + "split&batch_size=1&values=K80,K80", 400).at("detail"),
            "Parameter \"batch_size\" must be 2 or more, to be split.");
}

TEST_F(RouterTest, WhatIfOverBatchSizesCountsEpochsByEach) {
  const std::string question = "/v1/whatif?network=LeNet&phase=train&epochs=2&vary=batch_size&values=16,64";
  const auto rows = get(question + "&samples_per_epoch=6400").at("rows").as_array();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("iterations"), 800);
  EXPECT_EQ(rows[1].at("iterations"), 200);
  EXPECT_EQ(get(question, 400).at("parameter"), "samples_per_epoch");
}

TEST_F(RouterTest, AListOfNetworksHoldsNobodyUp) {
  EXPECT_TRUE(std::holds_alternative<Work>(handle("/v1/networks"))) << "a worker makes it";
}

// Their models are made for the question, which takes long.
TEST_F(RouterTest, QuestionsAboutThePastHoldNobodyUp) {
  for (const std::string what : {"estimate?", "whatif?vary=batch_size&values=16,64&"}) {
    const std::string question = "/v1/" + what + "network=LeNet&phase=train&iterations=100&batch_size=64";
    EXPECT_TRUE(std::holds_alternative<Reply>(handle(question)));
    EXPECT_TRUE(std::holds_alternative<Work>(handle(question + "&at=2026-11-21"))) << "a worker answers it";
  }
}

// As where there are more networks than all is learnt from.
TEST_F(RouterTest, AQuestionAboutThePastFindsRunsThatNothingIsLearntFrom) {
  auto set = std::make_shared<ModelSet>(*backend_.model_set);
  set->knowledge = prediction::Knowledge::of({}, nullptr, [] {});
  backend_.model_set = set;
  for (const std::string what : {"estimate?", "whatif?vary=batch_size&values=64&"}) {
    const std::string question = "/v1/" + what + "network=LeNet&phase=train&iterations=100&batch_size=64&at=";
    get(question + "2026-11-21T11:30:00Z");
    get(question + "2026-11-21T08:00:00Z", 404);
  }
}

TEST_F(RouterTest, NetworksAndModelsAreListed) {
  const auto networks = get("/v1/networks").at("networks").as_array();
  ASSERT_EQ(networks.size(), 1U);
  EXPECT_EQ(networks[0].at("network"), "LeNet");
  EXPECT_EQ(networks[0].at("runs"), 3);
  for (const std::string cursor : {"99", "b4bb3f66.4", "b4bb3f66.4g"})
    EXPECT_EQ(get("/v1/networks?cursor=" + cursor, 400).at("parameter"), "cursor") << cursor;
  const auto models = get("/v1/models").at("models").as_array();
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(get("/v1/models?network=alexnet").at("models").as_array().size(), 0U);
  const auto model = get("/v1/models/1");
  EXPECT_EQ(model.at("family"), "end_to_end");
  EXPECT_EQ(model.at("coefficients").at(2).at("name"), "c2");
  EXPECT_EQ(model.at("rivals").as_array().size(), 2U);
  EXPECT_EQ(model.at("rivals").at(0).at("error_percent").to_number<double>(), 1.4);
  FittedModel of_one_run = fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.0006);
  of_one_run.model.rivals.front().error_percent = of_one_run.model.rivals.front().standard_error = {};
  auto set = std::make_shared<ModelSet>();
  set->models = held({of_one_run});
  backend_.model_set = set;
  EXPECT_TRUE(get("/v1/models/1").at("rivals").at(0).at("error_percent").is_null()) << "nothing was left out";
  EXPECT_EQ(model.at("seen").at("batch_size").at("max"), 64);
}

TEST_F(RouterTest, APageOfNetworksGoesOnBehindOneThatWasForgotten) {
  std::int64_t id = 0;
  for (const std::string name : {"A & B", "Other"}) {
    SourceCommit commit;
    commit.source.path = "/var/log/caffe/" + name;
    commit.records.runs.emplace_back().network = name;
    std::vector<SourceCommit> commits{commit};
    ASSERT_TRUE(history_.writer().commit(commits, kNow));
    if (name == "A & B") id = commits[0].source.id;
  }
  const auto first = get("/v1/networks?limit=1");
  EXPECT_EQ(first.at("networks").at(0).at("network"), "A & B");
  ASSERT_TRUE(history_.writer().drop_source(id));
  const auto next = get("/v1/networks?limit=1&cursor=" + std::string(first.at("next").as_string()));
  EXPECT_EQ(next.at("networks").at(0).at("network"), "LeNet");
  const auto last = get("/v1/networks?cursor=" + std::string(next.at("next").as_string()));
  EXPECT_EQ(last.at("networks").at(0).at("network"), "Other");
  EXPECT_TRUE(last.at("next").is_null());
}

TEST_F(RouterTest, OfANetworkWithoutAModelItSaysWhatTheHistoryHas) {
  backend_.model_set = std::make_shared<ModelSet>();
  const auto body = get("/v1/estimate?network=lenet&phase=train&iterations=10", 404);
  EXPECT_EQ(
      body.at("detail"),
      "The history has 3 runs of LeNet, but no model of it yet, and no estimate by what it costs: no log of "
      "it showed its layers.");
  EXPECT_EQ(body.at("known").at(0).at("network"), "LeNet");
  EXPECT_EQ(body.at("known").at(0).at("runs"), 3);
  EXPECT_EQ(get("/v1/estimate?network=nosuch&phase=train&iterations=10", 404).if_contains("known"), nullptr);
  const auto past = get("/v1/estimate?network=lenet&phase=train&iterations=10&at=2020-01-01", 404);
  EXPECT_NE(std::string(past.at("detail").as_string()).find("at that time there was no model"),
            std::string::npos);
  EXPECT_EQ(std::string(past.at("hint").as_string()).find("refit"), std::string::npos)
      << "none makes one of the past";
}

// It reads all predictions there are, and everybody would wait for that.
TEST_F(RouterTest, AccuracyIsReadOnAWorker) {
  EXPECT_TRUE(std::holds_alternative<Work>(handle("/v1/accuracy")));
}

TEST_F(RouterTest, AccuracyAndSeriesAreThereBeforeThereIsAny) {
  EXPECT_TRUE(get("/v1/accuracy").at("networks").as_array().empty());
  PredictionRow prediction;
  prediction.run_id = 1;
  prediction.seconds = 50;
  ASSERT_TRUE(history_.writer().put_predictions({prediction}));
  ASSERT_TRUE(history_.writer().score_run(1, std::chrono::seconds{60}));
  EXPECT_FALSE(get("/v1/accuracy").at("overall").as_array().empty());
  EXPECT_TRUE(get("/v1/accuracy?network=lenet").at("overall").as_array().empty()) << "of that network only";
  EXPECT_FALSE(get("/v1/accuracy?network=lenet").at("networks").as_array().empty());
  EXPECT_TRUE(get("/v1/series").at("series").as_array().empty());
}

TEST_F(RouterTest, ASeriesIsGivenInSteps) {
  SourceCommit commit;
  commit.source.path = "/var/log/gpu/smi.csv";
  for (int i = 0; i < 120; ++i) {
    commit.records.add_sample({"gpu.power", "gpu=0", "W"}, kNow - std::chrono::seconds{120 - i},
                              100.0 + (i % 60));
  }
  std::vector<SourceCommit> commits{commit};
  ASSERT_TRUE(history_.writer().commit(commits, kNow));
  const auto list = get("/v1/series").at("series").as_array();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].at("unit"), "W");
  const auto body = get("/v1/series/gpu.power?from=2026-11-21T11:58:00Z&to=2026-11-21T12:00:00Z&step=60");
  const auto& samples = body.at("series").at(0).at("samples").as_array();
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].at("min").to_number<double>(), 100);
  EXPECT_EQ(samples[0].at("max").to_number<double>(), 159);
  EXPECT_EQ(samples[0].at("mean").to_number<double>(), 129.5);
  EXPECT_FALSE(body.contains("known"));
  const auto empty = get("/v1/series/gpu.power?from=2020-01-01&to=2020-01-02");
  EXPECT_EQ(empty.at("known").at(0).at("first_at"), "2026-11-21T11:58:00Z") << "when there is something";
  EXPECT_EQ(get("/v1/series/gpu.power?label.gpu=7", 404).at("candidates"), json::parse(R"(["gpu=0"])"));
  EXPECT_EQ(get("/v1/series/gpu.powre", 404).at("candidates").at(0), "gpu.power");
  get("/v1/series/gpu.power?from=2026-11-21T12:00:00Z&to=2026-11-21T11:00:00Z", 400);
  get("/v1/series/gpu.power?from=2020-01-01&step=1", 400);
}

}  // namespace
}  // namespace etad::service::testing
