// What all runs have taught, kept and taken up again; and whose runs it is learnt from where there are many hosts.
#include "prediction/learnt.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "prediction/model_set.h"

namespace etad::prediction {
namespace {

Learnt some_learnt() {
  Learnt out;
  Knowledge::Data data;
  std::int64_t id = 0;
  const auto costs = std::make_shared<estimators::Costs>();
  costs->layers.emplace_back().operations = 1e9;
  for (const char* network : {"LeNet", "AlexNet", "odd \xff"}) {
    for (const char* device : {"K80", "V100"}) {
      ModelKey key{network, "1a2b", "caffe", std::string("host of ") + device, device, 1, Phase::train};
      std::vector<RunData> runs;
      for (const int batch : {16, 32, 64, 128}) {
        RunData run;
        run.run_id = ++id;
        run.owner = network[0] == 'A' ? 1001 : 1002;
        run.iterations = 100;
        run.samples_per_iteration = batch;
        run.settings = {{"precision", "fp16"}};
        run.started_at = Instant(std::chrono::seconds(1'700'000'000 + id));
        run.duration = from_seconds((device[0] == 'K' ? 3 : 1) * (1.0 / 3 + batch));
        run.joules = 100.0 * batch;
        runs.push_back(run);
      }
      data[key] = data_of(key, runs, kMostOfKey, network[0] == 'L' ? costs : nullptr);
    }
  }
  using estimators::Target;
  out.knowledge = Knowledge::of(data, nullptr, [] {});
  out.energy = Knowledge::of(
      data, nullptr, [] {}, Target::joules);
  out.memory = Knowledge::of(
      data, nullptr, [] {}, Target::peak_bytes);
  out.contradictions.push_back({ModelKey{}, {16, 1, {1, 2}}, {16, 9, {3}}, 1001});
  return out;
}

TEST(Learnt, AnswersAfterwardsAsBefore) {
  const Learnt before = some_learnt();
  const auto after = learnt_from_json(learnt_to_json(before));
  ASSERT_TRUE(after) << after.error().text();
  ASSERT_EQ(after->contradictions.size(), 1U);
  EXPECT_EQ(after->contradictions[0].slow.runs, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(after->contradictions[0].owner, 1001);
  EXPECT_EQ(after->knowledge->judged().runs, before.knowledge->judged().runs);
  EXPECT_EQ(after->knowledge->chosen(), before.knowledge->chosen());
  EXPECT_EQ(after->knowledge->data().size(), before.knowledge->data().size());
  for (const auto& [key, runs] : before.knowledge->data()) {
    estimators::Case what = runs.front().what;
    what.samples = 48;
    const auto then = before.knowledge->ask(what, 0.9), now = after->knowledge->ask(what, 0.9);
    ASSERT_TRUE(then && now);
    EXPECT_EQ(now->value, then->value);
    EXPECT_EQ(now->lower, then->lower);
    EXPECT_EQ(now->estimator, then->estimator);
    const auto joules = before.energy->ask(what, 0.9), joules_now = after->energy->ask(what, 0.9);
    ASSERT_TRUE(joules && joules_now);
    EXPECT_EQ(joules_now->value, joules->value);
  }
}

TEST(Learnt, RecordsAloneComeBackAsTheyWere) {
  const Learnt learnt = some_learnt();
  const AllRecords before = records_of(learnt);
  const std::string text = records_to_json(before);
  const auto after = records_from_json(text);
  ASSERT_TRUE(after) << after.error().text();
  EXPECT_EQ((*after)[1].runs, before[1].runs);
  EXPECT_EQ(records_to_json(*after), text);
  ASSERT_FALSE(before[0].records->of_owner.empty());
  EXPECT_EQ((*after)[0].records->of_owner.size(), before[0].records->of_owner.size());
  EXPECT_FALSE(records_from_json(text.substr(0, text.size() / 2)));
}

TEST(Learnt, WhatIsDamagedOrOfOtherEstimatorsIsRefused) {
  const std::string text = learnt_to_json(some_learnt());
  EXPECT_FALSE(learnt_from_json(""));
  EXPECT_FALSE(learnt_from_json(text.substr(0, text.size() / 2)));
  std::string other = text;
  other.replace(other.find("\"effects\""), 9, "\"gone_by\"");
  const auto refused = learnt_from_json(other);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("other estimators"), std::string::npos);
}

// More models than are listened to: no network is left out because others ran on more hosts, and no host because
// others ran more networks.
TEST(Learnt, OfManyHostsEachIsHeardAndEachNetwork) {
  std::vector<FittedModel> models;
  const auto add = [&](const std::string& network, const std::string& host, std::int64_t at) {
    FittedModel& model = models.emplace_back();
    model.key.network = network;
    model.key.host = host;
    model.fitted_at = Instant(std::chrono::seconds(at));
  };
  add("only here", "oldest", 1);
  for (int host = 0; host < 1000; ++host)
    for (int network = 0; network < 12; ++network)
      add("net" + std::to_string(network), "host" + std::to_string(host), 100 + 12 * host + network);
  const auto rows = HeldModels(std::move(models)).fair_share(kMostKeys, kAlwaysTheirKeys);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), kMostKeys);
  std::set<std::string> hosts, networks;
  for (const ModelRow& row : *rows) {
    hosts.insert(row.key.host);
    networks.insert(row.key.network);
  }
  EXPECT_EQ(hosts.size(), 1001U);
  EXPECT_EQ(networks.size(), 13U);
}

}  // namespace
}  // namespace etad::prediction
