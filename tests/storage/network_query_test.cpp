// Networks as a reader tells them that has asked before and remembers, against one that has just been opened.
#include <gmock/gmock.h>

#include <random>

#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::string text_of(const std::vector<NetworkRow>& rows) {
  std::string out;
  for (const NetworkRow& row : rows) {
    out += row.network + "/" + row.architecture + ": " + std::to_string(row.runs) + " runs, iterations " +
           std::to_string(row.min_iterations) + " to " + std::to_string(row.max_iterations) + ", seen " +
           std::to_string(row.last_seen ? row.last_seen->time_since_epoch().count() : 0) + ";";
    for (const std::string& framework : row.frameworks) out += " " + framework;
    for (const std::string& device : row.devices) out += " " + device;
    for (const std::int64_t size : row.batch_sizes) out += " " + std::to_string(size);
    out += "\n";
  }
  return out;
}

class NetworksTest : public HistoryTest {
 protected:
  std::string remembered(const NetworkFilter& filter = {}) {
    return text_of(must(reader().networks(filter)));
  }
  std::string anew(const NetworkFilter& filter = {}) {
    return text_of(must(must(ModelReader::open(path()))->networks(filter)));
  }
  // As many runs of one network in one log, all ended but perhaps the last.
  SourceCommit runs(const std::string& name, int count, const etad::Run& like, bool last_is_open = false) {
    SourceCommit commit = source_with_run(name, 0, like);
    commit.records.runs.clear();
    for (int i = 0; i < count; ++i) {
      etad::Run run = like;
      run.ordinal = i;
      run.state = last_is_open && i + 1 == count ? RunState::running : RunState::finished;
      run.ended_at = after(i);
      run.train.iterations = 100 + i;
      commit.records.runs.push_back(run);
    }
    return commit;
  }
};

