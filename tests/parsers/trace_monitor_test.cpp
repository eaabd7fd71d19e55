// dmon, pmon, dcgmi dmon, Prometheus, dstat, sadf.
#include <gmock/gmock.h>

#include <set>

#include "parsers/traces/trace_sink.h"
#include "tests/parsers/trace_lines.h"

namespace etad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Dmon, DateAndTimeColumnsAndValuesThatAreNotThere) {
  const TraceRun run = read_trace(
      "nvidia-dmon",
      {"#Date       Time        gpu   pwr gtemp mtemp    sm   mem  mclk  pclk  pviol tviol    fb  rxpci",
       "#YYYYMMDD   HH:MM:SS    Idx     W     C     C     %     %   MHz   MHz      %  bool    MB   MB/s",
       " 20240506   07:08:09      1   171    63     -    87    41  1215  1380     12     1  2048     25"});
  EXPECT_THAT(run.texts(), ElementsAre("gpu.power{gpu=1} 171 W 2024-05-06T07:08:09Z",
                                       "gpu.temperature{gpu=1} 63 C 2024-05-06T07:08:09Z",
                                       "gpu.utilization{gpu=1} 87 % 2024-05-06T07:08:09Z",
                                       "gpu.memory_utilization{gpu=1} 41 % 2024-05-06T07:08:09Z",
                                       "gpu.clock_memory{gpu=1} 1215000000 Hz 2024-05-06T07:08:09Z",
                                       "gpu.clock_sm{gpu=1} 1380000000 Hz 2024-05-06T07:08:09Z",
                                       "gpu.power_violation{gpu=1} 12 % 2024-05-06T07:08:09Z",
                                       "gpu.thermal_violation{gpu=1} 1 2024-05-06T07:08:09Z",
                                       "gpu.memory_used{gpu=1} 2147483648 B 2024-05-06T07:08:09Z",
                                       "gpu.pcie_receive{gpu=1} 25000000 B/s 2024-05-06T07:08:09Z"));
}

const std::vector<std::string> kPlainDmon = {"# gpu   pwr  temp    sm   mem   enc   dec  mclk  pclk",
                                             "# Idx     W     C     %     %     %     %   MHz   MHz",
                                             "    0    43    35     0     0     0     0  2505  1075",
                                             "    1    42    31    97     9     0     0  2505  1075",
                                             "    0    44    35     1     0     0     0  2505  1075",
                                             "# gpu   pwr  temp    sm   mem   enc   dec  mclk  pclk",
                                             "# Idx     W     C     %     %     %     %   MHz   MHz",
                                             "    1    45    31    98     9     0     0  2505  1075"};

TEST(Dmon, WithoutTimesTheMomentOfReadingCountsAndElseNothing) {
  const TraceRun blind = read_trace("nvidia-dmon", kPlainDmon);
  EXPECT_THAT(blind.texts(), IsEmpty());
  EXPECT_EQ(blind.records.rejected, 4);
  EXPECT_THAT(blind.complaint, HasSubstr("start and interval"));
  const TraceRun live = read_trace("nvidia-dmon", kPlainDmon, {.arrival = trace_at(9, 0, 0)});
  EXPECT_EQ(live.records.rejected, 0);
  EXPECT_EQ(live.texts().front(), "gpu.power{gpu=0} 43 W 2024-05-06T09:00:00Z");
}

TEST(Dmon, StartAndIntervalDateTheScans) {
  const TraceRun run = read_trace("nvidia-dmon", kPlainDmon,
                                  {.labels = {{"start", "2024-05-06 10:00:00"}, {"interval", "2.5"}}});
  std::vector<std::string> powers;
  for (const std::string& text : run.texts()) {
    if (text.starts_with("gpu.power")) powers.push_back(text);
  }
  EXPECT_THAT(powers, ElementsAre("gpu.power{gpu=0} 43 W 2024-05-06T10:00:00Z",
                                  "gpu.power{gpu=1} 42 W 2024-05-06T10:00:00Z",
                                  "gpu.power{gpu=0} 44 W 2024-05-06T10:00:02.5Z",
                                  "gpu.power{gpu=1} 45 W 2024-05-06T10:00:02.5Z"));
}

