// From files to the history: takes the follower's batches, has each stream's parser make records of the
// lines, and commits records, positions and parser states of all streams that moved in one transaction.
//
// Exactly once rests on this: what a batch gave and the position behind it become durable together. When a
// commit fails, parsers and positions go back to what the history holds, and the bytes are read again.
//
// One thread drives an Ingest; times are given to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/follow/follower.h"
#include "daemon/log_parser.h"
#include "daemon/shared_writer.h"
#include "parsers/path_pattern.h"
#include "storage/history.h"

namespace etad {

// A [[source]] of the configuration, ready for use; its index is the follower's tag.
struct SourceRule {
  std::string format = "auto";
  std::map<std::string, std::string> labels;
  PathPattern path_pattern;
};

struct IngestOptions {
  std::shared_ptr<const FormatSet> formats;
  std::vector<SourceRule> sources;
  std::string host;
  ZoneOffset zone = utc_offset;
  std::chrono::seconds lost_after{3600};  // a still log's open run is lost
  std::size_t budget = 4 * 1024 * 1024;   // most bytes read for one commit
};

// What a tick did, and what the daemon's health says of ingesting.
struct IngestCounters {
  std::int64_t bytes = 0, lines = 0, matched = 0, unmatched = 0, truncated = 0, rejected = 0;
  std::int64_t skipped_bytes = 0, lost_bytes = 0;
  std::int64_t commits = 0, failed_commits = 0;
  std::int64_t segments = 0, samples = 0;
};

class Ingest {
 public:
  Ingest(IngestOptions options, SharedWriter& writer, follow::Follower& follower);
  ~Ingest();

  // Takes up where the history stands. Before the first tick. Sources whose saved state can't be used are
  // told to `notice` and go on without it.
  Result<void> restore(const std::function<void(const Error&)>& notice);

  // Reads what is due and commits it. False: there was nothing to do. An error: the commit failed, nothing
  // is lost, and `retry_at` says when the next try is due.
  Result<bool> tick(follow::SteadyTime now, Instant wall);

  follow::SteadyTime next_due(follow::SteadyTime now) const;
  const IngestCounters& counters() const { return counters_; }
  std::optional<Instant> last_commit() const { return last_commit_; }

 private:
  struct Source;

  Source& source_of(follow::StreamId stream, std::size_t tag, const std::string& path);
  LogOptions log_options(std::size_t tag, const std::string& path) const;
  void take(Source& source, const follow::Batch& batch, Instant wall);
  void touch(Source& source);
  void close_still_runs(Instant wall);
  Result<bool> commit(const std::vector<follow::Batch>& batches, follow::SteadyTime now, Instant wall);
  void accept(std::vector<SourceCommit>& commits);
  void roll_back();

  IngestOptions options_;
  SharedWriter& writer_;
  follow::Follower& follower_;
  std::map<follow::StreamId, std::unique_ptr<Source>> streams_;
  std::vector<Source*> moved_;              // what the next commit is about
  std::map<std::string, SourceRow> known_;  // by path: what the history held at the start
  IngestCounters counters_;
  std::optional<Instant> last_commit_;
  follow::SteadyTime retry_at_{};
  std::chrono::milliseconds retry_pause_{0};
  Instant next_still_look_{};
};

}  // namespace etad
