#include "daemon/service/estimate.h"

#include "tests/service/fixtures.h"

namespace etad::service::testing {
namespace {

using prediction::Estimate;
using prediction::estimate;
using prediction::Spread;
using prediction::test_phases;

class EstimateTest : public ::testing::Test {
 protected:
  void add(FittedModel model) {
    model.id = static_cast<std::int64_t>(models_.size()) + 1;
    models_.push_back(std::move(model));
  }

  prediction::Answer<Estimate> ask(const std::string& query) {
    Params params(query);
    const prediction::Question question = question_from(params);
    const auto problem = params.check();
    EXPECT_FALSE(problem) << (problem ? problem->detail : "");
    auto set = std::make_shared<ModelSet>();
    set->models = held(models_);
    set->contradictions = contradictions_;
    return estimate(set, question);
  }

  json::object refused(const std::string& query, unsigned status) {
    const auto answer = ask(query);
    EXPECT_FALSE(answer);
    if (answer) return {};
    const Problem problem = problem_of(answer.error());
    EXPECT_EQ(problem.status, status) << problem.detail;
    return json::parse(reply_of(problem).body).as_object();
  }

  json::object answered(const std::string& query) {
    const auto answer = ask(query);
    EXPECT_TRUE(answer) << (answer ? "" : problem_of(answer.error()).detail);
    return answer ? json::parse(to_json(*answer)).as_object() : json::object();
  }

  std::vector<prediction::Contradiction> contradictions_;
  std::vector<FittedModel> models_;
};

TEST_F(EstimateTest, TrainIsTheModelsWord) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  const auto body = answered("network=LeNet&phase=train&batch_size=64&iterations=1000");
  const double seconds = 0.5 + 1000 * (0.01 + 0.001 * 64);
  EXPECT_NEAR(body.at("seconds").to_number<double>(), seconds, 1e-6);
  EXPECT_LT(body.at("lower").to_number<double>(), seconds);
  EXPECT_GT(body.at("upper").to_number<double>(), seconds);
  EXPECT_NEAR(body.at("seconds_per_iteration").to_number<double>(), seconds / 1000, 1e-9);
  EXPECT_NEAR(body.at("samples_per_second").to_number<double>(), 64'000 / seconds, 1e-3);
  EXPECT_EQ(body.at("confidence").to_number<double>(), 0.9);
  EXPECT_EQ(body.at("device"), "Tesla K80");
  EXPECT_EQ(body.at("model").at("id"), 1);
  EXPECT_EQ(body.at("model").at("runs"), 7);
  EXPECT_TRUE(body.at("parts").as_array().empty());
  EXPECT_TRUE(body.at("extrapolates").as_array().empty());
}

// Blocks of five runs are slow and fast in turn; the last one was slow.
TEST_F(EstimateTest, TheMachinesDriftMovesAnEstimateOfNowAndIsTold) {
  const auto model = fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001);
  add(model);
  std::vector<RunData> runs;
  for (int i = 40; i > 0; --i) {
    RunData& run = runs.emplace_back();
    run.run_id = i;
    run.iterations = 1000;
    run.samples_per_iteration = 64;
    run.duration = from_seconds(35 * std::exp((i - 1) / 5 % 2 == 0 ? 0.1 : -0.1));
    run.started_at = kNow - std::chrono::seconds{40 * i};
    run.ended_at = *run.started_at + std::chrono::seconds{35};
  }
  auto set = std::make_shared<ModelSet>();
  set->models = held(models_);
  set->knowledge =
      prediction::Knowledge::of({{model.key, prediction::data_of(model.key, runs)}}, nullptr, [] {});
  Params params("network=LeNet&phase=train&batch_size=64&iterations=1000");
  const prediction::Question question = question_from(params);
  const auto told = [&](std::optional<Instant> now) {
    const auto answer = estimate(set, question, now);
    EXPECT_TRUE(answer);
    return json::parse(to_json(*answer)).as_object();
  };
  const auto moved = told(kNow), plain = told(std::nullopt);
  EXPECT_EQ(plain.at("mood").to_number<double>(), 1);
  const double factor = moved.at("mood").to_number<double>();
  EXPECT_GT(factor, 1.002);
  for (const char* const part : {"seconds", "lower", "upper"})
    EXPECT_NEAR(moved.at(part).to_number<double>() / plain.at(part).to_number<double>(), factor, 1e-6);
  EXPECT_NEAR(told(kNow + std::chrono::hours{2400}).at("mood").to_number<double>(), 1, 0.01);
}

// Where no history tells what it costs.
TEST_F(EstimateTest, AnotherSettingThanTheModelsIsNamedAndWidens) {
  auto model = fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001);
  model.model.covariates = {"precision=", "type=SGD"};
  add(model);
  add(fitted(2, "LeNet", Phase::test, 0, 0.01, 0.001));
  const std::string query = "network=LeNet&phase=train&batch_size=64&iterations=1000";
  const auto known = answered(query), same = answered(query + "&setting.type=SGD"),
             other = answered(query + "&setting.type=Adam");
  EXPECT_EQ(same.at("upper"), known.at("upper"));
  EXPECT_EQ(other.at("seconds"), known.at("seconds"));
  EXPECT_GT(other.at("upper").to_number<double>(), known.at("upper").to_number<double>());
  EXPECT_EQ(other.at("settings").at("type"), "Adam");
  EXPECT_EQ(other.at("extrapolates"), (json::array{"type"}));
  EXPECT_FALSE(answered(query).contains("settings"));
  const auto unheard = answered(query + "&setting.precision=fp16&setting.type=AdaGrad");
  EXPECT_EQ(unheard.at("extrapolates"), (json::array{"precision", "type"}));
  const auto total = answered(
      "network=LeNet&phase=total&batch_size=64&iterations=1000&test_interval=500&test_iterations=10&"
      "test_batch_size=32&setting.type=AdaGrad");
  EXPECT_EQ(total.at("extrapolates").at(0), "type");

