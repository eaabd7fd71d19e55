// Users who write what is not true: what is said to others of their networks, devices and machines stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/refit.h"
#include "prediction/estimate.h"
#include "prediction/model_json.h"
#include "tests/daemon/refitted.h"
#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kAlice = 1001, kBob = 1002, kCarol = 1003;

class Owners : public TempHistory {
 protected:
  // One log with `count` runs of a network, each of 1000 iterations at `step_time` seconds.
  void add(std::optional<std::int64_t> owner, int count, double step_time,
           const std::string& network = "LeNet", std::int64_t batch = 64,
           const std::string& device = "Tesla K80") {
    SourceCommit commit;
    commit.source.path = "/" + std::to_string(++logs_) + ".log";
    commit.source.identity = commit.source.path;
    commit.source.owner = owner;
    for (std::int64_t ordinal = 0; ordinal < count; ++ordinal) {
      etad::Run run;
      run.ordinal = ordinal;
      run.state = RunState::finished;
      run.framework = "caffe";
      run.network = network;
      run.device = device;
      run.started_at = kToday + seconds(3600 * ++runs_);
      run.ended_at = *run.started_at + seconds(1800);
      run.train.batch_size = run.train.samples_per_iteration = batch;
      run.train.iterations = 1000;
      run.train.segments = 1;
      run.train.duration = from_seconds(1000 * step_time * (1 + 0.01 * static_cast<double>(runs_ % 5)));
      commit.records.segments.push_back(
          {ordinal, Segment{Phase::train, 0, 1000, batch, run.train.duration, std::nullopt}});
      commit.records.runs.push_back(std::move(run));
    }
    std::vector<SourceCommit> commits{std::move(commit)};
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.commit(commits, kToday); }));
  }

  static prediction::Question of(const std::string& network, std::optional<std::int64_t> asker = {}) {
    prediction::Question question;
    question.network = network;
    question.iterations = 1000;
    question.batch_size = 64;
    question.asker = asker;
    return question;
  }

  prediction::Answer<prediction::Estimate> answer(const prediction::Question& question) {
    if (auto done = refit_.run(); !done) ADD_FAILURE() << done.error().text();
    return prediction::estimate(refit_.models(), question);
  }

  double seconds_of(const prediction::Question& question) {
    const auto said = answer(question);
    return said ? said->sum.seconds : 0;
  }

  int logs_ = 0;
  std::int64_t runs_ = 0;
  Refit refit_ = refit_of(path(), *writer_, [] { return kToday; });
};

TEST_F(Owners, ThreeHundredForgedRunsInOneLogMoveNobodysEstimate) {
  for (int i = 0; i < 12; ++i) add(kAlice, 1, 0.132);
  const auto before = answer(of("LeNet", kCarol));
  ASSERT_TRUE(before);
  add(kBob, 300, 70 * 0.132);
  for (const auto asker : {std::optional(kAlice), std::optional(kCarol), std::optional<std::int64_t>()}) {
    const auto after = answer(of("LeNet", asker));
    ASSERT_TRUE(after);
    EXPECT_NEAR(after->sum.seconds / before->sum.seconds, 1, 1e-6);
    EXPECT_NEAR(after->sum.lower / before->sum.lower, 1, 1e-6) << "nor how sure it is";
    EXPECT_NEAR(after->sum.upper / before->sum.upper, 1, 1e-6);
    EXPECT_EQ(after->parts[0].model->dispute->owners, std::vector<std::int64_t>{kAlice});
    EXPECT_FALSE(after->parts[0].model->own_runs);
  }
}

TEST_F(Owners, NorDoTheyInManyLogsNorBeforeTheOwnerIsKnown) {
  add(kAlice, 3, 0.132);
  const double before = seconds_of(of("LeNet"));
  for (int i = 0; i < 30; ++i) add(kBob, 10, 70 * 0.132);
  EXPECT_NEAR(seconds_of(of("LeNet")) / before, 1, 1e-6);
  for (int i = 0; i < 30; ++i) add(std::nullopt, 10, 70 * 0.132);
  EXPECT_GT(seconds_of(of("LeNet")), 1000) << "two say so now";
  EXPECT_NEAR(seconds_of(of("LeNet", kAlice)) / before, 1, 0.05) << "but not of hers";
}

