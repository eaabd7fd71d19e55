// What a daemon knows after a restart, and what its models are fitted from.
#include "daemon/refit.h"

#include <gmock/gmock.h>

#include <chrono>

#include "prediction/as_of.h"
#include "prediction/estimate.h"
#include "prediction/live_runs.h"
#include "prediction/model_json.h"
#include "tests/daemon/refitted.h"
#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

using std::chrono::seconds;

class Refitting : public TempHistory {
 protected:
  Refit refit() {
    return refit_of(path(), *writer_, [] { return kToday; });
  }

  // A log of one run: 20 windows of 100 iterations over `batch` samples.
  void add_run(std::int64_t batch, double step_time, std::map<std::string, std::string> settings,
               const std::string& network = "LeNet", const std::string& device = "Tesla K80") {
    etad::Run run = finished_run(kToday + seconds(3600 * ++sources_), batch);
    run.network = network;
    run.device = device;
    run.settings = std::move(settings);
    const SourceCommit commit =
        log_of(std::move(run), "/" + std::to_string(sources_) + ".log", [&](std::int64_t i) {
          const double wobble = 1 + 0.02 * static_cast<double>((i * 7 + sources_) % 5 - 2);
          return from_seconds(100 * step_time * wobble);
        });
    std::vector<SourceCommit> commits{commit};
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.commit(commits, kToday); }));
  }

  void add_runs(const char* setting, const char* value, double factor) {
    for (int i = 0; i < 12; ++i) {
      const std::int64_t batch = 16 << (i % 3);
      const double step_time = 0.01 + 0.001 * static_cast<double>(batch);
      const bool has = i % 4 == 3;
      std::map<std::string, std::string> settings{{"type", "SGD"}};
      if (has) settings[setting] = value;
      add_run(batch, step_time * (has ? factor : 1), settings);
    }
  }

  int sources_ = 0;
};

TEST_F(Refitting, ARestartedDaemonAnswersAsBefore) {
  add_runs("type", "Adam", 1.4);
  Refit before = refit();
  ASSERT_TRUE(before.run());
  Refit after = refit();
  ASSERT_EQ(fitted_models(before).size(), 1U);
  ASSERT_EQ(fitted_models(after).size(), 1U);
  const auto one = fitted_models(before)[0], other = fitted_models(after)[0];
  const auto &a = *one, &b = *other;
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

TEST_F(Refitting, AStartRefitsNothingAndKnowsAllThatWasKnown) {
  add_runs("type", "Adam", 1.4);
  Refit before = refit();
  ASSERT_EQ(before.run()->fitted, 1);
  Refit after = refit();
  const auto report = after.run();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->fitted, 0);
  EXPECT_EQ(report->unchanged, 1);
  ASSERT_TRUE(after.models()->knowledge);
  EXPECT_EQ(after.models()->knowledge->data().size(), 1U);
  const auto knowledge = after.models()->knowledge;
  ASSERT_TRUE(after.run());
  EXPECT_EQ(after.models()->knowledge, knowledge) << "nothing new to learn";
  add_run(64, 0.1, {});
  EXPECT_EQ(after.run()->fitted, 1);
}

TEST_F(Refitting, AStartTakesUpTheEstimatorsRecordsUntilTheHistoryOutgrowsThem) {
  add_runs("type", "Adam", 1.4);
  Refit before = refit();
  ASSERT_TRUE(before.run());
  const auto knew = before.models()->knowledge;
  ASSERT_EQ(knew->judged().runs, 12U);
  add_run(128, 0.138, {{"type", "SGD"}});
  Refit after = refit();
  ASSERT_TRUE(after.run());
  const auto knows = after.models()->knowledge;
  EXPECT_EQ(knows->data().begin()->second.size(), 13U) << "the estimators know the new run";
  EXPECT_EQ(knows->judged().runs, 12U) << "and are not put to the test anew";
  EXPECT_EQ(knows->chosen(), knew->chosen());
  for (std::size_t kind = 0; kind < estimators::kKinds; ++kind)
    for (std::size_t i = 0; i < knew->records().all[kind].size(); ++i)
      EXPECT_EQ(knows->records().all[kind][i].scores, knew->records().all[kind][i].scores) << i << kind;
  for (int i = 0; i < 4; ++i) add_run(256 << i, 0.3 * (1 << i), {{"type", "SGD"}});
  Refit later = refit();
  ASSERT_TRUE(later.run());
  EXPECT_EQ(later.models()->knowledge->judged().runs, 17U);
  Refit last = refit();
  ASSERT_TRUE(last.run());
  EXPECT_EQ(last.models()->knowledge->judged().runs, 17U) << "those were kept in their place";
}

