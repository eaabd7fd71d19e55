// Recognition, vocabulary, and readers that are saved and restored.
#include <gmock/gmock.h>

#include "parsers/traces/trace_names.h"
#include "parsers/traces/trace_series.h"
#include "parsers/traces/trace_trial.h"
#include "tests/parsers/trace_lines.h"

namespace etad {
namespace {

using testing::ElementsAre;

TEST(TraceVocabulary, EveryKnownColumnNamesASeriesOrALabel) {
  for (const auto& columns : {nvidia_smi_columns(), dmon_columns(), dcgm_columns(), prometheus_columns(),
                              host_columns(), common_columns()}) {
    for (const KnownColumn& column : columns) {
      if (column.role == ColumnRole::value) {
        EXPECT_NE(find_trace_series(column.series), nullptr) << column.name;
      }
      if (column.role == ColumnRole::label) {
        EXPECT_TRUE(trace_label(column.series)) << column.name;
      }
      if (!column.stands_in.empty()) {
        EXPECT_NE(find_trace_series(column.stands_in), nullptr) << column.name;
      }
    }
  }
}

TEST(TraceVocabulary, NamesAreFoundAndOthersAreNot) {
  for (const TraceSeries& series : trace_series()) EXPECT_EQ(find_trace_series(series.name), &series);
  EXPECT_EQ(find_trace_series("gpu.wattage"), nullptr);
  for (const std::string_view name : {series::kUtilization, series::kPower, series::kEnergy,
                                      series::kMemoryUsed, series::kTemperature, series::kThrottled}) {
    EXPECT_NE(find_trace_series(name), nullptr);
  }
}

TEST(TraceRecognition, ByWhatOnlyThatToolWrites) {
  EXPECT_EQ(recognise_trace("timestamp, power.draw [W]"), "nvidia-smi");
  EXPECT_EQ(recognise_trace("utilization.gpu [%]"), "nvidia-smi");
  EXPECT_EQ(recognise_trace("2024/05/06 07:08:09.250, 3 %, 1 MiB"), "nvidia-smi");
  EXPECT_EQ(recognise_trace("30, 0 %, 1 MiB"), "nvidia-smi");
  EXPECT_EQ(recognise_trace("# gpu   pwr gtemp mtemp    sm"), "nvidia-dmon");
  EXPECT_EQ(recognise_trace("#Time        gpu        pid  type    sm   mem   enc   dec   command"),
            "nvidia-pmon");
  EXPECT_EQ(recognise_trace("# Entity  SMACT  SMOCC"), "dcgmi-dmon");
  EXPECT_EQ(recognise_trace("GPUId,TimeStampUs,Field,Values"), "dcgm-csv");
  EXPECT_EQ(recognise_trace("# TYPE DCGM_FI_DEV_GPU_UTIL gauge"), "prometheus");
  EXPECT_EQ(recognise_trace("DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 1"), "prometheus");
  EXPECT_EQ(recognise_trace("\"Dstat 0.7.3 CSV output\""), "dstat");
  EXPECT_EQ(recognise_trace("# hostname;interval;timestamp;CPU;%user"), "sadf");
}

TEST(TraceRecognition, NothingElse) {
  for (const char* line :
       {"", "#", "time,value", "epoch,loss,accuracy", "timestamp,epoch,loss,memory.used", "index, name",
        "1604258862, 812.5, 54, 52, ",
        "I0506 07:08:09.250000  4711 solver.cpp:228] Iteration 100, loss = 0.5",
        "Epoch: [0][20/500]\tTime 0.412 (0.625)", "# HELP process_cpu_seconds_total Total CPU time.",
        "Start (ns),Duration (ns),CorrId,GrdX", "Time(%),Time,Calls,Avg,Min,Max,Name", "memory, time, batch",
        "time,power", "timestamp,watts,voltage",
        "network,framework,device,phase,batch_size,iterations,seconds,run", "loss 0.5 %, 3 of 4", "power"}) {
    EXPECT_EQ(recognise_trace(line), "") << line;
  }
}

std::string tried(const std::vector<std::string>& lines, TraceTrial trial = TraceTrial({})) {
  std::string format;
  for (const std::string& line : lines) {
    if (format.empty()) format = trial.consider(line, trace_time({}));
  }
  return format.empty() ? "likely " + std::string(trial.likely()) : format;
}

TEST(TraceTrials, ATraceBeginsAsOneAndGoesOnAsOne) {
  const std::vector<std::string> rows(3, "2024/05/06 07:08:09.250, 30 W");
  EXPECT_EQ(tried({"nohup: ignoring input", "", "timestamp, power.draw [W]", rows[0], rows[1], rows[2]}),
            "nvidia-smi");
  EXPECT_EQ(tried({"timestamp, power.draw [W]", rows[0], rows[1]}), "likely nvidia-smi");
  EXPECT_EQ(tried({"timestamp, power.draw [W]"}), "likely ");
  // A training log that prints its devices first.
  EXPECT_EQ(tried({"timestamp, power.draw [W]", rows[0], "Training starts", rows[1], rows[2], rows[0]}),
            "likely ");
  EXPECT_EQ(tried({"Training starts", "timestamp, power.draw [W]", rows[0], rows[1], rows[2]}), "likely ");
}

TEST(TraceTrials, ConfiguredColumnsProveThemselvesByTheirValues) {
  const TraceOptions options = trace_options({}, {"time", "gpu.temperature{gpu=0}"}, utc_offset).value();
  const std::vector<std::string> rows(3, "1714979289, 51");
  EXPECT_EQ(tried(rows, TraceTrial(options)), "csv");
  EXPECT_EQ(tried({rows[0], rows[1], "words, words"}, TraceTrial(options)), "likely csv");
  EXPECT_EQ(tried({rows[0], rows[1], "1714979289, words"}, TraceTrial(options)), "likely ");
}

// Reads each line with a reader made anew from what the one before saved.
std::vector<std::string> restarting(const std::string& format, const std::vector<std::string>& lines,
                                    const TraceSetup& setup) {
  TraceRun all;
  TraceState saved;
  for (const std::string& line : lines) {
    const auto reader = trace_reader(format, setup);
    TimeContext time = trace_time(setup);
    reader->restore(saved, time);
    reader->read(line, setup.arrival, time, all.records);
    all.note_samples();
    saved = reader->save();
  }
  return all.texts();
}

struct Saved {
  std::string format;
  std::vector<std::string> lines;
  TraceSetup setup;
};

class TraceStates : public testing::TestWithParam<Saved> {};

TEST_P(TraceStates, ARestartAfterEveryLineChangesNothing) {
  const auto whole = read_trace(GetParam().format, GetParam().lines, GetParam().setup).texts();
  EXPECT_FALSE(whole.empty());
  EXPECT_EQ(restarting(GetParam().format, GetParam().lines, GetParam().setup), whole);
}

INSTANTIATE_TEST_SUITE_P(
    Readers, TraceStates,
    testing::Values(
        Saved{"nvidia-smi",
              {"timestamp, index, power.draw [W]", "2024/05/06 07:08:09.000, 0, 20 W",
               "index, timestamp, temperature.gpu", "0, 2024/05/06 07:08:10.000, 44"},
              {}},
        // A header that, parted as the configuration's columns, would be a row of them.
        Saved{"nvidia-smi",
              {"timestamp, index, power.draw [W]", "\ttimestamp, power.draw [W], index",
               "2024/05/06 07:08:09.000, 20 W, 0"},
              {.labels = {}, .columns = {"timestamp", "utilization.gpu"}}},
        // One that is a header but by the columns known before, and then none.
        Saved{"nvidia-smi",
              {"utilization.gpu [%]", "20", "power.draw [W,index]", "21"},
              {.labels = {{"gpu", "0"}, {"start", "2024-05-06"}, {"interval", "1"}}, .columns = {}}},
        Saved{"nvidia-dmon",
              {"#Time        gpu   pwr", " 23:59:59      0    20", " 00:00:00      0    21"},
              {.labels = {{"start", "2024-05-06"}}}},
        Saved{"nvidia-dmon",
              {"# gpu   pwr", "    0    20", "    1    21", "    0    22", "    1    23"},
              {.labels = {{"start", "2024-05-06"}, {"interval", "1"}}}},
        Saved{"nvidia-pmon",
              {"# gpu        pid  type    sm   mem   enc   dec   command",
               "    0       4711     C    91    40     -     -   python3"},
              {.arrival = trace_at(9, 0, 0)}},
        Saved{"dcgmi-dmon",
              {"# Entity  GPUTL  POWER", "GPU 0  95  171.25", "GPU 1  94  170.25"},
              {.arrival = trace_at(9, 0, 0)}},
        Saved{"dcgm-csv",
              {"GPUId,TimeStampUs,Watts", "0,1714979289250000,71.25", "1,1714979289250000,71.5"},
              {}},
        Saved{"prometheus",
              {"DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 1 1714979289250",
               "DCGM_FI_DEV_GPU_UTIL{gpu=\"1\"} 1 1714979289250"},
              {}},
        Saved{"dstat",
              {"\"Host:\",\"n7\",,,,\"User:\",\"root\"", "\"epoch\",\"total cpu usage\",",
               "\"epoch\",\"usr\",\"sys\"", "1714979289.25,12.5,4.5", "1714979290.25,13.5,4.5"},
              {}},
        Saved{"dstat",
              {R"("Dstat 0.7.2 CSV output")", R"("Host:","n7",,,,"User:","root")",
               R"("Cmdline:","dstat -t",,,,"Date:","31 Dec 2022 23:59:58 CET")",
               R"("system","total cpu usage",)", R"("time","usr","sys")", "31-12 23:59:59,12.5,4.5",
               R"("system","total cpu usage",)", R"("time","sys","usr")", "01-01 00:00:00,13.5,4.5",
               "01-01 00:00:01,13.5,4.5"},
              {}},
        Saved{"sadf",
              {"# hostname;interval;timestamp;CPU;%user", "n7;600;2024-05-06 07:08:09 UTC;-1;12.5",
               "n7;600;2024-05-06 07:18:09 UTC;-1;13.5"},
              {}},
        Saved{"csv", {"1714979289, 51", "1714979290, 52"}, {.columns = {"time", "gpu.temperature{gpu=0}"}}}));

TEST(TraceStates, BoundsHoldOverRestarts) {
  const auto full = trace_reader("prometheus");
  std::vector<std::string> lines;
  for (int i = 0; i < 300; ++i)
    lines.push_back("DCGM_FI_DEV_GPU_UTIL{gpu=\"" + std::to_string(i) + "\"} 1 1714979289250");
  read_trace(*full, lines);
  const auto again = trace_reader("prometheus");
  TimeContext time = trace_time({});
  again->restore(full->save(), time);
  EXPECT_EQ(again->complaint(), full->complaint());
  EXPECT_EQ(read_trace(*again, {lines[299]}).records.rejected, 1);
  EXPECT_EQ(read_trace(*again, {lines[0]}).records.rejected, 0);
}

}  // namespace
}  // namespace etad
