// The list of changes, as whoever carries a history elsewhere reads it.
#include <gmock/gmock.h>

#include "storage/change_reader.h"
#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChangesTest : public testing::Test {
 protected:
  void SetUp() override { start("here"); }

  void start(const std::string& machine) {
    writer_.reset();
    StorageOptions options;
    options.machine = machine;
    writer_ = must(Writer::open(path_, options));
    changes_ = must(ChangeReader::open(path_));
  }

  SourceCommit& put(const etad::Run& run, bool pending = false) {
    commits_.resize(1);
    commits_[0].source.path = "/logs/a.log";
    commits_[0].source.pending = pending;
    commits_[0].source.kind = pending ? "import" : "file";
    commits_[0].records.runs = {run};
    must(writer_->commit(commits_, kNow));
    return commits_[0];
  }

  // The runs that changed since, with whether they are there.
  std::vector<std::pair<std::int64_t, bool>> runs(std::int64_t after = 0) {
    std::vector<std::pair<std::int64_t, bool>> out;
    const Changes changes = must(changes_->after(after, 100));
    for (const auto& run : changes.runs) out.emplace_back(run.id, run.now.has_value());
    return out;
  }
  std::int64_t newest() { return must(changes_->after(0, 0)).newest; }

  TempDir dir_;
  std::string path_ = dir_.file("history.db");
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<ChangeReader> changes_;
  std::vector<SourceCommit> commits_;
};

TEST_F(ChangesTest, ARunStandsInTheListOnceWhereItLastChanged) {
  put(lenet());
  const auto before = newest();
  put(lenet());
  EXPECT_THAT(runs(), ElementsAre(std::pair(1, true)));
  EXPECT_GT(newest(), before);
  EXPECT_THAT(runs(newest()), IsEmpty());
}

TEST_F(ChangesTest, LabelsPredictionsAndScoresAreChangesOfTheRun) {
  put(lenet());
  auto before = newest();
  must(writer_->set_labels(1, {{"user", "anna"}}));
  EXPECT_THAT(runs(before), ElementsAre(std::pair(1, true)));
  before = newest();
  PredictionRow prediction;
  prediction.run_id = 1;
  must(writer_->put_predictions({prediction}));
  EXPECT_THAT(runs(before), ElementsAre(std::pair(1, true)));
  before = newest();
  must(writer_->score_run(1, std::chrono::seconds(9)));
  const Changes changes = must(changes_->after(before, 100));
  ASSERT_EQ(changes.runs.size(), 1U);
  ASSERT_EQ(changes.runs[0].predictions.size(), 1U);
  EXPECT_EQ(changes.runs[0].predictions[0].actual, 9);
}

TEST_F(ChangesTest, WhatTracesToldOfARunIsAChangeOfIt) {
  put(lenet());
  const auto before = newest();
  must(writer_->put_costs(1, Phase::train, 500, 2e9));
  const Changes changes = must(changes_->after(before, 100));
  ASSERT_EQ(changes.runs.size(), 1U);
  ASSERT_TRUE(changes.runs[0].now);
  EXPECT_EQ(changes.runs[0].now->run.train.joules, 500);
  EXPECT_EQ(changes.runs[0].now->run.train.peak_bytes, 2e9);
}

TEST_F(ChangesTest, ARunThatIsForgottenComesAsGone) {
  put(lenet());
  const auto before = newest();
  must(writer_->forget_run(1));
  EXPECT_THAT(runs(before), ElementsAre(std::pair(1, false)));
}

TEST_F(ChangesTest, ADroppedSourceTakesItsRunsAlong) {
  const auto id = put(lenet()).source.id;
  const auto before = newest();
  must(writer_->drop_source(id));
  EXPECT_THAT(runs(before), ElementsAre(std::pair(1, false)));
}

TEST_F(ChangesTest, AnImportsRunsAreThereOnceItIsComplete) {
  const auto id = put(lenet(), true).source.id;
  EXPECT_THAT(runs(), ElementsAre(std::pair(1, false)));
  const auto before = newest();
  must(writer_->adopt_source(id));
  EXPECT_THAT(runs(before), ElementsAre(std::pair(1, true)));
}

TEST_F(ChangesTest, SegmentsComeAsTheirBoundedSample) {
  etad::Run run = lenet();
  commits_.resize(1);
  commits_[0].source.path = "/logs/a.log";
  for (int i = 0; i < 3; ++i) commits_[0].records.segments.push_back({0, window(run, i)});
  commits_[0].records.runs = {run};
  must(writer_->commit(commits_, kNow));
  const Changes changes = must(changes_->after(0, 100));
  ASSERT_EQ(changes.runs.size(), 1U);
  ASSERT_EQ(changes.runs[0].windows.size(), 1U);
  EXPECT_EQ(changes.runs[0].windows[0].count, 3);
  EXPECT_EQ(changes.runs[0].places.at(Phase::train), 1);
  EXPECT_EQ(changes.runs[0].now->run.train.segments, 3);
}

TEST_F(ChangesTest, LayersComeWithTheirArchitecture) {
  commits_.resize(1);
  commits_[0].source.path = "/logs/a.log";
  commits_[0].records.runs = {lenet()};
  commits_[0].records.layers.push_back({0, {{"conv1", "Convolution", "k=5", {{20, 24, 24}}, {}}}});
  must(writer_->commit(commits_, kNow));
  const Changes changes = must(changes_->after(0, 100));
  ASSERT_EQ(changes.architectures.size(), 1U);
  EXPECT_EQ(changes.architectures[0].architecture, "9c1d7a52");
  ASSERT_EQ(changes.architectures[0].layers.size(), 1U);
  EXPECT_EQ(changes.architectures[0].layers[0].name, "conv1");
}

