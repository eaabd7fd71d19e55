// Frameworks that state measurements.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/parsers/hand_log.h"

namespace etad::test {
namespace {

TEST(Measures, StepTimes) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start, {{Field::batch_size, "4"}})
          .line(1, EventKind::step_time,
                {{Field::iteration, "10"}, {Field::iterations, "10"}, {Field::seconds, "0.25"}})
          .line(2, EventKind::step_time, {{Field::seconds, "0.5"}})
          .line(3, EventKind::step_time, {{Field::seconds, "-1"}})
          .end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(train[0].first_iteration, 0);
  EXPECT_EQ(train[0].iterations, 10);
  EXPECT_EQ(to_seconds(train[0].duration), 2.5);
  EXPECT_EQ(train[1].first_iteration, 10);
  EXPECT_EQ(train[1].samples_per_iteration, 4);
  EXPECT_EQ(records.rejected, 1);
}

TEST(Measures, RatesAreTurnedIntoSecondsWhereTheBatchIsKnown) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start, {{Field::global_batch_size, "64"}, {Field::devices, "4"}})
          .line(1, EventKind::throughput, {{Field::iteration, "10"}, {Field::samples_per_second, "128"}})
          .line(2, EventKind::throughput, {{Field::iteration, "30"}, {Field::samples_per_second, "256"}})
          .end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(to_seconds(train[0].duration), 5);
  EXPECT_EQ(train[1].iterations, 20);
  EXPECT_EQ(to_seconds(train[1].duration), 5);
  const etad::Run& run = records.runs.at(0);
  EXPECT_EQ(run.train.batch_size, 16) << "per device";
  EXPECT_EQ(run.train.samples_per_iteration, 64);
  EXPECT_EQ(run.settings.at("derived"), "seconds: samples / samples_per_second");
}

TEST(Measures, ARateWithoutABatchIsNoSegment) {
  HandLog log;
  const Records& records =
      log.line(1, EventKind::throughput, {{Field::iteration, "10"}, {Field::samples_per_second, "128"}})
          .end();
  EXPECT_TRUE(records.segments.empty());
  EXPECT_EQ(records.runs.at(0).iteration, 10);
  EXPECT_EQ(records.runs[0].settings.count("derived"), 0u);
}

// There is room for so many settings; what one of them is now is no further one.
TEST(Measures, ASettingIsRenewedWhereThereIsNoRoomForMore) {
  HandLog log;
  log.line(0, EventKind::run_start);
  for (int i = 0; i < 200; ++i) {
    const std::string key = "setting" + std::to_string(i);
    log.line(0, EventKind::setting, {{Field::key, key}, {Field::value, "1"}});
  }
  const Records& records =
      log.line(0, EventKind::setting, {{Field::key, "setting0"}, {Field::value, "2"}}).end();
  const auto& settings = records.runs.at(0).settings;
  EXPECT_LE(settings.size(), 96U);
  EXPECT_EQ(settings.at("setting0"), "2");
}

TEST(Measures, EpochsWithTheirSeconds) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start, {{Field::steps_per_epoch, "50"}, {Field::batch_size, "2"}})
          .line(1, EventKind::epoch, {{Field::epoch, "1"}, {Field::epochs, "3"}})
          .line(9, EventKind::epoch, {{Field::epoch, "1"}, {Field::seconds, "8"}})
          .line(18, EventKind::epoch, {{Field::epoch, "2"}, {Field::seconds, "9"}})
          .end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(train[1].first_iteration, 50);
  EXPECT_EQ(train[1].iterations, 50);
  EXPECT_EQ(to_seconds(train[1].duration), 9);
  EXPECT_EQ(records.runs.at(0).max_iterations, 150);
  EXPECT_EQ(records.runs[0].iteration, 100);
}

void row(HandLog& log, std::string_view run, std::string_view phase, std::string_view seconds,
         std::string_view batch = "8") {
  log.line({}, EventKind::segment,
           {{Field::network, "n"},
            {Field::device, "d"},
            {Field::phase, phase},
            {Field::batch_size, batch},
            {Field::iterations, "10"},
            {Field::seconds, seconds},
            {Field::run, run}});
}

// What a table's columns of costs and settings come to: sums and the largest of a run's rows, and runs apart.
TEST(Measures, RowsOfATableTellEnergyMemoryAndSettings) {
  HandLog log;
  const auto costly = [&log](std::string_view limit, Values costs) {
    std::vector<std::pair<Field, std::string_view>> values = {
        {Field::network, "n"},  {Field::batch_size, "8"},    {Field::iterations, "10"},
        {Field::seconds, "2"},  {Field::key, "power_limit"}, {Field::value, limit},
        {Field::key, "colour"}, {Field::value, "red"}};
    values.insert(values.end(), costs);
    log.line({}, EventKind::segment, values);
  };
  costly("150", {{Field::energy_joules, "100"}, {Field::peak_memory_bytes, "3e9"}});
  costly("200", {{Field::energy_joules, "130"}});
  costly("150", {{Field::energy_joules, "50"}, {Field::peak_memory_bytes, "2e9"}});
  costly("200", {});
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].settings.at("power_limit"), "150");
  EXPECT_EQ(records.runs[0].settings.at("colour"), "red");
  EXPECT_EQ(records.runs[0].settings.at(std::string(kTableSettings)), "colour power_limit");
  EXPECT_EQ(records.runs[0].train.joules, 150);
  EXPECT_EQ(records.runs[0].train.peak_bytes, 3e9);
  EXPECT_EQ(records.runs[1].train.joules, std::nullopt) << "one of its rows does not say";
  EXPECT_EQ(records.runs[1].train.peak_bytes, std::nullopt);
}

