// Monitoring traces: how fast their lines are read, and what a day of them weighs in the history and costs to
// ask for. The day: nvidia-smi's CSV of 8 GPUs x 10 metrics at 1 Hz, as a file would hold it, through the
// reader into the history.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "parsers/traces/trace.h"
#include "storage/history.h"

namespace {

using namespace etad;

void must(const Result<void>& done) {
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().text().c_str());
    std::abort();
  }
}

constexpr int kDevices = 8;
constexpr int kDaySeconds = 86'400;

std::string clock(int second, int millisecond) {
  char text[64];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d.%03d", second / 3600 % 24, second / 60 % 60, second % 60,
                millisecond);
  return text;
}

const std::string kSmiHeader =
    "timestamp, index, uuid, utilization.gpu [%], utilization.memory [%], memory.used [MiB], power.draw [W], "
    "temperature.gpu, clocks.current.sm [MHz], clocks.current.memory [MHz], fan.speed [%], pstate, "
    "pcie.link.gen.current";

// A scan's lines: what a busy GPU shows, drifting and jittering.
void smi_scan(int second, std::mt19937& random, std::vector<std::string>& out) {
  const auto jitter = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int gpu = 0; gpu < kDevices; ++gpu) {
    char text[256];
    std::snprintf(
        text, sizeof text,
        "2026/11/21 %s, %d, GPU-0f3a5b7c-9d1e-4a6b-8c2d-00000000000%d, %d %%, %d %%, %d MiB, %d.%02d W, "
        "%d, %d MHz, 1215 MHz, %d %%, P%d, 4",
        clock(second, 200 + jitter(40)).c_str(), gpu, gpu, 85 + jitter(15), 40 + jitter(20),
        20'480 + 64 * jitter(3), 240 + jitter(60), jitter(100), 60 + jitter(6), 1'380 + 15 * jitter(3),
        45 + jitter(5), jitter(50) == 0 ? 2 : 0);
    out.emplace_back(text);
  }
}

std::vector<std::string> smi_lines(int seconds) {
  std::mt19937 random(11);
  std::vector<std::string> lines = {kSmiHeader};
  for (int second = 0; second < seconds; ++second) smi_scan(second, random, lines);
  return lines;
}

std::vector<std::string> dmon_lines(int seconds) {
  std::vector<std::string> lines = {
      "#Date       Time        gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk"};
  for (int second = 0; second < seconds; ++second) {
    for (int gpu = 0; gpu < kDevices; ++gpu)
      lines.push_back(" 20261121   " + clock(second, 0).substr(0, 8) + "      " + std::to_string(gpu) +
                      "   271    63     -    87    41     0     0  1215  1380");
  }
  return lines;
}

std::vector<std::string> prometheus_lines(int seconds) {
  std::vector<std::string> lines;
  for (int second = 0; second < seconds; ++second) {
    for (const char* metric : {"GPU_UTIL", "POWER_USAGE", "GPU_TEMP", "FB_USED", "SM_CLOCK", "MEM_CLOCK"}) {
      for (int gpu = 0; gpu < kDevices; ++gpu)
        lines.push_back(std::string("DCGM_FI_DEV_") + metric + "{gpu=\"" + std::to_string(gpu) +
                        "\",UUID=\"GPU-0f3a5b7c-9d1e-4a6b-8c2d-00000000000" + std::to_string(gpu) +
                        "\",device=\"nvidia0\",modelName=\"NVIDIA A100-SXM4-80GB\"} 87 " +
                        std::to_string(1'795'262'400'000 + 1000 * static_cast<std::int64_t>(second)));
    }
  }
  return lines;
}

void read_lines(benchmark::State& state, const std::string& format, const std::vector<std::string>& lines) {
  std::int64_t bytes = 0, samples = 0;
  for (const std::string& line : lines) bytes += static_cast<std::int64_t>(line.size()) + 1;
  Records records;
  for (auto _ : state) {
    const auto reader = make_trace_reader(format, {}).value();
    TimeContext time;
    for (const std::string& line : lines) {
      reader->read(line, std::nullopt, time, records);
      samples += static_cast<std::int64_t>(records.samples());
      records.clear();
    }
  }
  state.SetBytesProcessed(state.iterations() * bytes);
  state.counters["samples/s"] = benchmark::Counter(static_cast<double>(samples), benchmark::Counter::kIsRate);
}