TEST_F(Refitting, WhatRanBeforeTheDeploymentChangedIsNotLearntFrom) {
  for (int i = 0; i < 24; ++i) add_run(16 << i % 3, (0.01 + 0.001 * (16 << i % 3)) / (i < 15 ? 1 : 2), {});
  Refit refit = this->refit();
  ASSERT_TRUE(refit.run());
  ASSERT_TRUE(fitted_models(refit).at(0)->model.changed_at);
  EXPECT_EQ(refit.models()->knowledge->data().begin()->second.size(), 9U);
}

TEST_F(Refitting, RecordsThatCanNotBeReadAreMadeAnew) {
  add_runs("type", "Adam", 1.4);
  ASSERT_TRUE(refit().run());
  ASSERT_TRUE(writer_->with([](Writer& writer) { return writer.put_estimator_records("{"); }));
  add_run(128, 0.138, {{"type", "SGD"}});
  Refit after = refit();
  ASSERT_TRUE(after.run());
  EXPECT_EQ(after.models()->knowledge->judged().runs, 13U);
}

TEST_F(Refitting, OneThatIsInterruptedAnywhereEndsThereAndTheNextGoesOn) {
  add_runs("type", "Adam", 1.4);
  for (const std::int64_t batch : {8, 16, 32}) add_run(batch, 0.02, {}, "AlexNet");
  int steps = 0, most = 0;
  const auto refit = [&] {
    return refit_of(
        path(), *writer_, [] { return kToday; },
        [&] {
          if (++steps > most) throw Refit::Interrupted();
        });
  };
  bool interrupted = true;
  for (; interrupted; most += 1 + most / 3) {
    ASSERT_LT(most, 10'000);
    steps = 0;
    Refit one = refit();
    const auto report = one.run();
    interrupted = !report;
    if (!interrupted) break;
    EXPECT_EQ(report.error().kind, ErrorKind::unavailable) << report.error().text();
    EXPECT_EQ(steps, most + 1);
    const int at = std::exchange(most, 10'000);
    ASSERT_TRUE(one.run());
    EXPECT_EQ(fitted_models(one).size(), 2U) << "interrupted after " << at;
    EXPECT_NE(one.models()->knowledge, nullptr) << "interrupted after " << at;
    most = at;
  }
  EXPECT_GT(most, 20);  // it has many steps
}

TEST_F(Refitting, ModelsAnswerAnewWhileTheEstimatorsLearn) {
  add_runs("type", "Adam", 1.4);
  std::shared_ptr<const prediction::Knowledge> before;
  std::size_t models = 0;
  int answers = 0;  // steps of the second refit at which its model answers and estimators are those of before
  Refit* running = nullptr;
  Refit refit = refit_of(
      path(), *writer_, [] { return kToday; },
      [&] {
        if (running == nullptr || running->models()->knowledge != before) return;
        answers += running->models()->models->count().value_or(0) > static_cast<std::int64_t>(models) ? 1 : 0;
      });
  ASSERT_TRUE(refit.run());
  models = fitted_models(refit).size();
  before = refit.models()->knowledge;
  running = &refit;
  for (const std::int64_t batch : {8, 16, 32}) add_run(batch, 0.02, {}, "AlexNet");
  ASSERT_TRUE(refit.run());
  EXPECT_GE(answers, static_cast<int>(estimators::estimators().size()));
  EXPECT_NE(refit.models()->knowledge, before);
}

TEST_F(Refitting, JudgingThatWasPutOffIsDoneByTheNextRunThatMay) {
  add_runs("type", "Adam", 1.4);
  Refit refit = this->refit();
  ASSERT_TRUE(refit.run());
  const auto first = refit.models()->knowledge;
  for (int i = 0; i < 4; ++i) add_run(32 << i, 0.1, {});
  ASSERT_TRUE(refit.run(Refit::Judging::not_now));
  const auto second = refit.models()->knowledge;
  EXPECT_EQ(second->judged().runs, first->judged().runs);
  EXPECT_EQ(&second->records(), &first->records());
  EXPECT_EQ(second->data().begin()->second.size(), 16U) << "the estimators know the new runs";
  EXPECT_TRUE(second->outgrew_records());
  ASSERT_TRUE(refit.run(Refit::Judging::not_now));
  EXPECT_EQ(refit.models()->knowledge, second);
  ASSERT_TRUE(refit.run());
  EXPECT_EQ(refit.models()->knowledge->judged().runs, 16U) << "though nothing is new";
}

TEST_F(Refitting, AModelWithoutRunsDoesNotComeBackWithARestart) {
  add_run(64, 0.1, {});
  Refit before = refit();
  ASSERT_EQ(before.run()->fitted, 1);
  ASSERT_TRUE(writer_->with([](Writer& writer) { return writer.forget_run(1); }));
  ASSERT_TRUE(before.run());
  EXPECT_TRUE(fitted_models(before).empty());
  Refit after = refit();
  EXPECT_TRUE(fitted_models(after).empty());
  EXPECT_EQ(after.run()->failed, 0);
}

// Two networks on a K80, one of them on a V100 that is three times as fast.
class Bridging : public Refitting {
 protected:
  static double step_time(std::int64_t batch) { return 0.01 + 0.001 * static_cast<double>(batch); }

  void SetUp() override {
    Refitting::SetUp();
    for (const std::int64_t batch : {16, 32, 64}) {
      add_run(batch, step_time(batch), {}, "LeNet");
      add_run(batch, 2 * step_time(batch), {}, "AlexNet");
      add_run(batch, 2 * step_time(batch) / 3, {}, "AlexNet", "V100");
    }
    refit_.reset(new Refit(refit()));
    ASSERT_TRUE(refit_->run());
    question_.network = "LeNet";
    question_.iterations = 1000;
    question_.batch_size = 32;
  }

  prediction::Answer<prediction::Estimate> answer() const {
    const auto models = prediction::as_of(refit_->models(), question_, prediction::runs_in(*reader_));
    return prediction::estimate(models, question_, question_.at);
  }

  std::unique_ptr<Refit> refit_;
  prediction::Question question_;
};

TEST_F(Bridging, WhatRanIsSeen) {
  question_.device = "Tesla K80";
  const auto said = answer();
  ASSERT_TRUE(said);
  EXPECT_EQ(said->parts[0].said->kind, estimators::Kind::seen);
  EXPECT_NEAR(said->sum.seconds, 1000 * step_time(32), 50 * step_time(32));
}

TEST_F(Bridging, ANetworkThatNeverRanOnADeviceIsEstimatedFromTheOthers) {
  question_.device = "v100";
  const auto said = answer();
  ASSERT_TRUE(said);
  EXPECT_EQ(said->key.device, "V100");
  EXPECT_EQ(said->parts[0].said->kind, estimators::Kind::device);
  EXPECT_GT(said->parts[0].said->rests_on.devices, 1);
  const double truth = 1000 * step_time(32) / 3;
  EXPECT_NEAR(said->sum.seconds, truth, 0.3 * truth);
  EXPECT_LT(said->sum.lower, truth);
  EXPECT_GT(said->sum.upper, truth);
}

TEST_F(Bridging, OfADeviceThatNothingRanOnNothingIsTold) {
  question_.device = "H100";
  const auto said = answer();
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind, prediction::Refusal::Kind::nothing_ran_there);
  EXPECT_EQ(said.error().parameter, "device");
  EXPECT_EQ(said.error().value, "H100");
  EXPECT_EQ(said.error().candidates, (std::vector<std::string>{"Tesla K80", "V100"}));
  question_.device = "V100";
  question_.framework = "jax";
  ASSERT_FALSE(answer());
  EXPECT_EQ(answer().error().parameter, "framework");
  question_.framework = "CAFFE";  // however it is written
  EXPECT_TRUE(answer());
}

TEST_F(Bridging, AHostThatNothingRanOnIsToldByTheModelOfItsDevice) {
  question_.host = "venus";
  ASSERT_FALSE(answer());
  EXPECT_EQ(answer().error().kind, prediction::Refusal::Kind::nothing_ran_there);
  EXPECT_EQ(answer().error().parameter, "host");
  question_.device = "v100";
  const auto said = answer();
  ASSERT_TRUE(said);
  EXPECT_EQ(said->key.device, "V100");
  EXPECT_EQ(said->key.host, "venus");
  EXPECT_EQ(said->parts[0].said->kind, estimators::Kind::machine);
  EXPECT_EQ(said->parts[0].said->new_here, std::vector<std::string_view>{"host"});
}

TEST_F(Bridging, ANumberOfDevicesThatNothingRanOnHasAnAnswerThatSaysSo) {
  question_.device = "Tesla K80";
  EXPECT_TRUE(answer()->parts[0].said->new_here.empty());
  question_.devices = 8;
  const auto said = answer();
  ASSERT_TRUE(said);
  EXPECT_EQ(said->parts[0].said->kind, estimators::Kind::devices_range);
  EXPECT_EQ(said->key.devices, 8);
  EXPECT_EQ(said->parts[0].said->new_here, std::vector<std::string_view>{"devices"});
  question_.devices = 0;
  EXPECT_EQ(answer()->parts[0].said->kind, estimators::Kind::settings) << "one or several, who knows";
}

TEST_F(Bridging, TheOtherPhaseIsBridgedToo) {
  question_.phase = prediction::Question::Phase::test;
  const auto said = answer();
  ASSERT_TRUE(said);
  EXPECT_EQ(said->parts[0].phase, "test");
  EXPECT_EQ(said->parts[0].said->kind, estimators::Kind::settings);
}

TEST_F(Bridging, WhatCouldHaveBeenSaidThenRestsOnWhatWasOver) {
  question_.device = "Tesla K80";
  question_.at = kToday;
  EXPECT_FALSE(answer());  // before the first run
  question_.at = kToday + std::chrono::hours(9 + 1);
  const auto said = answer();
  ASSERT_TRUE(said);
  EXPECT_NEAR(said->sum.seconds, 1000 * step_time(32), 100 * step_time(32));
  question_.at = kToday + std::chrono::hours(2);  // one run of each on the K80 was over
  const auto early = answer();
  ASSERT_TRUE(early);
  EXPECT_LT(early->parts[0].runs, said->parts[0].runs);
}

// One CPU is not like another.
TEST_F(Bridging, OfTheCpuOfAHostThatNothingRanOnNothingIsTold) {
  for (const std::int64_t batch : {16, 32, 64}) add_run(batch, 9 * step_time(batch), {}, "LeNet", "CPU");
  ASSERT_TRUE(refit_->run());
  question_.device = "CPU";
  EXPECT_TRUE(answer());
  question_.host = "venus";
  ASSERT_FALSE(answer());
  EXPECT_EQ(answer().error().parameter, "host");
}

TEST_F(Bridging, ANetworkThatNeverRanIsUnknown) {
  question_.network = "VGG";
  ASSERT_FALSE(answer());
  EXPECT_EQ(answer().error().kind, prediction::Refusal::Kind::unknown_network);
}

TEST_F(Refitting, RunsWithoutADeviceThatContradictEachOtherAreNoModelUntilLabelsTellThemApart) {
  add_run(64, 0.01, {}, "LeNet", "");
  add_run(64, 0.2, {}, "LeNet", "");
  Refit refitted = refit();
  ASSERT_TRUE(refitted.run());
  EXPECT_TRUE(fitted_models(refitted).empty());
  ASSERT_EQ(refitted.models()->contradictions.size(), 1U);
  prediction::Question question;
  question.network = "LeNet";
  question.iterations = 100;
  question.batch_size = 64;
  const auto refused = prediction::estimate(refitted.models(), question);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, prediction::Refusal::Kind::contradicting);

  Refit restarted = refit();
  ASSERT_TRUE(restarted.run());
  EXPECT_EQ(restarted.models()->contradictions.size(), 1U) << "they are not in the history, and found again";

  const auto all = runs();
  ASSERT_EQ(all.size(), 2U);
  for (const RunRow& row : all) {
    const std::string device = row.run.train.duration > std::chrono::seconds{100} ? "CPU" : "K80";
    ASSERT_TRUE(writer_->with([&](Writer& writer) {
      return writer.set_labels(row.id, {{"device", device}});
    }));
  }
  ASSERT_TRUE(refitted.run());
  EXPECT_EQ(fitted_models(refitted).size(), 2U);
  EXPECT_TRUE(refitted.models()->contradictions.empty());
  question.device = "CPU";
  const auto answered = prediction::estimate(refitted.models(), question);
  ASSERT_TRUE(answered);
  EXPECT_NEAR(answered->sum.seconds, 20, 1);
}

