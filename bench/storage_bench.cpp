// The history: how fast it takes segments in, what a tick costs, how fast a refit reads its data, and what
// monitoring traces cost in bytes and milliseconds.
#include <benchmark/benchmark.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/change_reader.h"
#include "storage/history.h"

namespace etad {
namespace {

constexpr Instant kStart{std::chrono::seconds(1'700'000'000)};

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "etad-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { std::filesystem::remove_all(path_); }
  std::string database() const { return (path_ / "history.db").string(); }
  double bytes() const {
    double sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      sum += static_cast<double>(entry.file_size());
    return sum;
  }

 private:
  std::filesystem::path path_;
};

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// One run of `count` displayed windows with their points, as a log with jitter gives them.
SourceCommit displayed(int network, std::int64_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(network));
  SourceCommit commit;
  commit.source.path = "/var/log/caffe/" + std::to_string(network) + ".log";
  Run run;
  run.framework = "caffe";
  run.network = "net" + std::to_string(network);
  run.architecture = "9c1d7a52";
  run.device = "Tesla K80";
  run.started_at = kStart;
  run.settings = {{"type", "SGD"}, {"max_iter", "100000"}, {"display", "100"}};
  run.train.batch_size = run.train.samples_per_iteration = 64;
  Instant at = kStart;
  for (std::int64_t n = 0; n < count; ++n) {
    Segment s;
    s.first_iteration = 100 * n;
    s.iterations = 100;
    s.samples_per_iteration = 64;
    s.duration = std::chrono::microseconds(5'000'000 + random() % 50'000);
    s.started_at = at;
    at += std::chrono::duration_cast<Instant::duration>(s.duration);
    run.train.iterations += s.iterations;
    run.train.duration += s.duration;
    ++run.train.segments;
    commit.records.segments.push_back({0, s});
    commit.records.points.push_back({0, {100 * n, at, static_cast<double>(random() % 10'000) / 1e4}});
  }
  commit.records.runs.push_back(run);
  return commit;
}

// Catching up with old logs: commits of 10,000 segments, each with its point.
void CommitInBulk(benchmark::State& state) {
  constexpr std::int64_t kSegments = 10'000;
  const SourceCommit commit = displayed(1, kSegments);
  TempDir dir;
  auto writer = must(Writer::open(dir.database()));
  for (auto _ : state) {
    std::vector<SourceCommit> commits{commit};
    must(writer->commit(commits, kStart));
  }
  state.SetItemsProcessed(state.iterations() * kSegments);
  writer.reset();
  state.counters["bytes/segment+point"] = dir.bytes() / static_cast<double>(state.iterations() * kSegments);
}
BENCHMARK(CommitInBulk)->Unit(benchmark::kMillisecond);

// What the list of changes costs those who write it.
enum class ChangeList : std::int64_t {
  none,  // a history without its triggers
  kept,  // as it is
  read,  // and an exporter looks into it after each commit
};

void drop_triggers(const std::string& path) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) throw std::runtime_error("no history");
  std::vector<std::string> names;
  const auto take = [](void* to, int, char** values, char**) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(values[0]);
    return 0;
  };
  sqlite3_exec(database, "SELECT name FROM sqlite_schema WHERE type = 'trigger'", take, &names, nullptr);
  for (const auto& name : names)
    sqlite3_exec(database, ("DROP TRIGGER " + name).c_str(), nullptr, nullptr, nullptr);
  sqlite3_close(database);
  if (names.empty()) throw std::runtime_error("a history without triggers");
}

// One line of one running log.
void CommitOfOneWindow(benchmark::State& state) {
  const auto list = static_cast<ChangeList>(state.range(0));
  TempDir dir;
  if (list == ChangeList::none) {
    must(Writer::open(dir.database()));
    drop_triggers(dir.database());
  }
  auto writer = must(Writer::open(dir.database()));
  std::vector<SourceCommit> commits{displayed(1, 300)};
  must(writer->commit(commits, kStart));
  const SourceCommit next = displayed(1, 1);
  commits[0].records.segments = next.records.segments;
  commits[0].records.points = next.records.points;
  std::int64_t up_to = 0;
  for (auto _ : state) {
    must(writer->commit(commits, kStart));
    if (list != ChangeList::read) continue;
    state.PauseTiming();  // the exporter's own time is not the writer's
    up_to = must(must(ChangeReader::open(dir.database()))->after(up_to, 200)).up_to;
    state.ResumeTiming();
  }
}
BENCHMARK(CommitOfOneWindow)
    ->Arg(static_cast<std::int64_t>(ChangeList::none))
    ->Arg(static_cast<std::int64_t>(ChangeList::kept))
    ->Arg(static_cast<std::int64_t>(ChangeList::read))
    ->Unit(benchmark::kMicrosecond);

// What a refit of everything reads: 1,000 models over 1,000,000 segments in 10,000 runs.
void ReadForRefit(benchmark::State& state) {
  TempDir dir;
  auto writer = must(Writer::open(dir.database()));
  for (int round = 0; round < 10; ++round) {
    std::vector<SourceCommit> commits;
    for (int network = 0; network < 1000; ++network) commits.push_back(displayed(network, 100));
    must(writer->commit(commits, kStart));
  }
  auto reader = must(Reader::open(dir.database()));
  for (auto _ : state) {
    std::int64_t generation = 0;
    std::size_t windows = 0;
    for (const auto& key : must(reader->changed_keys(0, generation))) {
      for (const auto& run : must(reader->run_data(key, 200, 64))) windows += run.windows.size();
    }
    benchmark::DoNotOptimize(windows);
  }
}
BENCHMARK(ReadForRefit)->Unit(benchmark::kMillisecond);

// A day of 8 GPUs x 10 metrics at 1 Hz, the times with a jitter of milliseconds.
class Day {
 public:
  Day() : writer_(must(Writer::open(dir_.database()))) {
    std::mt19937_64 random(3);
    SourceCommit source;
    source.source.path = "/var/log/nvidia-smi.csv";
    for (int second = 0; second < 86'400; ++second) {
      const Instant at = kStart + std::chrono::seconds(second) + std::chrono::milliseconds(random() % 5);
      for (int gpu = 0; gpu < 8; ++gpu) {
        for (int metric = 0; metric < 10; ++metric) {
          // Half of the metrics move by the second with two decimals, half are whole and slow.
          const double value = metric < 5 ? 200 + static_cast<double>(random() % 5000) / 100
                                          : 60 + (second / 40 + gpu + metric) % 20;
          source.records.add_sample(
              {"gpu.metric" + std::to_string(metric), "gpu=" + std::to_string(gpu), "W"}, at, value);
        }
      }
      if (second % 300 != 299) continue;
      std::vector<SourceCommit> commits{std::move(source)};
      must(writer_->commit(commits, at));
      must(writer_->maintain(at));
      source = std::move(commits.front());
      source.records.clear();
    }
    reader_ = must(Reader::open(dir_.database()));
  }
  Reader& reader() { return *reader_; }
  double bytes() {
    must(writer_->maintain(kStart + std::chrono::hours(25)));
    return dir_.bytes();
  }
  static Day& instance() {
    static Day day;
    return day;
  }

 private:
  TempDir dir_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Reader> reader_;
};

// All 80 series at steps of so many seconds.
void QueryOfADay(benchmark::State& state) {
  Day& day = Day::instance();
  const SeriesQuery query{
      {}, {}, kStart, kStart + std::chrono::hours(24), std::chrono::seconds(state.range(0))};
  std::size_t points = 0;
  for (auto _ : state) {
    points = 0;
    for (const auto& series : must(day.reader().series_points(query))) points += series.points.size();
  }
  state.counters["points"] = static_cast<double>(points);
}
BENCHMARK(QueryOfADay)->Arg(60)->Arg(3600)->Unit(benchmark::kMillisecond);

// What the day weighs, roll-ups and indexes included.
void WeightOfADay(benchmark::State& state) {
  double bytes = 0;
  for (auto _ : state) benchmark::DoNotOptimize(bytes = Day::instance().bytes());
  state.counters["bytes/sample"] = bytes / (86'400.0 * 80);
}
BENCHMARK(WeightOfADay)->Iterations(1);

void TakeSamplesIn(benchmark::State& state) {
  TempDir dir;
  auto writer = must(Writer::open(dir.database()));
  std::vector<SourceCommit> commits(1);
  for (int i = 0; i < 8000; ++i) {
    commits[0].records.add_sample({"gpu.power", "gpu=" + std::to_string(i % 80), "W"},
                                  kStart + std::chrono::seconds(i / 80), 100.0 + i % 7);
  }
  for (auto _ : state) must(writer->commit(commits, kStart));
  state.SetItemsProcessed(state.iterations() * 8000);
}
BENCHMARK(TakeSamplesIn)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace etad
