// The thread that follows, parses and commits. Restartable in place: a reload stops it and starts it anew
// from what the history holds, exactly as a restart of the daemon would.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon/command_line.h"
#include "daemon/command_line_reader.h"
#include "daemon/config.h"
#include "daemon/follow/follower.h"
#include "daemon/ingest.h"
#include "daemon/lasting_clock.h"
#include "daemon/shared_writer.h"
#include "daemon/source_warnings.h"
#include "parsers/rules/format.h"
#include "threads/mutex.h"

namespace etad {

// What the thread is about; all of it comes from the configuration and the rule files.
struct IngestSetup {
  std::shared_ptr<const FormatSet> formats;
  std::vector<follow::Watch> watches;
  std::vector<SourceRule> sources;
  follow::Options follow;
  std::string database;  // the history's: never followed
  std::string host;
  std::chrono::seconds lost_after{3600};
  CommandLinePatterns command_line;
};

// The setup a configuration asks for; a path_pattern that is no pattern is an error.
Result<IngestSetup> ingest_setup(const Config& config, std::shared_ptr<const FormatSet> formats);

// What of it every reading of a source goes by, by the machine's time zone.
IngestOptions ingest_options(const IngestSetup& setup);

// How the thread is doing: counters, last commit and failure as of its last round, the rest as of at most two seconds ago
// while something happens, and of at most a minute ago while nothing does.
struct IngestStatus {
  IngestStatus()
      : streams(std::make_shared<const std::vector<follow::Status>>()),
        lookup(std::make_shared<const follow::Lookup>()),
        unwatched(std::make_shared<const std::vector<std::string>>()) {}

  bool looking = true;  // the patterns have not been looked up yet
  IngestCounters counters;
  std::optional<Instant> last_commit;
  std::size_t followed = 0;                                    // streams
  std::shared_ptr<const std::vector<follow::Status>> streams;  // but those at rest; never null
  std::shared_ptr<const follow::Lookup> lookup;                // never null
  std::shared_ptr<const std::vector<std::string>> unwatched;   // paths that no pattern finds now; never null
  std::int64_t lag_bytes = 0;
  std::optional<follow::SteadyTime>
      behind_since;              // when the oldest uncommitted byte was seen; none: caught up
  std::optional<Error> failure;  // of the last commit or step of maintenance, if it failed
};

class IngestThread {
 public:
  // `committed` is called on the thread after each commit. `command_lines`: nullptr: none are read.
  IngestThread(SharedWriter& writer, std::function<void()> committed,
               CommandLineReader* command_lines = nullptr);
  ~IngestThread();

  Result<void> start(IngestSetup setup);
  // Goes on with `next`; where that can't be started, as before, and says so.
  Result<void> restart(IngestSetup next);
  void stop();  // commits what it has in hand; may be started again

  bool is_running() const { return thread_.joinable(); }
  IngestStatus status() const EXCLUDES(mutex_);
  follow::SteadyTime last_beat() const;  // when the thread last told that it gets on

 private:
  struct Work;

  Result<std::unique_ptr<Work>> make_work() const;
  void let_go_of_work();
  void loop(const std::stop_token& stop);
  void round(Work& work);
  void recover(const std::stop_token& stop, std::string_view why);
  void begin_anew(const std::stop_token& stop);
  bool read_command_lines(Work& work, follow::SteadyTime now);
  void publish(Work& work, follow::SteadyTime now);
  std::optional<Error> failure() const;
  void tell_clock(follow::SteadyTime now, Instant wall);
  void tell_outcome(const std::optional<Error>& failure) EXCLUDES(mutex_);
  void maintain(follow::SteadyTime now, Instant wall, bool busy);
  void wait(const Work& work, bool worked) const;
  void beat() const;

  SharedWriter& writer_;
  std::function<void()> committed_;
  CommandLineReader* command_line_reader_;
  SourceWarnings source_warnings_;
  int wake_fd_ = -1;
  IngestSetup setup_;
  std::unique_ptr<Work> work_;
  std::jthread thread_;
  mutable std::atomic<follow::SteadyTime::rep> beat_{0};
  follow::SteadyTime next_maintenance_{}, next_place_look_{}, next_forgetting_{};
  LastingClock lasting_clock_;                              // by which is deleted what is past its time
  std::optional<std::chrono::microseconds> clocks_differ_;  // ahead_of_steady(), at the last look
  std::optional<Error> commit_failure_;                     // of the last commit that was tried
  std::optional<Error> maintenance_failure_;                // of the last step of maintenance
  bool outdated_ = false;     // rules that were owed to the history may know more
  std::string told_failure_;  // what the log last said of the history; empty: nothing
  IngestCounters before_;     // of earlier starts: counters do not go back at a reload

  mutable Mutex mutex_;
  IngestStatus status_ GUARDED_BY(mutex_);
};

}  // namespace etad
