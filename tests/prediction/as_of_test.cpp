// What could have been said at an instant, the machine's drift of then included.
#include "prediction/as_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "prediction/cost.h"
#include "prediction/datasets.h"
#include "prediction/estimate.h"
#include "prediction/evidence.h"
#include "prediction/knowledge.h"
#include "prediction/make_model.h"

namespace etad::prediction {
namespace {

constexpr Instant kBegin{std::chrono::hours{24 * 365 * 50}};

// What a refit leaves of LeNet's runs: its model, all runs' knowledge, and the runs themselves.
struct History {
  std::shared_ptr<const ModelSet> models;
  std::vector<RunData> runs;

  std::shared_ptr<const ModelSet> then(const Question& question) const {
    return as_of(models, question, runs_of());
  }
  RunsOf runs_of() const {
    return [this](const ModelKey&, const RunsWanted& wanted) {
      std::vector<RunData> out = runs;
      std::erase_if(out, [&](const RunData& run) {
        const auto over = run.ended_at ? run.ended_at : run.started_at;
        return run.owner != wanted.owner.value_or(run.owner) ||
               (wanted.over_by && !(over <= *wanted.over_by));
      });
      return out;
    };
  }
  Answer<Estimate> said(const Question& question) const {
    return estimate(then(question), question, question.at);
  }
};

History learnt_of(std::vector<RunData> runs) {
  const ModelKey key{"LeNet", "", "caffe", "vm", "CPU", 1, Phase::train};
  auto fitted = fitted_from(key, {runs, {}, {}}).value();
  fitted.id = 1;
  auto models = std::make_shared<ModelSet>();
  const auto data = data_of(key, runs, kMostOfKey, nullptr, fitted.model.changed_at);
  models->knowledge = Knowledge::of({{key, data}}, nullptr, [] {});
  models->models = std::make_shared<HeldModels>(std::vector<FittedModel>{std::move(fitted)});
  return {std::move(models), std::move(runs)};
}

// Forty runs of half a minute one after the other, of which blocks of five are slow and fast in turn.
History slow_and_fast_in_turn() {
  std::vector<RunData> runs;
  for (int i = 0; i < 40; ++i) {
    RunData run;
    run.run_id = i + 1;
    run.iterations = 1000;
    run.samples_per_iteration = i % 2 == 0 ? 16 : 64;
    const double seconds = (i % 2 == 0 ? 25 : 35) * (i / 5 % 2 == 0 ? 0.9 : 1.1);
    run.duration = from_seconds(seconds);
    run.started_at = kBegin + std::chrono::seconds{40 * i};
    run.ended_at = *run.started_at + std::chrono::duration_cast<Instant::duration>(run.duration);
    runs.push_back(run);
  }
  return learnt_of(std::move(runs));
}

// A run of 1,000 iterations of so many samples each (0: the log does not say), in windows of 100, each off by its own.
RunData run_in_windows(int i, std::int64_t samples, double step_time) {
  RunData run;
  run.run_id = i + 1;
  run.samples_per_iteration = samples;
  run.started_at = kBegin + std::chrono::hours{i};
  for (int w = 0; w < 10; ++w) {
    Segment& window = run.windows.emplace_back();
    window.iterations = 100;
    window.duration = from_seconds(100 * step_time * (1 + 0.02 * ((7 * w + i) % 10 - 4.5)));
    run.iterations += window.iterations;
    run.duration += window.duration;
  }
  run.ended_at = *run.started_at + std::chrono::duration_cast<Instant::duration>(run.duration);
  return run;
}

Question question_at(Instant at) {
  Question out;
  out.network = "LeNet";
  out.iterations = 1000;
  out.batch_size = 16;
  out.at = at;
  return out;
}

TEST(AsOf, TheMachinesDriftOfThenIsCountedIn) {
  const History history = slow_and_fast_in_turn();
  const Instant today = kBegin + std::chrono::hours{24 * 300};
  const auto asked_at_run = [&](int run) {
    return history.said(question_at(kBegin + std::chrono::seconds{40 * run}));
  };
  const auto slow = asked_at_run(30), fast = asked_at_run(35);
  ASSERT_TRUE(slow);
  ASSERT_TRUE(fast);
  EXPECT_GT(slow->sum.drift, 1.01) << "five slow runs had just ended";
  EXPECT_LT(fast->sum.drift, 0.99) << "five fast ones";
  const auto later = history.said(question_at(today));
  ASSERT_TRUE(later);
  EXPECT_NEAR(later->sum.drift, 1, 1e-3);
}

// Of an instant behind all runs what is said is what is said today, the interval included, whether the batch size is
// known or not.
TEST(AsOf, BehindAllRunsTheAnswerIsTodays) {
  for (const std::int64_t samples : {16, 0}) {
    std::vector<RunData> runs;
    for (int i = 0; i < 12; ++i) runs.push_back(run_in_windows(i, samples, i % 2 == 0 ? 0.02 : 0.021));
    const History history = learnt_of(runs);
    Question question = question_at(kBegin + std::chrono::hours{24 * 300});
    question.batch_size = samples > 0 ? std::optional(samples) : std::nullopt;
    question.iterations = 10;  // so few that the iterations' noise counts
    const auto then = history.said(question);
    question.at = std::nullopt;
    const auto now = estimate(history.models, question, kBegin + std::chrono::hours{24 * 300});
    ASSERT_TRUE(now);
    ASSERT_TRUE(then) << "of " << samples << " samples";
    EXPECT_GT(now->sum.upper, 1.05 * now->sum.seconds);
    EXPECT_DOUBLE_EQ(then->sum.seconds, now->sum.seconds);
    EXPECT_DOUBLE_EQ(then->sum.upper, now->sum.upper);
  }
}

TEST(AsOf, RunsWithoutABatchSizeCountFromTheirEndOn) {
  std::vector<RunData> runs;
  for (int i = 0; i < 12; ++i) runs.push_back(run_in_windows(i, 0, i < 4 ? 0.02 : 0.04));
  const History history = learnt_of(runs);
  Question question = question_at(kBegin + std::chrono::minutes{4 * 60 - 1});
  question.batch_size = std::nullopt;
  const auto early = history.said(question);
  ASSERT_TRUE(early);
  EXPECT_NEAR(early->sum.seconds, 20, 1);
  EXPECT_EQ(early->parts.front().runs, 4);
  question.at = kBegin;
  EXPECT_FALSE(history.said(question)) << "nothing had run";
}

// What a run takes beside its training was learnt later, too.
TEST(AsOf, ItsStartUpIsThatOfTheRunsOfThen) {
  std::vector<RunData> runs;
  for (int i = 0; i < 12; ++i) {
    runs.push_back(run_in_windows(i, 16, 0.02));
    runs.back().startup = from_seconds(i < 4 ? 10 : 300);
  }
  Question question = question_at(kBegin + std::chrono::minutes{4 * 60 - 1});
  question.phase = Question::Phase::total;
  const auto early = learnt_of(runs).said(question);
  ASSERT_TRUE(early);
  EXPECT_EQ(early->parts.back().phase, "startup");
  EXPECT_NEAR(early->parts.back().prediction.seconds, 10, 1e-9);
}

// In the model of then and in what all the history says, which answers for a number of devices that never ran.
TEST(AsOf, RunsFromBeforeTheDeploymentChangedCountUntilThen) {
  std::vector<RunData> runs;
  for (int i = 0; i < 24; ++i)
    runs.push_back(run_in_windows(i, i % 2 == 0 ? 16 : 64, (i % 2 == 0 ? 0.02 : 0.03) / (i < 12 ? 1 : 2)));
  const History history = learnt_of(runs);
  EXPECT_EQ(history.models->knowledge->data().begin()->second.size(), 12U);
  for (const std::int64_t devices : {1, 2}) {
    Question question = question_at(kBegin + std::chrono::hours{12});
    question.devices = devices;
    question.batch_size = 16 * devices;
    const auto before = history.said(question);
    question.at = kBegin + std::chrono::hours{24 * 300};
    const auto after = history.said(question);
    ASSERT_TRUE(before && after) << devices;
    EXPECT_NEAR(after->sum.seconds / before->sum.seconds, 0.5, 0.05) << devices;
    EXPECT_EQ(after->parts.front().said->rests_on.runs, 12) << devices;
  }
}

TEST(AsOf, WhoWasLeftOutIsAnsweredFromTheOwnRuns) {
  std::vector<RunData> runs;
  for (int i = 0; i < 18; ++i) {
    runs.push_back(run_in_windows(i, 16, i < 12 ? 0.02 : 0.1));
    runs.back().owner = i < 12 ? 1001 : 1002;
  }
  std::ranges::reverse(runs);  // as a history gives them
  const History history = learnt_of(runs);
  Question question = question_at(kBegin + std::chrono::hours{24 * 300});
  for (const auto& [asker, seconds] :
       {std::pair(1001, 20.0), std::pair(1002, 100.0), std::pair(1003, 20.0)}) {
    question.asker = asker;
    const auto said = history.said(question);
    ASSERT_TRUE(said) << asker;
    EXPECT_NEAR(said->sum.seconds, seconds, 0.1 * seconds) << asker;
  }
}

// Runs without a device, of which the first eight are alike.
TEST(AsOf, WhatContradictedItselfLaterIsAnsweredFromTheRunsOfThen) {
  std::vector<RunData> runs;
  for (int i = 0; i < 16; ++i) runs.push_back(run_in_windows(i, 16, i < 8 ? 0.02 : 0.2));
  History history = learnt_of(runs);
  auto now = std::make_shared<ModelSet>(*history.models);
  const ModelKey key{"LeNet", "", "caffe", "vm", "", 1, Phase::train};
  now->knowledge = Knowledge::of({}, nullptr, [] {});
  now->models = std::make_shared<HeldModels>();
  now->contradictions = {contradiction_of(key, dataset_of(runs, key.phase)).value()};
  history.models = now;
  const auto then = history.said(question_at(kBegin + std::chrono::hours{8}));
  ASSERT_TRUE(then);
  EXPECT_NEAR(then->sum.seconds, 20, 1);
  const auto later = history.said(question_at(kBegin + std::chrono::hours{24 * 300}));
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().kind, Refusal::Kind::contradicting);
}

// Many questions about one instant are asked of the same models, which take long to make.
TEST(AsOf, TheModelsOfThenAreMadeOnce) {
  const History history = slow_and_fast_in_turn();
  const Question question = question_at(kBegin + std::chrono::seconds{40 * 30});
  const auto then = history.then(question);
  const auto answer = estimate(then, question, question.at);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->models, then);
  Question of_now = question;
  of_now.at = std::nullopt;
  EXPECT_EQ(history.then(of_now), history.models);
}