TEST_F(ChangesTest, MinutesComeByTheHourAndGoSilently) {
  commits_.resize(1);
  commits_[0].source.path = "/logs/trace.csv";
  for (int i = 0; i < 120; ++i)
    commits_[0].records.add_sample({"gpu.power", "gpu=0", "W"}, kNow + std::chrono::seconds(i), 100.0 + i);
  must(writer_->commit(commits_, kNow));
  must(writer_->maintain(kNow));
  must(writer_->maintain(kNow + std::chrono::hours(2)));
  const Changes changes = must(changes_->after(0, 100));
  ASSERT_EQ(changes.minutes.size(), 1U);
  EXPECT_EQ(changes.minutes[0].series.name, "gpu.power");
  std::int64_t samples = 0;
  for (const auto& point : changes.minutes[0].points) samples += point.count;
  EXPECT_EQ(samples, 120);
  const auto before = newest();
  for (int i = 0; i < 4; ++i)
    must(writer_->maintain(kNow + std::chrono::hours(24 * 120) + i * std::chrono::minutes(2)));
  EXPECT_EQ(must(changes_->after(before, 100)).size(), 0U);
  EXPECT_EQ(must(changes_->after(0, 100)).minutes.size(), 0U);
}

TEST_F(ChangesTest, TheListIsReadInPieces) {
  for (std::int64_t i = 0; i < 5; ++i) put(lenet(i));
  Changes changes = must(changes_->after(0, 2));
  EXPECT_EQ(changes.runs.size(), 2U);
  EXPECT_EQ(changes.waiting, 3);
  changes = must(changes_->after(changes.up_to, 100));
  EXPECT_EQ(changes.runs.size(), 3U);
  EXPECT_EQ(changes.waiting, 0);
}

// In steps of SQLite's virtual machine, which no other process disturbs.
int steps_of(sqlite::Connection& connection, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(connection.handle(), sql, -1, &statement, nullptr), SQLITE_OK) << sql;
  while (sqlite3_step(statement) == SQLITE_ROW) {
  }
  const int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
  EXPECT_EQ(sqlite3_finalize(statement), SQLITE_OK) << sql;
  return steps;
}

TEST_F(ChangesTest, WhatAChangeCostsDoesNotGrowWithTheHistory) {
  constexpr const char* kChanges[] = {
      "UPDATE runs SET iteration = 1 WHERE id = 1",
      "INSERT INTO predictions (run_id, kind, at_fraction, made_at, elapsed, seconds, lower, upper, "
      "confidence, basis)"
      " VALUES (1, 'total', 0, 0, 0, 1, 1, 1, 0.9, 'model')",
      "UPDATE predictions SET seconds = 2 WHERE run_id = 1",
      "INSERT INTO layers (architecture, position, name, type, parameters, shapes) VALUES ('a', 1, '', '', "
      "'', '')",
      "UPDATE sources SET path = 'elsewhere' WHERE id = 1",
      "DELETE FROM runs WHERE id = 1",
  };
  const auto cost = [&] {
    sqlite::Connection connection(path_, sqlite::Connection::Mode::write);
    connection.execute("BEGIN IMMEDIATE");
    std::vector<int> out;
    for (const char* const change : kChanges) out.push_back(steps_of(connection, change));
    connection.execute("ROLLBACK");
    return out;
  };
  put(lenet());
  const auto before = cost();
  commits_.assign(1000, {});
  for (std::size_t i = 0; i < commits_.size(); ++i) {
    etad::Run run = lenet();
    run.architecture = "of its own " + std::to_string(i);
    commits_[i].source.path = "/logs/" + std::to_string(i) + ".log";
    commits_[i].records.runs = {run};
    commits_[i].records.layers.push_back({0, {{"conv1", "Convolution", "k=5", {{20, 24, 24}}, {}}}});
  }
  must(writer_->commit(commits_, kNow));
  const auto after = cost();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_LT(after[i], before[i] + 100) << kChanges[i];
}

TEST_F(ChangesTest, ALineMoreWritesFewPages) {
  const auto pages = [&] { return content_of(path_ + "-wal").size() / (4096 + 24); };
  etad::Run run = lenet();
  put(run);
  std::size_t least = 1000;
  for (int i = 0; i < 5; ++i) {
    const auto before = pages();
    commits_[0].source.offset += 100;
    run.iteration = 100 * (i + 1);
    commits_[0].records.segments = {{0, window(run, i)}};
    commits_[0].records.points = {{0, {100 * i, after(i), 0.5F}}};
    commits_[0].records.runs = {run};
    must(writer_->commit(commits_, kNow));
    least = std::min(least, pages() - before);
  }
  // Sources, runs, phases, windows, segments, points, their total; the dataset and its generation; changes, their
  // index and their number. No index of sources or runs: 20 pages with those.
  EXPECT_LE(least, 12U);
}

TEST_F(ChangesTest, AStartIsNotedWithItsFirstChange) {
  EXPECT_TRUE(must(changes_->after(0, 0)).starts.empty());
  put(lenet());
  put(lenet(1));
  start("there");
  put(lenet(2));
  const auto starts = must(changes_->after(0, 0)).starts;
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_EQ(starts[0].machine, "here");
  EXPECT_EQ(starts[1].machine, "there");
  EXPECT_NE(starts[0].token, starts[1].token);
  EXPECT_EQ(starts[1].after_run, 2);
}

}  // namespace
}  // namespace etad::test
