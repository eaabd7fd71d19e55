// What a question leaves out is what runs leave no choice of, or it is asked for.
#include <gtest/gtest.h>

#include "prediction/datasets.h"
#include "prediction/estimate.h"
#include "prediction/knowledge.h"
#include "prediction/next_runs.h"

namespace etad::prediction {
namespace {

// "several" ran four batch sizes on one V100 and on two, "other" on both devices.
std::shared_ptr<const ModelSet> several_sizes() {
  Knowledge::Data data;
  std::vector<FittedModel> models;
  std::int64_t id = 0;
  const auto add = [&](const std::string& network, const std::string& device, std::int64_t devices,
                       const std::vector<std::int64_t>& sizes) {
    ModelKey key;
    key.network = network;
    key.device = device;
    key.devices = devices;
    std::vector<RunData> runs;
    for (const std::int64_t size : sizes) {
      RunData run;
      run.run_id = ++id;
      run.started_at = Instant(std::chrono::seconds(1'000'000'000 + 100 * id));
      run.iterations = 100;
      run.samples_per_iteration = size * devices;
      run.duration = from_seconds(1 + 0.1 * static_cast<double>(size));
      runs.push_back(run);
    }
    data[key] = data_of(key, runs);
    FittedModel& model = models.emplace_back();
    model.id = id;
    model.key = key;
    model.model = *regression::fit(dataset_of(runs, Phase::train));
  };
  add("several", "V100", 1, {8, 16, 64, 256});
  add("several", "V100", 2, {8, 16, 64, 256});
  add("one", "V100", 1, {64, 64});
  add("other", "V100", 1, {8, 64, 256});
  add("other", "K80", 1, {8, 64, 256});
  auto out = std::make_shared<ModelSet>();
  out->models = std::make_shared<HeldModels>(std::move(models));
  out->knowledge = Knowledge::of(data, nullptr, [] {});
  return out;
}

Question about_a(const std::string& network) {
  Question out;
  out.network = network;
  out.iterations = 100;
  return out;
}

TEST(LeftOut, ABatchSizeIsAskedForWhereSeveralRan) {
  Question question = about_a("several");
  question.device = "K80";
  const auto refused = estimate(several_sizes(), question);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Refusal::Kind::batch_size_missing);
  EXPECT_EQ(refused.error().parameter, "batch_size");
  EXPECT_EQ(refused.error().batch_sizes.max / refused.error().batch_sizes.min, 32);
  question.network = "one";
  const auto answer = estimate(several_sizes(), question);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->parts.front().batch_size, 64);
}

TEST(LeftOut, NextTriesEveryNumberOfDevicesThatRan) {
  const auto next = next_runs(*several_sizes(), about_a("several"), 1e6, 8);
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->runs.empty());
}

}  // namespace
}  // namespace etad::prediction
