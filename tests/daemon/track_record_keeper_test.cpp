#include "daemon/track_record_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/daemon/followed_log.h"

namespace etad {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;

class TrackRecordKept : public FollowedLog {
 protected:
  void keeper() {
    keeper_ = std::make_unique<TrackRecordKeeper>(Reader::open(path()).value(), *writer_, live_, &watch_);
    ASSERT_TRUE(keeper_->begin());
  }

  // As the daemon does it: a look every few seconds.
  void look() {
    const auto rows = runs();
    const Instant now = !rows.empty() && rows[0].run.ended_at ? *rows[0].run.ended_at : wall_;
    const auto looked = keeper_->look(models_, now);
    ASSERT_TRUE(looked) << looked.error().text();
  }

  // Follows a log's first `count` pieces, or all of it, with a look behind each.
  void follow(const std::string& log, std::size_t count = 1'000'000) {
    const auto parts = pieces(log, kDisplayed);
    for (std::size_t i = 0; i < std::min(count, parts.size()); ++i) {
      write("live.log", parts[i]);
      look();
    }
  }

  std::vector<PredictionRow> predictions() { return reader_->predictions(newest().id).value(); }

  // Another user's runs, by their ids: as many as are looked at, all in one log.
  std::vector<std::int64_t> crowd(RunState state, std::int64_t runs = 1000) {
    std::vector<SourceCommit> commits(1);
    commits[0].source = crowd_;
    commits[0].source.owner = 4711;
    for (std::int64_t i = 0; i < runs; ++i) {
      etad::Run run;
      run.ordinal = i;
      run.network = "Crowd";
      run.state = state;
      commits[0].records.runs.push_back(run);
    }
    const auto kept = writer_->with([&](Writer& history) { return history.commit(commits, wall_); });
    EXPECT_TRUE(kept);
    crowd_ = commits[0].source;
    std::vector<std::int64_t> ids;
    RunFilter filter;
    filter.network = "Crowd";
    filter.limit = runs;
    const auto rows = reader_->runs(filter).value();
    for (const RunRow& row : rows) ids.push_back(row.id);
    return ids;
  }

  // What was told of the run of the log that is followed.
  std::vector<std::string> told_of(std::int64_t run) {
    std::vector<std::string> out;
    for (const auto& [id, what] : told_)
      if (id == run) out.push_back(what);
    return out;
  }

  std::shared_ptr<const prediction::ModelSet> models_ = std::make_shared<prediction::ModelSet>();
  std::unique_ptr<Reader> live_reader_ = Reader::open(path()).value();
  prediction::LiveRuns live_{*live_reader_};
  std::vector<std::pair<std::int64_t, std::string>> told_;
  RunWatch watch_{[this](const RunEvent& event) { told_.emplace_back(event.row.id, name_of(event.kind)); },
                  [] { return RunWatch::Steady(); }, [](const std::string&) { return std::nullopt; }};
  SourceRow crowd_ = [] {
    SourceRow row;
    row.path = "/elsewhere/crowd.log";
    row.kind = "file";
    return row;
  }();
  std::unique_ptr<TrackRecordKeeper> keeper_;
};

TEST_F(TrackRecordKept, WhatWasSaidIsHeldAgainstWhatCame) {
  keeper();
  follow(example(kExample));
  const etad::Run run = newest().run;
  ASSERT_EQ(run.state, RunState::finished);
  const double total = to_seconds(*run.ended_at - *run.started_at);
  const auto rows = predictions();
  ASSERT_EQ(rows.size(), 3U) << "5, 25 and 50 %; at its start nothing was known of it";
  for (const PredictionRow& row : rows) {
    EXPECT_EQ(row.kind, PredictionKind::remaining);
    EXPECT_EQ(row.basis, "windows");
    EXPECT_FALSE(row.model_id);
    ASSERT_TRUE(row.actual && row.error_percent && row.covered);
    EXPECT_NEAR(*row.actual, total - row.elapsed, 1e-6);
    EXPECT_NEAR(*row.error_percent, 100 * (row.seconds - *row.actual) / *row.actual, 1e-6);
    EXPECT_EQ(*row.covered, *row.actual >= row.lower && *row.actual <= row.upper);
    const double fraction = row.elapsed / (row.elapsed + row.seconds);
    EXPECT_TRUE(fraction >= row.at_fraction && fraction <= row.at_fraction + 0.1) << fraction;
  }
}

TEST_F(TrackRecordKept, WithAModelARunIsForetoldAtItsStartAndRefitsChangeNothing) {
  fit_earlier_logs();
  models_ = refit_.models();
  keeper();
  const std::string log = example(kExample);
  const std::size_t first_test = log.find('\n', log.find("Testing net")) + 1;
  write("live.log", log.substr(0, first_test));
  look();
  const auto before = predictions();
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before[0].kind, PredictionKind::total);
  EXPECT_EQ(before[0].at_fraction, 0);
  EXPECT_EQ(before[0].basis, "model");
  EXPECT_TRUE(before[0].model_id);

