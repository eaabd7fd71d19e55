// Timing runs (caffe time) in the history: what they tell the model that takes a network for the sum of its layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "prediction/knowledge.h"
#include "tests/daemon/refitted.h"
#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

class TimedLayers : public TempHistory {
 protected:
  // A run of a network of two convolutions, of which the first has one million operations, on a machine where a layer
  // takes 1 ms and 2 ns an operation, and backwards as long again.
  void add_run(Job job, const std::string& network, double second, std::int64_t batch) {
    const auto seconds = [batch](double operations) {
      return 1e-3 + 2e-9 * operations * static_cast<double>(batch);
    };
    SourceCommit commit;
    commit.source.path = commit.source.identity = "/" + std::to_string(++sources_) + ".log";
    etad::Run run;
    run.job = job;
    run.state = RunState::finished;
    run.framework = "caffe";
    run.network = network;
    run.architecture = "of " + network;
    run.host = "vm";
    run.device = "CPU";
    run.devices = 1;
    run.train.samples_per_iteration = batch;
    std::vector<Layer> layers;
    std::vector<LayerTime> times;
    for (const auto& [name, operations] : {std::pair("conv1", 1e6), std::pair("conv2", second)}) {
      layers.push_back({name, "Convolution", "", {{1, 1, 1}}});
      layers.back().costs = {operations, operations, 10, 10, 10, 0, 0};
      times.push_back({name, from_seconds(seconds(operations)), from_seconds(seconds(operations))});
    }
    commit.records.layers = {{0, layers}};
    if (job == Job::time) commit.records.layer_times = {{0, times}};
    if (job == Job::train) {
      run.train.iterations = run.train.segments = 100;
      for (std::int64_t i = 0; i < 100; ++i) {
        const Duration took = from_seconds(2 * (seconds(1e6) + seconds(second)));
        commit.records.segments.push_back({0, {Phase::train, i, 1, batch, took, {}}});
        run.train.duration += took;
      }
    }
    commit.records.runs = {run};
    std::vector<SourceCommit> commits{commit};
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.commit(commits, kToday); }));
  }

  // What the model of layers has come to, of all runs.
  estimators::Performance performance(estimators::Kind kind) {
    Refit refit = refit_of(path(), *writer_, [] { return kToday; });
    EXPECT_TRUE(refit.run());
    const auto* const layers = estimators::find_estimator("gianniti_layers");
    const auto i = static_cast<std::size_t>(layers - estimators::estimators().data());
    return refit.models()->knowledge->records().in(kind)[i];
  }

  int sources_ = 0;
};

TEST_F(TimedLayers, TellWhatANetworkThatNeverRanTakes) {
  for (const double second : {2e6, 3e6, 5e6, 8e6, 13e6})
    for (const std::int64_t batch : {8, 32})
      add_run(Job::train, "net" + std::to_string(second), second, batch);
  add_run(Job::time, "net" + std::to_string(2e6), 2e6, 16);
  add_run(Job::time, "net" + std::to_string(5e6), 5e6, 16);
  const auto timed = performance(estimators::Kind::network);
  EXPECT_GT(timed.answered, 0);
  EXPECT_LT(timed.error_percent, 1);
}

}  // namespace
}  // namespace etad
