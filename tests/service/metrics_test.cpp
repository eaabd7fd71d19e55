#include "daemon/service/metrics.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/service/fixtures.h"

namespace etad::service::testing {
namespace {

struct Line {
  std::string text, keyword, name;  // of a "# HELP name …"; of a point the keyword is empty
};

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    Line out{line, {}, line.substr(0, line.find_first_of("{ "))};
    if (line.starts_with("# ")) {
      std::istringstream words(line.substr(2));
      words >> out.keyword >> out.name;
    }
    lines.push_back(out);
  }
  return lines;
}

class MetricsTest : public ::testing::Test {
 protected:
  MetricsTest() {
    health_.started_at = kNow - std::chrono::minutes{2};
    health_.failures = {{"history", "disk full", ""}, {"sources", "2 can't be read", ""}};
    health_.metrics = {{"lines", "Lines read", Metric::Type::counter, "", {}, 1234},
                       {"read_bytes", "Bytes read", Metric::Type::counter, "bytes", {}, 98765}};
    models_.shown = {prediction::row_of(fitted(1, "Le\"Net\n", Phase::train, 0.5, 0.01, 0.0006)),
                     prediction::row_of(fitted(2, "LeNet", Phase::test, 0, 0.01, 0.0004))};
    models_.count = 2;
  }

  std::string text(MetricsForm form) const {
    return metrics_text({health_, size_, models_, running_, counters_, version_, kNow}, form);
  }

  Health health_;
  ModelsView models_;
  std::optional<HistorySize> size_ = HistorySize{};
  RunningView running_;
  ServiceCounters counters_;
  std::string version_ = "1.2.3";
};

TEST_F(MetricsTest, EachFamilyComesOnceIntroducedAndInOnePiece) {
  for (const auto form : {MetricsForm::prometheus, MetricsForm::open_metrics}) {
    std::set<std::string> families, points;
    std::string family;
    bool counter = false;
    for (const Line& line : lines_of(text(form))) {
      if (line.keyword == "HELP") {
        EXPECT_TRUE(families.insert(line.name).second) << line.name << " comes twice";
        family = line.name;
      } else if (line.keyword == "TYPE") {
        EXPECT_EQ(line.name, family);
        counter = line.text.ends_with(" counter");
        EXPECT_TRUE(counter || line.text.ends_with(" gauge"));
      } else if (line.keyword == "UNIT") {
        const std::string unit = line.text.substr(line.text.rfind(' ') + 1);
        const std::string bare = family.ends_with("_total") ? family.substr(0, family.size() - 6) : family;
        EXPECT_TRUE(bare.ends_with("_" + unit)) << line.text;
      } else if (line.keyword.empty()) {
        const bool suffixed = counter && form == MetricsForm::open_metrics;
        EXPECT_EQ(line.name, suffixed ? family + "_total" : family);
        const std::string series = line.text.substr(0, line.text.rfind(' '));
        EXPECT_TRUE(points.insert(series).second) << series << " comes twice";
      }
    }
    EXPECT_GT(points.size(), 20U);
  }
}

TEST_F(MetricsTest, EndsAsOpenMetricsMust) {
  EXPECT_TRUE(text(MetricsForm::open_metrics).ends_with("\n# EOF\n"));
  EXPECT_TRUE(text(MetricsForm::prometheus).ends_with("\n# EOF\n"));
}

TEST_F(MetricsTest, CountersEndInTotalAndTheirHelpIsFoundByTheReaderOfEachForm) {
  const std::string open = text(MetricsForm::open_metrics), older = text(MetricsForm::prometheus);
  EXPECT_NE(open.find("# TYPE etad_lines counter\netad_lines_total 1234\n"), std::string::npos) << open;
  EXPECT_NE(older.find("# TYPE etad_lines_total counter\netad_lines_total 1234\n"), std::string::npos);
  EXPECT_NE(open.find("# UNIT etad_read_bytes bytes\netad_read_bytes_total 98765\n"), std::string::npos);
}

TEST_F(MetricsTest, LabelsAreEscaped) {
  EXPECT_NE(text(MetricsForm::open_metrics).find(R"(network="Le\"Net\\x0a")"), std::string::npos);
}

TEST_F(MetricsTest, FailuresAreCountedByPart) {
  const std::string all = text(MetricsForm::open_metrics);
  EXPECT_NE(all.find("etad_healthy 0\n"), std::string::npos);
  EXPECT_NE(all.find("etad_failing{part=\"history\"} 1\n"), std::string::npos);
}

TEST_F(MetricsTest, RunsAreCountedByHowTheyGo) {
  const etad::Run run = lenet(0, RunState::running, kNow);
  RunningRun usual{&run, {}}, slow{&run, {}}, stalled{&run, {}};
  slow.forecast.anomaly.emplace().slowdown = 1.5;
  stalled.forecast.anomaly.emplace();
  stalled.forecast.anomaly->slowdown = 2.5;
  stalled.forecast.stalled = true;
  running_ = {{{"LeNet", "caffe", 1004}, {"made up", "caffe", 1}}, {usual, usual, slow, stalled}};
  const std::string all = text(MetricsForm::prometheus);
  EXPECT_NE(all.find("etad_runs{state=\"running\"} 1003\n"), std::string::npos) << all;
  EXPECT_NE(all.find("etad_runs{state=\"slow\"} 1\n"), std::string::npos);
  EXPECT_NE(all.find("etad_runs{state=\"stalled\"} 1\n"), std::string::npos);
  EXPECT_NE(all.find("etad_network_slowdown_ratio{network=\"LeNet\",framework=\"caffe\"} 2.5\n"),
            std::string::npos);
  EXPECT_NE(all.find("etad_runs_running 1005\n"), std::string::npos) << "not only those that are looked at";
  EXPECT_NE(all.find("etad_network_runs_running{network=\"LeNet\",framework=\"caffe\"} 1004\n"),
            std::string::npos);
  running_ = {};
  EXPECT_NE(text(MetricsForm::prometheus).find("etad_runs{state=\"stalled\"} 0\n"), std::string::npos)
      << "told also where there is none: an alert needs the zero";
}

TEST_F(MetricsTest, TheFormIsTheOneAskedFor) {
  EXPECT_EQ(metrics_form(""), MetricsForm::prometheus);
  EXPECT_EQ(metrics_form("*/*"), MetricsForm::prometheus);
  EXPECT_EQ(
      metrics_form("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
      MetricsForm::open_metrics);
}

}  // namespace
}  // namespace etad::service::testing
