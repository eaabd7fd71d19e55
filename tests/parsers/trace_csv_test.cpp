#include <gmock/gmock.h>

#include "tests/parsers/trace_lines.h"

namespace etad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kHeader =
    "timestamp, index, uuid, name, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm "
    "[MHz]";

TEST(SmiCsv, ColumnsAreReadByNameAndInBaseUnits) {
  const TraceRun run = read_trace(
      "nvidia-smi",
      {kHeader, "2024/05/06 07:08:09.250, 1, GPU-6f3a, NVIDIA A40, 87 %, 2048 MiB, 171.25 W, 1395 MHz"});
  EXPECT_THAT(run.texts(),
              ElementsAre("gpu.utilization{gpu=1,uuid=GPU-6f3a} 87 % 2024-05-06T07:08:09.25Z",
                          "gpu.memory_used{gpu=1,uuid=GPU-6f3a} 2147483648 B 2024-05-06T07:08:09.25Z",
                          "gpu.power{gpu=1,uuid=GPU-6f3a} 171.25 W 2024-05-06T07:08:09.25Z",
                          "gpu.clock_sm{gpu=1,uuid=GPU-6f3a} 1395000000 Hz 2024-05-06T07:08:09.25Z"));
  EXPECT_THAT(run.lines, ElementsAre(TraceLine::structure, TraceLine::samples));
  EXPECT_EQ(run.records.rejected, 0);
}

TEST(SmiCsv, WithoutUnitsTheHeaderSaysThemOrTheToolsOwnHold) {
  const TraceRun in_header = read_trace("nvidia-smi", {"timestamp, index, memory.used [MiB], fan.speed [%]",
                                                       "2024/05/06 07:08:09.250, 0, 3, 41"});
  EXPECT_THAT(in_header.texts(), ElementsAre("gpu.memory_used{gpu=0} 3145728 B 2024-05-06T07:08:09.25Z",
                                             "gpu.fan{gpu=0} 41 % 2024-05-06T07:08:09.25Z"));
  const TraceRun nowhere = read_trace(
      "nvidia-smi", {"timestamp,index,memory.used,power.draw", "2024-05-06T07:08:09+02:00,0,3,51.5"});
  EXPECT_THAT(nowhere.texts(), ElementsAre("gpu.memory_used{gpu=0} 3145728 B 2024-05-06T05:08:09Z",
                                           "gpu.power{gpu=0} 51.5 W 2024-05-06T05:08:09Z"));
}

TEST(SmiCsv, WhatIsNotAvailableGivesNoSampleAndIsNoFault) {
  const TraceRun run = read_trace(
      "nvidia-smi", {"timestamp, index, fan.speed [%], power.draw [W], temperature.gpu, utilization.gpu [%]",
                     "2024/05/06 07:08:09.250, 0, [N/A], [Not Supported], ERR!, [Unknown Error]"});
  EXPECT_EQ(run.records.samples(), 0U);
  EXPECT_EQ(run.records.rejected, 0);
}

// What a reader remembers of the records that had a series' last sample does not hold for the next ones.
TEST(SmiCsv, SamplesKeepTheirSeriesInNewRecords) {
  const auto reader = trace_reader("nvidia-smi");
  const std::string at = "2024/05/06 07:08:09.000, ";
  read_trace(*reader, {"timestamp, index, power.draw [W]", at + "0, 1 W", at + "1, 2 W", at + "2, 3 W"});
  EXPECT_THAT(
      read_trace(*reader, {at + "2, 4 W", at + "0, 5 W", at + "1, 6 W"}).texts(),
      ElementsAre("gpu.power{gpu=2} 4 W 2024-05-06T07:08:09Z", "gpu.power{gpu=0} 5 W 2024-05-06T07:08:09Z",
                  "gpu.power{gpu=1} 6 W 2024-05-06T07:08:09Z"));
}

