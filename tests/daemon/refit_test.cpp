// What a daemon knows after a restart, and what its models are fitted from.
#include "daemon/refit.h"

#include <gmock/gmock.h>

#include <chrono>

#include "prediction/model_json.h"
#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

using std::chrono::seconds;

class Refitting : public TempHistory {
 protected:
  Refit refit() {
    return Refit(Reader::open(path()).value(), *writer_, [] { return kToday; });
  }

  // A log of one run: 20 windows of 100 iterations over `batch` samples.
  void add_run(std::int64_t batch, double pace, std::map<std::string, std::string> settings) {
    etad::Run run;
    run.state = RunState::finished;
    run.framework = "caffe";
    run.network = "LeNet";
    run.architecture = "9c1d7a52";
    run.device = "Tesla K80";
    run.started_at = kToday + seconds(3600 * ++sources_);
    run.settings = std::move(settings);
    run.train.batch_size = run.train.samples_per_iteration = batch;
    SourceCommit commit;
    commit.source.path = "/" + std::to_string(sources_) + ".log";
    commit.source.identity = commit.source.path;
    for (std::int64_t i = 0; i < 20; ++i) {
      const double wobble = 1 + 0.02 * static_cast<double>((i * 7 + sources_) % 5 - 2);
      const Duration took = from_seconds(100 * pace * wobble);
      commit.records.segments.push_back({0, Segment{Phase::train, 100 * i, 100, batch, took, std::nullopt}});
      run.train.duration += took;
      run.train.iterations += 100;
      ++run.train.segments;
    }
    commit.records.runs = {run};
    std::vector<SourceCommit> commits{commit};
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.commit(commits, kToday); }));
  }

  void add_runs(const char* setting, const char* value, double factor) {
    for (int i = 0; i < 12; ++i) {
      const std::int64_t batch = 16 << (i % 3);
      const double pace = 0.01 + 0.001 * static_cast<double>(batch);
      const bool has = i % 4 == 3;
      std::map<std::string, std::string> settings{{"type", "SGD"}};
      if (has) settings[setting] = value;
      add_run(batch, pace * (has ? factor : 1), settings);
    }
  }

  int sources_ = 0;
};

TEST_F(Refitting, ARestartedDaemonAnswersAsBefore) {
  add_runs("type", "Adam", 1.4);
  Refit before = refit();
  ASSERT_TRUE(before.run());
  Refit after = refit();
  ASSERT_TRUE(after.load());
  ASSERT_EQ(before.models()->models.size(), 1U);
  ASSERT_EQ(after.models()->models.size(), 1U);
  const auto &a = before.models()->models[0], &b = after.models()->models[0];
  EXPECT_EQ(prediction::model_to_json(a), prediction::model_to_json(b));
  for (const char* type : {"type=SGD", "type=Adam"}) {
    for (const double batch : {4.0, 32.0, 48.0, 512.0}) {
      const auto p = a.model.predict(500, batch, 0.9, {type}), q = b.model.predict(500, batch, 0.9, {type});
      EXPECT_EQ(p->seconds, q->seconds);
      EXPECT_EQ(p->lower, q->lower);
      EXPECT_EQ(p->upper, q->upper);
    }
  }
}

TEST_F(Refitting, TheModelsOfADeploymentShareItsMood) {
  add_runs("type", "Adam", 1);
  Refit here = refit();
  ASSERT_TRUE(here.run());
  ASSERT_EQ(here.models()->models.size(), 1U);
  const prediction::FittedModel& model = here.models()->models[0];
  ASSERT_TRUE(model.mood);
  ASSERT_EQ(model.last_runs.size(), 12U);
  for (const auto& run : model.last_runs) EXPECT_GT(run.until, run.from);
}

TEST_F(Refitting, AModelOfAnotherVersionIsFittedAnewNotBelieved) {
  add_runs("type", "Adam", 1);
  Refit first = refit();
  ASSERT_TRUE(first.run());
  const prediction::FittedModel good = first.models()->models.at(0);
  std::vector<ModelRow> old{{good.id, good.key, "{\"version\":1,\"family\":\"end_to_end\"}", kToday}};
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.put_models(old); }));

  Refit restarted = refit();
  ASSERT_TRUE(restarted.load());
  EXPECT_TRUE(restarted.models()->models.empty());
  const auto report = restarted.run();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->fitted, 1);
  ASSERT_EQ(restarted.models()->models.size(), 1U);
  EXPECT_EQ(restarted.models()->models[0].model.predict(500, 32, 0.9)->seconds,
            good.model.predict(500, 32, 0.9)->seconds);
  Refit again = refit();
  ASSERT_TRUE(again.load());
  EXPECT_EQ(again.models()->models.size(), 1U);
}

// From the log's settings through the history to the answer.
class SettingThatCounts : public Refitting,
                          public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(SettingThatCounts, AtTheSamePaceIsJoined) {
  add_runs(GetParam().first, GetParam().second, 1);
  Refit fitted = refit();
  ASSERT_TRUE(fitted.run());
  EXPECT_TRUE(fitted.models()->models.at(0).model.variants.empty());
  EXPECT_EQ(fitted.models()->models[0].model.runs, 12);
}

TEST_P(SettingThatCounts, AtAnotherPaceIsToldApart) {
  add_runs(GetParam().first, GetParam().second, 0.55);
  Refit fitted = refit();
  ASSERT_TRUE(fitted.run());
  const auto& model = fitted.models()->models.at(0).model;
  ASSERT_EQ(model.variants.size(), 1U);
  EXPECT_EQ(model.variants[0].trait, std::string(GetParam().first) + "=" + GetParam().second);
  EXPECT_NEAR(model.variants[0].factor, 0.55, 0.03);
}

INSTANTIATE_TEST_SUITE_P(All, SettingThatCounts,
                         testing::Values(std::pair("type", "Adam"), std::pair("iter_size", "4"),
                                         std::pair("precision", "fp16"), std::pair("workers", "8")),
                         [](const auto& each) { return std::string(each.param.first); });

}  // namespace
}  // namespace etad
