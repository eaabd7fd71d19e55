// Monitoring traces on their way into the history: followed, interrupted, imported.
#include <gmock/gmock.h>

#include <random>

#include "daemon/importer.h"
#include "tests/daemon/followed_files.h"
#include "tests/places.h"

namespace etad {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

// Seconds behind 2026-11-21 12:00:00 as nvidia-smi writes them.
std::string stamp(int second) {
  char text[64];
  std::snprintf(text, sizeof text, "2026/11/21 12:%02d:%02d.000", second / 60 % 60, second % 60);
  return text;
}

// Two devices, a scan a second: device 0 draws 100 W and one more each second, device 1 draws 50 W.
std::string smi_trace(int scans) {
  std::string out = "timestamp, index, power.draw [W]\n";
  for (int i = 0; i < scans; ++i) {
    out += stamp(i) + ", 0, " + std::to_string(100 + i) + ".00 W\n";
    out += stamp(i) + ", 1, 50.00 W\n";
  }
  return out;
}

class Tracing : public FollowedFiles {
 protected:
  Tracing() { wall_ = kToday; }

  void start(SourceRule rule = {}) {
    IngestOptions options = usual_options();
    options.sources.push_back(std::move(rule));
    start_ingest(std::move(options), "*", 1);
  }

  std::vector<SeriesPoint> points(const std::string& name, const std::string& gpu) {
    SeriesQuery query;
    query.name = name;
    if (!gpu.empty()) query.labels = {{"gpu", gpu}};
    query.to = kToday + std::chrono::hours(24 * 365);
    auto series = reader_->series_points(query).value();
    return series.empty() ? std::vector<SeriesPoint>() : series.at(0).points;
  }

  SourceRow source() { return reader_->sources().value().at(0); }

  service::ImportReport import(const std::string& content,
                               const std::map<std::string, std::string>& labels = {},
                               const std::string& format = "") {
    ImportOptions options;
    options.formats = shipped_formats();
    options.host = "gpu1";
    options.now = [] { return kToday; };
    auto session =
        begin_log_import({"trace.csv", format, labels, kToday}, std::move(options), *writer_, [] {});
    EXPECT_TRUE(session) << session.error().text();
    EXPECT_TRUE((*session)->feed(content));
    return (*session)->finish().value();
  }
};

// Its header stands before what was read under the path that the pattern found it by until then.
TEST_F(Tracing, ATraceThatIsFoundUnderAnotherPathIsUnderstoodAsBefore) {
  const std::string whole = smi_trace(90), begun = smi_trace(60);
  append("smi.csv", begun);
  start();
  wait();
  std::filesystem::create_directory(folder_ / "moved");
  std::filesystem::rename(file("smi.csv"), folder_ / "moved" / "smi.csv");
  IngestOptions options = usual_options();
  start_ingest(std::move(options), "../moved/*");
  wait();
  std::ofstream(folder_ / "moved" / "smi.csv", std::ios::binary | std::ios::app)
      << whole.substr(begun.size());
  wait();
  const auto sources = reader_->sources().value();
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].lines + sources[1].lines, 181);
  EXPECT_EQ(sources[0].unmatched + sources[1].unmatched, 0);
  EXPECT_EQ(points("gpu.power", "1").size(), 90U);
}

// They would be kept until their day has gone by.
TEST_F(Tracing, SamplesOfDaysToComeAreRejected) {
  const std::string to_come = "2026/11/24 12:00:00.000, 0, 100.00 W\n";
  append("smi.csv", smi_trace(60) + to_come);
  start();
  wait();
  EXPECT_EQ(points("gpu.power", "0").size(), 60U);
  EXPECT_EQ(source().rejected, 1);
  EXPECT_EQ(import(smi_trace(90) + to_come).rejected, 1);
}

TEST_F(Tracing, AFollowedTraceBecomesSeries) {
  append("smi.csv", smi_trace(60));
  start();
  wait();
  EXPECT_EQ(source().format, "nvidia-smi");
  EXPECT_EQ(source().matched, 121);
  EXPECT_EQ(source().unmatched, 0);
  const auto first = points("gpu.power", "0");
  ASSERT_EQ(first.size(), 60U);
  EXPECT_EQ(first[30].mean, 130);
  EXPECT_EQ(to_rfc3339(first[30].at), "2026-11-21T12:00:30Z");
  EXPECT_EQ(points("gpu.power", "1").size(), 60U);
}

TEST_F(Tracing, SamplesThatEachMakeARowComeInSeveralCommits) {
  std::string spread = "timestamp,index,power.draw,utilization.gpu,temperature.gpu\n";
  constexpr int kRows = 60'000;
  for (int i = 0; i < kRows; ++i) spread += std::to_string(1'500'000'000 + 3600 * i) + ",0,1,1,1\n";
  append("smi.csv", spread);
  start();
  ASSERT_TRUE(tick_after(seconds(1)).value());
  const std::int64_t first = source().offset;
  EXPECT_GT(first, 0);
  EXPECT_LT(first, static_cast<std::int64_t>(spread.size()));
  EXPECT_TRUE(ingest_->is_catching_up());
  wait();
  EXPECT_EQ(source().offset, static_cast<std::int64_t>(spread.size()));
  EXPECT_EQ(source().lines, kRows + 1);
  EXPECT_EQ(reader_->size().value().samples, 3 * kRows);
}

TEST_F(Tracing, RestartsAnywhereLoseAndDoubleNothing) {
  const std::string trace = smi_trace(200);
  std::mt19937 random(7);
  start();
  for (std::size_t at = 0; at < trace.size();) {
    const std::size_t size = trace.find('\n', std::min(at + random() % 400, trace.size() - 1)) + 1 - at;
    append("smi.csv", std::string_view(trace).substr(at, size));
    at += size;
    wait();
    if (random() % 2 == 0) start();
  }
  wait();
  const auto found = points("gpu.power", "0");
  ASSERT_EQ(found.size(), 200U);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].mean, 100 + static_cast<double>(i));
  EXPECT_EQ(points("gpu.power", "1").size(), 200U);
  EXPECT_EQ(source().lines, 401);
  EXPECT_EQ(source().rejected, 0);
}