TEST(Measures, ATablesRowsAreOfFewRunsHoweverManyTakeTurns) {
  HandLog log;
  for (int turn = 0; turn < 3; ++turn)
    for (int run = 0; run < 200; ++run) row(log, std::to_string(run), "train", "2");
  std::set<std::int64_t> runs;
  for (const auto& [run, segment] : log.end().segments) runs.insert(run);
  EXPECT_EQ(runs.size(), 200U);
}

TEST(Measures, RowsOfATableAreGroupedByRun) {
  HandLog log;
  row(log, "a", "train", "1");
  row(log, "b", "train", "2");
  row(log, "a", "train", "3");
  row(log, "a", "test", "4", "16");
  row(log, "b", "train", "0");
  row(log, "b", "train", "5", "32");
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 3u) << "another batch size is another run";
  EXPECT_EQ(records.rejected, 1);
  for (const etad::Run& run : records.runs) {
    EXPECT_EQ(run.state, RunState::finished);
    EXPECT_EQ(run.network, "n");
    EXPECT_EQ(run.host, "testhost");
    if (run.ordinal != 0) continue;
    EXPECT_EQ(run.train.iterations, 20);
    EXPECT_EQ(to_seconds(run.train.duration), 4);
    EXPECT_EQ(run.test.samples_per_iteration, 16);
    EXPECT_EQ(run.test.segments, 1);
  }
}

TEST(Measures, OnlyTheLastRunsOfATableAreRemembered) {
  HandLog log;
  for (int i = 0; i < 1000; ++i) row(log, std::to_string(i), "train", "1");
  EXPECT_LT(log.tracker().save().size(), 100'000u);
  EXPECT_EQ(log.end().runs.size(), 1000u);
}

TEST(Measures, TableAndStateGoOnTogether) {
  HandLog log;
  row(log, "a", "train", "1");
  auto restored = Tracker::restore({"hand", "testhost", "prototext", {}}, log.tracker().save());
  ASSERT_TRUE(restored);
  log.tracker() = std::move(*restored);
  row(log, "a", "train", "2");
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(to_seconds(records.runs[0].train.duration), 3);
}

TEST(Measures, LayersOfATimingRun) {
  HandLog log;
  log.line(0, EventKind::run_start, {{Field::job, "time"}});
  for (const auto* direction : {"forward", "backward"})
    for (const auto* layer : {"conv", "fc"})
      log.line(1, EventKind::layer_time,
               {{Field::layer, layer}, {Field::direction, direction}, {Field::seconds, "0.5"}});
  const Records& records =
      log.line(2, EventKind::total_time, {{Field::direction, "both"}, {Field::seconds, "2"}})
          .line(3, EventKind::run_end, {{Field::outcome, "finished"}})
          .end();
  ASSERT_EQ(records.layer_times.size(), 1u);
  const auto& times = records.layer_times[0].value;
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(to_seconds(times[1].backward), 0.5);
  EXPECT_EQ(records.runs.at(0).job, Job::time);
  EXPECT_EQ(records.runs[0].settings.at("both_seconds"), "2.000000");
  EXPECT_TRUE(records.segments.empty());
}

TEST(Measures, SamplesOfATrace) {
  HandLog log;
  const Records& records =
      log.line(5, EventKind::sample,
               {{Field::series, "gpu.power"},
                {Field::value, "71.5"},
                {Field::unit, "W"},
                {Field::label, "gpu=0"}})
          .line({}, EventKind::sample, {{Field::series, "gpu.power"}, {Field::value, "71.5"}})
          .line(6, EventKind::sample, {{Field::series, "gpu.power"}, {Field::value, "[N/A]"}})
          .end();
  ASSERT_EQ(records.samples(), 1u);
  EXPECT_EQ(records.sampled[0].samples[0].value, 71.5);
  EXPECT_EQ(records.sampled[0].series->labels, "gpu=0");
  EXPECT_EQ(records.sampled[0].samples[0].at, HandLog::instant(5));
  EXPECT_EQ(records.rejected, 2);
  EXPECT_TRUE(records.runs.empty()) << "a trace is no run";
}

TEST(Measures, AnEpochThatGoesOverTheDataSetHasSoManySteps) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start,
               {{Field::dataset_size, "1000"}, {Field::global_batch_size, "96"}, {Field::epochs, "3"}})
          .line(0, EventKind::setting, {{Field::key, "epoch_covers"}, {Field::value, "dataset"}})
          .line(10, EventKind::epoch, {{Field::epoch, "1"}})
          .line(30, EventKind::epoch, {{Field::epoch, "1"}, {Field::outcome, "finished"}})
          .line(30, EventKind::test_start)
          .line(37, EventKind::test_result)
          .line(40, EventKind::epoch, {{Field::epoch, "2"}})
          .line(45, EventKind::test_start)
          .line(47, EventKind::test_result)
          .line(63, EventKind::epoch, {{Field::epoch, "2"}, {Field::outcome, "finished"}})
          .line(70, EventKind::epoch, {{Field::epoch, "3"}})
          .end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2u) << "the third epoch has no end";
  EXPECT_EQ(train[0].iterations, 10);
  EXPECT_EQ(to_seconds(train[0].duration), 20);
  EXPECT_EQ(train[1].first_iteration, 10);
  EXPECT_EQ(to_seconds(train[1].duration), 21) << "less the test within";
  const etad::Run& run = records.runs.at(0);
  EXPECT_EQ(run.max_iterations, 30);
  EXPECT_EQ(run.settings.at("derived"), "steps_per_epoch: dataset_size / batch_size");
}

