// The daemon: opens the history, starts the threads, answers the service's questions, stops in good order.
//
//   ingest thread    follows files, parses, commits, and checkpoints (so does a commit of whoever writes, once the log
//                    has grown far: storage/checkpoint.cpp)
//   service thread   the socket; a query-only connection of its own
//   refit thread     fits what changed, keeps the track record; query-only connections of its own
//                    (what both say of running runs comes from one LiveRuns, with a connection of its own)
//
// All writing goes through one connection (SharedWriter). Models pass to the service as an immutable set.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon/alert_command.h"
#include "daemon/alerts.h"
#include "daemon/command_line_reader.h"
#include "daemon/config.h"
#include "daemon/ingest_thread.h"
#include "daemon/log.h"
#include "daemon/pace.h"
#include "daemon/refit.h"
#include "daemon/run_messages.h"
#include "daemon/run_watch.h"
#include "daemon/service/backend.h"
#include "daemon/service/server.h"
#include "daemon/shared_writer.h"
#include "daemon/track_record_keeper.h"
#include "parsers/rules/format.h"
#include "threads/mutex.h"

namespace etad {

// Processes that were forked before the daemon confined itself; each nullptr where it is not wanted, or not there.
struct Helpers {
  std::unique_ptr<AlertCommand> alert_command;       // for [alerts]
  std::unique_ptr<CommandLineReader> command_lines;  // for [command_line]
};

class Daemon final : public service::Backend {
 public:
  // Behind the history's path: a copy of it that is made to be sent, and gone again then.
  static constexpr std::string_view kCopyToSend = ".to-send-";

  // Starts everything; on error nothing runs. `config_path` is read again at a reload ("": none), with the
  // same defaults.
  static tl::expected<std::unique_ptr<Daemon>, std::vector<Error>> start(Config config,
                                                                         std::string config_path,
                                                                         paths::Paths defaults,
                                                                         Helpers helpers = {});
  ~Daemon() override;

  // No new connections, requests under way finished, what was read committed. A few seconds, but for what a worker has
  // begun, which is waited for: a copy of the history, or a change of it.
  void stop() EXCLUDES(reload_mutex_);

  // Whether the history could only be read at the start and can be written by now, and it is time to look. Waits for
  // nobody.
  bool is_to_be_opened_anew() const;
  // Then: everything is stopped and opened anew, as by a restart, which takes as long as one. On error nothing runs;
  // nothing else may be asked of the daemon meanwhile.
  std::vector<Error> open_anew() UNCHECKED;

  // Whether every thread has gone round its loop within `limit`; what a watchdog asks. Names one that has
  // not.
  std::optional<std::string> stuck_thread(std::chrono::seconds limit);

  // One line for the service manager's status.
  std::string status_line();

  std::shared_ptr<const prediction::ModelSet> models() override;
  std::shared_ptr<const FormatSet> formats() override;
  service::Health health() override;
  std::map<std::string, std::string> source_statuses() override;
  Result<std::unique_ptr<Reader>> reader() override { return Reader::open(history_); }
  Result<std::vector<NetworkRow>> networks(const NetworkFilter& filter) override EXCLUDES(networks_mutex_);
  Result<prediction::RefitReport> refit() override;
  Result<std::vector<std::string>> reload() override;
  Result<void> label(std::int64_t run_id, const std::map<std::string, std::string>& labels) override;
  Result<void> reread(std::int64_t source_id) override;
  Result<void> forget_source(std::int64_t source_id) override;
  Result<void> forget_run(std::int64_t run_id) override;
  Result<Forgotten> forget_owner(std::int64_t uid) override;
  Result<std::string> backup() override;
  Result<std::unique_ptr<service::ImportSession>> begin_import(
      const service::ImportRequest& request) override;

 private:
  Daemon(Config config, std::string config_path, paths::Paths defaults, Helpers helpers);

  // The start, while no other thread is there: no lock is needed.
  std::vector<Error> open() UNCHECKED;
  Result<void> open_history() UNCHECKED;
  Result<void> open_socket() UNCHECKED;
  Result<void> put_right(const std::function<Result<void>()>& change) EXCLUDES(reload_mutex_, mutex_);
  void refit_loop(const std::stop_token& stop);
  struct RefitTurns {  // when what the refit thread does is due
    std::chrono::steady_clock::time_point refit, soon, runs, judging;
    Pace pace;          // of looking at running runs
    Pace judging_pace;  // of putting estimators to the test
    Pace soon_pace;     // of fitting what was imported or labelled
  };
  void refit_round(RefitTurns& next);
  void open_run_watch() UNCHECKED;  // of the start too
  static void write_of_run(const RunEvent& event);
  void tell_run(const RunEvent& event);
  void refit_at_once();
  void note_refit(const Result<prediction::RefitReport>& report);

  mutable Mutex mutex_;
  Config config_ GUARDED_BY(mutex_);
  const std::string config_path_;
  const std::string history_;  // its path: a reload changes nothing of the history
  const paths::Paths defaults_;
  const int inherited_socket_;  // from the service manager; -1: none
  std::chrono::steady_clock::time_point next_anew_{};
  std::shared_ptr<const FormatSet> formats_ GUARDED_BY(mutex_);
  std::optional<Error> refit_failure_ GUARDED_BY(mutex_), reload_failure_ GUARDED_BY(mutex_);

  Instant started_at_;
  std::unique_ptr<SharedWriter> writer_;
  std::unique_ptr<Refit> refit_;
  const Helpers helpers_;
  std::unique_ptr<Alerts> alerts_;  // nullptr: no command is configured
  RunMessages run_messages_{write_of_run, [](const std::string& text) { log::warning(text); }};
  std::unique_ptr<RunWatch> run_watch_;
  std::map<RunEventKind, std::int64_t> run_events_ GUARDED_BY(mutex_);  // told since the start
  Mutex networks_mutex_;                                                // one list at a time
  std::unique_ptr<Reader> networks_reader_ GUARDED_BY(networks_mutex_);
  std::unique_ptr<Reader> live_reader_;
  std::unique_ptr<prediction::LiveRuns> live_runs_;
  std::unique_ptr<TrackRecordKeeper> track_record_keeper_;
  std::unique_ptr<IngestThread> ingest_;
  std::unique_ptr<service::Server> server_;
  std::jthread service_thread_;
  std::jthread refit_thread_;
  Condition refit_due_;
  Mutex refit_mutex_;
  Mutex reload_mutex_;  // one reload at a time
  Mutex reread_mutex_;  // one reread at a time
  std::atomic<bool> stopping_{false}, refit_soon_{false};
  std::atomic<bool> refit_at_once_{true};  // a start takes up what the history knows
  std::atomic<follow::SteadyTime::rep> refit_beat_{0}, service_beat_{0};
  std::atomic<follow::SteadyTime::rep> history_beat_{0};  // of what changes it
  std::atomic<bool> putting_right_{false};
};

}  // namespace etad
