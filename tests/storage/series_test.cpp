// Traces: what is asked of them at any step equals what a plain loop over all samples gives, however late the
// samples came, packed or not, raw or rolled up.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "storage/series_query.h"
#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Reading {
  Series series;
  Instant at;
  double value;
};

Reading power(double at, double value, const std::string& labels = "gpu=0") {
  return {{"gpu.power", labels, "W"}, after(at), value};
}

Records records_of(const std::vector<Reading>& readings) {
  Records records;
  for (const Reading& reading : readings) records.add_sample(reading.series, reading.at, reading.value);
  return records;
}

// The answer by definition.
std::vector<SeriesPoint> expected(const std::vector<Reading>& samples, const SeriesQuery& query) {
  std::map<Instant, SeriesPoint> steps;
  for (const Reading& s : samples) {
    if (s.at < query.from || s.at >= query.to) continue;
    const Instant start = std::chrono::floor<seconds>(s.at) -
                          (std::chrono::floor<seconds>(s.at).time_since_epoch() % query.step);
    SeriesPoint& p = steps.try_emplace(start, SeriesPoint{start, s.value, 0, s.value, 0}).first->second;
    p.min = std::min(p.min, s.value);
    p.max = std::max(p.max, s.value);
    p.mean += s.value;
    ++p.count;
  }
  std::vector<SeriesPoint> result;
  for (auto& [start, p] : steps) {
    p.mean /= static_cast<double>(p.count);
    result.push_back(p);
  }
  return result;
}

void expect_same(const std::vector<SeriesPoint>& got, const std::vector<SeriesPoint>& want) {
  ASSERT_THAT(got, SizeIs(want.size()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].at, want[i].at) << i;
    EXPECT_EQ(got[i].count, want[i].count) << i;
    EXPECT_DOUBLE_EQ(got[i].min, want[i].min) << i;
    EXPECT_DOUBLE_EQ(got[i].max, want[i].max) << i;
    EXPECT_NEAR(got[i].mean, want[i].mean, 1e-6 * std::abs(want[i].mean)) << i;
  }
}

class SeriesTest : public HistoryTest {
 protected:
  void add(const std::vector<Reading>& samples) {
    source_.source.path = "/var/log/nvidia-smi.csv";
    source_.records = records_of(samples);
    commit(source_);
    source_.records.clear();
  }
  std::vector<SeriesPoints> query(double from, double to, int step,
                                  std::map<std::string, std::string> labels = {}) {
    return must(
        reader().series_points({"gpu.power", std::move(labels), after(from), after(to), seconds(step)}));
  }
  SourceCommit source_;
};

TEST_F(SeriesTest, ASampleIsThereAtOnce) {
  add({power(0, 101.25), power(1, 99.5), power(0, 55, "gpu=1,uuid=GPU-b")});
  const auto series = must(reader().series());
  ASSERT_THAT(series, SizeIs(2));
  EXPECT_EQ(series[0].labels, "gpu=0");
  EXPECT_EQ(series[0].unit, "W");
  EXPECT_EQ(series[0].samples, 2);
  EXPECT_EQ(series[0].first_at, after(0));
  EXPECT_EQ(series[0].last_at, after(1));
  EXPECT_THAT(must(reader().series("gpu.temperature")), IsEmpty());
  EXPECT_EQ(must(reader().size()).samples, 3);

  const auto raw = query(0, 10, 0, {{"gpu", "0"}});
  ASSERT_THAT(raw, SizeIs(1));
  ASSERT_THAT(raw[0].points, SizeIs(2));
  EXPECT_EQ(raw[0].points[1].at, after(1));
  EXPECT_EQ(raw[0].points[1].mean, 99.5);
  EXPECT_THAT(query(0, 10, 0), SizeIs(2));
  EXPECT_THAT(query(0, 10, 0, {{"uuid", "GPU-b"}, {"gpu", "1"}}), SizeIs(1));
  EXPECT_THAT(query(0, 10, 0, {{"gpu", "10"}}), IsEmpty());
  EXPECT_THAT(query(5, 5, 0, {{"gpu", "0"}})[0].points, IsEmpty());
}

