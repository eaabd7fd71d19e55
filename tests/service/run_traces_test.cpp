// What the traces say of a run, through the router: energies known beforehand, gaps, tiers, anomalies.
#include "prediction/run_traces.h"

#include <cmath>

#include "daemon/service/router.h"
#include "tests/service/fixtures.h"

namespace etad::service::testing {
namespace {

// Run 1 is finished and went from 09:00:00 to 09:01:00; run 3 began at 11:00 and is running at 12:00.
const Instant kFirst = kNow - std::chrono::hours{3};

class RunTracesTest : public ::testing::Test {
 protected:
  void take(Records records) {
    SourceCommit commit;
    commit.source.path = "/var/log/gpu/smi.csv";
    commit.source.id = source_;
    commit.records = std::move(records);
    std::vector<SourceCommit> commits{std::move(commit)};
    ASSERT_TRUE(history_.writer().commit(commits, kNow));
    source_ = commits.front().source.id;
  }

  // A sample a second of [from, to) around the first run.
  template <class Value>
  void trace(const std::string& series, const std::string& unit, int from, int to, Value value,
             const std::string& gpu = "gpu=0", Instant begin = kFirst) {
    Records records;
    for (int at = from; at < to; ++at)
      records.add_sample({series, gpu, unit}, begin + std::chrono::seconds{at}, value(at));
    take(std::move(records));
  }

  json::object run(int id) {
    Request request;
    request.method = "GET";
    request.target = "/v1/runs/" + std::to_string(id);
    Outcome outcome = router_.handle(request);
    const Reply& reply = std::get<Reply>(outcome);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return json::parse(reply.body).as_object();
  }
  json::object usage(int id) { return run(id).at("usage").as_object(); }

  static double number(const json::value& value) { return value.to_number<double>(); }