TEST_F(Owners, WhereOwnersContradictEachOtherTheAskersOwnRunsSpeak) {
  add(kAlice, 12, 0.132);
  add(kBob, 20, 0.4);
  const auto bobs = answer(of("LeNet", kBob));
  ASSERT_TRUE(bobs);
  EXPECT_NEAR(bobs->sum.seconds, 400, 20);
  EXPECT_TRUE(bobs->parts[0].model->own_runs);
  EXPECT_NEAR(seconds_of(of("LeNet", kCarol)), 132, 8);

  // As well after a restart, before anything is fitted anew.
  Refit restarted = refit_of(path(), *writer_, [] { return kToday; });
  const auto again = prediction::estimate(restarted.models(), of("LeNet", kBob));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->sum.seconds, bobs->sum.seconds);
  EXPECT_EQ(again->parts[0].model->id, bobs->parts[0].model->id);
  EXPECT_TRUE(again->parts[0].model->own_runs);
}

// As after an upgrade, whose first refit takes its time.
TEST_F(Owners, OfAModelThatCantBeReadTheAskersOwnRunsSpeakAsWell) {
  add(kAlice, 12, 0.132);
  add(kBob, 20, 0.4);
  ASSERT_TRUE(refit_.run());
  auto rows = refit_.models()->models->list({}).value();
  ASSERT_EQ(rows.size(), 1U);
  rows[0].body = "of another version";
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.put_models(rows, {}, std::nullopt); }));
  Refit restarted = refit_of(path(), *writer_, [] { return kToday; });
  const auto bobs = prediction::estimate(restarted.models(), of("LeNet", kBob));
  ASSERT_TRUE(bobs);
  EXPECT_NEAR(bobs->sum.seconds, 400, 20);
  EXPECT_TRUE(bobs->parts[0].model->own_runs);
  EXPECT_GT(bobs->parts[0].model->id, 0);
}

TEST_F(Owners, RunsThatContradictThemselvesSinceMakeNoModelWhenOneIsAskedFor) {
  add(kAlice, 1, 0.01, "LeNet", 64, "");
  ASSERT_TRUE(refit_.run());
  add(kAlice, 1, 0.2, "LeNet", 64, "");
  const auto models = models_of(path(), *writer_);
  ASSERT_EQ(models->list({})->size(), 1U);
  EXPECT_EQ(models->load(models->list({})->front().key).value(), nullptr);
}

TEST_F(Owners, ManyContradictionsOfAnotherHideNobodys) {
  for (std::size_t i = 0; i < Refit::kMostContradictions; ++i)
    for (const double step_time : {0.01, 0.2}) add(kBob, 1, step_time, "Net" + std::to_string(i), 64, "");
  for (const double step_time : {0.01, 0.2}) add(kAlice, 1, step_time, "LeNet", 64, "");
  for (int bobs = 0; bobs < 2; ++bobs)
    for (const double step_time : {0.01, 0.2}) add(kBob, 1, step_time, "More" + std::to_string(bobs), 64, "");
  const auto refused = answer(of("LeNet", kAlice));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, prediction::Refusal::Kind::contradicting);
  EXPECT_EQ(refit_.models()->contradictions.size(), Refit::kMostContradictions);
  Refit restarted = refit_of(path(), *writer_, [] { return kToday; });
  ASSERT_TRUE(restarted.run());
  const auto again = prediction::estimate(restarted.models(), of("LeNet", kAlice));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, prediction::Refusal::Kind::contradicting) << "after a restart as well";
}

TEST_F(Owners, AnOwnersRunUnderWayIsForeseenFromTheirOwnRuns) {
  add(kAlice, 12, 0.132);
  add(kBob, 20, 0.4);
  ASSERT_TRUE(refit_.run());
  const auto model = fitted_models(refit_).at(0);
  EXPECT_EQ(model_for(model, kAlice), model);
  EXPECT_EQ(model_for(model, std::nullopt), model);
  EXPECT_NE(model_for(model, kBob), model);
}