// An owner whose runs are others' ten times over is told other numbers of devices, and energy, by these.
TEST(AsSeen, WhoIsAnsweredFromHisOwnRunsIsSoWhereTheseDidNotRun) {
  constexpr std::int64_t kAlice = 1001, kBob = 1002;
  Knowledge::Data data;
  std::vector<FittedModel> models;
  int id = 0;
  const auto runs_of = [&](std::int64_t owner, std::int64_t devices, double factor) {
    std::vector<RunData> out;
    for (int i = 0; i < 12; ++i) {
      const std::int64_t samples = 16LL << (i % 3);
      RunData& run = out.emplace_back(
          run_in_windows(id++, samples * devices, factor * 0.001 * static_cast<double>(samples)));
      run.owner = owner;
      run.place = owner;
      run.joules = 100 * static_cast<double>(devices) * to_seconds(run.duration);
    }
    return out;
  };
  const auto learn = [&](const char* network, std::int64_t devices, std::vector<RunData> runs) {
    const ModelKey key{network, "", "caffe", "vm", "V100", devices, Phase::train};
    std::ranges::reverse(runs);
    const auto evidence = choose_evidence(runs, key);
    FittedModel& model = models.emplace_back(*fitted_from(key, evidence));
    model.id = static_cast<std::int64_t>(models.size());
    for (const std::int64_t owner : evidence.answered_by_own) {
      std::vector<RunData> own = runs;
      std::erase_if(own, [&](const RunData& run) { return run.owner != owner; });
      add_own(model, owner, own);
    }
    data[key] = data_of(key, evidence.runs);
    return runs;
  };
  for (const std::int64_t devices : {1, 2}) learn("AlexNet", devices, runs_of(kAlice, devices, 3));
  auto of_both = runs_of(kAlice, 1, 1);
  std::ranges::copy(runs_of(kBob, 1, 10), std::back_inserter(of_both));
  const std::vector<RunData> runs = learn("LeNet", 1, of_both);
  auto set = std::make_shared<ModelSet>();
  set->models = std::make_shared<HeldModels>(std::move(models));
  set->knowledge = Knowledge::of(data, nullptr, [] {});
  set->energy = Knowledge::of(
      data, nullptr, [] {}, estimators::Target::joules);
  const History history{set, runs};
  Question question;
  question.network = "LeNet";
  question.iterations = 1000;
  const auto said = [&](std::int64_t asker, std::int64_t devices) {
    question.asker = asker;
    question.devices = devices;
    question.batch_size = 24 * devices;
    const auto seen = as_seen_by_asker(set, own_models(*set, question), history.runs_of());
    EXPECT_EQ(seen == set, asker != kBob);
    return *estimate(seen, question);
  };
  const auto seconds = [&](std::int64_t asker, std::int64_t devices) {
    return said(asker, devices).sum.seconds;
  };
  const auto joules = [&](std::int64_t asker) {
    return cost_of(said(asker, 1), estimators::Target::joules)->value;
  };
  EXPECT_NEAR(joules(kAlice), 2400, 300);
  EXPECT_NEAR(joules(kBob), 24000, 3000);
  EXPECT_NEAR(seconds(kAlice, 2), 24, 5) << "as AlexNet takes as long on two for twice the samples";
  EXPECT_NEAR(seconds(kBob, 2), 240, 50);
}

