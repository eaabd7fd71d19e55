#include "daemon/daemon.h"

#include <atomic>
#include <filesystem>
#include <utility>

#include "daemon/beats.h"
#include "daemon/health.h"
#include "daemon/importer.h"
#include "daemon/log.h"
#include "daemon/raised.h"
#include "daemon/reread.h"
#include "daemon/rules.h"
#include "daemon/settings/read_file.h"
#include "daemon/system.h"
#include "daemon/without_throwing.h"
#include "parsers/traces/trace.h"

namespace etad {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kRefitLook{2};  // the refit thread goes round at least this often
// Looking at the running runs takes at most one part of so many of a core, however many they are.
constexpr int kRunsShare = 100;
constexpr std::chrono::minutes kLongestRestOfRuns{1};
// So does putting the estimators to the test: while a history is young, each refit would find it grown by a fifth.
constexpr int kJudgingShare = 100;
constexpr std::chrono::minutes kLongestRestOfJudging{10};
// Who imports a log or labels a run asks about it next, so its models do not wait for the interval; while many do so one
// behind another, the refits take one part of so many of a core.
constexpr int kSoonShare = 10;
constexpr std::chrono::minutes kLongestRestOfSoon{1};

tl::unexpected<Error> is_stopping() {
  return fail(ErrorKind::unavailable, "the daemon is stopping", "ask again in a moment");
}

}  // namespace

void Daemon::write_of_run(const RunEvent& event) {
  const bool bad = is_trouble(event.kind) && event.kind != RunEventKind::recovered;
  log::write(bad ? log::Level::warning : log::Level::info, event.message,
             {{"EVENT", std::string(name_of(event.kind))},
              {"RUN", std::to_string(event.row.id)},
              {"SOURCE", event.row.source},
              {"NETWORK", event.row.run.network}});
}

// What becomes of a followed run: in the journal, counted, and trouble to the operator's command.
void Daemon::tell_run(const RunEvent& event) {
  run_messages_.tell(event, steady_clock::now());
  if (alerts_ && is_trouble(event.kind)) alerts_->post(event, system::now());
  const Lock lock(mutex_);
  ++run_events_[event.kind];
}

void Daemon::refit_loop(const std::stop_token& stop) {
  const auto soon = steady_clock::now() + std::chrono::seconds(1);  // by then there are first lines, perhaps
  RefitTurns next{soon,
                  {},
                  {},
                  {},
                  Pace(kRunsShare, kLongestRestOfRuns),
                  Pace(kJudgingShare, kLongestRestOfJudging),
                  Pace(kSoonShare, kLongestRestOfSoon)};
  while (!stop.stop_requested()) {
    refit_beat_ = steady_clock::now().time_since_epoch().count();
    try {
      refit_round(next);
    } catch (const std::exception& defect) {  // std::bad_alloc above all; the models there are stay in force
      note_refit(fail(std::string("unexpectedly: ") + defect.what(), "it is tried again"));
    }
    Lock lock(refit_mutex_);
    refit_due_.wait_for(lock, stop, kRefitLook, [this] { return refit_at_once_.load(); });
  }
}

void Daemon::refit_round(RefitTurns& next) {
  const auto now = steady_clock::now();
  const bool soon = now >= next.soon && refit_soon_.exchange(false);
  const bool at_once = refit_at_once_.exchange(false);
  const bool due = now >= next.refit;
  if (due) {
    const Lock lock(mutex_);
    next.refit = now + config_.refit.interval;
  }
  if (at_once || soon || due) {
    const bool judge = now >= next.judging;
    const auto report = refit_->run(judge ? Refit::Judging::when_outgrown : Refit::Judging::not_now);
    note_refit(report);
    const auto done_at = steady_clock::now();
    if (soon) next.soon = done_at + next.soon_pace.rest_after(done_at, done_at - now);
    if (judge && report) next.judging = done_at + next.judging_pace.rest_after(done_at, report->learning);
  }
  if (steady_clock::now() < next.runs) return;
  run_messages_.tell_left_out(now);
  const auto spent = system::thread_time();
  if (auto looked = track_record_keeper_->look(refit_->models(), system::now()); !looked) {
    log::error(looked.error(), {{"PART", "track record"}});
  }
  const auto done_at = steady_clock::now();
  next.runs = done_at + next.pace.rest_after(done_at, system::thread_time() - spent);
}

// What was put right shows in the models at once, not after the interval.
void Daemon::refit_at_once() {
  refit_at_once_ = true;
  refit_due_.notify_all();
}

void Daemon::note_refit(const Result<prediction::RefitReport>& report) {
  if (!report && stopping_) return;
  {
    const Lock lock(mutex_);
    refit_failure_ = report ? std::nullopt : std::optional(report.error());
  }
  if (!report) log::error(report.error(), {{"PART", "refit"}});
  constexpr std::int64_t kMany = 200;  // models: what fitting them took is not needed at rest
  if (report && report->fitted >= kMany) system::return_memory();
  if (report && report->fitted > 0) {
    log::info("fitted " + std::to_string(report->fitted) +
              (report->fitted == 1 ? " model in " : " models in ") + std::to_string(report->seconds) + " s");
    server_->changed();
  }
}