  Params params(query + "&setting.colour=green");
  question_from(params);
  const auto problem = params.check();
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->detail.find("setting.colour"), std::string::npos);
}

TEST_F(EstimateTest, WhatLiesOutsideIsNamed) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  const auto body = answered("network=LeNet&phase=train&batch_size=640&iterations=1000000");
  EXPECT_EQ(body.at("extrapolates"), json::parse(R"(["batch_size","iterations"])"));
}

TEST_F(EstimateTest, AWiderConfidenceIsAWiderInterval) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  const std::string query = "network=LeNet&phase=train&batch_size=64&iterations=1000&confidence=";
  EXPECT_LT(answered(query + "0.5").at("upper").to_number<double>(),
            answered(query + "0.95").at("upper").to_number<double>());
}

TEST_F(EstimateTest, NamesMatchWhateverTheirCaseUnlessThatIsAmbiguous) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  EXPECT_EQ(answered("network=lenet&phase=train&batch_size=64&iterations=10").at("network"), "LeNet");
  add(fitted(2, "LENET", Phase::train, 0.5, 0.05, 0.01));
  EXPECT_EQ(answered("network=LENET&phase=train&batch_size=64&iterations=10").at("network"), "LENET");
  const auto body = refused("network=lenet&phase=train&batch_size=64&iterations=10", 409);
  EXPECT_EQ(body.at("parameters"), json::parse(R"(["network"])"));
}

TEST_F(EstimateTest, RunsThatContradictEachOtherAreToldWithTheLabelThatTellsThemApart) {
  prediction::Contradiction found;
  found.key.network = "LeNet";
  found.fast = {64, 0.0012, {1, 3}};
  found.slow = {64, 0.024, {2}};
  contradictions_ = {found};
  const auto body = refused("network=lenet&phase=train&batch_size=64&iterations=10", 409);
  EXPECT_EQ(
      body.at("detail"),
      "The runs of LeNet name no device, and their times contradict each other: 0.0012 s an iteration of 64 "
      "samples in runs 1, 3, 0.024 s an iteration of 64 samples in run 2. No one model is true of them.");
  EXPECT_EQ(body.at("hint"),
            "say what each ran on, `etactl label 2 device=NAME`, or `etactl import --label device=NAME` at "
            "the import");
  EXPECT_EQ(body.at("label"), "device");
  EXPECT_EQ(body.at("contradiction").at("slow").at("runs"), json::parse("[2]"));
  EXPECT_EQ(
      refused("network=lenet&device=K80&phase=train&batch_size=64&iterations=10", 404).contains("label"),
      false);
}

