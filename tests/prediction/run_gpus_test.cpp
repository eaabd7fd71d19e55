// Which GPUs a run ran on: what may say so, in which order, and why nothing is said otherwise.
#include "prediction/run_gpus.h"

#include <gmock/gmock.h>

#include <chrono>

#include "prediction/gpu_series.h"

namespace etad::prediction {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class RunGpusTest : public ::testing::Test {
 protected:
  RunGpusTest() {
    row_.run.host = "gpu1";
    row_.run.device = "Tesla K80";
  }
  void trace(std::int64_t id, const std::string& labels, const std::string& name = "gpu.power") {
    SeriesRow row;
    row.id = id;
    row.name = name;
    row.labels = labels;
    series_.push_back(row);
  }
  void two_gpus() {
    trace(1, "gpu=0,uuid=GPU-aa11");
    trace(2, "gpu=1,uuid=GPU-bb22");
    trace(3, "gpu=0,uuid=GPU-aa11", "gpu.utilization");
    trace(4, "gpu=1,uuid=GPU-bb22", "gpu.utilization");
  }
  GpuChoice choice() const { return choose_gpus(row_, series_, "gpu1"); }
  void expect_absent(const std::string& why) const {
    const GpuChoice none = choice();
    EXPECT_THAT(none.absent, HasSubstr(why));
    EXPECT_THAT(none.gpus, IsEmpty());
    EXPECT_EQ(none.chosen_by, "");
  }

