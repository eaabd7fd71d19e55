// Who answers from all the history, and when nobody should.
#include "prediction/knowledge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "parsers/base/cells.h"
#include "prediction/model_set.h"
#include "tests/places.h"

namespace etad::prediction {
namespace {

// A power of the batch size, which a straight line follows within the noise where runs are, and not far
// beyond.
std::shared_ptr<const Knowledge> nearly_straight() {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.06);
  Knowledge::Data data;
  std::int64_t id = 0;
  for (int network = 0; network < 6; ++network) {
    ModelKey key;
    key.network = "net" + std::to_string(network);
    key.device = "K80";
    key.phase = Phase::train;
    std::vector<RunData> runs;
    for (const int batch : {16, 32, 64, 128, 256, 512}) {
      RunData run;
      run.run_id = ++id;
      run.iterations = 100;
      run.samples_per_iteration = batch;
      run.duration = from_seconds(std::pow(batch, 0.9) * std::exp(noise(random)));
      runs.push_back(run);
    }
    data[key] = data_of(key, runs);
  }
  return Knowledge::of(data, nullptr, [] {});
}

TEST(Knowledge, GoodEstimatorsThatContradictEachOtherAreToldFarOutOnly) {
  const auto knowledge = nearly_straight();
  estimators::Case what = knowledge->data().begin()->second.front().what;
  what.samples = 700;
  const auto near = knowledge->ask(what, 0.9);
  ASSERT_TRUE(near);
  EXPECT_TRUE(near->contradicted_by.empty()) << near->contradicted_by;
  what.samples = 1e12;
  const auto far = knowledge->ask(what, 0.9);
  ASSERT_TRUE(far);
  EXPECT_FALSE(far->contradicted_by.empty());
  EXPECT_GT(std::abs(std::log(far->contradicted_value / far->value)), 0.5);
}

TEST(Knowledge, OfAModelsRunsThoseOfEachBatchSizeAreTaken) {
  std::vector<RunData> runs;
  for (int i = 0; i < 40; ++i) {
    RunData& run = runs.emplace_back();
    run.run_id = 40 - i;
    run.iterations = 100;
    run.samples_per_iteration = i < 30 ? 64 : 32;
    run.duration = from_seconds(10);
  }
  const auto data = data_of({}, runs, 4);
  EXPECT_EQ(data.size(), 4U);
  EXPECT_EQ(std::ranges::count(data, 32, [](const auto& run) { return run.what.samples; }), 2);
}

// The trainings in bf16 of scripts/gpu-campaign's table of an H100.
Knowledge::Data trainings_on_a_gpu() {
  std::ifstream table(std::string(ETAD_TEST_DATA) + "/measurements/gpu_h100.csv");
  std::map<ModelKey, std::vector<RunData>> runs;
  std::int64_t id = 0;
  for (std::string line; std::getline(table, line);) {
    std::vector<std::string_view> cells;
    split_cells(line, ',', std::string::npos, cells);
    if (cells.at(3) != "train" || cells.at(8) != "bf16") continue;
    ModelKey key;
    key.network = cells[0];
    key.device = cells[2];
    key.phase = Phase::train;
    RunData run;
    run.run_id = ++id;
    run.samples_per_iteration = std::stol(std::string(cells[4]));
    run.iterations = std::stol(std::string(cells[5]));
    run.duration = from_seconds(std::stod(std::string(cells[6])));
    runs[key].push_back(run);
  }
  Knowledge::Data data;
  for (const auto& [key, of] : runs) data[key] = data_of(key, of);
  return data;
}

// A plane through the runs' times (gianniti_literal) has a part in the answer there, and goes far off beyond the lengths
// that ran.
TEST(Knowledge, AStepOfALongerJobIsAsLongAndAsSure) {
  const auto knowledge = Knowledge::of(trainings_on_a_gpu(), nullptr, [] {});
  for (const auto& [key, data] : knowledge->data()) {
    estimators::Case what = data.front().what;
    what.samples = 100;
    what.iterations = 1e4;
    const auto longer = knowledge->ask(what, 0.9);
    what.iterations = 1e6;
    const auto far_longer = knowledge->ask(what, 0.9);
    ASSERT_TRUE(longer && far_longer) << key.network;
    EXPECT_DOUBLE_EQ(far_longer->value, longer->value) << key.network;
    EXPECT_DOUBLE_EQ(far_longer->upper, longer->upper) << key.network;
  }
}

// Which log of several is read first is the file system's affair.
TEST(Knowledge, WhatIsLearntIsTheSameInWhateverOrderLogsWereRead) {
  const auto learnt = [](bool backwards) {
    std::mt19937 random(5);
    std::normal_distribution<double> noise(0, 0.2);
    Knowledge::Data data;
    for (const char* network : {"AlexNet", "LeNet"}) {
      ModelKey key;
      key.network = network;
      key.device = "K80";
      key.phase = Phase::train;
      std::vector<RunData> runs;
      for (int i = 0; i < 12; ++i) {
        RunData run;
        run.started_at = Instant(std::chrono::hours{490'000 + i});
        run.iterations = 100;
        run.samples_per_iteration = 8 << i % 4;
        run.duration = from_seconds(static_cast<double>(8 << i % 4) * std::exp(noise(random)));
        runs.push_back(run);
      }
      if (backwards) std::ranges::reverse(runs);
      auto id = static_cast<std::int64_t>(data.size() * runs.size() + runs.size());
      for (RunData& run : runs) run.run_id = id--;  // as the history gives them: the last read first
      data[key] = data_of(key, runs);
    }
    return Knowledge::of(data, nullptr, [] {});
  };
  const auto forwards = learnt(false), backwards = learnt(true);
  estimators::Case what = forwards->data().begin()->second.front().what;
  for (const double samples : {8.0, 24.0, 200.0}) {
    what.samples = samples;
    const auto one = forwards->ask(what, 0.9), other = backwards->ask(what, 0.9);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->value, other->value) << samples;
    EXPECT_EQ(one->lower, other->lower) << samples;
    EXPECT_EQ(one->upper, other->upper) << samples;
    EXPECT_EQ(one->left_out_error_percent, other->left_out_error_percent) << samples;
    EXPECT_EQ(one->rests_on.runs, other->rests_on.runs) << samples;
  }
}

// The training and testing of the runs in examples/caffe: two networks, twelve runs, noise of a tenth and more.
std::shared_ptr<const Knowledge> few_noisy_runs() {
  struct Part {
    std::string network;
    Phase phase;
    std::int64_t batch, iterations;
    double seconds;
  };
  const std::vector<Part> parts = {
      {"LeNet", Phase::train, 8, 5000, 22.920},         {"LeNet", Phase::test, 100, 120, 2.394},
      {"LeNet", Phase::train, 8, 1000, 3.860},          {"LeNet", Phase::test, 32, 60, 0.334},
      {"LeNet", Phase::train, 64, 500, 13.977},         {"LeNet", Phase::test, 100, 300, 6.474},
      {"LeNet", Phase::train, 64, 250, 6.563},          {"LeNet", Phase::test, 32, 300, 1.884},
      {"LeNet", Phase::train, 32, 500, 7.392},          {"LeNet", Phase::test, 50, 100, 0.972},
      {"LeNet", Phase::train, 32, 2000, 23.373},        {"LeNet", Phase::test, 100, 300, 5.354},
      {"LeNet", Phase::train, 128, 400, 18.540},        {"LeNet", Phase::test, 100, 200, 3.622},
      {"LeNet", Phase::train, 128, 200, 11.500},        {"LeNet", Phase::test, 100, 100, 2.343},
      {"CIFAR10_quick", Phase::train, 64, 140, 18.280}, {"CIFAR10_quick", Phase::test, 100, 48, 4.491},
      {"CIFAR10_quick", Phase::train, 32, 80, 4.408},   {"CIFAR10_quick", Phase::test, 50, 8, 0.330},
      {"CIFAR10_quick", Phase::train, 16, 250, 7.791},  {"CIFAR10_quick", Phase::test, 25, 120, 2.642},
      {"CIFAR10_quick", Phase::train, 128, 40, 12.573}, {"CIFAR10_quick", Phase::test, 20, 80, 1.867},
  };
  std::map<ModelKey, std::vector<RunData>> runs;
  std::int64_t id = 0;
  for (const Part& part : parts) {
    ModelKey key;
    key.network = part.network;
    key.device = "CPU";
    key.phase = part.phase;
    RunData run;
    run.run_id = ++id / 2;  // training and testing are of one run
    run.iterations = part.iterations;
    run.samples_per_iteration = part.batch;
    run.duration = from_seconds(part.seconds);
    runs[key].push_back(run);
  }
  Knowledge::Data data;
  for (const auto& [key, of] : runs) data[key] = data_of(key, of);
  return Knowledge::of(data, nullptr, [] {});
}

TEST(Knowledge, AnEstimatorLearnsTheSameWheneverItIsAsked) {
  Knowledge::Data data = trainings_on_a_gpu();
  auto& runs = data.begin()->second;
  runs.push_back(runs.front());
  runs.back().value *= 1.2;
  estimators::Case what = runs.front().what;
  what.samples = 24;
  const auto ask = [&](bool early) {
    const auto first = Knowledge::of(data, nullptr, [] {});
    if (early) first->learn([] {});
    const auto second = Knowledge::of(data, first, [] {});
    if (early) second->learn([] {});
    return second->ask(what, 0.9)->value;
  };
  EXPECT_EQ(ask(true), ask(false));
}

TEST(Knowledge, BetweenWhatRanItIsNoLessSureThanBeyond) {
  const auto knowledge = few_noisy_runs();
  HeldModels none;
  Question lenet;
  lenet.network = "LeNet";
  const auto width = [&](std::int64_t batch, estimators::Kind kind) {
    const auto said = knowledge->ask(knowledge->asked(lenet, Phase::train, batch, none)->what, 0.9);
    EXPECT_EQ(said->kind, kind) << batch;
    return std::log(said->upper / said->lower);
  };
  const double beyond = width(200, estimators::Kind::batch_size_beyond_all);
  for (const std::int64_t between : {16, 48, 96})
    EXPECT_LE(width(between, estimators::Kind::batch_size), beyond) << between;
}

// By whoever was there first, not by whose runs are older or more.
TEST(Knowledge, ANetworksAnswersGoByTheRecordAboutItsFirstOwner) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  HeldModels none;
  Knowledge::Data data;
  std::int64_t id = 0;
  const auto add = [&](const std::string& network, std::int64_t owner, double noise, int sizes) {
    ModelKey key;
    key.network = network;
    key.device = owner == 0 ? "made-up" : owner == 2 ? "H100" : "A100";
    key.phase = Phase::train;
    std::vector<RunData> runs;
    for (int i = 0; i < sizes; ++i) {
      RunData run;
      run.run_id = ++id;
      run.owner = run.place = owner;
      run.started_at = Instant(std::chrono::hours{(owner == 1 ? 490'000 : 480'000) + id});
      run.iterations = 100;
      run.samples_per_iteration = 8 << i;
      run.duration = from_seconds((20.0 + (8 << i)) * std::exp(noise * normal(random)));
      runs.push_back(run);
    }
    auto& of = data[key];
    for (const auto& each : data_of(key, runs)) of.push_back(each);
  };
  for (int i = 0; i < 6; ++i) add("noisy" + std::to_string(i), 1, 0.1, 6);
  const auto said_of = [&](const std::string& network) {
    const auto knowledge = Knowledge::of(data, nullptr, [] {});
    Question question;
    question.network = network;
    question.iterations = 100;
    question.device = "A100";
    const auto what = knowledge->asked(question, Phase::train, 48, none)->what;
    EXPECT_EQ(knowledge->prefers_models(what, estimators::Kind::batch_size), network == "few");
    return *knowledge->ask(what, 0.9);
  };
  const auto width = [](const Said& said) { return std::log(said.upper / said.lower); };
  const Said alone = said_of("noisy0");
  for (int i = 0; i < 20; ++i) add("exact" + std::to_string(i), 2, 0, 6);
  add("noisy0", 2, 0, 6);
  const Said beside = said_of("noisy0");
  EXPECT_GT(width(beside), 0.8 * width(alone));
  EXPECT_EQ(beside.tested_on, alone.tested_on);
  add("noisy0", 0, 0, 6);
  EXPECT_EQ(said_of("noisy0").tested_on, alone.tested_on) << "whoever was first with it elsewhere";
  add("few", 3, 0.1, 4);
  EXPECT_GT(said_of("few").tested_on, 2 * alone.tested_on) << "about all";
}

// What a question leaves out is taken from runs of the one who asks, where others' fit it as well.
TEST(Knowledge, OfEqualRunsTheAskersOwnSayWhatIsLeftOut) {
  Knowledge::Data data;
  for (const std::int64_t owner : {1, 2}) {
    ModelKey key;
    key.network = "LeNet";
    key.device = owner == 1 ? "V100" : "made-up";
    key.devices = owner == 1 ? 1 : 64;
    RunData run;
    run.run_id = run.owner = run.place = owner;
    run.started_at = Instant(std::chrono::hours{490'000 + owner});
    run.iterations = 100;
    run.samples_per_iteration = 64;
    run.duration = from_seconds(10);
    data[key] = data_of(key, {run});
  }
  const auto knowledge = Knowledge::of(data, nullptr, [] {});
  HeldModels none;
  Question question;
  question.network = "LeNet";
  question.device = "H100";
  EXPECT_EQ(knowledge->asked(question, Phase::train, 64, none)->key.devices, 64) << "the newest run's";
  question.asker = 1;
  EXPECT_EQ(knowledge->asked(question, Phase::train, 64, none)->key.devices, 1);
}

// A log may name any network, in any case, and any machine: it speaks for that one, not for the one that is asked about.
TEST(Knowledge, ANameInAnotherCaseIsAnothersWhereTheOneAskedForIsKnown) {
  Knowledge::Data data;
  std::int64_t id = 0;
  const auto add = [&](const std::string& network, const std::string& device, double seconds) {
    ModelKey key;
    key.network = network;
    key.device = device;
    std::vector<RunData> runs;
    for (const int batch : {16, 32, 64, 128}) {
      RunData run;
      run.run_id = ++id;
      run.started_at = Instant(std::chrono::seconds(id));
      run.iterations = 100;
      run.samples_per_iteration = batch;
      run.duration = from_seconds(seconds * batch);
      runs.push_back(run);
    }
    data[key] = data_of(key, runs);
  };
  add("LeNet", "K80", 1);
  add("lenet", "K80", 70);  // the newer
  add("LeNet", "k80", 70);
  const auto knowledge = Knowledge::of(data, nullptr, [] {});
  HeldModels none;
  Question question;
  question.iterations = 100;
  for (const std::string name : {"LeNet", "lenet"}) {
    question.network = name;
    const auto asked = knowledge->asked(question, Phase::train, 64, none);
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->key.network, name);
    EXPECT_EQ(asked->what.network, name);
  }
  question.network = "LENET";
  EXPECT_TRUE(knowledge->asked(question, Phase::train, 64, none)) << "as it was typed there is none";
  question.network = "LeNet";
  question.device = "K80";
  const auto asked = knowledge->asked(question, Phase::train, 64, none);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->key.device, "K80");
  EXPECT_EQ(asked->what.device, "K80");
}

TEST(Knowledge, SettingsThatAQuestionLeavesOutAreTheModelsOrThoseOfMostNotTheNewestRuns) {
  const ModelKey key{"LeNet", "", "pytorch", "vm", "K80", 1, Phase::train};
  std::vector<RunData> runs;
  for (int i = 0; i < 6; ++i) {
    RunData& run = runs.emplace_back();
    run.run_id = i + 1;
    run.owner = i < 5 ? 1001 : 1002;
    run.started_at = Instant(std::chrono::seconds(i + 1));
    run.iterations = 100;
    run.samples_per_iteration = 16 << i % 3;
    run.duration = from_seconds(static_cast<double>(run.samples_per_iteration));
    run.settings["precision"] = i < 5 ? "fp32" : "fp16";
  }
  const auto knowledge = Knowledge::of({{key, data_of(key, runs)}}, nullptr, [] {});
  Question question;
  question.network = "LeNet";
  question.device = "V100";
  const auto asked_with = [&](std::vector<FittedModel> models) {
    HeldModels held(std::move(models));
    return knowledge->asked(question, Phase::train, 32, held)->what.settings;
  };
  EXPECT_EQ(asked_with({}), settings_of(key, {{"precision", "fp32"}}));
  FittedModel model;
  model.key = key;
  model.model.covariates = settings_of(key, {{"precision", "fp16"}});
  EXPECT_EQ(asked_with({model}), model.model.covariates);
  question.settings["precision"] = "fp64";
  EXPECT_EQ(asked_with({model}), settings_of(key, {{"precision", "fp64"}}));
}

}  // namespace
}  // namespace etad::prediction