TEST_F(EstimateTest, SaysSinceWhenRunsCount) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  const std::string query = "network=LeNet&phase=train&batch_size=64&iterations=1000";
  EXPECT_TRUE(answered(query).at("model").at("changed_at").is_null());
  models_[0].model.changed_at = 1'700'000'000;
  EXPECT_EQ(answered(query).at("model").at("changed_at"), "2023-11-14T22:13:20Z");
}

TEST_F(EstimateTest, SeveralDevicesAreNotGuessedAt) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  FittedModel other = fitted(2, "LeNet", Phase::train, 0.5, 0.005, 0.0005);
  other.key.device = "Tesla V100";
  other.key.host = "gpu2";
  add(other);
  const std::string query = "network=LeNet&phase=train&batch_size=64&iterations=10";
  const auto body = refused(query, 409);
  EXPECT_EQ(body.at("parameters"), json::parse(R"(["host","device"])"));
  ASSERT_EQ(body.at("candidates").as_array().size(), 2U);
  EXPECT_EQ(body.at("candidates").at(1).at("device"), "Tesla V100");
  EXPECT_EQ(answered(query + "&device=tesla+v100").at("model").at("id"), 2);
  EXPECT_EQ(answered(query + "&host=gpu1").at("model").at("id"), 1);
}

TEST_F(EstimateTest, ThatGoodEstimatorsContradictEachOtherIsSaid) {
  prediction::Said said;
  said.estimator = "ernest";
  said.value = 1.5;
  said.contradicted_by = "effects";
  said.contradicted_value = 4.25;
  const Problem problem = problem_of(prediction::abstained(said, "LeNet"));
  EXPECT_EQ(problem.status, 404);
  EXPECT_EQ(
      problem.detail,
      "Of LeNet estimators with good records contradict each other: ernest says 1.5 s an iteration, effects "
      "says 4.25 s.");
  EXPECT_EQ(json::parse(reply_of(problem).body).at("abstained"), true);
}

TEST_F(EstimateTest, SeveralDevicesThatAnswerAlikeAreNoReasonToRefuse) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  FittedModel other = fitted(2, "LeNet", Phase::train, 0.5, 0.01, 0.00101);
  other.key.host = "gpu2";
  other.model.runs = 20;
  add(other);
  const std::string query = "network=LeNet&phase=train&batch_size=64&iterations=1000";
  const auto first = answered(query + "&host=gpu1"), second = answered(query + "&host=gpu2");
  const auto both = answered(query);
  EXPECT_EQ(both.at("alike"), 2);
  EXPECT_EQ(both.at("host"), "gpu2") << "it has more runs";
  EXPECT_EQ(both.at("seconds"), second.at("seconds"));
  EXPECT_EQ(both.at("lower"), first.at("lower"));
  EXPECT_EQ(both.at("upper"), second.at("upper"));
  EXPECT_FALSE(first.contains("alike"));
  models_[1].model.coefficients[1].value *= 2;
  refused(query, 409);
}

TEST_F(EstimateTest, AnUnknownNumberOfDevicesIsNotTakenForOne) {
  for (const std::int64_t devices : {1, 0}) {
    FittedModel model = fitted(2 - devices, "LeNet", Phase::train, 0.5, devices == 1 ? 0.01 : 0.05, 0.001);
    model.key.devices = devices;
    add(model);
  }
  const std::string query = "network=LeNet&phase=train&batch_size=64&iterations=10";
  const auto body = refused(query, 409);
  EXPECT_EQ(body.at("parameters"), json::parse(R"(["devices"])"));
  EXPECT_EQ(body.at("candidates").at(1).at("devices"), nullptr);
  EXPECT_EQ(answered(query + "&devices=1").at("model").at("id"), 1);
  const auto unknown = answered(query + "&devices=");
  EXPECT_EQ(unknown.at("model").at("id"), 2);
  EXPECT_EQ(unknown.at("devices"), nullptr);
}