// Numbers are read while cells are found, as far as they are written as most are; and elsewhere.
TEST(SmiCsv, ANumberIsTheSameHoweverItIsWritten) {
  const std::string begin = "2024/05/06 07:08:09.000, 0,";
  for (const std::string cells :
       {" 20.50 W, 61", "20.5,61", "  20.50W  ,  61  ", " 20.50 W, 61,", " \"20.50 W\", \"61\"",
        " 20500 mW, 61", " 2.05e1 W, 61 C", " +20.5 W, 61"}) {
    const TraceRun run = read_trace(
        "nvidia-smi", {"timestamp, index, power.draw [W], temperature.gpu", begin + cells, begin + cells});
    if (cells.find('+') != std::string::npos) {
      EXPECT_EQ(run.records.rejected, 2) << cells;
      continue;
    }
    EXPECT_EQ(run.records.rejected, 0) << cells;
    EXPECT_THAT(run.texts(), ElementsAre("gpu.power{gpu=0} 20.5 W 2024-05-06T07:08:09Z",
                                         "gpu.temperature{gpu=0} 61 C 2024-05-06T07:08:09Z",
                                         "gpu.power{gpu=0} 20.5 W 2024-05-06T07:08:09Z",
                                         "gpu.temperature{gpu=0} 61 C 2024-05-06T07:08:09Z"))
        << cells;
  }
}

// The rows of such a one would have two cells by their commas too.
TEST(SmiCsv, TheHeadersDelimiterIsThatOfItsRows) {
  const TraceRun run =
      read_trace("nvidia-smi", {"timestamp;power.draw [W]", "2024-05-06 07:08:09,250;20.50 W"});
  EXPECT_THAT(run.texts(), ElementsAre("gpu.power{} 20.5 W 2024-05-06T07:08:09.25Z"));
}

TEST(SmiCsv, StatesBecomeNumbers) {
  const TraceRun run = read_trace(
      "nvidia-smi",
      {"timestamp, index, pstate, clocks_throttle_reasons.active, clocks_throttle_reasons.sw_power_cap, "
       "clocks_event_reasons.hw_slowdown",
       "2024/05/06 07:08:09.000, 0, P2, 0x0000000000000004, Active, Not Active",
       "2024/05/06 07:08:10.000, 0, P8, 0x0000000000000001, Not Active, Not Active"});
  EXPECT_THAT(run.texts(), ElementsAre("gpu.pstate{gpu=0} 2 2024-05-06T07:08:09Z",
                                       "gpu.throttle_reasons{gpu=0} 4 2024-05-06T07:08:09Z",
                                       "gpu.throttled{gpu=0} 1 2024-05-06T07:08:09Z",
                                       "gpu.throttle_sw_power_cap{gpu=0} 1 2024-05-06T07:08:09Z",
                                       "gpu.throttle_hw_slowdown{gpu=0} 0 2024-05-06T07:08:09Z",
                                       "gpu.pstate{gpu=0} 8 2024-05-06T07:08:10Z",
                                       "gpu.throttle_reasons{gpu=0} 1 2024-05-06T07:08:10Z",
                                       "gpu.throttled{gpu=0} 0 2024-05-06T07:08:10Z",
                                       "gpu.throttle_sw_power_cap{gpu=0} 0 2024-05-06T07:08:10Z",
                                       "gpu.throttle_hw_slowdown{gpu=0} 0 2024-05-06T07:08:10Z"));
}

TEST(SmiCsv, SamplesOfASeriesLieTogether) {
  const TraceRun run = read_trace(
      "nvidia-smi",
      {"timestamp, index, clocks_throttle_reasons.active", "2024/05/06 07:08:09.000, 0, 0x0000000000000004",
       "2024/05/06 07:08:09.000, 1, 0x0000000000000001", "2024/05/06 07:08:10.000, 0, 0x0000000000000000",
       "2024/05/06 07:08:10.000, 1, 0x0000000000000001"});
  ASSERT_EQ(run.records.sampled.size(), 4U);
  for (const auto& [series, samples] : run.records.sampled) {
    ASSERT_EQ(samples.size(), 2U) << series->name << series->labels;
    EXPECT_EQ(samples[1].at, trace_at(7, 8, 10));
  }
  Records next;
  next.expect_samples_as_in(run.records);
  EXPECT_TRUE(next.empty());
  EXPECT_EQ(next.sampled[3].series, run.records.sampled[3].series);
}