  for (const std::string& part : pieces(log.substr(first_test), kDisplayed)) {
    write("live.log", part);
    look();
  }
  ASSERT_TRUE(refit_.run());
  models_ = refit_.models();
  look();
  const auto after = predictions();
  ASSERT_EQ(after.size(), 4U) << "at the start, 5, 25 and 50 %";
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_TRUE(after[i].actual);
  const auto start = std::find_if(after.begin(), after.end(),
                                  [](const auto& row) { return row.kind == PredictionKind::total; });
  ASSERT_NE(start, after.end());
  EXPECT_EQ(start->seconds, before[0].seconds) << "never rewritten";
  const etad::Run run = newest().run;
  EXPECT_NEAR(*start->actual, to_seconds(*run.ended_at - *run.started_at), 1e-6) << "of the whole run";
}

TEST_F(TrackRecordKept, ARunSeenLateHasAStartByAModelThatKnewNothingOfIt) {
  for (const char* earlier : {"lenet_b64_i500_tb100_ti50.log", "lenet_b32_i500_tb50_ti50.log"})
    write(earlier, example(earlier));
  Refit refit = refit_of(path(), *writer_, [this] { return wall_; });
  ASSERT_TRUE(refit.run());
  const auto fitted = [&](Instant at) {
    std::vector<prediction::FittedModel> models;
    for (const auto& model : fitted_models(refit)) models.emplace_back(*model).fitted_at = at;
    auto set = *refit.models();
    set.models = std::make_shared<prediction::HeldModels>(std::move(models));
    models_ = std::make_shared<prediction::ModelSet>(std::move(set));
  };
  // The first look comes when a third of the run is over.
  const auto seen_late = [&](const std::string& name, hours fitted_after_start) {
    keeper();
    const auto parts = pieces(example(kExample), kDisplayed);
    std::string begin;
    for (std::size_t i = 0; i < parts.size() / 3; ++i) begin += parts[i];
    write(name, begin);
    fitted(*newest().run.started_at + fitted_after_start);
    look();
    look();
    std::string rest;
    for (std::size_t i = parts.size() / 3; i < parts.size(); ++i) rest += parts[i];
    write(name, rest);
    look();
    return predictions();
  };
  const auto rows = seen_late("before.log", hours(-1));
  ASSERT_EQ(rows.size(), 1U) << "5 and 25 % are not made up";
  EXPECT_EQ(rows[0].kind, PredictionKind::total);
  EXPECT_EQ(rows[0].at_fraction, 0);
  EXPECT_EQ(rows[0].basis, "model");
  EXPECT_GT(rows[0].elapsed, 0);
  EXPECT_TRUE(rows[0].actual);
  EXPECT_TRUE(seen_late("after.log", hours(1)).empty()) << "that model may have seen the run";
}

TEST_F(TrackRecordKept, TheSumsAreThoseOfTheRows) {
  keeper();
  follow(example(kExample));
  double sum = 0, bias = 0, covered = 0;
  const auto rows = predictions();
  for (const PredictionRow& row : rows) {
    sum += std::abs(*row.error_percent);
    bias += *row.error_percent;
    covered += *row.covered ? 1 : 0;
  }
  const auto n = static_cast<double>(rows.size());
  const auto accuracy = reader_->accuracy().value();
  ASSERT_FALSE(accuracy.empty());
  const AccuracyRow& overall = accuracy.front();
  EXPECT_FALSE(overall.network || overall.kind || overall.at_fraction);
  EXPECT_EQ(overall.count, static_cast<std::int64_t>(rows.size()));
  EXPECT_NEAR(overall.mean_error_percent, sum / n, 1e-9);
  EXPECT_NEAR(overall.bias_percent, bias / n, 1e-9);
  EXPECT_NEAR(overall.coverage, covered / n, 1e-9);
}

TEST_F(TrackRecordKept, ARunThatDidNotFinishScoresNothing) {
  keeper();
  follow(example(kExample), 12);
  EXPECT_FALSE(predictions().empty());
  wait(hours(3));  // no further line: lost
  look();
  EXPECT_EQ(newest().run.state, RunState::lost);
  for (const PredictionRow& row : predictions()) EXPECT_FALSE(row.actual);
  const auto groups = reader_->accuracy();
  ASSERT_TRUE(groups);
  for (const AccuracyRow& row : *groups) EXPECT_EQ(row.count, 0);
}

