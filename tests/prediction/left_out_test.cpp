// What a question leaves out is what runs leave no choice of, or it is asked for.
#include <gtest/gtest.h>

#include "prediction/datasets.h"
#include "prediction/estimate.h"
#include "prediction/knowledge.h"
#include "prediction/like.h"
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

// What others ran, on other machines or on other numbers of devices, leads nobody to runs that can't be made.
TEST(LeftOut, NextOffersWhatRanThere) {
  const auto models = [](bool others) {
    Knowledge::Data data;
    std::vector<FittedModel> fitted;
    std::int64_t id = 0;
    const auto add = [&](const std::string& network, const std::string& device, std::int64_t devices,
                         std::int64_t size) {
      FittedModel& model = fitted.emplace_back();
      model.key = {network, "", "caffe", "vm", device, devices, Phase::train};
      std::vector<RunData> runs;
      for (int i = 0; i < 4; ++i) {
        RunData run;
        run.run_id = ++id;
        run.started_at = Instant(std::chrono::seconds(1'000'000'000 + 100 * id));
        run.iterations = 100;
        run.samples_per_iteration = (size << (i % 2)) * devices;
        run.duration = from_seconds(1 + 0.1 * static_cast<double>(run.samples_per_iteration));
        runs.push_back(run);
      }
      model.id = id;
      model.model = *regression::fit(dataset_of(runs, Phase::train));
      data[model.key] = data_of(model.key, runs);
    };
    add("ours", "V100", 8, 16);
    for (const std::int64_t devices : {1, 2, 3, 4})
      if (others) add("theirs", "V100", devices, 16);
    if (others) add("ours", "made-up", 8, 1'000'000);
    auto out = std::make_shared<ModelSet>();
    out->models = std::make_shared<HeldModels>(std::move(fitted));
    out->knowledge = Knowledge::of(data, nullptr, [] {});
    return out;
  };
  for (const bool others : {false, true}) {
    Question question = about_a("ours");
    question.device = "V100";
    const auto next = next_runs(*models(others), question, 1e9, 10);
    ASSERT_TRUE(next);
    bool on_eight = false;
    for (const NextRun& run : next->runs) {
      EXPECT_LE(run.batch_size, 64 * run.devices) << others;
      on_eight |= run.devices == 8;
    }
    EXPECT_TRUE(on_eight) << others;
  }
}

// A sequence length that somebody ran with elsewhere does not make this deployment's unclear.
TEST(LeftOut, TokensAreCountedByTheLengthThatRanThere) {
  Knowledge::Data data;
  const auto add = [&](const std::string& device, const std::string& length) {
    const ModelKey key{"llama", "", "pytorch", "vm", device, 1, Phase::train};
    RunData run;
    run.run_id = static_cast<std::int64_t>(data.size()) + 1;
    run.iterations = 100;
    run.samples_per_iteration = 8;
    run.duration = from_seconds(10);
    run.settings["sequence_length"] = length;
    data[key] = data_of(key, {run});
  };
  add("V100", "2048");
  add("made-up", "77");
  ModelSet models;
  models.knowledge = Knowledge::of(data, nullptr, [] {});
  Question question = about_a("llama");
  question.tokens = 8192;
  Question there = question;
  there.device = "V100";
  ASSERT_TRUE(count_tokens(there, models));
  EXPECT_EQ(there.batch_size, 4);
  EXPECT_FALSE(count_tokens(question, models)) << "it may be either";
}

}  // namespace
}  // namespace etad::prediction