void ReadSmi(benchmark::State& state) {
  read_lines(state, "nvidia-smi", smi_lines(1000));
}
BENCHMARK(ReadSmi)->Unit(benchmark::kMillisecond);

void ReadDmon(benchmark::State& state) {
  read_lines(state, "nvidia-dmon", dmon_lines(1000));
}
BENCHMARK(ReadDmon)->Unit(benchmark::kMillisecond);

void ReadPrometheus(benchmark::State& state) {
  read_lines(state, "prometheus", prometheus_lines(500));
}
BENCHMARK(ReadPrometheus)->Unit(benchmark::kMillisecond);

// A history with that day in it, made once.
class TracedDay {
 public:
  static TracedDay& instance() {
    static TracedDay day;
    return day;
  }
  ~TracedDay() {
    reader_.reset();
    std::filesystem::remove_all(folder_);
  }

  Reader& reader() { return *reader_; }
  std::int64_t samples() const { return samples_; }
  std::int64_t lines() const { return lines_; }
  double seconds() const { return seconds_; }
  std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) sum += entry.file_size();
    return sum;
  }

 private:
  TracedDay() {
    std::string pattern = (std::filesystem::temp_directory_path() / "etad-bench-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const std::string path = (folder_ / "history.db").string();
    auto writer = Writer::open(path).value();
    fill(*writer);
    must(writer->maintain(kEnd));
    must(writer->maintain(kEnd + std::chrono::hours(2)));
    writer.reset();
    reader_ = Reader::open(path).value();
  }

  // A commit every ten seconds of the trace, as a daemon that follows it would be far busier, and an import
  // lazier.
  void fill(Writer& writer) {
    const auto reader = make_trace_reader("nvidia-smi", {}).value();
    TimeContext time;
    std::mt19937 random(11);
    std::vector<SourceCommit> commits(1);
    commits[0].source.path = "/var/log/gpu/smi.csv";
    std::vector<std::string> lines = {kSmiHeader};
    const std::clock_t begin = std::clock();
    for (int second = 0; second < kDaySeconds; ++second) {
      smi_scan(second, random, lines);
      if (second % 10 != 9) continue;
      for (const std::string& line : lines) reader->read(line, std::nullopt, time, commits[0].records);
      lines_ += static_cast<std::int64_t>(lines.size());
      lines.clear();
      samples_ += static_cast<std::int64_t>(commits[0].records.samples());
      must(writer.commit(commits, kEnd));
      commits[0].records.clear();
    }
    seconds_ = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }

  static constexpr Instant kEnd = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22);
  std::filesystem::path folder_;
  std::unique_ptr<Reader> reader_;
  std::int64_t samples_ = 0, lines_ = 0;
  double seconds_ = 0;
};

void AskForTheDay(benchmark::State& state) {
  TracedDay& day = TracedDay::instance();
  SeriesQuery query;
  query.from = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21);
  query.to = query.from + std::chrono::hours(24);
  query.step = std::chrono::seconds(state.range(0));
  std::size_t points = 0;
  for (auto _ : state) {
    points = 0;
    const auto answer = day.reader().series_points(query);
    for (const auto& series : *answer) points += series.points.size();
  }
  state.counters["points"] = static_cast<double>(points);
  state.counters["samples"] = static_cast<double>(day.samples());
  state.counters["lines"] = static_cast<double>(day.lines());
  state.counters["bytes/sample"] = static_cast<double>(day.bytes()) / static_cast<double>(day.samples());
  state.counters["fill CPU s"] = day.seconds();
}
BENCHMARK(AskForTheDay)->Arg(60)->Arg(3600)->Unit(benchmark::kMillisecond);

}  // namespace
