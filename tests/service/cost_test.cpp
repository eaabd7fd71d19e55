// What the API says of energy and memory.
#include <gtest/gtest.h>

#include "prediction/knowledge.h"
#include "tests/service/fixtures.h"

namespace etad::service::testing {
namespace {

TEST(CostView, EnergyIsAnsweredWhereItWasMeasured) {
  History history;
  const auto reader = history.reader();
  FakeBackend backend;
  Router router({"1.2.3", [] { return kNow; }, [] { return ServiceCounters{}; }}, backend, *reader);
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
  models->models = {fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.0006)};
  std::vector<RunData> runs;
  for (const int batch : {16, 24, 32, 48, 64}) {
    RunData& run = runs.emplace_back();
    run.run_id = batch;
    run.iterations = 100;
    run.samples_per_iteration = batch;
    run.duration = from_seconds(batch);
    run.joules = 200 * batch;
  }
  const ModelKey& key = models->models.front().key;
  const prediction::Knowledge::Data data = {{key, prediction::data_of(key, runs)}};
  models->energy = prediction::Knowledge::of(data, nullptr, [] {}, estimators::Target::joules);
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
  EXPECT_TRUE(get("/v1/estimators?quantity=energy").at("estimators").as_array().size() > 0);
}

}  // namespace
}  // namespace etad::service::testing
