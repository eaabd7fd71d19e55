// What a history of very many networks costs: memory is bounded by the configuration, and counted here.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "daemon/refit.h"
#include "prediction/estimate.h"
#include "prediction/what_if.h"
#include "tests/daemon/refitted.h"
#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

class ManyModels : public TempHistory {
 protected:
  // `runs` runs each of so many networks, in one log.
  void add(int first, int networks, int runs, const std::function<std::string(int)>& host) {
    SourceCommit commit;
    commit.source.path = commit.source.identity = "/" + std::to_string(first) + ".log";
    commit.source.owner = 1000 + first;
    for (int i = 0; i < networks * runs; ++i) {
      const int network = first + i / runs;
      const std::int64_t batch = 16 << (i % runs % 4);
      etad::Run run;
      run.ordinal = i;
      run.state = RunState::finished;
      run.framework = "caffe";
      run.network = "net" + std::to_string(network);
      run.host = host(network);
      run.device = device_;
      run.devices = 1;
      run.started_at = kToday + std::chrono::seconds(i);
      run.train.batch_size = run.train.samples_per_iteration = batch;
      run.train.iterations = 100;
      run.train.segments = 1;
      run.train.duration = from_seconds(1 + 0.05 * static_cast<double>(batch) + 0.001 * (network % 7));
      commit.records.segments.push_back(
          {i, Segment{Phase::train, 0, 100, batch, run.train.duration, std::nullopt}});
      commit.records.runs.push_back(std::move(run));
    }
    std::vector<SourceCommit> commits{std::move(commit)};
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.commit(commits, kToday); }));
  }

  static std::string one_host(int) { return "gpu1"; }
  std::string device_ = "Tesla K80";

  prediction::Answer<prediction::Estimate> estimate(const prediction::ModelSet& set,
                                                    const std::string& network) {
    prediction::Question question;
    question.network = network;
    question.iterations = 1000;
    question.batch_size = 32;
    return prediction::estimate(std::make_shared<prediction::ModelSet>(set), question);
  }
};

TEST_F(ManyModels, AreHeldWithinTheMemoryThatTheConfigurationGives) {
  constexpr std::size_t kMemory = 16 << 10;
  const auto models = models_of(path(), *writer_, kMemory);
  Refit refit(Reader::open(path()).value(), models, [] { return kToday; });
  for (const int networks : {6, 24}) {
    add(networks, networks, 5, one_host);
    ASSERT_TRUE(refit.run());
    const auto all = fitted_models(refit);
    EXPECT_GE(static_cast<int>(all.size()), networks);
    EXPECT_LE(models->held().bytes, kMemory);
    EXPECT_LT(models->held().models, 12U) << "however many there are";
  }
  const auto said = estimate(*refit.models(), "NET470");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind, prediction::Refusal::Kind::unknown_network);
  EXPECT_THAT(said.error().candidates, testing::Contains("net47"));
  EXPECT_TRUE(estimate(*refit.models(), "NET47"));
}

// What varies over the sizes that ran asks its model which those were.
TEST_F(ManyModels, AreFoundByNamesOfAnyLength) {
  device_ = "NVIDIA A100-SXM4-80GB of the second generation";
  const std::string host = "gpu-node-0017.cluster.example.org";
  add(0, 1, 8, [&](int) { return host; });
  Refit refit = refit_of(path(), *writer_, [] { return kToday; });
  ASSERT_EQ(refit.run()->fitted, 1);
  prediction::Question question;
  question.network = "net0";
  question.framework = "caffe";
  question.host = host;
  question.device = device_;
  question.devices = 1;
  question.iterations = 1000;
  const auto ask = [&](const prediction::Question& each) {
    return prediction::estimate(refit.models(), each);
  };
  const auto open = ask(question);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind, prediction::Refusal::Kind::batch_size_missing);
  const auto varied = prediction::what_if(question, prediction::Vary::batch_size, {}, ask);
  ASSERT_TRUE(varied);
  std::vector<std::int64_t> sizes;
  for (const auto& row : varied->rows) {
    sizes.push_back(*row.question.batch_size);
    EXPECT_TRUE(row.estimate.parts.front().model) << sizes.back();
  }
  EXPECT_THAT(sizes, testing::ElementsAre(8, 16, 32, 64, 128, 256));
}

