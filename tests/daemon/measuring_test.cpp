// How often a refit asks the traces what runs cost, and for which of them.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/refit.h"
#include "prediction/run_traces.h"
#include "storage/reader.h"
#include "storage/schema.h"
#include "storage/sqlite.h"
#include "tests/daemon/refitted.h"
#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

using std::chrono::seconds;

struct Asked {
  int lists = 0, points = 0;
};

class CountingReader : public SqliteReader {
 public:
  CountingReader(const std::string& path, Asked& asked) : SqliteReader(open(path)), asked_(asked) {}

  Result<std::vector<SeriesRow>> series(const std::string& name) override {
    ++asked_.lists;
    return SqliteReader::series(name);
  }
  Result<std::vector<SeriesPoints>> series_points(const SeriesQuery& query) override {
    ++asked_.points;
    return SqliteReader::series_points(query);
  }

 private:
  static std::unique_ptr<sqlite::Connection> open(const std::string& path) {
    auto connection = std::make_unique<sqlite::Connection>(path, sqlite::Connection::Mode::read);
    schema::prepare_for_reading(*connection);
    return connection;
  }

  Asked& asked_;
};

class Measuring : public TempHistory {
 protected:
  Refit refit(std::optional<std::chrono::nanoseconds> most_in_vain = {}) {
    Refit::Measuring measuring;
    measuring.keep = [this](std::int64_t run, Phase, const std::optional<double>& joules, const auto&) {
      if (joules) joules_[run] = *joules;
      return Result<void>();
    };
    measuring.own_host = "gpu1";
    measuring.most_in_vain = most_in_vain;
    return Refit(
        std::make_unique<CountingReader>(path(), asked_), models_of(path(), *writer_), [] { return kToday; },
        [] {}, measuring);
  }

  void commit(SourceCommit commit) {
    std::vector<SourceCommit> commits{std::move(commit)};
    ASSERT_TRUE(
        writer_->with([&](Writer& writer) { return writer.commit(commits, kToday + seconds(36'000)); }));
  }

  // A minute long, so many seconds after the beginning.
  void run_at(int second, const std::string& host = "gpu1") {
    etad::Run run = finished_run(kToday + seconds(second), 64);
    run.host = host;
    run.ended_at = *run.started_at + seconds(60);
    commit(log_of(std::move(run), "/" + std::to_string(second) + ".log",
                  [](std::int64_t) { return from_seconds(1); }));
  }

  // A sample a second of [from, to).
  void trace(const std::string& labels, int from, int to) {
    SourceCommit trace;
    trace.source.path = "/" + labels + std::to_string(from) + ".csv";
    trace.source.identity = trace.source.path;
    for (int second = from; second < to; ++second)
      trace.records.add_sample({"gpu.power", labels, "W"}, kToday + seconds(second), 100);
    commit(std::move(trace));
  }

  // Index 0 is two GPUs'.
  void two_of_one_index(const std::string& host = {}) {
    for (const char* const uuid : {"GPU-a", "GPU-b"})
      trace("gpu=0," + (host.empty() ? "" : "host=" + host + ",") + "uuid=" + uuid, 0, 200);
  }

  Asked asked_;
  std::map<std::int64_t, double> joules_;  // by run
};

TEST_F(Measuring, InVainIsRepeatedOnlyWhereTheTracesOfARunsTimeHaveChanged) {
  run_at(10);
  two_of_one_index();
  Refit fits = refit();
  ASSERT_TRUE(fits.run());
  const int once = asked_.points;
  EXPECT_GT(once, 0);
  run_at(7200);  // of a time without traces
  ASSERT_EQ(fits.run()->fitted, 1);
  EXPECT_EQ(asked_.points, once);
  trace("gpu=0,uuid=GPU-a", 200, 210);
  run_at(7300);
  ASSERT_EQ(fits.run()->fitted, 1);
  EXPECT_GT(asked_.points, once);
  EXPECT_TRUE(joules_.empty());
}

TEST_F(Measuring, ALabelIsHeardAtOnce) {
  run_at(10);
  two_of_one_index();
  Refit fits = refit();
  ASSERT_TRUE(fits.run());
  EXPECT_TRUE(joules_.empty());
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.set_labels(1, {{"gpus", "GPU-a"}}); }));
  ASSERT_TRUE(fits.run());
  EXPECT_NEAR(joules_[1], 20 * 100, 1e-6);
}

TEST_F(Measuring, OfManyRunsReadsTheListOfSeriesOnce) {
  for (int i = 0; i < 5; ++i) run_at(10 + 20 * i);
  two_of_one_index();
  Refit fits = refit();
  ASSERT_TRUE(fits.run());
  EXPECT_EQ(asked_.lists, 1);
}

// Those who can't be measured take only so much of one refit: the older run is the next one's.
TEST_F(Measuring, WhatIsPutOffIsMeasuredByTheNextRefit) {
  run_at(10);
  run_at(100);
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.set_labels(1, {{"gpus", "GPU-a"}}); }));
  two_of_one_index();
  Refit fits = refit(std::chrono::nanoseconds(1));
  ASSERT_TRUE(fits.run());
  EXPECT_TRUE(joules_.empty());
  run_at(7200);
  const auto report = fits.run();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->fitted, 1) << "it was measured, and it has changed";
  EXPECT_EQ(report->unchanged, 0);
  EXPECT_NEAR(joules_[1], 20 * 100, 1e-6);
  const int asked = asked_.points;
  EXPECT_EQ(fits.run()->fitted, 0);
  EXPECT_EQ(asked_.points, asked);
}

// An index of two GPUs elsewhere says nothing of this machine's.
TEST_F(Measuring, SeriesOfOtherHostsAreNotAskedFor) {
  run_at(10);
  two_of_one_index("elsewhere");
  CountingReader reader(path(), asked_);
  const RunRow row = runs().front();
  const auto usage = prediction::usage_of(reader, row, "gpu1", kToday);
  ASSERT_TRUE(usage);
  EXPECT_EQ(asked_.points, 0);
  EXPECT_EQ(usage->choice.absent, "no monitoring trace of a GPU covers its time");
}

// No machine has so many: they are nobody's, and are not asked for one by one.
TEST_F(Measuring, OfThousandsOfGpusNoneIsAskedFor) {
  run_at(10);
  SourceCommit many;
  many.source.path = many.source.identity = "/many.csv";
  for (int gpu = 0; gpu < 2000; ++gpu)
    for (const int second : {0, 200})
      many.records.add_sample(
          {"gpu.power", "gpu=" + std::to_string(gpu / 2) + ",uuid=GPU-" + std::to_string(gpu), "W"},
          kToday + seconds(second), 100);
  commit(std::move(many));
  CountingReader reader(path(), asked_);
  RunRow row = runs().front();
  EXPECT_EQ(prediction::usage_of(reader, row, "gpu1", kToday)->choice.absent,
            "its log does not say which of the 2000 GPUs it ran on");
  EXPECT_EQ(asked_.points, 0);
}

}  // namespace
}  // namespace etad