// Be it that the model rests on another's single run, or that the network ran on more machines than are looked at.
TEST(AsSeen, WhoIsAnsweredFromHisOwnRunsIsFoundWhereHeAsks) {
  constexpr std::int64_t kAlice = 1001, kBob = 1002;
  const History history = slow_and_fast_in_turn();
  const ModelKey& key = history.models->knowledge->data().begin()->first;
  std::vector<FittedModel> models;
  for (int i = 1; i <= 40; ++i) {
    models.push_back(*history.models->models->load(key).value());
    models.back().id = i;
    models.back().key.device = "G" + std::to_string(i);
    models.back().model.runs = 1;
  }
  add_own(models.back(), kBob, history.runs);
  ModelSet set = *history.models;
  set.models = std::make_shared<HeldModels>(std::move(models));
  Question question;
  question.network = key.network;
  question.device = "G40";
  for (const std::int64_t asker : {kAlice, kBob}) {
    question.asker = asker;
    EXPECT_EQ(own_models(set, question).size(), asker == kBob ? 1U : 0U);
  }
}

// By what it is made of, where no name says which network is meant, or by the description of one that ran.
TEST(AsSeen, OwnModelsAreFoundByArchitectureAndByADescription) {
  constexpr std::int64_t kBob = 1002;
  const History history = slow_and_fast_in_turn();
  const auto& [key, runs] = *history.models->knowledge->data().begin();
  FittedModel model = *history.models->models->load(key).value();
  model.key.architecture = "9c1d7a52";
  add_own(model, kBob, history.runs);
  ModelSet set;
  set.knowledge = Knowledge::of({{model.key, runs}}, nullptr, [] {});
  set.models = std::make_shared<HeldModels>(std::vector<FittedModel>{model});
  Question question;
  question.asker = kBob;
  EXPECT_TRUE(own_models(set, question).empty()) << "of which network?";
  question.architecture = model.key.architecture;
  EXPECT_EQ(own_models(set, question).size(), 1U);
  question.architecture = std::nullopt;
  Description shown;
  shown.architecture = model.key.architecture;
  question.shown = std::make_shared<Description>(shown);
  EXPECT_EQ(own_models(set, question).size(), 1U);
  shown.architecture = "another";
  question.shown = std::make_shared<Description>(shown);
  EXPECT_TRUE(own_models(set, question).empty());
}