// Where models are kept, which tells what a refit handed over.
class Handed final : public prediction::KeptModels {
 public:
  explicit Handed(bool makes) : makes_(makes) {}
  bool makes_of_one_run() const override { return makes_; }
  Result<std::vector<ModelRow>> list(const ModelFilter& filter) override { return held_.list(filter); }
  Result<std::shared_ptr<const prediction::FittedModel>> load(const ModelKey& key) override {
    return held_.load(key);
  }
  Result<std::int64_t> count() override { return held_.count(); }
  Result<std::vector<ModelRow>> fair_share(std::size_t most, std::size_t always) override {
    return held_.fair_share(most, always);
  }
  Result<std::vector<std::string>> names_around(NameOf what, const std::string& wanted) override {
    return held_.names_around(what, wanted);
  }
  Result<void> keep(std::vector<prediction::FittedModel>& fitted, const std::vector<ModelKey>&,
                    const std::optional<RefitProgress>&) override {
    for (const auto& model : fitted) (model.model.coefficients.empty() ? made_later : fitted_now) += 1;
    return {};
  }

  Result<std::string> records() override { return std::string(); }
  Result<void> keep_records(const std::string&) override { return {}; }

  int made_later = 0, fitted_now = 0;

 private:
  bool makes_;
  prediction::HeldModels held_;
};

TEST_F(ManyModels, ThoseOfOneRunAreNotFittedByARefitButWhenTheyAreAskedFor) {
  add(0, 5, 1, one_host);
  add(100, 2, 5, one_host);
  for (const bool makes : {true, false}) {
    const auto handed = std::make_shared<Handed>(makes);
    Refit refit(Reader::open(path()).value(), handed, [] { return kToday; });
    ASSERT_TRUE(refit.run());
    EXPECT_EQ(handed->made_later, makes ? 5 : 0);
    EXPECT_EQ(handed->fitted_now, makes ? 2 : 7);
  }
  const auto models = models_of(path(), *writer_);
  Refit refit(Reader::open(path()).value(), models, [] { return kToday; });
  ASSERT_EQ(refit.run()->fitted, 7);
  ModelFilter all;
  all.bodies = true;
  const auto rows = models->list(all).value();
  for (const ModelRow& row : rows) EXPECT_EQ(row.body.empty(), row.runs == 1) << row.key.network;
  EXPECT_TRUE(estimate(*refit.models(), "net3"));
}

TEST_F(ManyModels, AStartReadsNoneAndARefitOnlyThoseItNeeds) {
  add(0, 12, 1, one_host);
  ASSERT_EQ(refit_of(path(), *writer_, [] { return kToday; }).run()->fitted, 12);
  const auto models = models_of(path(), *writer_);
  Refit restarted(Reader::open(path()).value(), models, [] { return kToday; });
  ASSERT_TRUE(estimate(*restarted.models(), "net7"));
  EXPECT_EQ(models->held().models, 1U);
  EXPECT_EQ(restarted.run()->fitted, 0);
  EXPECT_EQ(models->held().models, 1U);
  EXPECT_EQ(restarted.models()->knowledge->data().size(), 12U);
}

TEST_F(ManyModels, NobodyWaitsForWhatAnotherReads) {
  add(0, 2, 1, one_host);
  ASSERT_EQ(refit_of(path(), *writer_, [] { return kToday; }).run()->fitted, 2);
  std::promise<void> begun, answered;
  std::atomic<int> readers = 0;
  prediction::StoredModels models(
      [&] {
        if (++readers == 1) {
          begun.set_value();
          answered.get_future().wait();
        }
        return ModelReader::open(path());
      },
      kRoomForModels, {put_models_with(*writer_), put_records_with(*writer_)});
  std::thread slow([&] { EXPECT_TRUE(models.count()); });
  begun.get_future().wait();
  EXPECT_EQ(models.count().value(), 2);
  answered.set_value();
  slow.join();
  EXPECT_EQ(readers, 2);
}

// What each model of many may have of the estimators' memory shrinks as they become more.
TEST(WhatIsListenedTo, IsBoundedAltogether) {
  for (const std::size_t keys : {1UL, 100UL, 250UL, 1000UL, 4000UL})
    EXPECT_LE(keys * prediction::most_of_key(keys), prediction::kMostData) << keys;
  EXPECT_EQ(prediction::most_of_key(100), prediction::kMostOfKey);
  EXPECT_EQ(prediction::most_of_key(prediction::kMostKeys), prediction::kFewestOfKey);
}

TEST_F(ManyModels, ADirtyHistoryIsFittedInParts) {
  for (int i = 0; i < 5; ++i) add(100 * i, 10, 1, one_host);
  std::int64_t reached = 0;
  EXPECT_EQ(reader_->changed_keys(0, reached, 15).value().size(), 20U) << "the whole of the second commit";
  EXPECT_EQ(reader_->changed_keys(reached, reached, 15).value().size(), 20U);
  EXPECT_EQ(reader_->changed_keys(reached, reached, 15).value().size(), 10U);
  EXPECT_THAT(reader_->changed_keys(reached, reached, 15).value(), testing::IsEmpty());
}

}  // namespace
}  // namespace etad