TEST_F(EstimateTest, ALanguageModelIsAskedInTokens) {
  FittedModel model = fitted(1, "GPT", Phase::train, 0.5, 0.01, 0.001);
  model.model.covariates = {"sequence_length=2048"};
  add(model);
  const std::string query = "network=GPT&phase=train&iterations=10";
  const auto tokens = answered(query + "&tokens=131072&setting.sequence_length=2048");
  EXPECT_EQ(tokens.at("seconds"), answered(query + "&batch_size=64").at("seconds"));
  EXPECT_EQ(tokens.at("batch_size"), 64);
  EXPECT_EQ(answered(query + "&batch_size=64").at("tokens_per_iteration"), 131072);
  EXPECT_EQ(refused(query + "&tokens=131072", 400).at("parameter"), "setting.sequence_length")
      << "no run is known that would say it";
  Params both(query + "&tokens=131072&batch_size=64");
  question_from(both);
  EXPECT_TRUE(both.check());
}

TEST(Epochs, OfALanguageModelAreCountedByTheTokensOfItsRuns) {
  RunData run;
  run.iterations = 100;
  run.samples_per_iteration = 8;
  run.duration = from_seconds(10);
  run.settings["sequence_length"] = "1024";
  const ModelKey key = fitted(1, "GPT", Phase::train, 0.5, 0.01, 0.001).key;
  ModelSet models;
  models.knowledge = prediction::Knowledge::of({{key, prediction::data_of(key, {run})}}, nullptr, [] {});
  prediction::Question question;
  question.network = "GPT";
  question.tokens = 8192;
  question.epochs = 1;
  question.samples_per_epoch = 1000;
  prediction::Question other = question;
  EXPECT_FALSE(count_iterations(question, models));
  EXPECT_EQ(question.iterations, 125);
  other.network = "nosuch";
  const auto problem = count_iterations(other, models);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->detail.find("length of a sequence"), std::string::npos) << problem->detail;
}

TEST_F(EstimateTest, SeveralArchitecturesOfOneNameAreNotGuessedAt) {
  add(fitted(1, "CaffeNet", Phase::train, 0.5, 0.01, 0.001));
  FittedModel other = fitted(2, "CaffeNet", Phase::train, 0.5, 0.02, 0.002);
  other.key.architecture = "";  // its log does not say
  add(other);
  const std::string query = "network=CaffeNet&phase=train&batch_size=64&iterations=10";
  EXPECT_EQ(refused(query, 409).at("parameters"), json::parse(R"(["architecture"])"));
  EXPECT_EQ(answered(query + "&architecture=9c1d7a52").at("model").at("id"), 1);
  EXPECT_EQ(answered(query + "&architecture=").at("model").at("id"), 2);
  EXPECT_EQ(answered("architecture=9c1d7a52&phase=train&batch_size=64&iterations=10").at("network"),
            "CaffeNet");
}

// A history that one user filled with names must not make others wait: each model is looked at once.
TEST_F(EstimateTest, ManyNetworksDoNotSlowOneDown) {
  for (int i = 0; i < 20'000; ++i) {
    FittedModel model;
    model.key.network = "net" + std::to_string(i);
    model.key.phase = i % 2 == 0 ? Phase::train : Phase::test;
    add(std::move(model));
  }
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(answered("network=lenet&phase=train&batch_size=64&iterations=10").at("network"), "LeNet");
  refused("network=net&phase=train&batch_size=64&iterations=10", 404);
}

TEST_F(EstimateTest, AnUnknownNetworkIsAnsweredWithNearNames) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  add(fitted(2, "AlexNet", Phase::train, 0.5, 0.01, 0.001));
  EXPECT_EQ(refused("network=LNeet&phase=train&iterations=10", 404).at("candidates"),
            json::parse(R"(["LeNet"])"));
  EXPECT_FALSE(refused("network=transformer&phase=train&iterations=10", 404).contains("candidates"));
}

