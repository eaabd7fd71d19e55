// A follower over a fake file system with a history of its own: what a test commits stays, as in the
// database, when the follower is thrown away and made anew.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/follow/follower.h"
#include "tests/follow/fake_filesystem.h"

namespace etad::follow {

// The log that most tests follow, what it is called once it is rotated, and one beside it.
inline constexpr const char* kLog = "/logs/train.log";
inline constexpr const char* kRotated = "/logs/train.log.1";
inline constexpr const char* kOther = "/logs/other.log";

inline std::vector<Watch> watching(const std::string& pattern) {
  return {{pattern, 0, false}};
}

// "line FROM" to "line TO - 1"; and lines as a file has them.
inline std::vector<std::string> numbered(int from, int to) {
  std::vector<std::string> out;
  for (int i = from; i < to; ++i) out.push_back("line " + std::to_string(i));
  return out;
}

inline std::string text_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

class Harness {
 public:
  explicit Harness(std::vector<Watch> watches, Options options = {})
      : watches_(std::move(watches)), options_(options) {
    start();
  }

  // A follower that has forgotten everything but what was committed. Nothing in it survives.
  void restart() {
    stop();
    start();
  }
  void restart_watching(std::vector<Watch> watches) {
    watches_ = std::move(watches);
    restart();
  }
  void stop() { follower.reset(); }
  void start() {
    follower = std::make_unique<Follower>(files, with_hints ? &hints : nullptr, watches_, options_);
    std::vector<Position> known;
    for (const auto& [path, position] : positions) known.push_back(position);
    follower->restore(std::move(known), {finished.begin(), finished.end()});
  }

  // Polls, a long time after the last poll, until nothing more comes; commits everything.
  void poll(std::chrono::milliseconds later = std::chrono::seconds(11)) {
    now += later;
    for (int i = 0; i < 10'000; ++i) {
      std::vector<Batch> batches = follower->poll(now, wall, budget);
      if (batches.empty() && follower->next_due(now) > now) return;
      for (const Batch& batch : batches) commit(batch);
      if (batches.empty()) now += std::chrono::milliseconds(1);
    }
  }

  // One look, a while after the last; for what is put off as long as a file is being put there.
  void look_once() {
    now += std::chrono::seconds(11);
    for (const Batch& batch : follower->poll(now, wall, budget)) commit(batch);
  }

  // One poll whose batches are lost, as by a failing commit.
  std::vector<Batch> poll_and_fail() {
    now += std::chrono::seconds(11);
    std::vector<Batch> batches = follower->poll(now, wall, budget);
    std::set<StreamId> streams;
    for (const Batch& batch : batches) streams.insert(batch.stream);
    for (const StreamId stream : streams) follower->rewind(stream);
    return batches;
  }

  void commit(const Batch& batch) {
    for (const Line& line : batch.lines) {
      lines.emplace_back(line.text);
      lines_of[batch.path].emplace_back(line.text);
      times.push_back(line.time);
    }
    positions[batch.path] = batch.after;
    if (!batch.finished.empty()) finished.insert(batch.finished);
    truncated += batch.truncated_lines;
    skipped += batch.skipped_bytes;
    lost += batch.lost_bytes;
    if (batch.error_changed) errors.push_back(batch.error);
    restarts += batch.restarted ? 1 : 0;
    ended += batch.ended ? 1 : 0;
    caught_up = batch.caught_up;
    state[batch.path] = batch.state;
    follower->committed(batch);
  }

  // While the daemon is down, the log that it has begun to read grows, is rotated, and begins anew.
  void rotate_while_down() {
    files.write(kLog, "one\n");
    poll();
    stop();
    files.write(kLog, "two\n");
    files.rename(kLog, kRotated);
    files.write(kLog, "three\n");
    start();
  }

  std::string text_of(const std::string& path) const {
    for (const Status& status : follower->statuses())
      if (status.path == path) return status.text;
    return "not followed";
  }

  FakeFileSystem files;
  FakeHints hints;
  bool with_hints = false;
  std::unique_ptr<Follower> follower;
  SteadyTime now{std::chrono::hours(100'000)};  // a machine long up
  Instant wall{std::chrono::seconds(1'790'000'000)};
  std::size_t budget = 64 * 1024 * 1024;

  // The history.
  std::map<std::string, Position> positions;
  std::set<std::string> finished;
  std::vector<std::string> lines;
  std::map<std::string, std::vector<std::string>> lines_of;
  std::vector<std::optional<Instant>> times;
  std::int64_t truncated = 0, skipped = 0, lost = 0;
  std::vector<std::string> errors;
  int restarts = 0, ended = 0;
  bool caught_up = false;
  std::map<std::string, State> state;

 private:
  std::vector<Watch> watches_;
  Options options_;
};

// Lives on and on, each time with another one of the calls of a kind failing that a life makes. `live` says how many
// it made.
inline void with_each_call_failing(const std::function<int(const std::string& call, int n)>& live) {
  for (const char* call : {"open", "read", "status", "fstat", "list", "resolve"}) {
    int made = 1;
    for (int n = 1; n <= made; ++n) made = live(call, n);
  }
}

}  // namespace etad::follow
