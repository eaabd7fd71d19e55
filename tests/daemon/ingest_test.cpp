#include "daemon/ingest.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <cerrno>
#include <random>

#include "daemon/follow/journal.h"
#include "daemon/system.h"
#include "storage/schema.h"
#include "storage/sqlite.h"
#include "tests/daemon/followed_files.h"
#include "tests/places.h"

namespace etad {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Ingesting : public FollowedFiles {
 protected:
  void start(SourceRule rule = {}) {
    IngestOptions options = usual_options();
    options.sources = {std::move(rule)};
    options.most_awake = most_awake_;
    options.most_caught_up = most_awake_;
    options.most_state_bytes = most_state_bytes_;
    start_ingest(std::move(options));
  }

  // A minute of ticks, some of which may fail.
  void settle() {
    for (int i = 0; i < 12; ++i) static_cast<void>(tick_after(seconds(5)));
  }

  std::vector<Segment> segments(std::int64_t run) { return reader_->segments(run, 0, 1000).value(); }

  FaultyWriter* const faulty_ = write_by_faulty_writer();
  std::size_t most_awake_ = 512;
  std::size_t most_state_bytes_ = 1 << 20;
  const std::string lenet_ = content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log");
};

MATCHER_P(SameSegments, expected, "") {
  if (arg.size() != expected.size()) return false;
  for (std::size_t i = 0; i < arg.size(); ++i) {
    if (arg[i].phase != expected[i].phase || arg[i].iterations != expected[i].iterations ||
        arg[i].duration != expected[i].duration || arg[i].first_iteration != expected[i].first_iteration ||
        arg[i].samples_per_iteration != expected[i].samples_per_iteration) {
      return false;
    }
  }
  return true;
}

// However often a log is replaced by one of its size: the day's budget of its owner goes by these bytes.
TEST_F(Ingesting, WhatTakesALogsPlaceIsReadWholeAndCounted) {
  append("lenet.log", lenet_);
  start();
  settle();
  std::string other = lenet_;
  std::ranges::reverse(other);
  append("aside", other);
  std::filesystem::rename(file("aside"), file("lenet.log"));
  settle();
  EXPECT_EQ(ingest_->counters().bytes, static_cast<std::int64_t>(lenet_.size() + other.rfind('\n') + 1));
}

TEST_F(Ingesting, ALogThatIsThereIsReadFromItsBeginning) {
  append("lenet.log", lenet_);
  start();
  settle();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_EQ(runs()[0].run.state, RunState::finished);
  EXPECT_EQ(runs()[0].run.train.iterations, 500);
  EXPECT_EQ(ingest_->counters().lines, std::count(lenet_.begin(), lenet_.end(), '\n'));
  EXPECT_EQ(ingest_->counters().bytes, static_cast<std::int64_t>(lenet_.size()));
  EXPECT_EQ(reader_->sources().value().at(0).offset, static_cast<std::int64_t>(lenet_.size()));
}

TEST_F(Ingesting, WhatWasThereIsCaughtUpWithAndWhatComesIsNot) {
  const std::size_t half = lenet_.find('\n', lenet_.size() / 2) + 1;
  append("lenet.log", lenet_.substr(0, half));
  start();
  ASSERT_TRUE(tick_after(seconds(1)));
  EXPECT_TRUE(ingest_->is_catching_up());
  append("lenet.log", lenet_.substr(half));
  ASSERT_TRUE(tick_after(seconds(20)));
  EXPECT_EQ(reader_->sources().value().at(0).offset, static_cast<std::int64_t>(lenet_.size()));
  EXPECT_FALSE(ingest_->is_catching_up());
}

// Its lines bear no times, and yet it is known when it began and how long it took.
TEST_F(Ingesting, ALogThatBeginsWhileItIsFollowedIsDatedByItsComing) {
  const auto begin = [&](const std::string& name, seconds later) {
    append(name, "***** Running training *****\n  Total optimization steps = 40\n");
    const Instant born = files_->status(file(name).string())->born;
    wall_ = born + later - seconds(1);
    EXPECT_TRUE(tick_after(seconds(1)));
    EXPECT_TRUE(tick_after(seconds(120)));
    append(name, "{'train_runtime': 100.0, 'train_steps_per_second': 0.4, 'epoch': 1.0}\n");
    EXPECT_TRUE(tick_after(seconds(1)));
    return born;
  };
  start();
  const Instant born = begin("now.log", seconds(1));
  if (born == Instant{}) GTEST_SKIP() << "the file system does not say when a file was made";
  begin("older.log", seconds(60));
  const auto runs = reader_->runs({}).value();
  ASSERT_EQ(runs.size(), 2U);
  const etad::Run& seen = runs[0].source.ends_with("now.log") ? runs[0].run : runs[1].run;
  const etad::Run& older = runs[0].source.ends_with("now.log") ? runs[1].run : runs[0].run;
  EXPECT_EQ(seen.started_at, born + seconds(1));
  EXPECT_EQ(wall_time(seen), seconds(121));
  EXPECT_EQ(older.started_at, std::nullopt) << "a minute of it is not known";
}

TEST_F(Ingesting, AClockThatIsSetBackKeepsNoStillRunRunning) {
  append("lenet.log", lenet_.substr(0, lenet_.rfind('\n', lenet_.find("Iteration 250 ")) + 1));
  start();
  wall_ = system::now();  // the file was written just now
  wait();
  ASSERT_EQ(runs().at(0).run.state, RunState::running);
  wall_ -= std::chrono::hours(24 * 30);
  wait(std::chrono::hours(2));
  EXPECT_EQ(runs().at(0).run.state, RunState::lost);
}

TEST_F(Ingesting, AClockThatIsSetForwardMakesNoRunLost) {
  append("lenet.log", lenet_.substr(0, lenet_.rfind('\n', lenet_.find("Iteration 250 ")) + 1));
  start();
  wall_ = system::now();
  wait();
  wall_ += std::chrono::hours(24 * 30);
  wait();
  EXPECT_EQ(runs().at(0).run.state, RunState::running);
}

// Nobody will ever see its log be still: it is gone, can't be read any more, or no pattern finds it.
TEST_F(Ingesting, ARunWhoseLogCanNotBeReadAnyMoreIsLost) {
  const std::string half = lenet_.substr(0, lenet_.rfind('\n', lenet_.find("Iteration 250 ")) + 1);
  for (const char* name : {"gone.log", "fifo.log", "unwatched.log", "away.log"}) append(name, half);
  start();
  wait();
  std::filesystem::remove(file("gone.log"));
  std::filesystem::remove(file("fifo.log"));
  ASSERT_EQ(mkfifo(file("fifo.log").c_str(), 0600), 0);
  wait();
  EXPECT_THAT(runs(),
              testing::Each(testing::Field(&RunRow::run, testing::Field(&Run::state, RunState::running))));
  std::filesystem::remove(file("away.log"));
  start_ingest(usual_options(), "[fga]*.log");
  wait(std::chrono::hours(2));
  EXPECT_EQ(runs().size(), 4U);
  for (const RunRow& run : runs()) EXPECT_EQ(run.run.state, RunState::lost) << run.source;
  start();
  append("unwatched.log", lenet_.substr(half.size()));
  wait();
  const auto all = runs();
  const auto again = std::ranges::find(all, file("unwatched.log").string(), &RunRow::source);
  EXPECT_EQ(again->run.state, RunState::finished) << "it is watched again";
  EXPECT_EQ(all.size(), 4U);
}

TEST_F(Ingesting, GrowingInRandomPiecesAcrossRestartsIsTheSameAsReadingItWhole) {
  append("whole.log", "# whole\n" + lenet_);
  start();
  settle();
  const auto expected = segments(runs()[0].id);
  const auto expected_run = runs()[0].run;
  std::mt19937 chance(7);
  append("pieces.log", "# pieces\n");
  for (std::size_t at = 0; at < lenet_.size();) {
    const std::size_t size = 1 + chance() % 2000;
    append("pieces.log", std::string_view(lenet_).substr(at, size));
    at += size;
    if (chance() % 4 == 0) start();
    ASSERT_TRUE(tick_after(seconds(20)));
  }
  settle();
  ASSERT_EQ(runs().size(), 2U);
  EXPECT_THAT(segments(runs()[0].id), SameSegments(expected));
  EXPECT_EQ(runs()[0].run.state, RunState::finished);
  EXPECT_EQ(runs()[0].run.architecture, expected_run.architecture);
  EXPECT_EQ(runs()[0].run.train.duration, expected_run.train.duration);
}

TEST_F(Ingesting, ACommitThatFailsLosesNothingAndDoublesNothing) {
  append("whole.log", "# whole\n" + lenet_);
  start();
  settle();
  const auto expected = segments(runs()[0].id);
  append("pieces.log", "# pieces\n");
  std::mt19937 chance(11);
  for (std::size_t at = 0; at < lenet_.size();) {
    const std::size_t size = 1 + chance() % 3000;
    append("pieces.log", std::string_view(lenet_).substr(at, size));
    at += size;
    if (chance() % 3 == 0) faulty_->failures = 1 + static_cast<int>(chance() % 2);
    static_cast<void>(tick_after(seconds(40)));
  }
  EXPECT_GT(ingest_->counters().failed_commits, 0);
  settle();
  ASSERT_EQ(runs().size(), 2U);
  EXPECT_THAT(segments(runs()[0].id), SameSegments(expected));
  EXPECT_EQ(ingest_->counters().lines, 2 * std::count(lenet_.begin(), lenet_.end(), '\n') + 2);
}

class IngestingBoundedly : public Ingesting, public testing::WithParamInterface<bool> {};

TEST_P(IngestingBoundedly, SourcesAtRestAreLeftToTheHistoryAndGoOnFromThere) {
  append("whole.log", "# whole\n" + lenet_);
  start();
  settle();
  const auto expected = segments(runs()[0].id);
  // Of three logs that grow in turn, two are always at rest, or all of them.
  (GetParam() ? most_awake_ : most_state_bytes_) = 1;
  start();
  for (const char* name : {"a.log", "b.log", "c.log"}) append(name, std::string("# ") + name + "\n");
  std::mt19937 chance(3);
  for (std::size_t at = 0; at < lenet_.size();) {
    const std::size_t size = 1 + chance() % 3000;
    for (const char* name : {"a.log", "b.log", "c.log"}) {
      append(name, std::string_view(lenet_).substr(at, size));
      if (chance() % 8 == 0) faulty_->failures = 1;
      static_cast<void>(tick_after(seconds(12)));  // a minute without growth would make half a line a line
    }
    at += size;
  }
  settle();
  ASSERT_EQ(runs().size(), 4U);
  for (const RunRow& run : runs()) {
    EXPECT_THAT(segments(run.id), SameSegments(expected)) << run.source;
    EXPECT_EQ(run.run.state, RunState::finished);
  }
}

INSTANTIATE_TEST_SUITE_P(ByNumberAndByLength, IngestingBoundedly, testing::Bool());

TEST_F(Ingesting, ARestartWritesNothingWhereNothingIsNew) {
  for (int i = 0; i < 5; ++i) append(std::to_string(i) + ".log", "# " + std::to_string(i) + "\n" + lenet_);
  start();
  settle();
  EXPECT_GT(ingest_->counters().commits, 0);
  start();
  settle();
  EXPECT_EQ(ingest_->counters().commits, 0);
  append("3.log", "a line\n");
  settle();
  EXPECT_EQ(ingest_->counters().commits, 1);
  EXPECT_EQ(ingest_->counters().lines, 1);
}

TEST_F(Ingesting, AStillRunIsLostAfterARestartToo) {
  append("lenet.log", lenet_.substr(0, lenet_.rfind('\n', lenet_.find("Iteration 250 ")) + 1));
  start();
  settle();
  start();
  settle();
  EXPECT_EQ(runs()[0].run.state, RunState::running);
  static_cast<void>(tick_after(seconds(3700)));
  settle();
  EXPECT_EQ(runs()[0].run.state, RunState::lost);
}

// Diffusers' scripts say nothing behind the bar that counts all of their steps.
// Whether the daemon has seen it come to its end, or has been started since.
TEST_F(Ingesting, AStillRunThatHasDoneItsPlanIsOverSooner) {
  const auto bar = [](int step) {
    return "Steps: " + std::to_string(step / 4) + "%|####| " + std::to_string(step) + "/400 [" +
           std::to_string(step / 60) + ":" + std::to_string(step % 60 + 100).substr(1) +
           "<00:00,  1.00s/it, loss=0.5]\n";
  };
  const auto write_to = [&](const std::string& name, int last) {
    for (int step = 40; step <= last; step += 40) append(name, bar(step));
  };
  write_to("done.log", 400);
  write_to("half.log", 200);
  start();
  settle();
  const auto state_of = [&](std::string_view name) {
    for (const auto& row : runs())
      if (row.source.ends_with(name)) return row.run.state;
    return RunState::failed;
  };
  EXPECT_EQ(state_of("done.log"), RunState::running);
  static_cast<void>(tick_after(seconds(400)));
  settle();
  EXPECT_EQ(state_of("done.log"), RunState::finished);
  EXPECT_EQ(state_of("half.log"), RunState::running);
  write_to("later.log", 400);
  settle();
  start();
  settle();
  EXPECT_EQ(state_of("later.log"), RunState::running);
  static_cast<void>(tick_after(seconds(400)));
  settle();
  EXPECT_EQ(state_of("later.log"), RunState::finished);
  EXPECT_EQ(state_of("half.log"), RunState::running);
}

TEST_F(Ingesting, APathThatWasGoneForDaysIsTheSameSourceAgain) {
  append("lenet.log", lenet_);
  start();
  settle();
  std::filesystem::remove(file("lenet.log"));
  settle();
  now_ += std::chrono::hours(30);
  wall_ += std::chrono::hours(30);
  settle();
  EXPECT_TRUE(follower_->statuses().empty()) << "forgotten, here";
  append("lenet.log", "# another one\n" + lenet_);
  settle();
  EXPECT_EQ(reader_->sources().value().size(), 1U);
  ASSERT_EQ(runs().size(), 2U);
  EXPECT_EQ(runs()[0].run.ordinal, 1);
}

// A file system that was not mounted for two days, say.
TEST_F(Ingesting, AFileThatWasAwayForDaysIsNotReadAgain) {
  append("lenet.log", lenet_ + "half a line");
  start();
  settle();
  std::filesystem::rename(file("lenet.log"), folder_ / "elsewhere");
  settle();
  now_ += std::chrono::hours(30);
  wall_ += std::chrono::hours(30);
  settle();
  EXPECT_TRUE(follower_->statuses().empty());
  std::filesystem::rename(folder_ / "elsewhere", file("lenet.log"));
  settle();
  start();
  settle();
  EXPECT_EQ(reader_->sources().value().size(), 1U);
  EXPECT_EQ(runs().size(), 1U);
}

TEST_F(Ingesting, AStateThatCanNotBeUsedCostsNoRunOfBefore) {
  append("lenet.log", lenet_);
  start();
  settle();
  std::vector<SourceCommit> damaged(1);
  damaged[0].source =
      writer_->with([&](Writer& w) { return w.followed_source(file("lenet.log").string()); }).value().value();
  damaged[0].source.state = "{";
  ASSERT_TRUE(writer_->with([&](Writer& w) { return w.commit(damaged, wall_); }));
  const auto before = segments(runs()[0].id);
  start();
  append("lenet.log", lenet_);
  settle();
  ASSERT_EQ(ingest_->take_notices().size(), 1U);
  ASSERT_EQ(runs().size(), 2U);
  EXPECT_THAT(segments(runs()[1].id), SameSegments(before));
  EXPECT_NE(runs()[0].source_id, runs()[1].source_id) << "it goes on as a source of its own";
  start();
  settle();
  EXPECT_TRUE(ingest_->take_notices().empty());
  EXPECT_EQ(runs().size(), 2U);
}

TEST_F(Ingesting, ARunGoesOnAcrossARotation) {
  const std::size_t cut = lenet_.rfind('\n', lenet_.find("Iteration 250 ")) + 1;
  append("lenet.log", lenet_.substr(0, cut));
  start();
  settle();
  std::filesystem::rename(file("lenet.log"), file("lenet.log.1"));
  append("lenet.log", lenet_.substr(cut));
  settle();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_EQ(runs()[0].run.state, RunState::finished);
  EXPECT_EQ(runs()[0].run.train.iterations, 500);
}

TEST_F(Ingesting, TheRunOfALogThatStandsStillIsLostAndFoundAgain) {
  const std::size_t cut = lenet_.rfind('\n', lenet_.find("Iteration 250 ")) + 1;
  append("lenet.log", lenet_.substr(0, cut));
  start();
  settle();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_EQ(runs()[0].run.state, RunState::running);
  static_cast<void>(tick_after(seconds(3700)));
  settle();
  EXPECT_EQ(runs()[0].run.state, RunState::lost);
  append("lenet.log", lenet_.substr(cut));
  settle();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_EQ(runs()[0].run.state, RunState::finished);
  EXPECT_EQ(runs()[0].run.train.iterations, 500);
}

TEST_F(Ingesting, PathsAndLabelsSayWhatTheLogDoesNot) {
  const std::string body = lenet_.substr(lenet_.rfind('\n', lenet_.find("Iteration 0, Testing")) + 1);
  append("mynet-bs48.log", body);
  start({"auto",
         {{"device", "Tesla K80"}},
         PathPattern::compile(R"(/(?P<network>\w+)-bs(?P<batch_size>\d+)\.log$)").value()});
  settle();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_EQ(runs()[0].run.network, "mynet");
  EXPECT_EQ(runs()[0].run.train.batch_size, 48);
  EXPECT_EQ(runs()[0].run.device, "Tesla K80");
}

// Tables of measurements, and the framework of those that name none, were called "segments" up to version 15.
TEST_F(Ingesting, ATableOfAnOlderHistoryGoesOnUnderTheNameOfToday) {
  append("lab.log", "network,batch_size,iterations,seconds\nlenet,64,100,2.5\n");
  start();
  settle();
  ASSERT_EQ(runs().size(), 1U);
  ingest_.reset();
  follower_.reset();
  reader_.reset();
  writer_.reset();
  {
    sqlite::Connection history(path(), sqlite::Connection::Mode::write);
    history.execute(
        "UPDATE runs SET framework = 'segments'; UPDATE datasets SET framework = 'segments';"
        "UPDATE sources SET format = 'segments', tracker_state ="
        " CAST(replace(CAST(tracker_state AS TEXT), 'measurements', 'segments') AS BLOB);"
        // What later versions took away, and added.
        "CREATE TABLE deployments (id INTEGER PRIMARY KEY, framework TEXT);"
        "ALTER TABLE models ADD COLUMN teaches INTEGER; CREATE INDEX models_teaches ON models (teaches);"
        "DROP TABLE estimator_records; DROP TABLE forgotten_runs;"
        "DROP TRIGGER phase_joined; DROP TRIGGER phase_moved; DROP TRIGGER phase_left; DROP TABLE "
        "dataset_owners;"
        "DROP TRIGGER layer_removed; DROP INDEX layers_run; ALTER TABLE layers DROP COLUMN run_id;"
        "PRAGMA user_version = 15");
  }
  writer_ = std::make_unique<SharedWriter>(Writer::open(path()).value());
  reader_ = ModelReader::open(path()).value();
  start();
  append("lab.log", "lenet,64,100,2.25\n");
  settle();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_EQ(runs()[0].run.framework, "measurements");
  EXPECT_EQ(runs()[0].run.train.iterations, 200);
  EXPECT_EQ(reader_->sources().value().at(0).format, "measurements");
  EXPECT_TRUE(reader_->run_data({"lenet", "", "measurements", "gpu1", "", 0}, 9, 9).value().size() == 1U);
  EXPECT_TRUE(reader_->refit_progress().value().version == 0);
}

TEST_F(Ingesting, AnEnvelopesTimeCountsWhereItsLineHasNone) {
  for (int i = 1; i <= 20; ++i) {
    append("docker.log",
           "{\"log\":\"" + std::to_string(i) +
               ": 812.250000, 815.500000 avg, 0.001000 rate, 0.350000 seconds, " + std::to_string(64 * i) +
               " images\\n\",\"stream\":\"stdout\",\"time\":\"2026-07-11T10:15:" + std::to_string(10 + i) +
               "Z\"}\n");
  }
  start();
  settle();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_GT(runs()[0].run.train.segments, 0);
  ASSERT_TRUE(runs()[0].run.started_at);
  EXPECT_EQ(to_rfc3339(*runs()[0].run.started_at).substr(0, 17), "2026-07-11T10:15:");
  EXPECT_EQ(to_rfc3339(*runs()[0].run.ended_at), "2026-07-11T10:15:30Z");
}

TEST_F(Ingesting, ASourceOfTheJournalIsToldAsOne) {
  ingest_.reset();
  const auto no_journal = [](const auto&) -> tl::expected<std::unique_ptr<follow::JournalReader>, int> {
    return tl::unexpected(EACCES);
  };
  follower_ = std::make_unique<follow::Follower>(
      *files_, nullptr, std::vector<follow::Watch>{{"journal:caffe.service"}}, follow::Options{}, no_journal);
  IngestOptions options;
  options.formats = shipped_formats();
  ingest_ = std::make_unique<Ingest>(std::move(options), *writer_, *follower_);
  ASSERT_TRUE(ingest_->restore(wall_));
  settle();
  const auto sources = reader_->sources().value();
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].kind, "journal");
  EXPECT_NE(sources[0].last_error, "");
}

TEST_F(Ingesting, AFileOfNoKnownFormatIsCountedAndLeftAlone) {
  append("other.log", "hello\nworld\n");
  start();
  settle();
  EXPECT_TRUE(runs().empty());
  const auto sources = reader_->sources().value();
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].format, "");
  EXPECT_EQ(sources[0].lines, 2);
}

}  // namespace
}  // namespace etad
