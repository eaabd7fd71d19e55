// Pictures made of characters, and what they are made of for one run.
#include "daemon/client/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "daemon/client/run_plots.h"
#include "daemon/client/text.h"

namespace etad::client {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Object object(const char* text) {
  return boost::json::parse(text).as_object();
}

TEST(Spark, RisesFromTheLeastToTheMost) {
  EXPECT_EQ(spark_text({0, 1, 2, 3, 4, 5, 6, 7}, 0, 7), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(spark_text({-5, kNone, 50}, 0, 10), "▁ █") << "beyond the range: its ends";
  EXPECT_EQ(spark_text({3, 3}, 3, 3), "▅▅") << "all the same: in the middle";
  const double mean = (0.1 + 0.2 + 0.3) / 3;
  EXPECT_EQ(spark_text({0.2, mean}, 0.2, mean), "▅▅") << "and so where rounding alone tells them apart";
}

TEST(Condensed, KeepsTheMeanOfNeighbours) {
  EXPECT_EQ(condensed({1, 3, 10, kNone}, 2), (std::vector<double>{2, 10}));
  EXPECT_EQ(condensed({1, 2}, 5), (std::vector<double>{1, 2}));
  EXPECT_TRUE(std::isnan(condensed({kNone, kNone, 1, 1}, 2).front()));
}

TEST(Stretched, DrawsFewValuesBroad) {
  EXPECT_EQ(stretched({1, 2}, 5), (std::vector<double>{1, 1, 2, 2}));
  EXPECT_EQ(stretched({1, 2, 3}, 5), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(stretched({}, 5).empty());
}

TEST(ChartText, HasAnAxisAndHatchesWhatIsAGuess) {
  Chart chart;
  chart.name = "samples a second";
  chart.values = {7, 16, kNone, 12};
  chart.hatched = {false, false, false, true};
  chart.from_zero = true;
  chart.show = [](double value) { return trimmed(number_text(value)); };
  chart.first = "1";
  chart.last = "8";
  EXPECT_EQ(chart_text(chart, 2),
            "samples a second\n"
            "16 │ █ ░\n"
            " 0 │██ ░\n"
            "    1  8\n");
  chart.values = {kNone, 1};
  EXPECT_EQ(chart_text(chart, 2), "") << "one number is no picture";
}

const char* const kSeries = R"({"series": [
  {"labels": "gpu=0,uuid=GPU-aa11", "unit": "%", "samples": [{"at": "2026-01-01T00:00:00Z", "mean": 40}, {"at": "2026-01-01T00:01:00Z", "mean": 80}]},
  {"labels": "gpu=1,uuid=GPU-bb22", "unit": "%", "samples": [{"at": "2026-01-01T00:00:00Z", "mean": 60}]}]})";

TEST(GpuUse, IsTheMeanOfTheRunsOwnGpus) {
  EXPECT_EQ(gpu_use(object(R"({"gpus": [{"gpu": "0"}, {"gpu": "1"}]})"), object(kSeries)),
            (std::vector<double>{50, 80}));
  EXPECT_EQ(gpu_use(object(R"({"gpus": [{"gpu": "1"}]})"), object(kSeries)), (std::vector<double>{60}));
  EXPECT_EQ(gpu_use(object(R"({"gpus": [{"gpu": "GPU-bb"}]})"), object(kSeries)), (std::vector<double>{60}));
  EXPECT_TRUE(gpu_use(object(R"({"gpus": [{"gpu": ""}]})"), object(kSeries)).empty()) << "these have names";
  EXPECT_TRUE(gpu_use(object(R"({"gpus": 3})"), object(R"({"series": [3]})")).empty());
}

TEST(CourseText, ShowsLossStepTimeAndGpuUse) {
  const Object run = object(
      R"({"id": 7, "usage": {"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T00:02:00Z", "gpus": [{"gpu": "0"}]}})");
  std::vector<std::string> asked;
  const auto ask = [&](const std::string& target) -> Object {
    asked.push_back(target);
    if (target.find("/progress") != std::string::npos)
      return object(
          R"({"points": [{"iteration": 0, "loss": 2.5}, {"iteration": 500, "loss": null}, {"iteration": 1000, "loss": 0.5}]})");
    if (target.find("/segments") != std::string::npos)
      return object(
          R"({"segments": [{"phase": "train", "iterations": 10, "seconds": 0.1}, {"phase": "train", "iterations": 10, "seconds": 0.2},
        {"phase": "test", "iterations": 10, "seconds": 9}]})");
    return object(kSeries);
  };
  const std::string text = plots_text(run, ask, {80, false});
  EXPECT_NE(text.find("loss\n2.5 │█"), std::string::npos) << text;
  EXPECT_NE(text.find("iteration 1,000"), std::string::npos) << text;
  EXPECT_NE(text.find("step time   ▁█  10.0 ms to 20.0 ms\n"), std::string::npos) << text;
  EXPECT_NE(text.find("GPU use     ▄▇  of 100 %\n"), std::string::npos) << text;
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(asked.back(),
            "/v1/series/gpu.utilization?from=2026-01-01T00:00:00Z&to=2026-01-01T00:02:00Z&step=1");
  EXPECT_EQ(plots_text(object(R"({"id": 7})"), [](const std::string&) { return Object(); }, {}), "");
}

}  // namespace
}  // namespace etad::client