std::optional<std::string> Daemon::stuck_thread(std::chrono::seconds limit) {
  const auto at = [](steady_clock::rep beat) {
    return steady_clock::time_point(steady_clock::duration(beat));
  };
  server_->ping([this] { service_beat_ = steady_clock::now().time_since_epoch().count(); });
  Beats beats{ingest_->last_beat(), at(refit_beat_), at(service_beat_), {}};
  // While something is put right no log is read, whether or not somebody writes just now.
  if (putting_right_ || writer_->is_busy()) beats.history = at(history_beat_);
  return beats.stuck(steady_clock::now(), limit);
}

std::shared_ptr<const prediction::ModelSet> Daemon::models() {
  return refit_->models();
}

std::shared_ptr<const FormatSet> Daemon::formats() {
  const Lock lock(mutex_);
  return formats_;
}

service::Health Daemon::health() {
  HealthInputs inputs;
  inputs.started_at = started_at_;
  inputs.ingest = ingest_->status();
  inputs.last_refit = refit_->last();
  if (alerts_) inputs.alerts = alerts_->counters();
  const Lock lock(mutex_);
  inputs.run_events = run_events_;
  inputs.formats = static_cast<std::int64_t>(formats_->all().size());
  inputs.refit_failure = refit_failure_;
  inputs.reload_failure = reload_failure_;
  return health_of(inputs, steady_clock::now());
}

std::string Daemon::status_line() {
  const service::Health now = health();
  std::string text =
      (now.looking ? "looking for sources, " : "following " + std::to_string(now.sources) + " sources, ") +
      std::to_string(refit_->models()->models->count().value_or(0)) + " models";
  if (now.lag_bytes > 0) text += ", " + std::to_string(now.lag_bytes) + " bytes behind";
  if (!now.failures.empty()) text += "; degraded: " + now.failures.front().why;
  return text;
}

std::map<std::string, std::string> Daemon::source_statuses() {
  std::map<std::string, std::string> out;
  const IngestStatus status = ingest_->status();
  for (const std::string& path : *status.unwatched) out[path] = "not followed: no pattern finds it";
  for (const follow::Status& stream : *status.streams) out[stream.path] = stream.text;
  return out;
}

Result<std::vector<NetworkRow>> Daemon::networks(const NetworkFilter& filter) {
  const Lock one_at_a_time(networks_mutex_);
  return networks_reader_->networks(filter);
}

Result<prediction::RefitReport> Daemon::refit() {
  auto report = refit_->run();
  note_refit(report);
  if (!report) return report;
  const auto synced = writer_->with([](Writer& writer) { return writer.sync(); });
  if (!synced) return tl::unexpected(synced.error());
  return report;
}

Result<void> Daemon::label(std::int64_t run_id, const std::map<std::string, std::string>& labels) {
  auto done = writer_->with([&](Writer& writer) {
    const auto set = writer.set_labels(run_id, labels);
    return set ? writer.sync() : set;
  });
  if (!done) return done;
  server_->changed();
  refit_soon_ = true;
  return done;
}

// Following stops meanwhile and then goes on from what the history holds, as after a restart: what a source's
// parser has in memory would otherwise be written over the change.
Result<void> Daemon::put_right(const std::function<Result<void>()>& change) {
  const Lock one_at_a_time(reload_mutex_);
  if (stopping_) return is_stopping();
  Lock lock(mutex_);
  auto setup = ingest_setup(config_, formats_);
  lock.unlock();
  if (!setup) return tl::unexpected(setup.error());
  const Raised putting_right(putting_right_);
  ingest_->stop();
  auto done = without_throwing(change);
  if (done) done = writer_->with([](Writer& writer) { return writer.sync(); });
  const auto started = ingest_->start(std::move(*setup));
  refit_at_once();
  server_->changed();
  return done ? started : done;
}

Result<void> Daemon::reread(std::int64_t source_id) {
  const Lock one_at_a_time(reread_mutex_);
  Lock lock(mutex_);
  auto setup = ingest_setup(config_, formats_);
  lock.unlock();
  if (!setup) return tl::unexpected(setup.error());
  const auto reread = Reread::of(source_id, *setup, *writer_);
  if (!reread) return tl::unexpected(reread.error());
  if (auto read = (*reread)->read(stopping_); !read) return read;  // most of it, while all are followed
  return put_right([&]() -> Result<void> {
    if (auto read = (*reread)->read(stopping_); !read) return read;
    return (*reread)->replace();
  });
}

Result<void> Daemon::forget_source(std::int64_t source_id) {
  const auto forget = [&](Writer& history) -> Result<void> {
    const auto row = history.source(source_id);
    if (!row) return tl::unexpected(row.error());
    if (!*row) return fail(ErrorKind::not_found, "there is no source " + std::to_string(source_id));
    // Nor would what comes of one that is followed be read without its header.
    if (is_trace_format((*row)->format))
      return fail(ErrorKind::conflict, "samples of a trace can't be told from those of another one any more");
    // Of one that is followed the position is kept, or it would be read from its beginning, as would what was rotated
    // away from one that is gone.
    if ((*row)->kind == "import") return history.drop_source(source_id);
    return history.pass_source_over(source_id);
  };
  return put_right([&] { return writer_->with(forget); });
}

