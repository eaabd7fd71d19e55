// What the service's tests stand on: a daemon that is a puppet, and a history of a few runs.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/service/backend.h"
#include "daemon/service/router.h"
#include "storage/history.h"

namespace etad::service::testing {

namespace json = boost::json;
using prediction::FittedModel;
using prediction::ModelSet;
using prediction::RefitReport;

inline constexpr Instant kNow{std::chrono::seconds{1'795'262'400}};  // 2026-11-21T12:00:00Z

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "etad-service-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// t = c0 + n*(c1 + c2*B), as if fitted from seven runs of the given batch sizes.
inline FittedModel fitted(std::int64_t id, std::string network, Phase phase, double c0, double c1, double c2,
                          regression::Range batch_sizes = {16, 64}) {
  FittedModel out;
  out.id = id;
  out.key.network = std::move(network);
  out.key.architecture = "9c1d7a52";
  out.key.framework = "caffe";
  out.key.host = "gpu1";
  out.key.device = "Tesla K80";
  out.key.phase = phase;
  out.fitted_at = kNow - std::chrono::hours{1};
  auto& m = out.model;
  m.basis = "c0 + n*(c1 + c2*B)";
  m.coefficients = {{"c0", c0, 0.01}, {"c1", c1, 0.001}, {"c2", c2, 0.0001}};
  m.covariance.assign(9, 0);
  m.noise = 0.02;
  m.runs = 7;
  m.windows = 140;
  m.error_percent = 1.4;
  m.coverage = 0.9;
  m.samples = batch_sizes;
  m.iterations = {100, 10'000};
  m.rivals = {{m.basis, 1.4, 0.2, 3}, {"b0 + b1*n + b2*B", 23, 4, 3}};
  for (int i = 1; i <= 20; ++i) m.scores.push_back(0.1 * i);
  return out;
}

inline std::shared_ptr<prediction::Models> held(std::vector<FittedModel> models) {
  return std::make_shared<prediction::HeldModels>(std::move(models));
}

class FakeImport : public ImportSession {
 public:
  explicit FakeImport(std::string& content, bool& finished) : content_(content), finished_(finished) {}
  Result<void> feed(std::string_view bytes) override {
    content_ += bytes;
    if (content_.find("poison") != std::string::npos) return fail("a line can't be taken", "take it out");
    return {};
  }
  Result<ImportReport> finish() override {
    finished_ = true;
    ImportReport report;
    report.lines = std::count(content_.begin(), content_.end(), '\n');
    report.format = "caffe";
    return report;
  }

 private:
  std::string& content_;
  bool& finished_;
};

class FakeBackend : public Backend {
 public:
  std::shared_ptr<const ModelSet> models() override { return model_set; }
  std::shared_ptr<const FormatSet> formats() override { return format_set; }
  Health health() override { return health_; }
  std::map<std::string, std::string> source_statuses() override { return statuses; }
  Result<std::unique_ptr<Reader>> reader() override {
    if (!open_reader) return fail("this test has no reader for workers");
    return open_reader();
  }
  Result<std::vector<NetworkRow>> networks(const NetworkFilter& filter) override {
    if (list_networks) return list_networks();
    return of_networks != nullptr ? of_networks->networks(filter) : fail("this test has no networks");
  }
  std::function<std::vector<NetworkRow>()> list_networks;  // in place of the reader
  Result<RefitReport> refit() override { return RefitReport{3, 2, 1, 0.25}; }
  Result<std::vector<std::string>> reload() override {
    if (broken_config) return fail("unknown key \"socke\"", "did you mean \"socket\"?", "etad.toml:3");
    return std::vector<std::string>{"[alerts]"};
  }
  Result<void> label(std::int64_t run_id, const std::map<std::string, std::string>& labels) override {
    labelled[run_id] = labels;
    return {};
  }
  Result<void> reread(std::int64_t source_id) override {
    if (is_import) return fail("its content is needed");
    put_right.push_back("reread source " + std::to_string(source_id));
    return {};
  }
  Result<void> forget_source(std::int64_t source_id) override {
    put_right.push_back("forget source " + std::to_string(source_id));
    return {};
  }
  Result<void> forget_run(std::int64_t run_id) override {
    put_right.push_back("forget run " + std::to_string(run_id));
    return {};
  }
  Result<Forgotten> forget_owner(std::int64_t uid) override {
    put_right.push_back("forget user " + std::to_string(uid));
    if (uid == 4711) return fail(ErrorKind::not_found, "the history has nothing of user 4711");
    return Forgotten{3, 2};
  }
  Result<std::string> backup() override {
    if (backup_file.empty()) return fail(ErrorKind::exhausted, "no space left on device");
    return backup_file;
  }
  Result<std::unique_ptr<ImportSession>> begin_import(const ImportRequest& request) override {
    import_request = request;
    if (request.format == "unheard-of") return fail("there is no format \"unheard-of\"");
    return std::make_unique<FakeImport>(content, finished);
  }

  std::shared_ptr<const ModelSet> model_set = std::make_shared<ModelSet>();
  std::shared_ptr<const FormatSet> format_set = std::make_shared<FormatSet>();
  Health health_;
  Reader* of_networks = nullptr;
  std::function<std::unique_ptr<Reader>()> open_reader;
  std::map<std::string, std::string> statuses;
  bool broken_config = false, is_import = false;
  std::vector<std::string> put_right;
  std::string backup_file;
  std::map<std::int64_t, std::map<std::string, std::string>> labelled;
  ImportRequest import_request;
  std::string content;
  bool finished = false;
};

inline Segment segment(Phase phase, std::int64_t first, std::int64_t n, double seconds, Instant at) {
  Segment out;
  out.phase = phase;
  out.first_iteration = first;
  out.iterations = n;
  out.samples_per_iteration = phase == Phase::train ? 64 : 100;
  out.duration = from_seconds(seconds);
  out.started_at = at;
  return out;
}

inline Run lenet(std::int64_t ordinal, RunState state, Instant begun) {
  Run run;
  run.ordinal = ordinal;
  run.state = state;
  run.framework = "caffe";
  run.network = "LeNet";
  run.architecture = "9c1d7a52";
  run.host = "gpu1";
  run.device = "Tesla K80";
  run.started_at = begun;
  run.ended_at = begun + std::chrono::seconds{60};
  run.settings = {{"max_iter", "1000"}, {"test_interval", "500"}, {"test_iter", "10"}, {"type", "SGD"}};
  run.train.batch_size = run.train.samples_per_iteration = 64;
  run.test.batch_size = run.test.samples_per_iteration = 100;
  run.iteration = state == RunState::running ? 200 : 1000;
  run.max_iterations = 1000;
  return run;
}

// Three runs of LeNet in one log: finished, failed, running; the phase sums follow from the segments.
class History {
 public:
  History() {
    auto writer = Writer::open(dir_.file("history.db"));
    if (!writer) throw std::runtime_error(writer.error().text());
    writer_ = std::move(*writer);
    SourceCommit commit;
    commit.source.path = "/var/log/caffe/lenet.log";
    commit.source.format = "caffe";
    commit.source.offset = commit.source.size = 4096;
    commit.source.lines = 100;
    commit.source.matched = 90;
    commit.source.unmatched = 10;
    Records& records = commit.records;
    for (std::int64_t i = 0; i < 3; ++i) {
      const Instant begun = kNow - std::chrono::hours{3 - i};
      Run run = lenet(i, i == 0 ? RunState::finished : i == 1 ? RunState::failed : RunState::running, begun);
      if (i == 1) run.message = "Check failed: error == cudaSuccess (2 vs. 0)  out of memory";
      const std::int64_t windows = i == 2 ? 2 : 10;
      for (std::int64_t w = 0; w < windows; ++w) {
        const Segment each = segment(Phase::train, w * 100, 100, 5.0, begun + std::chrono::seconds{5 * w});
        records.segments.push_back({i, each});
        records.points.push_back({i, {w * 100, each.started_at, 2.0 / static_cast<double>(w + 1)}});
        run.train.iterations += each.iterations;
        run.train.duration += each.duration;
        ++run.train.segments;
      }
      const Segment test = segment(Phase::test, 0, 10, 0.5, begun);
      records.segments.push_back({i, test});
      run.test.iterations = 10;
      run.test.duration = test.duration;
      run.test.segments = 1;
      records.runs.push_back(run);
    }
    commits_.push_back(std::move(commit));
    commit_all();
  }

  void commit_all() {
    if (auto done = writer_->commit(commits_, kNow); !done) throw std::runtime_error(done.error().text());
    for (auto& each : commits_) each.records.clear();
  }

  // The running run is at `iteration` now.
  void go_on(std::int64_t iteration) {
    Run run =
        lenet(2, iteration < 1000 ? RunState::running : RunState::finished, kNow - std::chrono::hours{1});
    run.iteration = iteration;
    commits_.front().records.runs.push_back(run);
    commit_all();
  }

  // Another run begins, which nobody has told of yet.
  void begin(std::int64_t ordinal) {
    commits_.front().records.runs.push_back(lenet(ordinal, RunState::running, kNow));
    commit_all();
  }

  // The running run wrote a snapshot.
  void save(std::int64_t iteration, Instant at) {
    commits_.front().records.points.push_back(
        {2, {iteration, at, std::numeric_limits<double>::quiet_NaN(), true}});
    commit_all();
  }

  std::unique_ptr<Reader> reader() {
    auto out = Reader::open(dir_.file("history.db"));
    if (!out) throw std::runtime_error(out.error().text());
    return std::move(*out);
  }
  Writer& writer() { return *writer_; }
  const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
  std::unique_ptr<Writer> writer_;
  std::vector<SourceCommit> commits_;
};

}  // namespace etad::service::testing