TEST(SmiCsv, AHeaderThatComesAgainMayBringOtherColumns) {
  const TraceRun run =
      read_trace("nvidia-smi", {"timestamp, index, power.draw [W]", "2024/05/06 07:08:09.000, 0, 20.00 W",
                                "timestamp, index, power.draw [W]", "2024/05/06 07:08:10.000, 0, 21.00 W",
                                "index, timestamp, temperature.gpu", "3, 2024/05/06 07:08:11.000, 44"});
  EXPECT_THAT(run.texts(), ElementsAre("gpu.power{gpu=0} 20 W 2024-05-06T07:08:09Z",
                                       "gpu.power{gpu=0} 21 W 2024-05-06T07:08:10Z",
                                       "gpu.temperature{gpu=3} 44 C 2024-05-06T07:08:11Z"));
}

TEST(SmiCsv, TheBestOfSeveralColumnsOnPowerIsThePower) {
  const std::string row = "2024/05/06 07:08:09.000, 0, 100.5 W, 101.5 W";
  EXPECT_THAT(
      read_trace("nvidia-smi", {"timestamp, index, power.draw.instant [W], power.limit [W]", row}).texts(),
      ElementsAre("gpu.power{gpu=0} 100.5 W 2024-05-06T07:08:09Z",
                  "gpu.power_limit{gpu=0} 101.5 W 2024-05-06T07:08:09Z"));
  EXPECT_THAT(
      read_trace("nvidia-smi", {"timestamp, index, power.draw.instant [W], power.draw [W]", row}).texts(),
      ElementsAre("gpu.power_instant{gpu=0} 100.5 W 2024-05-06T07:08:09Z",
                  "gpu.power{gpu=0} 101.5 W 2024-05-06T07:08:09Z"));
}

TEST(SmiCsv, ATornLineIsRejectedAndOtherTextIsNoPartOfIt) {
  const TraceRun run =
      read_trace("nvidia-smi", {"timestamp, index, power.draw [W]", "2024/05/06 07:08:09.000, 0",
                                "Failed to initialize NVML: Driver/library version mismatch", "",
                                "2024/05/06 07:99:09.000, 0, 20 W", "2024/05/06 07:08:12.000, 0, lots"});
  EXPECT_EQ(run.records.samples(), 0U);
  EXPECT_EQ(run.records.rejected, 3);
  EXPECT_THAT(run.lines, ElementsAre(TraceLine::structure, TraceLine::samples, TraceLine::other,
                                     TraceLine::structure, TraceLine::samples, TraceLine::samples));
  EXPECT_THAT(run.complaint, HasSubstr("'lots' is no value of gpu.power"));
}

TEST(SmiCsv, WithoutAHeaderNothingIsGuessedAndColumnsCanBeSaid) {
  const std::vector<std::string> lines = {"2024/05/06 07:08:09.500, 12 %, 3 %, 2 MiB, 27, 11.50 W"};
  const TraceRun blind = read_trace("nvidia-smi", lines);
  EXPECT_EQ(blind.records.samples(), 0U);
  EXPECT_EQ(blind.records.rejected, 1);
  EXPECT_THAT(blind.complaint, HasSubstr("columns"));
  const TraceSetup setup{.labels = {{"gpu", "0"}},
                         .columns = {"timestamp", "utilization.gpu", "utilization.memory", "memory.used",
                                     "temperature.gpu", "power.draw"}};
  EXPECT_THAT(read_trace("nvidia-smi", lines, setup).texts(),
              ElementsAre("gpu.utilization{gpu=0} 12 % 2024-05-06T07:08:09.5Z",
                          "gpu.memory_utilization{gpu=0} 3 % 2024-05-06T07:08:09.5Z",
                          "gpu.memory_used{gpu=0} 2097152 B 2024-05-06T07:08:09.5Z",
                          "gpu.temperature{gpu=0} 27 C 2024-05-06T07:08:09.5Z",
                          "gpu.power{gpu=0} 11.5 W 2024-05-06T07:08:09.5Z"));
}

TEST(SmiCsv, ProcessesAreFiledByTheirProgram) {
  const TraceRun run =
      read_trace("nvidia-smi", {"timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]",
                                "2024/05/06 07:08:09.000, GPU-6f3a, 4711, /usr/bin/python3, 812 MiB"});
  EXPECT_THAT(run.texts(),
              ElementsAre("process.memory_used{command=/usr/bin/python3,uuid=GPU-6f3a} 851443712 "
                          "B 2024-05-06T07:08:09Z"));
}

