#include "bench/replay/log_runs.h"

#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>

#include "parsers/lines/line.h"
#include "parsers/log/log_parser.h"
#include "prediction/plan.h"

namespace etad::replay {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;

Result<std::string> read_whole(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"),
                                                        gzclose);  // plain files too
  if (!file) return fail("can't open " + path, "");
  std::string text;
  std::vector<char> block(1 << 20);
  for (;;) {
    const int n = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()));
    if (n < 0) return fail("can't read " + path, "is it a damaged .gz?");
    if (n == 0) break;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
  text += '\n';
  return text;
}

Instant modified(const std::string& path) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(path, error);
  if (error) return std::chrono::time_point_cast<Instant::duration>(std::chrono::system_clock::now());
  return std::chrono::time_point_cast<Instant::duration>(std::chrono::file_clock::to_sys(time));
}

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// Collects the tracker's records of all runs of one log as they come.
class Recorder {
 public:
  explicit Recorder(std::string file) : file_(std::move(file)) {}

  void take(const Records& records) {
    if (records.withdrawn) runs_.erase(runs_.lower_bound(*records.withdrawn), runs_.end());
    for (const Run& run : records.runs) runs_[run.ordinal].run = run;
    for (const auto& [run, segment] : records.segments) {
      ReplayRun& replay = runs_[run];
      replay.intervals.push_back(prediction::interval_of(segment));
      replay.segments.push_back(segment);
    }
    for (const auto& [run, layers] : records.layers) runs_[run].layers = layers;
    for (const auto& [run, point] : records.points) {
      if (!point.at || point.snapshot) continue;
      ReplayRun& replay = runs_[run];
      if (replay.moments.empty()) {
        begin_[run] = *point.at;
        replay.first_iteration = as_double(point.iteration);
      }
      replay.moments.push_back({to_seconds(*point.at - begin_[run]), as_double(point.iteration),
                                intervals_at(replay, point), as_double(replay.run.snapshots),
                                to_seconds(replay.run.snapshot_time), as_double(replay.run.stalls)});
    }
    // What came with the last point, or behind it, was known then.
    for (const auto& [run, point] : records.points)
      if (ReplayRun& replay = runs_[run]; !replay.moments.empty())
        replay.moments.back().intervals = replay.intervals.size();
  }

  std::vector<ReplayRun> training_runs() && {
    std::vector<ReplayRun> out;
    for (auto& [ordinal, run] : runs_) {
      if (run.run.job != Job::train || (run.moments.empty() && run.segments.empty())) continue;
      run.file = file_;
      out.push_back(std::move(run));
    }
    return out;
  }

 private:
  // How many of the run's intervals were over there. What lies before a format is known is read at once when it is, and
  // comes together.
  static std::size_t intervals_at(const ReplayRun& replay, const ProgressPoint& point) {
    const auto was_over = [&point](const Segment& segment) {
      const std::int64_t since = segment.first_iteration;
      return segment.phase == Phase::test ? since < point.iteration
                                          : since + segment.iterations <= point.iteration;
    };
    std::size_t over = replay.moments.empty() ? 0 : replay.moments.back().intervals;
    while (over < replay.segments.size() && was_over(replay.segments[over])) ++over;
    return over;
  }

  std::string file_;
  std::map<std::int64_t, ReplayRun> runs_;
  std::map<std::int64_t, Instant> begin_;
};

}  // namespace

tl::expected<FormatSet, std::vector<Error>> load_formats(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  if (paths.empty())
    return tl::unexpected(
        std::vector<Error>{Error{folder, "no rule files here", "name their folder with --rules"}});
  std::sort(paths.begin(), paths.end());
  std::vector<std::shared_ptr<const Format>> formats;
  std::vector<Error> errors;
  for (const auto& path : paths) {
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    auto format = Format::load(path.string(), text);
    if (format)
      formats.push_back(std::move(*format));
    else
      errors.insert(errors.end(), format.error().begin(), format.error().end());
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return FormatSet::make(std::move(formats));
}

Result<std::vector<ReplayRun>> read_runs(const FormatSet& formats, const std::string& path) {
  auto text = read_whole(path);
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string_view> lines;
  LineLosses losses;
  clean_lines(std::span(*text), kLongestLine, lines, losses);

  LogOptions options;
  options.formats = &formats;
  LogParser parser(std::move(options));
  const Instant written = modified(path);
  Recorder recorder(std::filesystem::path(path).filename().string());
  Records records;
  const auto drain = [&] {
    recorder.take(records);
    records.clear();
  };
  for (const std::string_view line : lines) {
    parser.feed(line, std::nullopt, written, records);
    // A generic format is chosen as records are handed on, which the daemon does with each look at a log.
    if (records.points.empty() && !parser.format().empty()) continue;
    parser.flush(records);  // with each displayed iteration: what the snapshots cost so far
    drain();
  }
  parser.settle(records);
  parser.close(records);
  parser.flush(records);
  drain();
  if (parser.format().empty())
    return fail(path + " is of no known format", "which ones there are say the rule files");
  return std::move(recorder).training_runs();
}

}  // namespace etad::replay