// What all history says where a model does not: an owner's share of it is bounded as well.
TEST_F(Owners, ForgedRunsDoNotPassByTheEstimatorsOfAllHistory) {
  for (const std::int64_t batch : {16, 32, 64}) {
    const double step_time = 0.01 + 0.001 * static_cast<double>(batch);
    add(kAlice, 2, step_time, "LeNet", batch);
    add(kAlice, 2, 2 * step_time, "AlexNet", batch);
    add(kAlice, 2, 2 * step_time / 3, "AlexNet", batch, "V100");
  }
  auto bridged = of("LeNet", kCarol);
  bridged.device = "V100";
  const double before = seconds_of(bridged);
  EXPECT_NEAR(before, 1000 * 0.074 / 3, 0.3 * 1000 * 0.074 / 3);
  add(kBob, 300, 70 * 0.148 / 3, "AlexNet", 64, "V100");
  EXPECT_NEAR(seconds_of(bridged) / before, 1, 0.02);
}

TEST_F(Owners, OneWhoFillsTheHistoryWithNetworksCrowdsNobodyOutOfWhatIsListenedTo) {
  for (int i = 0; i < 10; ++i) add(kAlice, 1, 0.1, "alices" + std::to_string(i));
  for (int i = 0; i < 300; ++i) add(kBob, 1, 0.1, "bobs" + std::to_string(i));
  ASSERT_TRUE(refit_.run());
  const auto data = refit_.models()->knowledge->data();
  EXPECT_EQ(data.size(), 10 + prediction::kAlwaysTheirKeys);
  EXPECT_EQ(
      std::ranges::count_if(data, [](const auto& each) { return each.first.network.starts_with("alices"); }),
      10);
}

TEST_F(Owners, ARunStaysWhoseItWasWhenItBegan) {
  add(std::nullopt, 1, 0.1);
  auto row = writer_->with([](Writer& writer) { return writer.source(1); }).value().value();
  EXPECT_FALSE(reader_->run(1)->value().owner);
  const auto commit = [&](std::int64_t owner) {
    row.owner = owner;
    std::vector<SourceCommit> commits(1);
    commits[0].source = row;
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.commit(commits, kToday); }));
  };
  commit(kAlice);  // a history of before knew no owners
  EXPECT_EQ(reader_->run(1)->value().owner, kAlice);
  ModelKey key;
  key.network = "LeNet";
  key.framework = "caffe";
  key.device = "Tesla K80";
  EXPECT_EQ(reader_->run_data(key, 10, 10).value().at(0).owner, kAlice);
  commit(kBob);  // the file under that path is another's now
  EXPECT_EQ(reader_->run(1)->value().owner, kAlice);
  EXPECT_EQ(reader_->sources().value().at(0).owner, kBob);
}

TEST_F(Owners, AnOwnerIsForgottenAtOnce) {
  for (int i = 0; i < 3; ++i) add(kAlice, 2, 0.132);
  add(kBob, 30, 0.132);
  add(kBob, 30, 0.132, "Bobs");
  const auto forgotten = writer_->with([](Writer& writer) { return writer.forget_owner(kBob); });
  ASSERT_TRUE(forgotten);
  EXPECT_EQ(forgotten->runs, 60);
  EXPECT_EQ(forgotten->sources, 2);
  EXPECT_EQ(reader_->size()->runs, 6);
  EXPECT_EQ(reader_->size()->segments, 6);
  EXPECT_FALSE(answer(of("Bobs")));
  const auto left = answer(of("LeNet"));
  ASSERT_TRUE(left);
  EXPECT_EQ(left->parts[0].runs, 6);
  EXPECT_EQ(reader_->sources()->size(), 5U) << "followed: they go on from where they stand";
  const auto again = writer_->with([](Writer& writer) { return writer.forget_owner(kCarol); });
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::not_found);
}

TEST_F(Owners, OfAForgottenOwnersImportsNothingIsLeft) {
  add(kAlice, 1, 0.1);
  auto row = writer_->with([](Writer& writer) { return writer.source(1); }).value().value();
  std::vector<SourceCommit> commits(1);
  commits[0].source = row;
  commits[0].source.kind = "import";
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.commit(commits, kToday); }));
  ASSERT_TRUE(writer_->with([](Writer& writer) { return writer.forget_owner(kAlice); }));
  EXPECT_TRUE(reader_->sources()->empty());
}

}  // namespace
}  // namespace etad
