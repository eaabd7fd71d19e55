// From files to the history: takes the follower's batches, has each stream's parser make records of the
// lines, and commits records, positions and parser states of all streams that moved in one transaction.
//
// Exactly once rests on this: what a batch gave and the position behind it become durable together. When a
// commit fails, parsers and positions go back to what the history holds, and the bytes are read again.
//
// A source's row and parser are in memory only while its file moves (ingested_source.h); at rest the history alone
// has them, so that a source costs little more than its name.
//
// One thread drives an Ingest; times are given to it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/follow/follower.h"
#include "daemon/ingested_source.h"
#include "daemon/rules_look.h"
#include "daemon/shared_writer.h"
#include "parsers/log/log_parser.h"
#include "parsers/rules/path_pattern.h"
#include "storage/history.h"

namespace etad {

// A [[source]] of the configuration, ready for use; its index is the follower's tag.
struct SourceRule {
  std::string format = "auto";
  std::map<std::string, std::string> labels;
  PathPattern path_pattern;
  std::vector<std::string> columns{};  // of a trace without a header
};

struct IngestOptions {
  std::shared_ptr<const FormatSet> formats;
  std::vector<SourceRule> sources;
  std::string host;
  ZoneOffset zone = utc_offset;
  // A still log's open run is lost then; one that has done its plan is over after a twelfth of it.
  std::chrono::seconds lost_after{3600};
  std::size_t budget = 4 * 1024 * 1024;  // most bytes read for one commit
  // What the thread has spent of a core, asked after each thousand lines: whoever is asked knows us alive. None: what is
  // read for one commit may take any time; else about so much.
  std::function<std::chrono::nanoseconds()> spent{};
  std::chrono::milliseconds most_spent{200};
  std::chrono::seconds rest_after{30};  // a source at rest for so long is left to the history
  std::size_t most_awake = 1024;        // and the one at rest the longest where more that grow are in memory
  std::size_t most_caught_up = 64;      // or more that have not grown since: most logs never move again
  std::size_t most_state_bytes =
      16 << 20;  // of the parsers in memory: beyond, those with the longest states rest
  std::chrono::hours forget_after{24};  // a source whose file is gone for so long is forgotten
  bool tell_begun_runs = false;         // keep them for take_begun_runs()
  follow::FileSystem* files = nullptr;  // where files beside a log are looked for; none: nowhere
  bool pending =
      false;  // all is read from its beginning into pending sources, beside what the history holds of it
};

// A run that has not ended in a file that was read to its end, so that a process probably still writes it.
struct BegunRun {
  std::string path;
  std::int64_t source_id = 0, ordinal = 0;
};

class Ingest {
 public:
  Ingest(IngestOptions options, SharedWriter& writer, follow::Follower& follower);
  ~Ingest();

  // Takes up where the history stands. Before the first tick.
  Result<void> restore(Instant wall);

  // Reads what is due and commits it. False: there was nothing to do. An error: the commit failed, nothing
  // is lost, and `retry_at` says when the next try is due.
  Result<bool> tick(follow::SteadyTime now, Instant wall);

  follow::SteadyTime next_due(follow::SteadyTime now) const;

  // Whether the last tick read what was there before anybody looked, and not only what was seen to come.
  bool is_catching_up() const { return catching_up_; }

  // Whether a commit failed and the next try is not due yet.
  bool is_retrying(follow::SteadyTime now) const { return now < retry_at_; }

  RulesLook& rules_look() { return rules_look_; }

  // The history's id of what is read under that path; 0: nothing was committed yet.
  std::int64_t source_id(const std::string& path) const;

  // Sources whose saved state could not be used, each told once.
  std::vector<Error> take_notices() { return std::exchange(notices_, {}); }
  // Files that the history has as followed, and that no pattern finds any more.
  std::vector<std::string> take_unwatched() { return std::exchange(unwatched_, {}); }
  // The runs that began, or were first seen, since the last call.
  std::vector<BegunRun> take_begun_runs() { return std::exchange(begun_, {}); }
  // When anything was read last that the history had at the start; the epoch where it had nothing.
  Instant last_read() const { return last_read_; }
  const IngestCounters& counters() const { return counters_; }
  std::optional<Instant> last_commit() const { return last_commit_; }

 private:
  IngestedSource& remember(const SourceRow& row);
  tl::expected<std::optional<follow::Position>, int> recall(const std::string& path);
  tl::expected<std::vector<std::string>, int> imports(const std::string& head);
  tl::expected<bool, int> go_on(const std::string& path, const std::string& identity,
                                std::optional<std::int64_t> owner, const std::string& imported);
  Result<std::optional<SourceRow>> take_import(Writer& writer, IngestedSource* before,
                                               const std::string& path, const std::string& identity,
                                               std::optional<std::int64_t> owner,
                                               const std::string& imported) const;
  Result<IngestedSource*> source_of(const follow::Batch& batch);
  void prepare(SourceRow& row, const std::string& path) const;
  Result<void> part_from_others(IngestedSource& source, const follow::Batch& batch);
  Result<AwakeSource*> wake(IngestedSource& source);
  Result<std::optional<std::string>> state_behind(const IngestedSource& source, const follow::Batch& batch);
  Result<void> understand_as_before(IngestedSource& source, const follow::Batch& batch);
  LogOptions log_options(const IngestedSource& source) const;
  Result<void> parse(const follow::Batch& batch, Instant wall);
  void note_activity(IngestedSource& source, Instant modified, Instant wall) const;
  void touch(IngestedSource& source);
  bool is_over(const IngestedSource& source) const;
  Result<void> close_still_runs();
  std::chrono::nanoseconds spent() const {
    return options_.spent ? options_.spent() : std::chrono::nanoseconds{};
  }
  Result<void> read_what_is_due(std::vector<follow::Batch>& taken);
  Result<void> parse(std::vector<follow::Batch>& batches);
  Result<bool> commit(std::span<const follow::Batch> batches);
  void note_begun(IngestedSource& source);
  void accept(const std::vector<SourceCommit>& commits);
  void give_back(std::span<const follow::Batch> batches);
  void put_to_rest();
  void put_longest_to_rest();
  static void put_to_rest(std::span<IngestedSource*> awake, std::size_t most);
  void forget_gone();

  IngestOptions options_;
  SharedWriter& writer_;
  follow::Follower& follower_;
  RulesLook rules_look_;
  std::unique_ptr<ShapeMemory> shapes_;  // of all logs' lines
  boost::unordered_flat_map<std::string_view, std::unique_ptr<IngestedSource>, std::hash<std::string_view>>
      sources_;  // by path; the names are theirs
  std::vector<IngestedSource*> awake_;
  std::vector<IngestedSource*> moved_;  // what the next commit is about
  // And what ends with it: what a source was before another user's file took its place.
  std::vector<std::pair<IngestedSource*, std::unique_ptr<AwakeSource>>> ended_;
  // Paths by where their sources stood when first asked for in this tick.
  std::optional<std::multimap<std::int64_t, std::string>> by_offset_;
  std::vector<Error> notices_;
  std::vector<std::string> unwatched_;
  std::vector<BegunRun> begun_;
  Instant last_read_{};
  IngestCounters counters_;
  std::optional<Instant> last_commit_;
  follow::SteadyTime retry_at_{};
  std::chrono::milliseconds retry_pause_{0};
  follow::SteadyTime now_{};  // of the tick
  Instant wall_{};            // likewise
  follow::SteadyTime next_still_look_{};
  bool catching_up_ = false;
  std::int64_t sample_rows_ = 0;  // that the next commit would write
};

}  // namespace etad
