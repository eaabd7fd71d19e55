// What the API says of energy and memory.
#include <gtest/gtest.h>

#include "parsers/network/net_text.h"
#include "prediction/knowledge.h"
#include "tests/service/fixtures.h"

namespace etad::service::testing {
namespace {

// Runs at several batch sizes, each with what it cost by its size.
template <class Cost>
std::vector<RunData> runs_that(const Cost& cost) {
  std::vector<RunData> runs;
  for (const int batch : {16, 24, 32, 48, 64}) {
    RunData& run = runs.emplace_back();
    run.run_id = batch;
    run.iterations = 100;
    run.samples_per_iteration = batch;
    run.duration = from_seconds(batch);
    cost(run, batch);
  }
  return runs;
}

TEST(CostView, EnergyIsAnsweredWhereItWasMeasured) {
  History history;
  const auto reader = history.reader();
  FakeBackend backend;
  prediction::LiveRuns live(*reader);
  Router router({"1.2.3", [] { return kNow; }, [] { return ServiceCounters{}; }}, backend, *reader, live);
  const auto get = [&](const std::string& target, unsigned status = 200) {
    Request request;
    request.method = "GET";
    request.target = target;
    request.host = "localhost";
    const Outcome outcome = router.handle(request);
    const auto* reply = std::get_if<Reply>(&outcome);
    EXPECT_TRUE(reply != nullptr && reply->status == status) << target;
    return reply != nullptr ? json::parse(reply->body).as_object() : json::object();
  };
  auto models = std::make_shared<ModelSet>();
  const FittedModel model = fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.0006);
  models->models = held({model});
  const auto runs = runs_that([](RunData& run, int batch) { run.joules = 200 * batch; });
  const ModelKey& key = model.key;
  const prediction::Knowledge::Data data = {{key, prediction::data_of(key, runs)}};
  models->energy = prediction::Knowledge::of(
      data, nullptr, [] {}, estimators::Target::joules);
  backend.model_set = models;
  const std::string question = "network=LeNet&phase=train&iterations=100";
  const auto answer = get("/v1/estimate?" + question + "&batch_size=40&quantity=energy");
  EXPECT_EQ(answer.at("unit"), "J");
  EXPECT_NEAR(answer.at("value").to_number<double>(), 8000, 200);
  const auto rows = get("/v1/whatif?" + question + "&vary=batch_size&values=16,64").at("rows").as_array();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[1].at("energy_joules").to_number<double>(), 12'800, 300);
  EXPECT_TRUE(rows[1].at("peak_memory_bytes").is_null());
  const auto refused = get("/v1/estimate?" + question + "&batch_size=40&quantity=memory", 404);
  EXPECT_EQ(refused.at("title"), "Never measured");
  const auto estimators = get("/v1/estimators?quantity=energy").at("estimators").as_array();
  const auto chosen = [&](const char* name) {
    for (const auto& each : estimators)
      if (each.at("name") == name) return each.at("kinds").at("batch_size").at("chosen").as_bool();
    return false;
  };
  EXPECT_TRUE(chosen("effects")) << "it answered above";
  EXPECT_FALSE(chosen("end_to_end")) << "there is no model of energy";
}

// What a batch of 64 needs is more than the host's GPU has, as its trace tells.
TEST(CostView, WhatDoesNotFitIntoTheDevicesMemoryIsNeitherBestNorKnee) {
  History history;
  const auto reader = history.reader();
  FakeBackend backend;
  prediction::LiveRuns live(*reader);
  Router router({"1.2.3", [] { return kNow; }, [] { return ServiceCounters{}; }}, backend, *reader, live);
  auto models = std::make_shared<ModelSet>();
  const FittedModel model = fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.0006);
  models->models = held({model});
  const ModelKey& key = model.key;
  ASSERT_FALSE(key.host.empty());
  const auto runs = runs_that([](RunData& run, int batch) { run.peak_bytes = 1e9 + 1e8 * batch; });
  const prediction::Knowledge::Data data = {{key, prediction::data_of(key, runs)}};
  models->memory = prediction::Knowledge::of(
      data, nullptr, [] {}, estimators::Target::peak_bytes);
  backend.model_set = models;
  const auto asked = [&] {
    Request request;
    request.method = "GET";
    request.target = "/v1/whatif?network=LeNet&phase=train&iterations=100&vary=batch_size&values=16,32,64";
    request.host = "localhost";
    return json::parse(std::get<Reply>(router.handle(request)).body).as_object();
  };
  auto answer = asked();
  EXPECT_EQ(answer.at("best").at("batch_size"), "64");
  EXPECT_TRUE(answer.at("rows").at(2).at("fits").is_null()) << "how much there is nobody knows";
  SourceCommit commit;
  commit.source.path = "/var/log/gpu/smi.csv";
  for (const char* const gpu : {"gpu=0,host=elsewhere", "gpu=0,mig=1", "gpu=1"})
    commit.records.add_sample(
        {"gpu.memory_total", std::string(gpu) + (gpu[4] == '1' ? ",host=" + key.host : ""), "B"},
        kNow - std::chrono::hours{1}, gpu[4] == '1' ? 5e9 : 99e9);
  std::vector<SourceCommit> commits{commit};
  ASSERT_TRUE(history.writer().commit(commits, kNow));
  answer = asked();
  EXPECT_EQ(answer.at("best").at("batch_size"), "32");
  EXPECT_EQ(answer.at("rows").at(2).at("fits"), false);
  EXPECT_EQ(answer.at("rows").at(1).at("fits"), true);
  EXPECT_EQ(answer.at("rows").at(1).at("device_memory_bytes"), 5e9);
}

// So its energy, and other machines, are told him by his own runs, which a worker reads.
TEST(CostView, TheDescriptionOfWhatRanIsAnsweredAsItsAskerSeesIt) {
  constexpr char kNet[] =
      "name: 'mine' layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 16 dim: 8 } } "
      "}\n"
      "layer { name: 'ip' type: 'InnerProduct' bottom: 'data' inner_product_param { num_output: 4 } }\n";
  constexpr std::int64_t kAlice = 1001, kBob = 1002;
  FittedModel model = fitted(1, "mine", Phase::train, 0.5, 0.01, 0.0006);
  model.key.architecture = read_network(kNet, Phase::train)->architecture;
  FittedModel own = model;
  own.owner = kBob;
  own.own_runs = true;
  model.own = {own};
  const prediction::Knowledge::Data data = {
      {model.key, prediction::data_of(model.key, runs_that([](RunData&, int) {}))}};
  auto models = std::make_shared<ModelSet>();
  models->models = held({model});
  models->knowledge = prediction::Knowledge::of(data, nullptr, [] {});
  History history;
  const auto reader = history.reader();
  FakeBackend backend;
  backend.model_set = models;
  int opened = 0;
  backend.open_reader = [&] {
    ++opened;
    return history.reader();
  };
  prediction::LiveRuns live(*reader);
  Router router({"1.2.3", [] { return kNow; }, [] { return ServiceCounters{}; }}, backend, *reader, live);
  for (const std::int64_t asker : {kAlice, kBob}) {
    Request request;
    request.method = "POST";
    request.target = "/v1/estimate?phase=train&iterations=100";
    request.host = "localhost";
    request.body = kNet;
    request.uid = asker;
    const Reply reply = std::get<Work>(router.handle(request)).job();
    EXPECT_EQ(reply.status, 200U) << reply.body;
    EXPECT_EQ(opened, asker == kBob ? 1 : 0);
  }
}

}  // namespace
}  // namespace etad::service::testing