Result<void> Daemon::forget_run(std::int64_t run_id) {
  const auto reader = Reader::open(history_);
  if (!reader) return tl::unexpected(reader.error());
  const auto row = (*reader)->run(run_id);
  if (!row) return tl::unexpected(row.error());
  if (*row && (*row)->run.state == RunState::running)
    return fail(ErrorKind::conflict, "it is running", "forget it when it is over, or its source");
  const auto done = writer_->with([&](Writer& history) {
    const auto forgotten = history.forget_run(run_id);
    return forgotten ? history.sync() : forgotten;
  });
  refit_at_once();
  server_->changed();
  return done;
}

Result<Forgotten> Daemon::forget_owner(std::int64_t uid) {
  Forgotten out;
  const auto forget = [&](Writer& history) -> Result<void> {
    const auto forgotten = history.forget_owner(uid);
    if (!forgotten) return tl::unexpected(forgotten.error());
    out = *forgotten;
    return {};
  };
  const auto done = put_right([&] { return writer_->with(forget); });
  if (!done) return tl::unexpected(done.error());
  return out;
}

Result<std::string> Daemon::backup() {
  // Beside the history: there is room for a history of that size, and we may write there.
  static std::atomic<int> number = 0;
  const std::string copy = history_ + std::string(kCopyToSend) + std::to_string(++number);
  std::error_code ignored;
  auto done = backup_history(history_, copy);
  if (done) return copy;
  std::filesystem::remove(copy, ignored);  // what was written of it when the disk was full, above all
  return tl::unexpected(done.error());
}

Result<std::unique_ptr<service::ImportSession>> Daemon::begin_import(const service::ImportRequest& request) {
  ImportOptions options;
  {
    // No longer: what follows waits for whoever writes, and the health, which main asks for, needs it.
    const Lock lock(mutex_);
    options.formats = formats_;
    options.line_limit = config_.follow.line_limit;
  }
  options.zone = system::local_zone();
  options.now = system::now;
  return begin_log_import(request, std::move(options), *writer_, [this] {
    server_->changed();
    refit_soon_ = true;
  });
}

// Reads configuration and rule files anew. Where they have mistakes, what runs goes on as it is and says so.
Result<std::vector<std::string>> Daemon::reload() {
  const Lock one_at_a_time(reload_mutex_);
  if (stopping_) return is_stopping();
  const auto refuse = [this](const std::vector<Error>& errors) -> tl::unexpected<Error> {
    for (const Error& error : errors) log::error(error, {{"PART", "reload"}});
    Error first = errors.front();
    if (errors.size() > 1) first.message += " (and " + std::to_string(errors.size() - 1) + " more)";
    const Lock lock(mutex_);
    reload_failure_ = first;
    return tl::unexpected(first);
  };
  Config config;
  std::vector<std::string> waiting;
  {
    const Lock lock(mutex_);
    config = config_;
  }
  // Where there was none at the start there may be one by now.
  std::error_code unknown;
  const bool is_new = config_path_.empty() && std::filesystem::exists(defaults_.config, unknown);
  const std::string path = is_new ? defaults_.config : config_path_;
  if (!path.empty()) {
    const auto text = config::read_file(path);
    if (!text) return refuse({text.error()});
    auto parsed = parse_config(path, *text, defaults_);
    if (!parsed) return refuse(parsed.error());
    waiting = keep_until_restart(config, *parsed);  // nothing below is to go by what is not in force
    config = std::move(*parsed);
  }
  auto formats = load_rules(config.rules.path);
  if (!formats) return refuse(formats.error());
  // As while a package is replaced: lines that nobody understands are not read again later.
  if ((*formats)->all().empty() && !this->formats()->all().empty())
    return refuse({Error{config.rules.path.front(), "no rule files found: no log would be understood",
                         "the rules in force stay; a start goes without"}});
  if (const auto errors = check_sources(config, **formats); !errors.empty()) return refuse(errors);
  for (const Error& warning : config.warnings) log::warning(warning.text(), {{"PART", "config"}});
  auto setup = ingest_setup(config, *formats);
  if (!setup) return refuse({setup.error()});
  if (auto started = ingest_->restart(std::move(*setup)); !started) return refuse({started.error()});
  log::set_level(config.log.level);
  if (!config.command_line.patterns.empty() && !helpers_.command_lines) waiting.push_back("[command_line]");
  for (const std::string& table : waiting)
    log::warning(table + " has changed, which takes effect with the next start (systemctl restart etad)",
                 {{"PART", "config"}});
  const Lock lock(mutex_);
  config_ = std::move(config);
  formats_ = std::move(*formats);
  reload_failure_.reset();
  return waiting;
}

}  // namespace etad