TEST_F(Refitting, AModelOfAnotherVersionIsFittedAnewNotBelieved) {
  add_runs("type", "Adam", 1);
  Refit first = refit();
  ASSERT_TRUE(first.run());
  const auto good = fitted_models(first).at(0);
  std::vector<ModelRow> old{prediction::row_of(*good)};
  old[0].body = "{\"version\":1,\"family\":\"end_to_end\"}";
  const RefitProgress before{1, 1000};
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.put_models(old, {}, before); }));

  Refit restarted = refit();
  const auto made = fitted_models(restarted);
  ASSERT_EQ(made.size(), 1U) << "made of its runs when it is asked for";
  EXPECT_EQ(made[0]->model.predict(500, 32, 0.9)->seconds, good->model.predict(500, 32, 0.9)->seconds);
  EXPECT_EQ(restarted.run()->fitted, 1);
  ASSERT_EQ(fitted_models(restarted).size(), 1U);
  EXPECT_EQ(prediction::model_to_json(*fitted_models(restarted)[0]), prediction::model_to_json(*good));
  EXPECT_EQ(refit().run()->fitted, 0) << "and no more";
}

// A log full of names costs as little as can be: their models are made when somebody asks for one.
TEST_F(Refitting, AModelOfOneRunIsNotKeptButMadeOfItWhenItIsAskedFor) {
  for (const std::int64_t batch : {16, 32, 64, 128})
    add_run(batch, 0.01 + 0.001 * static_cast<double>(batch), {});
  add_run(32, 0.07, {}, "Once");
  Refit here = refit();
  ASSERT_EQ(here.run()->fitted, 2);
  ModelFilter all;
  all.bodies = true;
  const auto rows = reader_->models(all).value();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].body.empty());
  EXPECT_TRUE(rows[1].body.empty());
  const auto models = fitted_models(here);
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1]->id, rows[1].id);
  EXPECT_NEAR(models[1]->model.predict(100, 32, 0.9)->seconds, 7, 0.2);
}