TEST(Problems, WhereNothingRanSaysWhatWouldTell) {
  prediction::Refusal refusal;
  refusal.kind = prediction::Refusal::Kind::nothing_ran_there;
  refusal.parameter = "device";
  refusal.value = "H100";
  refusal.candidates = {"Tesla K80"};
  const Problem device = problem_of(refusal);
  EXPECT_EQ(device.status, 404U);
  EXPECT_NE(device.detail.find("on the device \"H100\""), std::string::npos) << device.detail;
  EXPECT_EQ(device.hint.find("say device="), std::string::npos) << device.hint;
  EXPECT_EQ(device.candidates, refusal.candidates);
  refusal.parameter = "host";
  EXPECT_NE(problem_of(refusal).hint.find("say device=MODEL"), std::string::npos);
}

TEST_F(EstimateTest, AnUnknownDeploymentIsAnsweredWithWhatIsKnown) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  auto body = refused("network=LeNet&device=H100&phase=train&iterations=10", 404);
  EXPECT_EQ(body.at("candidates"), json::parse(R"(["Tesla K80"])"));
  EXPECT_EQ(body.at("known").at(0).at("phases"), json::parse(R"(["train"])"));
  body = refused("network=LeNet&phase=test&iterations=10", 404);
  EXPECT_EQ(body.at("known").at(0).at("device"), "Tesla K80");
}

TEST_F(EstimateTest, ABatchSizeMayBeLeftOutWhereOnlyOneWasSeen) {
  add(fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001));
  EXPECT_EQ(refused("network=LeNet&phase=train&iterations=10", 400).at("parameter"), "batch_size");
  FittedModel one = fitted(2, "One", Phase::train, 0.5, 0.01, 0.001, {32, 32});
  one.model.basis = "c0 + n*c1";
  one.model.coefficients = {{"c0", 0.5, 0}, {"c1", 0.05, 0}};
  one.model.covariance.assign(4, 0);
  add(one);
  const auto body = answered("network=One&phase=train&iterations=10");
  EXPECT_EQ(body.at("batch_size"), 32);
  EXPECT_NEAR(body.at("seconds").to_number<double>(), 1.0, 1e-9);
}

class TotalTest : public EstimateTest {
 protected:
  TotalTest() {
    FittedModel train = fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.001);
    train.startup = Spread{2, 1.5, 3, 7};
    train.snapshot = Spread{0.25, 0.2, 0.4, 3};
    add(train);
    add(fitted(2, "LeNet", Phase::test, 0, 0.01, 0.0004, {100, 100}));
  }
  const std::string query_ =
      "network=LeNet&phase=total&batch_size=64&iterations=10000&test_interval=500"
      "&test_iterations=100&test_batch_size=100";
};

TEST_F(TotalTest, AddsTrainingTestsAndStartUp) {
  const auto body = answered(query_);
  const double train = 0.5 + 10'000 * 0.074, test = 21 * 100 * 0.05;  // the initial test counts
  EXPECT_NEAR(body.at("seconds").to_number<double>(), train + test + 2, 1e-6);
  const auto& parts = body.at("parts").as_array();
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].at("phase"), "train");
  EXPECT_EQ(parts[1].at("phase"), "test");
  EXPECT_EQ(parts[1].at("iterations"), 2100);
  EXPECT_EQ(parts[2].at("phase"), "startup");
  EXPECT_EQ(parts[2].at("seconds").to_number<double>(), 2);
}

TEST_F(TotalTest, WhatItsRunsTookHasTheConfidenceThatIsAskedFor) {
  const auto startup = [&](const std::string& confidence) {
    const auto body = answered(query_ + "&confidence=" + confidence);
    const auto& part = body.at("parts").as_array()[2];
    return std::pair(part.at("lower").to_number<double>(), part.at("upper").to_number<double>());
  };
  EXPECT_NEAR(startup("0.9").first, 1.5, 1e-9);
  EXPECT_NEAR(startup("0.9").second, 3, 1e-9);
  EXPECT_NEAR(startup("0.5").second, 2 * std::pow(1.5, 0.6745 / 1.6449), 1e-3);
  EXPECT_LT(startup("0.99").first, 1.4);
}

// Of all but certainty a normal distribution says that anything may be.
TEST_F(TotalTest, HasBoundsHoweverSureTheyAreToBe) {
  const auto sure = answered(query_ + "&confidence=0.9999999999999999");
  EXPECT_TRUE(sure.at("upper").is_number());
  EXPECT_EQ(sure.at("upper"), answered(query_ + "&confidence=0.9999").at("upper"));
  EXPECT_EQ(sure.at("confidence").to_number<double>(), 0.9999);
}