TEST(SmiCsv, TenThousandColumnsAreRefused) {
  std::string header = "timestamp, power.draw [W]", row = "2024/05/06 07:08:09.000, 20 W";
  for (int i = 0; i < 10'000; ++i) {
    header += ", power.draw [W]";
    row += ", 20 W";
  }
  const TraceRun run = read_trace("nvidia-smi", {header, row});
  EXPECT_EQ(run.records.samples(), 0U);
  EXPECT_EQ(run.records.rejected, 2);
}

TEST(DcgmCsv, LongAndWideForm) {
  const TraceRun narrow = read_trace(
      "dcgm-csv", {"GPUId,TimeStampUs,Field,Values", "2,1714979289250000,power_usage,71.25",
                   "2,1714979289250000,gpu_utilization,50", "2,1714979289250000,some_other_field,50",
                   "2,1714979289250000,memory_temp,9223372036854775794"});
  EXPECT_THAT(narrow.texts(), ElementsAre("gpu.power{gpu=2} 71.25 W 2024-05-06T07:08:09.25Z",
                                          "gpu.utilization{gpu=2} 50 % 2024-05-06T07:08:09.25Z"));
  EXPECT_EQ(narrow.records.rejected, 0);
  const TraceRun wide = read_trace("dcgm-csv", {"Timestamp,GPU,DCGM_FI_DEV_FB_USED,DCGM_FI_PROF_SM_ACTIVE",
                                                "2024-05-06 07:08:09,3,1024,0.25"});
  EXPECT_THAT(wide.texts(), ElementsAre("gpu.memory_used{gpu=3} 1073741824 B 2024-05-06T07:08:09Z",
                                        "gpu.sm_active{gpu=3} 25 % 2024-05-06T07:08:09Z"));
}

TEST(PlainCsv, ColumnsWithLabelsUnitsAndNamesOfOnesOwn) {
  const TraceSetup setup{.columns = {"time", "-", "gpu.temperature{gpu=0}", "gpu.temperature{gpu=1}",
                                     "gpu.memory_used{gpu=0} [GiB]", "room.temperature [C]"}};
  const TraceRun run = read_trace("csv", {"1714979289, 812.5, 51, 52, 1.5, 21.5, "}, setup);
  EXPECT_THAT(run.texts(), ElementsAre("gpu.temperature{gpu=0} 51 C 2024-05-06T07:08:09Z",
                                       "gpu.temperature{gpu=1} 52 C 2024-05-06T07:08:09Z",
                                       "gpu.memory_used{gpu=0} 1610612736 B 2024-05-06T07:08:09Z",
                                       "room.temperature{} 21.5 C 2024-05-06T07:08:09Z"));
}

TEST(PlainCsv, OtherDelimitersAndTwoColumnsOfTime) {
  const TraceSetup setup{.columns = {"date", "clock", "gpu", "gpu.power [mW]"}};
  EXPECT_THAT(read_trace("csv", {"day;clock;gpu;power", "2024-05-06;07:08:09;1;2500"}, setup).texts(),
              ElementsAre("gpu.power{gpu=1} 2.5 W 2024-05-06T07:08:09Z"));
  EXPECT_THAT(read_trace("csv", {"2024-05-06\t07:08:09\t1\t2500"}, setup).texts(),
              ElementsAre("gpu.power{gpu=1} 2.5 W 2024-05-06T07:08:09Z"));
}

TEST(TraceColumns, MistakesAreTold) {
  EXPECT_THAT(column_of_config("wattage").error().message, HasSubstr("'wattage' names no column"));
  EXPECT_THAT(column_of_config("gpu.power [MiB]").error().message, HasSubstr("'gpu.power' is in W"));
  EXPECT_THAT(column_of_config("gpu.power{card=1}").error().message, HasSubstr("'card=1' is no label"));
  EXPECT_THAT(trace_options({{"start", "noon"}}, {}, utc_offset).error().message, HasSubstr("is no time"));
  EXPECT_THAT(trace_options({{"interval", "-1"}}, {}, utc_offset).error().message,
              HasSubstr("is no interval"));
  EXPECT_FALSE(make_trace_reader("csv", {}));
}

}  // namespace
}  // namespace etad