TEST_F(Tracing, LinesWithoutATimeHaveThatOfTheirArrivalAndTheOlderOnesNone) {
  const std::string header = "# gpu   pwr\n# Idx     W\n";
  append("dmon.log", header + "    0    43\n    0    44\n    0    45\n");
  start();
  wait();
  EXPECT_EQ(source().format, "nvidia-dmon");
  EXPECT_EQ(source().rejected, 3);
  EXPECT_THAT(source().last_error, HasSubstr("its lines show no time"));
  append("dmon.log", "    0    46\n");
  wait();
  ASSERT_EQ(points("gpu.power", "0").size(), 1U);
  EXPECT_EQ(points("gpu.power", "0")[0].mean, 46);
  EXPECT_GT(points("gpu.power", "0")[0].at, kToday);
}

TEST_F(Tracing, ConfiguredColumnsHoldOverRestarts) {
  const SourceRule rule{"csv", {{"gpu", "3"}}, {}, {"time", "gpu.temperature [C]"}};
  start(rule);
  append("temp.txt", "1795262400, 51\n1795262401, 52\n");
  wait();
  start(rule);
  append("temp.txt", "1795262402, 53\n");
  wait();
  EXPECT_EQ(points("gpu.temperature", "3").size(), 3U);
}

TEST_F(Tracing, ATrainingLogThatPrintsItsDevicesFirstIsATrainingLog) {
  const std::string lenet = content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log");
  append("a.log", "index, memory.total [MiB], memory.used [MiB]\n0, 49140 MiB, 15 MiB\n" + lenet);
  append("b.log", smi_trace(3) + lenet);
  start();
  wait();
  ASSERT_EQ(runs().size(), 2U);
  for (const RunRow& row : runs()) {
    EXPECT_EQ(row.run.network, "LeNet");
    EXPECT_EQ(row.run.train.iterations, 500);
  }
}

TEST_F(Tracing, AnImportIsWholeAndComesOnce) {
  const auto report = import(smi_trace(30));
  EXPECT_EQ(report.format, "nvidia-smi");
  EXPECT_EQ(report.samples, 60);
  EXPECT_EQ(report.runs, 0);
  EXPECT_EQ(points("gpu.power", "0").size(), 30U);
  EXPECT_TRUE(import(smi_trace(30)).already_read);
  EXPECT_EQ(points("gpu.power", "0").size(), 30U);
  // Grown since: only what is new.
  EXPECT_EQ(import(smi_trace(40)).samples, 20);
  EXPECT_EQ(points("gpu.power", "0").size(), 40U);
}

TEST_F(Tracing, AnImportOfAShortTraceIsOne) {
  EXPECT_EQ(import(smi_trace(1)).samples, 2);
}

TEST_F(Tracing, AnImportWithoutTimesTellsWhatItLacks) {
  const std::string trace = "41, 0 %, 3 MiB\n42, 5 %, 3 MiB\n";
  const auto blind = import(trace);
  EXPECT_EQ(blind.samples, 0);
  EXPECT_EQ(blind.rejected, 2);
  EXPECT_THAT(blind.note, HasSubstr("columns"));
  EXPECT_EQ(source().rejected, 2);
  EXPECT_THAT(source().last_error, HasSubstr("columns"));
}

TEST_F(Tracing, AnImportMayBeToldWhatItsLinesLack) {
  const std::string trace = "41, 0 %, 3 MiB\n42, 5 %, 3 MiB\n";
  const auto told = import(trace, {{"columns", "temperature.gpu,utilization.gpu,memory.used"},
                                   {"gpu", "0"},
                                   {"start", "2026-11-21 12:00:00"},
                                   {"interval", "1"}});
  EXPECT_EQ(told.samples, 6);
  ASSERT_EQ(points("gpu.utilization", "0").size(), 2U);
  EXPECT_EQ(to_rfc3339(points("gpu.utilization", "0")[1].at), "2026-11-21T12:00:01Z");
}

TEST_F(Tracing, AnImportIsRefusedForWhatMakesNoSense) {
  ImportOptions options;
  options.formats = shipped_formats();
  options.now = [] { return kToday; };
  for (const auto& [format, labels] : std::vector<std::pair<std::string, std::map<std::string, std::string>>>{
           {"csv", {}}, {"", {{"columns", "wattage"}}}, {"", {{"start", "noon"}}}, {"no-such-format", {}}}) {
    EXPECT_FALSE(begin_log_import({"x", format, labels, kToday}, options, *writer_, [] {})) << format;
  }
}

}  // namespace
}  // namespace etad
