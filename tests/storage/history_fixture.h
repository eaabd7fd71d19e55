// A history in a temporary folder, and short ways to say what a source adds to it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/history.h"
#include "tests/storage/temp_dir.h"

namespace etad {

inline bool operator==(const Segment& a, const Segment& b) {
  return a.phase == b.phase && a.first_iteration == b.first_iteration && a.iterations == b.iterations &&
         a.samples_per_iteration == b.samples_per_iteration && a.duration == b.duration &&
         a.started_at == b.started_at;
}

}  // namespace etad

namespace etad::test {

inline constexpr Instant kNow{std::chrono::seconds(1'700'000'000)};

inline Instant after(double seconds) {
  return kNow + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
}

// Fails the test with the error's text.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

inline Run lenet(std::int64_t ordinal = 0) {
  Run run;
  run.ordinal = ordinal;
  run.framework = "caffe";
  run.network = "LeNet";
  run.architecture = "9c1d7a52";
  run.host = "gpu1";
  run.device = "Tesla K80";
  run.devices = 1;
  run.started_at = kNow;
  run.settings = {{"type", "SGD"}, {"max_iter", "10000"}};
  run.train.batch_size = 64;
  run.train.samples_per_iteration = 64;
  return run;
}

// The n-th displayed window of 100 iterations, and what it does to the run's sums.
inline Segment window(Run& run, std::int64_t n, Phase phase = Phase::train, std::int64_t samples = 64) {
  Segment s;
  s.phase = phase;
  s.first_iteration = 100 * n;
  s.iterations = 100;
  s.samples_per_iteration = samples;
  s.duration = std::chrono::microseconds(5'000'000 + 1'000 * (n % 17));
  s.started_at = after(5.01 * static_cast<double>(n));
  PhaseSummary& sum = phase == Phase::train ? run.train : run.test;
  sum.iterations += s.iterations;
  sum.duration += s.duration;
  ++sum.segments;
  return s;
}

// A source with one run of `windows` windows, each with a point.
inline SourceCommit source_with_run(const std::string& path, std::int64_t windows, Run run = lenet()) {
  SourceCommit commit;
  commit.source.path = path;
  commit.source.format = "caffe";
  commit.source.offset = 1000;
  commit.source.state = std::string("state\0with a NUL", 16);
  for (std::int64_t n = 0; n < windows; ++n) {
    commit.records.segments.push_back({run.ordinal, window(run, n)});
    commit.records.points.push_back({run.ordinal, {100 * n, after(5.01 * static_cast<double>(n)), 0.5}});
  }
  commit.records.runs.push_back(run);
  return commit;
}

class HistoryTest : public ::testing::Test {
 protected:
  std::string path() const { return dir_.file("history.db"); }
  Writer& writer() {
    if (!writer_) writer_ = must(Writer::open(path(), options_));
    return *writer_;
  }
  ModelReader& reader() {
    writer();
    if (!reader_) reader_ = must(ModelReader::open(path()));
    return *reader_;
  }
  void close() {
    reader_.reset();
    writer_.reset();
  }
  // Commits one source; the ids are filled in.
  void commit(SourceCommit& source, Instant now = kNow) {
    std::vector<SourceCommit> all{source};
    must(writer().commit(all, now));
    source.source.id = all.front().source.id;
  }
  SourceCommit commit(SourceCommit&& source) {
    commit(source);
    return std::move(source);
  }

  TempDir dir_;
  StorageOptions options_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<ModelReader> reader_;
};

}  // namespace etad::test