TEST(Measures, AnEpochWithoutALengthIsNoSegment) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start, {{Field::dataset_size, "1000"}, {Field::global_batch_size, "10"}})
          .line(10, EventKind::epoch, {{Field::epoch, "1"}})
          .line(30, EventKind::epoch, {{Field::epoch, "1"}, {Field::outcome, "finished"}})
          .end();
  EXPECT_TRUE(records.segments.empty());
}

TEST(Measures, EpochsAreNotCountedBesideTheIterationsShown) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start, {{Field::steps_per_epoch, "100"}})
          .line(1, EventKind::epoch, {{Field::epoch, "1"}})
          .iteration(2, "10")
          .iteration(12, "60")
          .line(22, EventKind::epoch, {{Field::epoch, "1"}, {Field::outcome, "finished"}})
          .end();
  EXPECT_EQ(segments_of(records, Phase::train).size(), 1u);
}

TEST(Measures, AResultThatSaysHowLongItsTestTook) {
  HandLog log;
  const Records& records =
      log.line({}, EventKind::run_start, {{Field::test_batch_size, "8"}})
          .iteration({}, "100")
          .line({}, EventKind::test_result, {{Field::seconds, "12.5"}, {Field::rate, "4.000"}})
          .line({}, EventKind::test_result, {{Field::seconds, "12.5"}, {Field::rate, "4.03"}})
          .line({}, EventKind::test_result, {{Field::seconds, "6"}, {Field::iterations, "20"}})
          .end();
  const auto test = segments_of(records, Phase::test);
  ASSERT_EQ(test.size(), 2u) << "a rate that gives no whole number says nothing";
  EXPECT_EQ(test[0].iterations, 50);
  EXPECT_EQ(to_seconds(test[0].duration), 12.5);
  EXPECT_EQ(test[0].samples_per_iteration, 8);
  EXPECT_EQ(test[1].iterations, 20);
}

TEST(Measures, ATestBehindTheEndIsNoRun) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start)
          .line(1, EventKind::epoch, {{Field::iterations, "10"}, {Field::seconds, "1"}})
          .line(2, EventKind::run_end, {{Field::outcome, "finished"}})
          .line(3, EventKind::epoch,
                {{Field::iterations, "10"}, {Field::seconds, "1"}, {Field::phase, "test"}})
          .line(4, EventKind::step_time, {{Field::seconds, "1"}, {Field::phase, "test"}})
          .end();
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.segments.size(), 1u);
}

TEST(Measures, BarsOfEpochs) {
  HandLog log;
  const auto bar = [&](std::string_view epoch, std::string_view iterations, std::string_view seconds,
                       std::string_view phase = "train") {
    log.line({}, EventKind::epoch,
             {{Field::epoch, epoch},
              {Field::epochs, "5"},
              {Field::iterations, iterations},
              {Field::seconds, seconds},
              {Field::phase, phase}});
  };
  bar("0", "50", "10");
  bar("0", "20", "2", "test");
  bar("0", "50", "12");  // shown again behind the test
  bar("1", "50", "11");
  bar("1", "5", "30");  // of as many steps as there are epochs: it counts those
  bar("0", "50", "9");  // another training
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].train.segments, 2);
  EXPECT_EQ(records.runs[0].train.iterations, 100);
  EXPECT_EQ(records.runs[0].test.iterations, 20);
  EXPECT_EQ(records.runs[0].max_iterations, 250);
  EXPECT_EQ(records.runs[1].train.iterations, 50);
}

}  // namespace
}  // namespace etad::test