  History history_;
  FakeBackend backend_;
  std::unique_ptr<Reader> reader_ = history_.reader();
  std::int64_t source_ = 0;
  prediction::LiveRuns live_{*reader_};
  Router router_{
      {"1", [] { return kNow; }, [] { return ServiceCounters{}; }, "gpu1"}, backend_, *reader_, live_};
};

TEST_F(RunTracesTest, WithoutATraceTheAnswerSaysWhy) {
  const auto none = usage(1);
  EXPECT_EQ(none.at("absent"), "no monitoring trace of a GPU covers its time");
  EXPECT_TRUE(none.at("chosen_by").is_null());
  EXPECT_TRUE(none.at("energy_joules").is_null());
  EXPECT_TRUE(none.at("gpus").as_array().empty());
}

TEST_F(RunTracesTest, EnergyIsThePowerOverTheRunsTimeAndNoMore) {
  // 100 W before the run, 250 W while it ran, 100 W behind it.
  trace("gpu.power", "W", -60, 120, [](int at) { return at >= 0 && at <= 60 ? 250.0 : 100.0; });
  trace("gpu.utilization", "%", -60, 120, [](int at) { return at % 2 == 0 ? 100.0 : 80.0; });
  trace("gpu.memory_used", "B", -60, 120, [](int at) { return at == 30 ? 12e9 : at < 0 ? 15e9 : 11e9; });
  const auto found = usage(1);
  EXPECT_EQ(found.at("chosen_by"), "only_gpu");
  EXPECT_TRUE(found.at("absent").is_null());
  EXPECT_EQ(found.at("from"), "2026-11-21T09:00:00Z");
  EXPECT_EQ(found.at("to"), "2026-11-21T09:01:00Z");
  EXPECT_DOUBLE_EQ(number(found.at("energy_joules")), 60 * 250);
  EXPECT_DOUBLE_EQ(number(found.at("power_watts")), 250);
  EXPECT_DOUBLE_EQ(number(found.at("utilization_percent")), 90);
  EXPECT_DOUBLE_EQ(number(found.at("peak_memory_bytes")), 12e9);
  EXPECT_DOUBLE_EQ(number(found.at("covered").at("power")), 1);
  ASSERT_EQ(found.at("gpus").as_array().size(), 1U);
  EXPECT_EQ(found.at("gpus").at(0).at("gpu"), "0");
}

TEST_F(RunTracesTest, AGapIsToldAndNotFilled) {
  trace("gpu.power", "W", 0, 16, [](int) { return 200.0; });
  trace("gpu.power", "W", 45, 61, [](int) { return 200.0; });
  const auto found = usage(1);
  EXPECT_DOUBLE_EQ(number(found.at("covered").at("power")), 0.5);
  EXPECT_DOUBLE_EQ(number(found.at("energy_joules")), 30 * 200);
  EXPECT_DOUBLE_EQ(number(found.at("power_watts")), 200);
  EXPECT_TRUE(found.at("utilization_percent").is_null());
  EXPECT_TRUE(found.at("covered").at("utilization").is_null());
}

TEST_F(RunTracesTest, OfTwoGpusALabelChoosesAndSumsAreOfBothOrNone) {
  trace(
      "gpu.power", "W", -5, 70, [](int) { return 200.0; }, "gpu=0,uuid=GPU-aa");
  trace(
      "gpu.power", "W", -5, 70, [](int) { return 300.0; }, "gpu=1,uuid=GPU-bb");
  trace(
      "gpu.utilization", "%", -5, 70, [](int) { return 60.0; }, "gpu=1,uuid=GPU-bb");
  EXPECT_EQ(usage(1).at("absent"), "its log does not say which of the 2 GPUs it ran on");
  EXPECT_TRUE(usage(1).contains("hint"));
  ASSERT_TRUE(history_.writer().set_labels(1, {{"gpus", "1"}}));
  EXPECT_DOUBLE_EQ(number(usage(1).at("power_watts")), 300);
  ASSERT_TRUE(history_.writer().set_labels(1, {{"gpus", "0,1"}}));
  const auto both = usage(1);
  EXPECT_EQ(both.at("chosen_by"), "label");
  EXPECT_DOUBLE_EQ(number(both.at("power_watts")), 500);
  EXPECT_DOUBLE_EQ(number(both.at("energy_joules")), 60 * 500);
  EXPECT_TRUE(both.at("utilization_percent").is_null()) << "half of it is not known";
  EXPECT_DOUBLE_EQ(number(both.at("gpus").at(1).at("utilization_percent")), 60);
  EXPECT_FALSE(history_.writer().set_labels(1, {{"gpus", "the second one"}}));
}

TEST_F(RunTracesTest, TwoTracesOfOneGpuAreNotAdded) {
  trace(
      "gpu.power", "W", -5, 30, [](int) { return 200.0; }, "gpu=0");
  trace(
      "gpu.power", "W", -5, 70, [](int) { return 210.0; }, "gpu=0,uuid=GPU-aa");
  EXPECT_DOUBLE_EQ(number(usage(1).at("energy_joules")), 60 * 210);
}

TEST_F(RunTracesTest, ARunningRunIsShownUpToNow) {
  trace(
      "gpu.power", "W", 0, 3601, [](int) { return 100.0; }, "gpu=0", kNow - std::chrono::hours{1});
  const auto found = usage(3);
  EXPECT_EQ(found.at("to"), "2026-11-21T12:00:00Z");
  EXPECT_NEAR(number(found.at("energy_joules")), 360'000, 1);
  EXPECT_NEAR(number(found.at("covered").at("power")), 1, 1e-9);
}

// The samples of a run of half a year ago have expired: the roll-ups still have its sum.
TEST_F(RunTracesTest, WhenTheSamplesAreGoneTheRollUpsAnswer) {
  trace("gpu.power", "W", -300, 400, [](int) { return 250.0; });
  const auto later = kFirst + std::chrono::days{10};
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(history_.writer().maintain(later + std::chrono::seconds{i}));
  const auto found = usage(1);
  EXPECT_NEAR(number(found.at("energy_joules")), 60 * 250, 1);
  EXPECT_NEAR(number(found.at("covered").at("power")), 1, 1e-9);
}

TEST_F(RunTracesTest, AnAnomalyShowsWhatChangedWhenItBegan) {
  const Instant begun = kNow - std::chrono::hours{1};
  // Windows of 5 s for 100 iterations as the model says, then of 10 s.
  SourceCommit commit;
  commit.source.path = "/var/log/caffe/slow.log";
  etad::Run run = lenet(0, RunState::running, begun);
  for (int w = 0; w < 40; ++w) {
    const double start = w < 20 ? 5.0 * w : 100 + 10.0 * (w - 20);
    const Segment each = segment(Phase::train, w * 100, 100, w < 20 ? 5.0 : 10.0,
                                 begun + std::chrono::milliseconds{static_cast<int>(1000 * start)});
    commit.records.segments.push_back({0, each});
    run.train.iterations += 100;
    run.train.duration += each.duration;
    ++run.train.segments;
  }
  run.iteration = 4000;
  run.max_iterations = 100'000;
  run.settings["device_index"] = "0";
  commit.records.runs.push_back(run);
  std::vector<SourceCommit> commits{std::move(commit)};
  ASSERT_TRUE(history_.writer().commit(commits, kNow));
  const auto before_or_since = [](double before, double since) {
    return [=](int at) { return at < 100 ? before : since; };
  };
  trace("gpu.clock_sm", "Hz", 0, 300, before_or_since(1.4e9, 0.7e9), "gpu=0", begun);
  trace("gpu.throttle_hw_thermal", "", 0, 300, before_or_since(0, 1), "gpu=0", begun);
  trace("gpu.throttle_idle", "", 0, 300, before_or_since(0, 0), "gpu=1", begun);
  auto set = std::make_shared<ModelSet>();
  set->models = held({fitted(1, "LeNet", Phase::train, 0, 0.0116, 0.0006)});
  backend_.model_set = set;

  const auto anomaly = this->run(4).at("anomaly").as_object();
  EXPECT_NEAR(number(anomaly.at("slowdown")), 2, 0.1);
  const auto& traces = anomaly.at("traces").as_object();
  EXPECT_EQ(traces.at("since"), "2026-11-21T11:01:40Z");
  EXPECT_EQ(traces.at("chosen_by"), "log");
  const auto& values = traces.at("gpus").at(0).at("values").as_array();
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].at("series"), "gpu.clock_sm");
  EXPECT_EQ(values[0].at("unit"), "Hz");
  EXPECT_NEAR(number(values[0].at("before")), 1.4e9, 1e7);
  EXPECT_NEAR(number(values[0].at("since")), 0.7e9, 1e7);
  EXPECT_EQ(values[1].at("series"), "gpu.throttle_hw_thermal");
  EXPECT_LT(number(values[1].at("before")), 0.02);
  EXPECT_NEAR(number(values[1].at("since")), 1, 0.01);
}

}  // namespace
}  // namespace etad::service::testing