TEST(Dmon, TheTimeOfDayAloneGoesOnOverMidnight) {
  const std::vector<std::string> lines = {"#Time        gpu   pwr", "#HH:MM:SS    Idx     W",
                                          " 23:59:59      0    20", " 00:00:00      0    21"};
  const TraceRun blind = read_trace("nvidia-dmon", lines);
  EXPECT_EQ(blind.records.rejected, 2);
  EXPECT_THAT(blind.complaint, HasSubstr("label start"));
  EXPECT_THAT(read_trace("nvidia-dmon", lines, {.labels = {{"start", "2024-05-06"}}}).texts(),
              ElementsAre("gpu.power{gpu=0} 20 W 2024-05-06T23:59:59Z",
                          "gpu.power{gpu=0} 21 W 2024-05-07T00:00:00Z"));
  // Followed live, shortly after midnight.
  EXPECT_THAT(read_trace("nvidia-dmon", lines, {.arrival = trace_at(24, 0, 1)}).texts(),
              ElementsAre("gpu.power{gpu=0} 20 W 2024-05-06T23:59:59Z",
                          "gpu.power{gpu=0} 21 W 2024-05-07T00:00:00Z"));
}

TEST(Dmon, LocalTimesAreTheMachines) {
  const auto two_hours_east = [](std::int64_t) { return 7200; };
  const TraceRun run =
      read_trace("nvidia-dmon", {"#Date       Time        gpu   pwr", " 20240506   07:08:09      1   171"},
                 {.zone = two_hours_east});
  EXPECT_THAT(run.texts(), ElementsAre("gpu.power{gpu=1} 171 W 2024-05-06T05:08:09Z"));
}

TEST(Pmon, ProcessesAreFiledByProgramAndIdleDevicesSayNothing) {
  const TraceRun run = read_trace(
      "nvidia-pmon",
      {"#Date       Time        gpu        pid  type    sm   mem   enc   dec    fb   command",
       "#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %     %     %     %    MB   name",
       " 20240506   07:08:09      0       4711     C    91    40     -     -  1024   python3 train",
       " 20240506   07:08:09      1          -     -     -     -     -     -     -   -"});
  EXPECT_THAT(
      run.texts(),
      ElementsAre("process.sm_utilization{command=python3 train,gpu=0} 91 % 2024-05-06T07:08:09Z",
                  "process.memory_utilization{command=python3 train,gpu=0} 40 % 2024-05-06T07:08:09Z",
                  "process.memory_used{command=python3 train,gpu=0} 1073741824 B 2024-05-06T07:08:09Z"));
  EXPECT_EQ(run.lines.back(), TraceLine::samples);
  EXPECT_EQ(run.records.rejected, 0);
}

TEST(DcgmiDmon, EntitiesUnderEachVersionsHeader) {
  const TraceRun run = read_trace(
      "dcgmi-dmon",
      {"# Entity         GPUTL        POWER        TOTEC", "      Id                    W            mJ",
       "    GPU 0         95           171.250      5000", "    GPU-I 3       N/A          N/A          N/A",
       "#Entity   SMACT       TMPTR", "ID                      C", "GPU 1     0.500       40",
       "Switch 0  0.5         41"},
      {.arrival = trace_at(9, 0, 0)});
  EXPECT_THAT(run.texts(), ElementsAre("gpu.utilization{gpu=0} 95 % 2024-05-06T09:00:00Z",
                                       "gpu.power{gpu=0} 171.25 W 2024-05-06T09:00:00Z",
                                       "gpu.energy{gpu=0} 5 J 2024-05-06T09:00:00Z",
                                       "gpu.sm_active{gpu=1} 50 % 2024-05-06T09:00:00Z",
                                       "gpu.temperature{gpu=1} 40 C 2024-05-06T09:00:00Z"));
  EXPECT_EQ(run.lines.back(), TraceLine::ignored);
}

TEST(Prometheus, MetricsWithAndWithoutTimes) {
  const TraceRun run = read_trace(
      "prometheus",
      {"# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).", "# TYPE DCGM_FI_DEV_GPU_UTIL gauge",
       R"(DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-6f3a",device="nvidia0",Hostname="n1"} 87 1714979289250)",
       R"(DCGM_FI_DEV_FB_USED{gpu="0", UUID="GPU-6f3a", modelName="A \"quoted\", {odd} name",} 512 1714979289.5)",
       R"(DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu="0",GPU_I_ID="2"} 0.125 1714979289500)",
       R"(go_gc_duration_seconds{quantile="0.5"} 0.001)", "DCGM_FI_DEV_XID_ERRORS NaN 1714979289500"},
      {.own_host = "n1"});
  EXPECT_THAT(run.texts(),
              ElementsAre("gpu.utilization{gpu=0,uuid=GPU-6f3a} 87 % 2024-05-06T07:08:09.25Z",
                          "gpu.memory_used{gpu=0,uuid=GPU-6f3a} 536870912 B 2024-05-06T07:08:09.5Z",
                          "gpu.tensor_active{gpu=0,mig=2} 12.5 % 2024-05-06T07:08:09.5Z"));
  EXPECT_EQ(run.lines[5], TraceLine::ignored);
  EXPECT_EQ(run.records.rejected, 0);
}