// From the log's settings through the history to the answer.
class SettingThatCounts : public Refitting,
                          public testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  double estimated(const std::map<std::string, std::string>& settings) {
    Refit here = refit();
    EXPECT_TRUE(here.run());
    prediction::Question question;
    question.network = "LeNet";
    question.batch_size = 32;
    question.iterations = 1000;
    question.settings = settings;
    const auto answer = prediction::estimate(here.models(), question, std::nullopt);
    EXPECT_TRUE(answer);
    return answer ? answer->sum.seconds : NAN;
  }
};

TEST_P(SettingThatCounts, AtTheSamePaceTakesAsLong) {
  add_runs(GetParam().first, GetParam().second, 1);
  EXPECT_NEAR(estimated({GetParam()}) / estimated({}), 1, 0.03);
}

TEST_P(SettingThatCounts, AtAnotherPaceTakesThat) {
  add_runs(GetParam().first, GetParam().second, 0.55);
  EXPECT_NEAR(estimated({GetParam()}) / estimated({}), 0.55, 0.03);
}

TEST_P(SettingThatCounts, AtAnotherPaceIsForetoldOfARunningRun) {
  add_runs(GetParam().first, GetParam().second, 0.55);
  Refit here = refit();
  ASSERT_TRUE(here.run());
  RunRow row;
  row.run = reader_->runs({}).value().front().run;
  row.run.state = RunState::running;
  row.run.train = {};
  row.run.train.samples_per_iteration = 32;
  row.run.max_iterations = 1000;
  const auto left = [&](const std::map<std::string, std::string>& settings) {
    row.run.settings = settings;
    ++row.id;
    const auto forecast = prediction::LiveRuns(*reader_).forecast(row, here.models());
    EXPECT_TRUE(forecast.remaining);
    return forecast.remaining ? forecast.remaining->seconds : NAN;
  };
  EXPECT_NEAR(left({GetParam(), {"type", "SGD"}}) / left({{"type", "SGD"}}), 0.55, 0.03);
}

INSTANTIATE_TEST_SUITE_P(All, SettingThatCounts,
                         testing::Values(std::pair("type", "Adam"), std::pair("iter_size", "4"),
                                         std::pair("precision", "fp16"), std::pair("workers", "8")),
                         [](const auto& each) { return std::string(each.param.first); });

}  // namespace
}  // namespace etad