TEST_F(SeriesTest, TheMoreSeriesThereAreTheFewerPointsEachGives) {
  constexpr int kSeries = 200;
  std::vector<Reading> samples;
  for (int i = 0; i < kSeries; ++i)
    for (const int minute : {0, 9'000})
      samples.push_back(power(60.0 * minute, 100, "gpu=" + std::to_string(i)));
  add(samples);
  const auto all = query(0, 600'000, 60);
  ASSERT_THAT(all, SizeIs(kSeries));
  for (const SeriesPoints& each : all) {
    EXPECT_GE(each.step, seconds(540'000 / (kMostOfAll / kSeries)));
    EXPECT_THAT(each.points, SizeIs(2));
  }
  EXPECT_EQ(query(0, 600'000, 60, {{"gpu", "7"}})[0].step, seconds(60));
}

TEST_F(SeriesTest, ThoseThatAreNamedAnswerInWhateverOrderAndOnce) {
  add({power(0, 1, "gpu=0"), power(0, 2, "gpu=1"), power(0, 3, "gpu=2")});
  const auto all = must(reader().series());
  ASSERT_THAT(all, SizeIs(3));
  SeriesQuery named{"gpu.power", {}, after(-10), after(10), seconds(0)};
  named.ids = {all[2].id, 4711, all[0].id, all[2].id};
  const auto found = must(reader().series_points(named));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].series.labels, "gpu=0");
  EXPECT_EQ(found[1].series.labels, "gpu=2");
  EXPECT_EQ(found[1].points.at(0).mean, 3);
  named.name = "gpu.temperature";
  EXPECT_THAT(must(reader().series_points(named)), IsEmpty());
}

// 30,000 samples over 9 hours, a tenth of them late by up to two hours, some not decimal: packed and waiting.
TEST_F(SeriesTest, EveryTierAgreesWithThePlainLoop) {
  std::mt19937_64 random(7);
  std::vector<Reading> samples;
  for (int i = 0; i < 30'000; ++i) {
    const double late = random() % 10 == 0 ? -static_cast<double>(random() % 7200) : 0;
    double value = static_cast<double>(random() % 30'000) / 100;
    if (i > 20'000 && random() % 1000 == 0) value = std::sqrt(value);
    samples.push_back(power(1.1 * i + late, value));
  }
  for (std::size_t i = 0; i < samples.size(); i += 777) {
    add({samples.begin() + static_cast<std::ptrdiff_t>(i),
         samples.begin() + static_cast<std::ptrdiff_t>(std::min(i + 777, samples.size()))});
  }
  for (const int step : {1, 7, 60, 300, 3600, 7200}) {
    SCOPED_TRACE(step);
    const SeriesQuery whole{"gpu.power", {}, after(-86'400), after(86'400), seconds(step)};
    const auto got = must(reader().series_points(whole));
    ASSERT_THAT(got, SizeIs(1));
    EXPECT_EQ(got[0].step, seconds(step));
    expect_same(got[0].points, expected(samples, whole));
  }
  // A part that begins and ends with the tier's buckets.
  const Instant hour = std::chrono::floor<hours>(after(10'000));
  for (const int step : {10, 60, 600}) {
    SCOPED_TRACE(step);
    const SeriesQuery part{"gpu.power", {}, hour, hour + hours(2), seconds(step)};
    expect_same(must(reader().series_points(part))[0].points, expected(samples, part));
  }
  EXPECT_THAT(query(-86'400, 86'400, 0)[0].points, SizeIs(30'000));
}

TEST_F(SeriesTest, OldSamplesGoAndTheirRollUpsStay) {
  options_.raw_samples = hours(24);
  options_.minute_samples = hours(24 * 30);
  std::vector<Reading> samples;
  for (int i = 0; i < 40'000; ++i) samples.push_back(power(10.0 * i, 100 + i % 50));
  add(samples);
  const double end = 400'000;
  must(writer().maintain(after(end)));
  must(writer().maintain(after(end + 3601)));  // packs what still waits
  for (int i = 0; i < 20; ++i) must(writer().maintain(after(end + 3601 + 61 * i)));

  const auto recent = query(end - 3600, end, 10);
  EXPECT_EQ(recent[0].step, seconds(10));
  EXPECT_THAT(recent[0].points, SizeIs(360));
  const auto old = query(0, end, 10);
  EXPECT_EQ(old[0].step, seconds(60)) << "raw samples of that age are gone";
  const SeriesQuery minutes{"gpu.power", {}, after(0), after(end), seconds(60)};
  expect_same(old[0].points, expected(samples, minutes));

  for (int i = 0; i < 200; ++i) must(writer().maintain(after(end + 86'400 * 31 + 61 * i)));
  const auto ancient = query(0, end, 60);
  EXPECT_EQ(ancient[0].step, seconds(3600));
  const SeriesQuery by_hour{"gpu.power", {}, after(0), after(end), seconds(3600)};
  expect_same(ancient[0].points, expected(samples, by_hour));
  EXPECT_EQ(must(reader().series())[0].samples, 40'000);
}

// As of a monitor that began before the clock was set.
TEST_F(SeriesTest, AnOldSampleHidesNothingOfWhatOtherTiersHave) {
  std::vector<Reading> samples;
  for (int i = 0; i < 7'200; ++i) samples.push_back(power(2.0 * i, 100));
  add(samples);
  must(writer().maintain(after(14'400)));
  must(writer().maintain(after(14'400 + 3'601)));
  const double week = 7 * 86'400;
  for (int i = 0; i < 3; ++i) must(writer().maintain(after(2 * week + 61 * i)));
  source_.records = records_of({power(-1e8, 7)});
  commit(source_, after(2 * week));
  EXPECT_EQ(query(0, 14'400, 1)[0].step, seconds(60)) << "it waits";
  SourceCommit import;
  import.source.path = "old.csv.gz";
  import.source.pending = true;
  import.records = records_of({power(-2e8, 7)});
  commit(import);
  must(writer().adopt_source(import.source.id));
  EXPECT_EQ(query(0, 14'400, 1)[0].step, seconds(60));
  EXPECT_THAT(query(0, 14'400, 1)[0].points, SizeIs(241));
  for (int i = 0; i < 9; ++i) must(writer().maintain(after(20 * week + 61 * i)));
  EXPECT_EQ(query(0, 14'400, 1)[0].step, seconds(3600));
  EXPECT_THAT(query(0, 14'400, 1)[0].points, SizeIs(5));
}

// Whoever maintains the history knows that the clock by which it is written is wrong.
TEST_F(SeriesTest, AClockThatIsAheadTakesNoSamplesOutOfATier) {
  must(writer().maintain(after(0)));
  std::vector<Reading> samples;
  for (int i = 0; i < 40'000; ++i) samples.push_back(power(i, i));
  source_.records = records_of(samples);
  commit(source_, after(20.0 * 365 * 86'400));
  EXPECT_EQ(query(0, 40'000, 1)[0].step, seconds(1));
  EXPECT_THAT(query(0, 40'000, 1)[0].points, SizeIs(40'000));
}

TEST_F(SeriesTest, ASeriesOfWhichNothingIsLeftGoesAndIsABudgetAgain) {
  options_.hour_samples = hours(24 * 365);
  options_.budgets.series = 2;
  source_.source.owner = 1001;
  add({power(0, 1), power(0, 1, "gpu=1"), power(0, 1, "gpu=2")});
  EXPECT_THAT(must(reader().series()), SizeIs(2));
  const Instant later = after(86'400.0 * 500);
  for (int i = 0; i < 4; ++i) must(writer().maintain(later + hours(i)));
  source_.records =
      records_of({{{"gpu.power", "gpu=0", "W"}, later, 1}, {{"gpu.power", "gpu=3", "W"}, later, 1}});
  commit(source_, later);
  std::vector<std::string> labels;
  for (const SeriesRow& row : must(reader().series())) labels.push_back(row.labels);
  EXPECT_THAT(labels, ::testing::ElementsAre("gpu=0", "gpu=1")) << "the last one's id would be another's";
}

// Each of a trace that shows one an hour would make a row in all tiers, to be deleted at once.
TEST_F(SeriesTest, SamplesOlderThanATierAreNotWrittenIntoIt) {
  std::vector<Reading> samples;
  for (int i = 0; i < 9'000; ++i) samples.push_back(power(3600.0 * i, i));
  source_.source.path = "/var/log/old.csv";
  source_.records = records_of(samples);
  const double end = 3600.0 * 9'000;
  commit(source_, after(end));
  EXPECT_EQ(query(end - 3600 * 24, end, 1)[0].step, seconds(1));
  EXPECT_EQ(query(end - 3600 * 24 * 20, end, 1)[0].step, seconds(60));
  EXPECT_EQ(query(0, end, 1)[0].step, seconds(3600));
  EXPECT_THAT(query(0, end, 3600)[0].points, SizeIs(9'000));
  EXPECT_LT(must(reader().size()).bytes, 1'000'000);

  // Runs of its time are measured by an import, before its samples are past their time.
  SourceCommit import;
  import.source.path = "old.csv.gz";
  import.source.pending = true;
  import.records = records_of({power(0, 1, "gpu=7"), power(1, 2, "gpu=7")});
  commit(import, after(end));
  must(writer().adopt_source(import.source.id));
  EXPECT_THAT(query(0, 10, 0, {{"gpu", "7"}})[0].points, SizeIs(2));
}

TEST_F(SeriesTest, ALongAnswerHasALargerStep) {
  std::vector<Reading> samples;
  for (int i = 0; i < 120'000; ++i) samples.push_back(power(i, 1));
  add(samples);
  const auto raw = query(0, 1e9, 0);
  EXPECT_EQ(raw[0].step, seconds(60));
  EXPECT_THAT(raw[0].points, SizeIs(::testing::Le(100'000U)));
  const auto fine = query(0, 1e9, 1);
  EXPECT_EQ(fine[0].step, seconds(2));
  EXPECT_THAT(fine[0].points, SizeIs(::testing::Le(100'000U)));
}

TEST_F(SeriesTest, WhatIsNoNumberIsKeptRawAndCountsNowhereElse) {
  add({power(0, 1), power(1, std::nan("")), power(2, 3)});
  const auto raw = query(0, 10, 0)[0].points;
  ASSERT_THAT(raw, SizeIs(3));
  EXPECT_TRUE(std::isnan(raw[1].mean));
  const auto minute = query(0, 10, 60)[0].points;
  ASSERT_THAT(minute, SizeIs(1));
  EXPECT_EQ(minute[0].count, 2);
  EXPECT_EQ(minute[0].mean, 2);
}

TEST_F(SeriesTest, AnImportsSamplesCountOnceItIsComplete) {
  SourceCommit import;
  import.source.path = "trace.csv.gz";
  import.source.pending = true;
  std::vector<Reading> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(power(i, i));
  import.records = records_of(samples);
  commit(import);
  import.records = records_of({power(50.5, 1000)});
  commit(import);
  EXPECT_THAT(must(reader().series()), IsEmpty());
  must(writer().adopt_source(import.source.id));
  EXPECT_EQ(must(reader().series())[0].samples, 101);
  EXPECT_THAT(query(0, 1000, 0)[0].points, SizeIs(101));
  EXPECT_EQ(query(0, 1000, 3600)[0].points.front().max, 1000);

  SourceCommit failed;
  failed.source.path = "other.csv.gz";
  failed.source.pending = true;
  failed.records = records_of({power(1, 5000)});
  commit(failed);
  must(writer().drop_source(failed.source.id));
  EXPECT_EQ(must(reader().series())[0].samples, 101);
}

}  // namespace
}  // namespace etad::test