TEST_F(TrackRecordKept, ALostRunThatGoesOnIsScoredWithWhatWasSaidOfIt) {
  keeper();
  const auto parts = pieces(example(kExample), kDisplayed);
  follow(example(kExample), 12);
  const auto before = predictions();
  wait(hours(3));
  look();
  for (std::size_t i = 12; i < parts.size(); ++i) {
    write("live.log", parts[i]);
    look();
  }
  ASSERT_EQ(newest().run.state, RunState::finished);
  const auto after = predictions();
  ASSERT_GE(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].seconds, before[i].seconds) << "never rewritten";
    EXPECT_TRUE(after[i].actual);
  }
}

TEST_F(TrackRecordKept, ManyRunsOfAnotherHideNoneThatRuns) {
  keeper();
  const auto parts = pieces(example(kExample), kDisplayed);
  follow(example(kExample), 12);
  const std::int64_t run = newest().id;
  crowd(RunState::running);
  look();
  EXPECT_THAT(told_of(run), ElementsAre("begun")) << "it runs on";
  for (std::size_t i = 12; i < parts.size(); ++i) write("live.log", parts[i]);
  look();
  EXPECT_THAT(told_of(run), ElementsAre("begun", "finished"));
  const auto rows = reader_->predictions(run).value();
  ASSERT_FALSE(rows.empty());
  for (const PredictionRow& row : rows) EXPECT_TRUE(row.actual);
}

TEST_F(TrackRecordKept, NewerRunsOfItsOwnerEndNoneThatRuns) {
  keeper();
  const auto first = crowd(RunState::running, 1);
  look();
  crowd(RunState::running, 1001);
  look();
  EXPECT_THAT(told_of(first.front()), ElementsAre("begun")) << "it is only no longer looked at";
  crowd(RunState::failed, 1);
  look();
  EXPECT_THAT(told_of(first.front()), ElementsAre("begun", "failed"));
}

TEST_F(TrackRecordKept, ManyRunsOfAnotherHideNoneThatEndsBetweenTwoLooks) {
  keeper();
  write("live.log", example(kExample));
  const RunRow run = newest();
  crowd(RunState::finished);
  ASSERT_TRUE(keeper_->look(models_, *run.run.ended_at));
  EXPECT_THAT(told_of(run.id), ElementsAre("finished"));
}

TEST_F(TrackRecordKept, ManyLostRunsOfAnotherAreNotAwaitedInPlaceOfOne) {
  const auto lost = crowd(RunState::running, 65);
  std::vector<PredictionRow> said;
  for (const std::int64_t id : lost) said.emplace_back().run_id = id;
  ASSERT_TRUE(writer_->with([&](Writer& history) { return history.put_predictions(said); }));
  keeper();
  const auto parts = pieces(example(kExample), kDisplayed);
  follow(example(kExample), 12);
  wait(hours(3));
  crowd(RunState::lost, 65);
  look();
  for (std::size_t i = 12; i < parts.size(); ++i) write("live.log", parts[i]);
  look();
  ASSERT_EQ(newest().run.state, RunState::finished);
  for (const PredictionRow& row : predictions()) EXPECT_TRUE(row.actual);
}

TEST_F(TrackRecordKept, ARestartGoesOnWithTheRecord) {
  keeper();
  const auto parts = pieces(example(kExample), kDisplayed);
  follow(example(kExample), 8);
  const auto before = predictions();
  ASSERT_FALSE(before.empty());
  start();
  keeper();
  for (std::size_t i = 8; i < parts.size(); ++i) write("live.log", parts[i]);  // ends before the first look
  look();
  const auto after = predictions();
  ASSERT_EQ(after.size(), before.size()) << "checkpoints that nobody saw are not made up";
  EXPECT_EQ(after[0].seconds, before[0].seconds);
  EXPECT_TRUE(after[0].actual);
}

TEST_F(TrackRecordKept, AnEndThatADyingDaemonDidNotScoreIsScoredByTheNext) {
  keeper();
  const auto parts = pieces(example(kExample), kDisplayed);
  follow(example(kExample), 8);
  for (std::size_t i = 8; i < parts.size(); ++i) write("live.log", parts[i]);
  ASSERT_EQ(newest().run.state, RunState::finished);
  keeper();  // the one before had no look at the end
  look();
  for (const PredictionRow& row : predictions()) EXPECT_TRUE(row.actual);
}

TEST_F(TrackRecordKept, AnOldLogIsNoProphecy) {
  keeper();
  const auto parts = pieces(example(kExample), kDisplayed);
  for (const std::string& part : parts) {
    write("live.log", part);
    ASSERT_TRUE(keeper_->look(models_, *newest().run.ended_at + hours(24 * 90)));
  }
  EXPECT_EQ(newest().run.state, RunState::finished);
  EXPECT_TRUE(predictions().empty());
}

TEST_F(TrackRecordKept, AFinishedLogThatIsReadAtOnceHasNoRecord) {
  keeper();
  write("live.log", example(kExample));
  look();
  EXPECT_TRUE(predictions().empty());
}

}  // namespace
}  // namespace etad