// Each model that may be the asker's own is read once, and those of a question that names no machine are not listed twice.
TEST(AsSeen, LooksAtEachModelOnce) {
  struct Counted final : HeldModels {
    using HeldModels::HeldModels;
    Result<std::vector<ModelRow>> list(const ModelFilter& filter) override {
      ++lists;
      return HeldModels::list(filter);
    }
    Result<std::shared_ptr<const FittedModel>> load(const ModelKey& key) override {
      ++loads;
      return HeldModels::load(key);
    }
    int lists = 0, loads = 0;
  };
  const History history = slow_and_fast_in_turn();
  const ModelKey& key = history.models->knowledge->data().begin()->first;
  const auto counted = std::make_shared<Counted>(std::vector{history.models->models->load(key).value()});
  ModelSet set = *history.models;
  set.models = counted;
  Question question;
  question.network = key.network;
  question.asker = 1002;
  for (const int lists : {1, 3}) {
    EXPECT_TRUE(own_models(set, question).empty());
    EXPECT_EQ(counted->lists, lists);
    question.host = key.host;
  }
  EXPECT_EQ(counted->loads, 2) << "one for each question";
}

// Whoever invents deployments of a network makes no question about its past dear, and hides none of them.
TEST(AsOf, OfManyDeploymentsOnlyThoseThatAreMeantAreMade) {
  const History one = slow_and_fast_in_turn();
  std::vector<FittedModel> models;
  for (int i = 1; i <= 1200; ++i) {
    models.push_back(*one.models->models->load(one.models->knowledge->data().begin()->first).value());
    models.back().id = i;
    models.back().key.device = "G" + std::to_string(i);
  }
  auto many = std::make_shared<ModelSet>(*one.models);
  many->models = std::make_shared<HeldModels>(std::move(models));
  int made = 0;
  const auto then = [&](const Question& question) {
    made = 0;
    return as_of(many, question, [&](const ModelKey&, const auto&) {
      ++made;
      return one.runs;
    });
  };
  Question question = question_at(kBegin + std::chrono::hours{24 * 300});
  EXPECT_EQ(then(question)->models->count().value(), 100);
  question.device = "g1200";
  const auto last = then(question);
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(estimate(last, question, question.at));
  question.network = "nosuch";
  then(question);
  EXPECT_EQ(made, 0);
}

}  // namespace
}  // namespace etad::prediction