TEST(Prometheus, ScrapesWithoutTimesAreDatedByStartAndInterval) {
  const TraceRun run =
      read_trace("prometheus",
                 {R"(DCGM_FI_DEV_GPU_UTIL{gpu="0"} 1)", R"(DCGM_FI_DEV_GPU_TEMP{gpu="0"} 40)",
                  R"(DCGM_FI_DEV_GPU_UTIL{gpu="0"} 2)"},
                 {.labels = {{"start", "1714979289"}, {"interval", "15"}}});
  EXPECT_THAT(run.texts(), ElementsAre("gpu.utilization{gpu=0} 1 % 2024-05-06T07:08:09Z",
                                       "gpu.temperature{gpu=0} 40 C 2024-05-06T07:08:09Z",
                                       "gpu.utilization{gpu=0} 2 % 2024-05-06T07:08:24Z"));
}

TEST(Prometheus, WhatIsNoMetricIsNoPartOfIt) {
  const TraceRun run =
      read_trace("prometheus", {"DCGM_FI_DEV_GPU_UTIL{gpu=\"0\" 1", "Iteration 100, loss = 0.5",
                                "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 1 never"});
  EXPECT_THAT(run.lines, ElementsAre(TraceLine::other, TraceLine::other, TraceLine::samples));
  EXPECT_EQ(run.records.rejected, 1);
}

TEST(Traces, LinesOfNothingButDelimitersAreNoPartOfAny) {
  for (const std::string_view format : trace_formats()) {
    const TraceRun run =
        read_trace(std::string(format), {"# gpu   pwr", ",", " , ,", ";;;;", "\t,\t", "#", "\"", "{", "0"},
                   {.columns = {"time", "gpu.power"}});
    EXPECT_EQ(run.records.samples(), 0U) << format;
  }
}

TEST(Traces, LabelSetsAreBounded) {
  std::vector<std::string> lines;
  for (int i = 0; i < 1000; ++i)
    lines.push_back("DCGM_FI_DEV_GPU_UTIL{gpu=\"" + std::to_string(i) + "\"} 1 1714979289250");
  const TraceRun run = read_trace("prometheus", lines);
  EXPECT_EQ(run.records.samples(), 256U);
  EXPECT_EQ(run.records.rejected, 744);
  EXPECT_THAT(run.complaint, HasSubstr("256 different sets of labels"));
}