TEST_F(NetworksTest, AnOpenRunIsToldAsItIsAtEachAsking) {
  commit(runs("/many.log", 100, lenet()));
  auto open = runs("/open.log", 1, lenet(), true);
  commit(open);
  EXPECT_EQ(must(reader().networks())[0].max_iterations, 199);
  open.records.runs[0].train.iterations = 40;
  commit(open);
  EXPECT_EQ(must(reader().networks())[0].min_iterations, 40);
  open.records.runs[0].train.iterations = 5'000;
  commit(open);
  const auto networks = must(reader().networks());
  EXPECT_EQ(networks[0].min_iterations, 100) << "not what it was when it was asked before";
  EXPECT_EQ(networks[0].max_iterations, 5'000);
  EXPECT_EQ(networks[0].runs, 101);
}

TEST_F(NetworksTest, ATimingRunsBatchIsNoneOfTraining) {
  etad::Run timed = lenet();
  timed.job = Job::time;
  timed.train.samples_per_iteration = 256;
  commit(runs("/timed.log", 1, timed));
  commit(runs("/trained.log", 1, lenet()));
  const auto networks = must(reader().networks());
  ASSERT_THAT(networks, SizeIs(1));
  EXPECT_THAT(networks[0].batch_sizes, ElementsAre(*lenet().train.samples_per_iteration));
  EXPECT_EQ(networks[0].runs, 2);
}

TEST_F(NetworksTest, WhatIsTakenBackOfARunIsNotTold) {
  etad::Run unknown = lenet();
  unknown.device.clear();
  commit(runs("/many.log", 100, lenet()));
  commit(runs("/unknown.log", 1, unknown));
  must(reader().networks());
  const std::int64_t id = must(reader().runs({}))[0].id;
  must(writer().set_labels(id, {{"device", "Tesla P100"}}));
  EXPECT_THAT(must(reader().networks())[0].devices, ElementsAre("Tesla K80", "Tesla P100"));
  must(writer().set_labels(id, {{"device", ""}}));
  EXPECT_THAT(must(reader().networks())[0].devices, ElementsAre("Tesla K80"));
  must(writer().forget_run(id));
  EXPECT_EQ(must(reader().networks())[0].runs, 100);
}

TEST_F(NetworksTest, AnImportUnderWayIsNotTold) {
  commit(runs("/many.log", 100, lenet()));
  must(reader().networks());
  auto import = runs("/import.log", 30, lenet());
  import.source.pending = true;
  commit(import);
  EXPECT_EQ(must(reader().networks())[0].runs, 100);
  must(writer().adopt_source(import.source.id));
  EXPECT_EQ(must(reader().networks())[0].runs, 130);
}

// Whatever is done to the history between two askings, the second is told what is there.
TEST_F(NetworksTest, WhoAskedBeforeIsToldTheSameAsWhoAsksFirst) {
  std::mt19937 chance(7);
  const auto any = [&](int most) { return static_cast<int>(chance() % static_cast<unsigned>(most)); };
  const auto like = [&] {
    etad::Run run = lenet();
    run.network = std::vector<std::string>{"LeNet", "AlexNet", ""}[static_cast<std::size_t>(any(3))];
    run.architecture = any(2) == 0 ? "9c1d7a52" : "";
    run.framework = any(4) == 0 ? "pytorch" : "caffe";
    run.device = std::vector<std::string>{"", "Tesla K80", "A100"}[static_cast<std::size_t>(any(3))];
    run.train.samples_per_iteration = 16 << any(5);
    return run;
  };
  std::vector<SourceCommit> sources;
  const auto some_run = [&]() -> std::int64_t {
    const auto rows = must(reader().runs({}));
    return rows.empty() ? 0 : rows[static_cast<std::size_t>(any(static_cast<int>(rows.size())))].id;
  };
  int compared = 0;
  for (int step = 0; step < 200; ++step) {
    switch (any(9)) {
      case 0:
      case 1: {  // a log, or an import under way
        auto source = runs("/" + std::to_string(step) + ".log", 1 + any(40), like(), any(2) == 0);
        source.source.pending = any(6) == 0;
        commit(source);
        sources.push_back(source);
        break;
      }
      case 2:
      case 3: {  // a run goes on, ends, or turns out to live
        if (sources.empty()) break;
        SourceCommit& source = sources[static_cast<std::size_t>(any(static_cast<int>(sources.size())))];
        etad::Run& run = source.records.runs.back();
        run.train.iterations += any(500);
        run.state = std::vector{RunState::running, RunState::finished,
                                RunState::lost}[static_cast<std::size_t>(any(3))];
        run.ended_at = after(step);
        std::vector<SourceCommit> one{source};
        static_cast<void>(writer().commit(one, kNow));
        break;
      }
      case 4:
        static_cast<void>(writer().set_labels(
            some_run(),
            std::map<std::string, std::string>{
                {any(2) == 0 ? "device" : "network", any(2) == 0 ? "" : "Told " + std::to_string(any(3))}}));
        break;
      case 5:
        static_cast<void>(writer().forget_run(some_run()));
        break;
      case 6: {
        if (sources.empty() || any(3) != 0) break;
        const auto at = sources.begin() + any(static_cast<int>(sources.size()));
        if (at->source.pending && any(2) == 0) {
          must(writer().adopt_source(at->source.id));
        } else {
          must(writer().drop_source(at->source.id));
        }
        sources.erase(at);
        break;
      }
      case 7: {
        PredictionRow said;
        said.run_id = some_run();
        if (said.run_id != 0) static_cast<void>(writer().put_predictions({said}));
        break;
      }
      default:
        break;
    }
    if (any(3) != 0) continue;  // several changes between two askings
    ASSERT_EQ(remembered(), anew()) << "step " << step;
    NetworkFilter named;
    named.network = "lenet";
    ASSERT_EQ(remembered(named), anew(named)) << "step " << step;
    ++compared;
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(must(reader().networks())[0].runs, 64) << "so many that they are remembered";
}

}  // namespace
}  // namespace etad::test