  RunRow row_;
  std::vector<SeriesRow> series_;
};

TEST_F(RunGpusTest, TheLogNamesThem) {
  two_gpus();
  for (const char* text :
       {"0, 1", "0,1", "gpu(0), gpu(1)", "'/gpu:0', '/gpu:1'", "/device:GPU:0,/device:GPU:1"}) {
    SCOPED_TRACE(text);
    row_.run.settings["device_index"] = text;
    const GpuChoice both = choice();
    EXPECT_EQ(both.chosen_by, "log");
    ASSERT_THAT(both.gpus, SizeIs(2));
    EXPECT_EQ(both.gpus[0].name, "0");
    EXPECT_THAT(both.gpus[0].series, UnorderedElementsAre(1, 3));
    EXPECT_THAT(both.gpus[1].series, UnorderedElementsAre(2, 4));
    EXPECT_EQ(both.absent, "");
  }
}

TEST_F(RunGpusTest, OneThatNoTraceKnowsIsNamedWithoutSeries) {
  two_gpus();
  row_.run.settings["device_index"] = "3";
  ASSERT_THAT(choice().gpus, SizeIs(1));
  EXPECT_THAT(choice().gpus[0].series, IsEmpty());
}

TEST_F(RunGpusTest, ALabelWinsOverTheLogThatCountsWhatItSees) {
  two_gpus();
  row_.run.settings["device_index"] = "0";
  row_.run.settings["gpus"] = "1";  // of the source
  EXPECT_EQ(choice().gpus.at(0).name, "1");
  EXPECT_EQ(choice().chosen_by, "label");
  row_.labels["gpus"] = "GPU-aa";  // of the run's user
  EXPECT_THAT(choice().gpus.at(0).series, UnorderedElementsAre(1, 3));
}

TEST_F(RunGpusTest, TheOnlyOneOfTheHostIsTaken) {
  trace(1, "gpu=0");
  trace(2, "gpu=0", "gpu.utilization");
  trace(3, "gpu=5,host=elsewhere");
  trace(4, "cpu=0", "host.cpu_user");
  const GpuChoice only = choice();
  EXPECT_EQ(only.chosen_by, "only_gpu");
  ASSERT_THAT(only.gpus, SizeIs(1));
  EXPECT_EQ(only.gpus[0].name, "0");
  EXPECT_THAT(only.gpus[0].series, UnorderedElementsAre(1, 2));
}

TEST_F(RunGpusTest, IndexAndUuidOfSeveralToolsAreOneGpu) {
  trace(1, "gpu=0");
  trace(2, "uuid=GPU-aa11");
  trace(3, "gpu=0,uuid=GPU-aa11");
  ASSERT_THAT(choice().gpus, SizeIs(1));
  EXPECT_THAT(choice().gpus[0].series, UnorderedElementsAre(1, 2, 3));
}

// One that fell off the bus and came back: whose index 0 was meanwhile is not whose it is now.
TEST_F(RunGpusTest, AnIndexOfTwoUuidsIsTwoGpusAndNamesNeither) {
  two_gpus();
  trace(5, "gpu=0,uuid=GPU-bb22");
  EXPECT_TRUE(names_several(series_));
  row_.run.settings["device_index"] = "0";
  EXPECT_THAT(choice().gpus.at(0).series, IsEmpty());
  row_.labels["gpus"] = "GPU-aa11";
  EXPECT_THAT(choice().gpus.at(0).series, UnorderedElementsAre(1, 3));
  series_.pop_back();
  EXPECT_FALSE(names_several(series_));
}

// What joins two that were apart joins all that each is known by; of the same index those apart stay so.
TEST_F(RunGpusTest, NamesJoinInWhateverOrderTheyCome) {
  trace(1, "gpu=0");
  trace(2, "pci=0000:65:00.0");
  trace(3, "uuid=GPU-aa11");
  trace(4, "gpu=1,uuid=GPU-bb22");
  trace(5, "pci=0000:65:00.0,uuid=GPU-aa11");
  trace(6, "gpu=0,pci=0000:65:00.0");
  row_.labels["gpus"] = "0";
  EXPECT_THAT(choice().gpus.at(0).series, ElementsAre(1, 2, 3, 5, 6));
  row_.labels["gpus"] = "GPU-bb";
  EXPECT_THAT(choice().gpus.at(0).series, ElementsAre(4));
}

TEST_F(RunGpusTest, AGpuThatIsNamedTwiceCountsOnce) {
  two_gpus();
  row_.labels["gpus"] = "0,GPU-aa11,0";
  ASSERT_THAT(choice().gpus, SizeIs(1));
  row_.labels["gpus"] = "GPU-";
  EXPECT_THAT(choice().gpus.at(0).series, IsEmpty()) << "it may be any of them";
}

TEST_F(RunGpusTest, HostsOfOneNetworkAreNotOneHost) {
  trace(1, "gpu=0,host=10.0.0.7");
  trace(2, "gpu=0,host=gpu2.a.org");
  for (const char* other : {"10.0.0.5", "10", "gpu2.b.org"}) {
    row_.run.host = other;
    expect_absent("no monitoring trace");
  }
  row_.run.host = "10.0.0.7";
  EXPECT_THAT(choice().gpus.at(0).series, ElementsAre(1));
  row_.run.host = "gpu2";
  EXPECT_THAT(choice().gpus.at(0).series, ElementsAre(2));
}

TEST_F(RunGpusTest, ATraceWithoutNamesIsOfTheOnlyGpu) {
  trace(1, "");
  EXPECT_EQ(choice().gpus.at(0).name, "");
  row_.run.settings["device_index"] = "0";
  EXPECT_THAT(choice().gpus.at(0).series, ElementsAre(1));
}

TEST_F(RunGpusTest, OfSeveralNoneIsGuessed) {
  two_gpus();
  expect_absent("which of the 2 GPUs");
  EXPECT_THAT(choice().hint, HasSubstr("gpus=0"));
}

TEST_F(RunGpusTest, ARunOnSeveralIsNotGivenTheOnlyOne) {
  trace(1, "gpu=0");
  row_.run.devices = 4;
  expect_absent("4 GPUs, but not which");
}

TEST_F(RunGpusTest, ARunOnTheCpuHasNone) {
  two_gpus();
  row_.run.device = "CPU";
  expect_absent("CPU");
  row_.run.device.clear();
  row_.run.settings["device_index"] = "'/cpu:0'";
  expect_absent("CPU");
}

TEST_F(RunGpusTest, ATraceOfAnotherMachineIsNoTrace) {
  two_gpus();
  row_.run.host = "gpu1.example.org";
  row_.run.settings["device_index"] = "0";
  EXPECT_THAT(choice().gpus, SizeIs(1)) << "with its domain, it is the same one";
  row_.run.host = "3f2a9c";
  expect_absent("host 3f2a9c");
  row_.labels["gpus"] = "0";  // it was a container
  EXPECT_THAT(choice().gpus.at(0).series, UnorderedElementsAre(1, 3));
}

TEST_F(RunGpusTest, AShareOfAPartitionedGpuIsNotTheWhole) {
  trace(1, "gpu=0,mig=1");
  expect_absent("no monitoring trace");
}

TEST_F(RunGpusTest, WithoutTracesTheAnswerSaysSo) {
  row_.run.settings["device_index"] = "0";
  expect_absent("no monitoring trace");
}

TEST_F(RunGpusTest, SeriesAreFoundByHostAndTime) {
  const Instant noon = Instant(std::chrono::hours(12));
  const auto lasting = [&](std::int64_t id, const std::string& labels, int from, int to) {
    trace(id, labels);
    series_.back().first_at = noon + std::chrono::seconds(from);
    series_.back().last_at = noon + std::chrono::seconds(to);
    series_.back().samples = to - from;
  };
  lasting(1, "gpu=0", 0, 100);
  lasting(2, "gpu=0,host=box", 0, 100);
  lasting(3, "gpu=0,host=elsewhere", 0, 100);
  lasting(4, "gpu=1", 200, 300);
  lasting(5, "gpu=0,mig=1", 0, 100);
  trace(6, "gpu=2");  // without samples
  const auto found = [&](const GpuSeries& all, std::string_view host) {
    std::vector<std::int64_t> ids;
    for (const SeriesRow& row : all.between(host, noon, noon + std::chrono::seconds(150)))
      ids.push_back(row.id);
    return ids;
  };
  const GpuSeries all(series_, "gpu1");
  EXPECT_THAT(found(all, "gpu1"), ElementsAre(1));
  EXPECT_THAT(found(all, "box.example.org"), ElementsAre(1, 2)) << "a container is on both";
  const auto version = [&](const GpuSeries& of) {
    return of.version("gpu1", noon, noon + std::chrono::seconds(150));
  };
  const auto before = version(all);
  series_[2].samples = series_[3].samples = 1000;  // elsewhere, and of another time
  EXPECT_EQ(version(GpuSeries(series_, "gpu1")), before);
  ++series_[0].samples;
  EXPECT_NE(version(GpuSeries(series_, "gpu1")), before);
}

}  // namespace
}  // namespace etad::prediction