TEST_F(TotalTest, ItsIntervalIsNeitherTheSumNorQuadrature) {
  const auto body = answered(query_);
  double sum = 0, squares = 0;
  for (const auto& part : body.at("parts").as_array()) {
    const double width = part.at("upper").to_number<double>() - part.at("seconds").to_number<double>();
    sum += width;
    squares += width * width;
  }
  const double width = body.at("upper").to_number<double>() - body.at("seconds").to_number<double>();
  EXPECT_LT(width, 0.99 * sum);
  EXPECT_GT(width, 1.01 * std::sqrt(squares));
}

TEST_F(TotalTest, CountsSnapshotsWhereAsked) {
  const auto parts = answered(query_ + "&snapshot_interval=3000").at("parts").as_array();
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[3].at("phase"), "snapshot");
  EXPECT_EQ(parts[3].at("count"), 4);  // at 3000, 6000, 9000 and at the end
  EXPECT_EQ(parts[3].at("seconds").to_number<double>(), 1);
}

// Evaluations whose length no line says, checkpoints: so much as such runs lost of their time.
TEST_F(TotalTest, AddsWhatPassesBetween) {
  FittedModel train = fitted(3, "AlexNet", Phase::train, 0, 0.01, 0.001);
  train.other = Spread{0.25, 0.125, 0.5, 4};
  add(train);
  const auto body =
      answered("network=AlexNet&phase=total&batch_size=64&iterations=1000&test_interval=0&confidence=0.9");
  const auto& parts = body.at("parts").as_array();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].at("phase"), "other");
  EXPECT_EQ(parts[1].at("runs"), 4);
  EXPECT_NEAR(parts[1].at("seconds").to_number<double>(), 0.25 * 74, 1e-9);
  EXPECT_NEAR(parts[1].at("upper").to_number<double>(), 0.5 * 74, 1e-9);
  EXPECT_NEAR(body.at("seconds").to_number<double>(), 1.25 * 74, 1e-9);
}

TEST_F(TotalTest, IsWithoutTestsWhereThereAreNone) {
  const auto body = answered("network=LeNet&phase=total&batch_size=64&iterations=10000&test_interval=0");
  EXPECT_EQ(body.at("parts").as_array().size(), 2U);
  models_.pop_back();
  refused(query_, 404);
}

TEST_F(TotalTest, BeyondAllBoundsIsRefusedNotAnsweredWithNonsense) {
  const auto body = refused(
      "network=LeNet&phase=total&batch_size=64&iterations=1000000000000&test_interval=1"
      "&test_iterations=1000000000000&test_batch_size=100",
      400);
  EXPECT_EQ(body.at("parameter"), "test_iterations");
}

TEST_F(TotalTest, NamesATestsInputsByTheirParameters) {
  models_[1].model.iterations = {10, 50};
  EXPECT_EQ(answered(query_).at("extrapolates"), json::parse(R"(["test_iterations"])"));
}

TEST(TestPhases, AreCountedAsCaffeDoes) {
  EXPECT_EQ(test_phases(10'000, 500), 21);
  EXPECT_EQ(test_phases(499, 500), 1);
  EXPECT_EQ(test_phases(1000, 300), 4);
  EXPECT_EQ(test_phases(1000, 0), 0);
}

TEST(Problems, TellsHowARunIsNamedWhoseLogNamesNoNetwork) {
  prediction::Refusal refusal;
  refusal.kind = prediction::Refusal::Kind::unknown_network;
  EXPECT_NE(problem_of(refusal).hint.find("etactl label RUN network=NAME"), std::string::npos) << "of a run";
  refusal.value = "diff";
  EXPECT_NE(problem_of(refusal).hint.find("etactl label RUN network=NAME"), std::string::npos)
      << "nothing has a name";
  refusal.deployments = 3;
  EXPECT_EQ(problem_of(refusal).hint.find("etactl label"), std::string::npos) << "others have";
}

}  // namespace
}  // namespace etad::service::testing