// Devices that take turns, in any order, and more series than a reader remembers: each sample is of its line's.
TEST(Traces, SamplesAreOfTheirLinesDevices) {
  std::vector<std::string> lines, expected;
  for (int round = 0; round < 3; ++round) {
    for (const char* const metric : {"GPU_UTIL", "MEM_COPY_UTIL", "ENC_UTIL", "DEC_UTIL"}) {
      for (int i = 0; i < 256; ++i) {
        const int gpu = round == 1 ? 255 - i : i;
        const std::string value = std::to_string((gpu + round) % 100);
        lines.push_back(std::string("DCGM_FI_DEV_") + metric + "{gpu=\"" + std::to_string(gpu) + "\"} " +
                        value + " 1714979289250");
        expected.push_back("{gpu=" + std::to_string(gpu) + "} " + value + " % 2024-05-06T07:08:09.25Z");
      }
    }
  }
  const std::vector<std::string> texts = read_trace("prometheus", lines).texts();
  ASSERT_EQ(texts.size(), expected.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    ASSERT_EQ(texts[i].substr(texts[i].find('{')), expected[i]) << i;

  // A CSV's columns, under a header that comes again, as itself and then with other names.
  const TraceRun csv =
      read_trace("nvidia-smi", {"timestamp, index, power.draw [W]", "2024/05/06 07:08:09.000, 0, 71.5 W",
                                "2024/05/06 07:08:09.000, 1, 72 W", "timestamp, index, power.draw [W]",
                                "2024/05/06 07:08:10.000, 0, 73 W", "timestamp, index, memory.used [MiB]",
                                "2024/05/06 07:08:11.000, 0, 2 MiB", "2024/05/06 07:08:11.000, 1, 3 KiB"});
  EXPECT_THAT(csv.texts(), ElementsAre("gpu.power{gpu=0} 71.5 W 2024-05-06T07:08:09Z",
                                       "gpu.power{gpu=1} 72 W 2024-05-06T07:08:09Z",
                                       "gpu.power{gpu=0} 73 W 2024-05-06T07:08:10Z",
                                       "gpu.memory_used{gpu=0} 2097152 B 2024-05-06T07:08:11Z",
                                       "gpu.memory_used{gpu=1} 3072 B 2024-05-06T07:08:11Z"));
}

TEST(Traces, MoreSeriesThanAreRememberedAreStillRead) {
  std::vector<std::string> lines;
  const char* const metrics[] = {"GPU_UTIL",
                                 "MEM_COPY_UTIL",
                                 "ENC_UTIL",
                                 "DEC_UTIL",
                                 "FB_USED",
                                 "FB_FREE",
                                 "GPU_TEMP",
                                 "MEMORY_TEMP",
                                 "POWER_USAGE",
                                 "SM_CLOCK",
                                 "MEM_CLOCK",
                                 "XID_ERRORS",
                                 "FB_RESERVED",
                                 "FB_TOTAL",
                                 "PSTATE",
                                 "FAN_SPEED",
                                 "PCIE_REPLAY_COUNTER",
                                 "TOTAL_ENERGY_CONSUMPTION"};
  for (const char* const metric : metrics)
    for (int gpu = 0; gpu < 256; ++gpu)
      lines.push_back(std::string("DCGM_FI_DEV_") + metric + "{gpu=\"" + std::to_string(gpu) +
                      "\"} 1 1714979289250");
  const TraceRun run = read_trace("prometheus", lines);
  ASSERT_GT(run.records.samples(), SampleSink::kMostKnownSeries);
  std::set<std::string> series;
  for (const SampledSeries& of : run.records.sampled) series.insert(of.series->name + of.series->labels);
  EXPECT_EQ(series.size(), run.records.samples());
}

TEST(Traces, HostileLabelValuesAreCutAndMadePlain) {
  const TraceRun run = read_trace("prometheus", {"DCGM_FI_DEV_GPU_UTIL{gpu=\"0,host=evil\",Hostname=\"" +
                                                 std::string(500, 'x') + "\"} 1 1714979289250"});
  ASSERT_EQ(run.records.samples(), 1U);
  EXPECT_EQ(run.records.sampled[0].series->labels, "gpu=0 host evil,host=" + std::string(96, 'x'));
}

const std::vector<std::string> kDstat = {
    "\"Dstat 0.7.3 CSV output\"",
    "\"Author:\",\"Somebody <s@example.org>\",,,,\"URL:\",\"http://example.org/\"",
    "\"Host:\",\"n7\",,,,\"User:\",\"root\"",
    "\"Cmdline:\",\"dstat -tcdn --output x.csv\",,,,\"Date:\",\"06 May 2024 07:08:00 UTC\"",
    "",
    "\"system\",\"total cpu usage\",,,,,,\"dsk/total\",,\"dsk/sda\",,\"net/total\",",
    "\"time\",\"usr\",\"sys\",\"idl\",\"wai\",\"hiq\",\"siq\",\"read\",\"writ\",\"read\",\"writ\",\"recv\","
    "\"send\"",
    "06-05 07:08:09,12.5,4.5,81.0,2.0,0.0,0.0,4096.0,0.0,2048.0,0.0,1000.0,500.0"};

TEST(Dstat, GroupsColumnsAndADateWithoutAYear) {
  const TraceRun run = read_trace("dstat", kDstat);
  const std::string when = " 2024-05-06T07:08:09Z";
  EXPECT_THAT(run.texts(),
              ElementsAre("host.cpu_user{host=n7} 12.5 %" + when, "host.cpu_system{host=n7} 4.5 %" + when,
                          "host.cpu_idle{host=n7} 81 %" + when, "host.cpu_iowait{host=n7} 2 %" + when,
                          "host.cpu_irq{host=n7} 0 %" + when, "host.cpu_softirq{host=n7} 0 %" + when,
                          "host.disk_read{host=n7} 4096 B/s" + when, "host.disk_write{host=n7} 0 B/s" + when,
                          "host.disk_read{disk=sda,host=n7} 2048 B/s" + when,
                          "host.disk_write{disk=sda,host=n7} 0 B/s" + when,
                          "host.network_receive{host=n7} 1000 B/s" + when,
                          "host.network_send{host=n7} 500 B/s" + when));
  EXPECT_EQ(run.records.rejected, 0);
}

TEST(Dstat, ItsSuccessorsCsvIsRead) {
  for (const char* const first : {R"("dool 1.3.1 CSV output")", R"("pcp-dstat 6.2.0 CSV Output")"}) {
    std::vector<std::string> lines(kDstat.begin(), kDstat.end());
    const auto before = read_trace("dstat", lines).texts();
    lines.front() = first;
    EXPECT_EQ(read_trace("dstat", lines).texts(), before) << first;
  }
}

TEST(Dstat, YearsGoOnAndNamesMaySayTheirGroupAgain) {
  const TraceRun run = read_trace(
      "dstat",
      {R"("Dstat 0.7.3 CSV output")", R"("Cmdline:","dstat -tC",,,,"Date:","31 Dec 2022 23:59:58 CET")",
       R"("system","cpu0 usage",,"total cpu usage",)",
       R"("time","cpu0 usage:usr","cpu0 usage:sys","total cpu usage:usr","total cpu usage:sys")",
       "31-12 23:59:59,1,2,3,4,", "01-01 00:00:00,5,6,7,8,"});
  EXPECT_THAT(
      run.texts(),
      ElementsAre(
          "host.cpu_user{cpu=0} 1 % 2022-12-31T23:59:59Z", "host.cpu_system{cpu=0} 2 % 2022-12-31T23:59:59Z",
          "host.cpu_user{} 3 % 2022-12-31T23:59:59Z", "host.cpu_system{} 4 % 2022-12-31T23:59:59Z",
          "host.cpu_user{cpu=0} 5 % 2023-01-01T00:00:00Z", "host.cpu_system{cpu=0} 6 % 2023-01-01T00:00:00Z",
          "host.cpu_user{} 7 % 2023-01-01T00:00:00Z", "host.cpu_system{} 8 % 2023-01-01T00:00:00Z"));
  const TraceRun undated =
      read_trace("dstat", {R"("system","total cpu usage",)", R"("time","usr","sys")", "06-05 07:08:09,1,2"});
  EXPECT_EQ(undated.texts().front(), "host.cpu_user{} 1 % 2026-05-06T07:08:09Z");  // not yet to come
}

TEST(Dstat, OfThisMachineNeedsNoHost) {
  const TraceRun run = read_trace("dstat", kDstat, {.own_host = "n7"});
  EXPECT_EQ(run.records.sampled.at(0).series->labels, "");
}

TEST(Sadf, SectionsOfSemicolons) {
  const TraceRun run = read_trace(
      "sadf",
      {"# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle",
       "n7;600;2024-05-06 07:08:09 UTC;-1;12.5;0.0;2.5;0.0;0.0;85.0",
       "n7;600;2024-05-06 07:08:09 UTC;3;1.5;0.0;0.0;0.0;0.0;98.5",
       "n7;-1;2024-05-06 07:18:09 UTC;LINUX-RESTART\t(8 CPU)",
       "# hostname;interval;timestamp;kbmemfree;kbmemused", "n7;600;2024-05-06 07:08:09 UTC;1024;2048"},
      {.zone = [](std::int64_t) { return 7200; }, .own_host = "n7"});
  const std::string when = " 2024-05-06T07:08:09Z";
  EXPECT_THAT(run.texts(),
              ElementsAre("host.cpu_user{} 12.5 %" + when, "host.cpu_nice{} 0 %" + when,
                          "host.cpu_system{} 2.5 %" + when, "host.cpu_iowait{} 0 %" + when,
                          "host.cpu_steal{} 0 %" + when, "host.cpu_idle{} 85 %" + when,
                          "host.cpu_user{cpu=3} 1.5 %" + when, "host.cpu_nice{cpu=3} 0 %" + when,
                          "host.cpu_system{cpu=3} 0 %" + when, "host.cpu_iowait{cpu=3} 0 %" + when,
                          "host.cpu_steal{cpu=3} 0 %" + when, "host.cpu_idle{cpu=3} 98.5 %" + when,
                          "host.memory_free{} 1048576 B" + when, "host.memory_used{} 2097152 B" + when));
}

}  // namespace
}  // namespace etad
