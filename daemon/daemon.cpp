#include "daemon/daemon.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <utility>

#include "daemon/health.h"
#include "daemon/importer.h"
#include "daemon/log.h"
#include "daemon/reread.h"
#include "daemon/rules.h"
#include "daemon/system.h"
#include "daemon/version.h"
#include "prediction/stored_models.h"

namespace etad {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::minutes kBetweenOpenings{1};  // of the history, where it can't be written after all
constexpr std::chrono::seconds kRefitLook{2};        // the refit thread goes round at least this often
// Looking at the running runs takes at most one part of so many of a core, however many they are.
constexpr int kRunsShare = 100;
constexpr std::chrono::minutes kLongestRestOfRuns{1};
// So does putting the estimators to the test: while a history is young, each refit would find it grown by a fifth.
constexpr int kJudgingShare = 100;
constexpr std::chrono::minutes kLongestRestOfJudging{10};

std::vector<Error> one(Error error) {
  return {std::move(error)};
}

std::optional<Instant> modified(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return Instant(std::chrono::seconds{info.st_mtim.tv_sec});
}

}  // namespace

Daemon::Daemon(Config config, std::string config_path, paths::Paths defaults, Helpers helpers)
    : config_(std::move(config)),
      config_path_(std::move(config_path)),
      history_(config_.storage.path),
      defaults_(std::move(defaults)),
      inherited_socket_(system::inherited_socket()),
      started_at_(system::now()),
      helpers_(std::move(helpers)) {}

Daemon::~Daemon() {
  stop();
  if (inherited_socket_ >= 0) close(inherited_socket_);
}

tl::expected<std::unique_ptr<Daemon>, std::vector<Error>> Daemon::start(Config config,
                                                                        std::string config_path,
                                                                        paths::Paths defaults,
                                                                        Helpers helpers) {
  std::unique_ptr<Daemon> daemon(
      new Daemon(std::move(config), std::move(config_path), std::move(defaults), std::move(helpers)));
  auto errors = daemon->open();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return daemon;
}

std::vector<Error> Daemon::open() {
  auto formats = load_rules(config_.rules.path);
  if (!formats) return formats.error();
  formats_ = std::move(*formats);
  if (formats_->all().empty()) {
    log::warning("no rule files found: no log will be understood", {{"RULES", config_.rules.path.front()}});
  }
  if (auto errors = check_sources(config_, *formats_); !errors.empty()) return errors;
  for (const Error& warning : config_.warnings) log::warning(warning.text(), {{"PART", "config"}});
  auto setup = ingest_setup(config_, formats_);
  if (!setup) return one(setup.error());
  open_run_watch();
  if (auto opened = open_history(); !opened) return one(opened.error());
  if (auto opened = open_socket(); !opened) return one(opened.error());
  for (const Error& error : reread_outdated(*setup, *writer_, stopping_))
    log::warning(error.text(), {{"PART", "sources"}});
  ingest_ = std::make_unique<IngestThread>(
      *writer_, [this] { server_->changed(); }, helpers_.command_lines.get());
  if (auto started = ingest_->start(std::move(*setup)); !started) return one(started.error());
  service_beat_ = refit_beat_ = steady_clock::now().time_since_epoch().count();
  service_thread_ = std::jthread([this] { server_->run(); });
  refit_thread_ = std::jthread([this](const std::stop_token& stop) { refit_loop(stop); });
  return {};
}

void Daemon::open_run_watch() {
  if (helpers_.alert_command) {
    const std::string host = config_.host.empty() ? system::host_name() : config_.host;
    alerts_ = std::make_unique<Alerts>(
        [this](const std::string& input) { return helpers_.alert_command->run(input); },
        config_.alerts.per_hour, host, [] { return steady_clock::now(); });
  }
  run_watch_ = std::make_unique<RunWatch>([this](const RunEvent& event) { tell_run(event); },
                                          [] { return steady_clock::now(); }, modified);
}

// What becomes of a followed run: in the journal, counted, and trouble to the operator's command.
void Daemon::tell_run(const RunEvent& event) {
  const bool bad = is_trouble(event.kind) && event.kind != RunEventKind::recovered;
  log::write(bad ? log::Level::warning : log::Level::info, event.message,
             {{"EVENT", std::string(name_of(event.kind))},
              {"RUN", std::to_string(event.row.id)},
              {"SOURCE", event.row.source},
              {"NETWORK", event.row.run.network}});
  if (alerts_ && is_trouble(event.kind)) alerts_->post(event, system::now());
  const Lock lock(mutex_);
  ++run_events_[event.kind];
}

Result<void> Daemon::open_history() {
  const std::string& path = config_.storage.path;
  StorageOptions options;
  options.raw_samples = std::chrono::ceil<std::chrono::hours>(config_.storage.raw_samples);
  options.minute_samples = std::chrono::ceil<std::chrono::hours>(config_.storage.minute_samples);
  options.budgets = config_.budgets;
  options.hour_samples = std::chrono::ceil<std::chrono::hours>(config_.storage.hour_samples);
  options.machine = config_.storage.machine.empty() ? system::machine_id() : config_.storage.machine;
  auto writer = Writer::open(path, options);
  if (!writer) return tl::unexpected(writer.error());
  writer_ = std::make_unique<SharedWriter>(std::move(*writer));
  auto reader = Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  auto models = std::make_shared<prediction::StoredModels>(
      [path] { return ModelReader::open(path); },
      static_cast<std::size_t>(config_.refit.megabytes_in_memory) << 20, put_models_with(*writer_));
  if (const auto readable = models->count(); !readable) return tl::unexpected(readable.error());
  refit_ = std::make_unique<Refit>(
      std::move(*reader), std::move(models), system::now,
      [this] {
        if (stopping_) throw Refit::Interrupted();
        refit_beat_ = steady_clock::now().time_since_epoch().count();
      },
      Refit::Measuring{put_costs_with(*writer_), config_.host.empty() ? system::host_name() : config_.host});
  auto networks_reader = Reader::open(path);
  if (!networks_reader) return tl::unexpected(networks_reader.error());
  networks_reader_ = std::move(*networks_reader);
  auto live_reader = Reader::open(path);
  if (!live_reader) return tl::unexpected(live_reader.error());
  live_reader_ = std::move(*live_reader);
  live_runs_ = std::make_unique<prediction::LiveRuns>(*live_reader_);
  auto record_reader = Reader::open(path);
  if (!record_reader) return tl::unexpected(record_reader.error());
  track_record_keeper_ =
      std::make_unique<TrackRecordKeeper>(std::move(*record_reader), *writer_, *live_runs_, run_watch_.get());
  return track_record_keeper_->begin();
}

Result<void> Daemon::open_socket() {
  auto reader = Reader::open(config_.storage.path);
  if (!reader) return tl::unexpected(reader.error());
  service::Options options;
  options.socket_path = config_.socket.path;
  if (inherited_socket_ >= 0) options.inherited_fd = fcntl(inherited_socket_, F_DUPFD_CLOEXEC, 0);
  options.world_accessible = config_.socket.open_to_all;
  options.private_runs = config_.socket.private_runs;
  options.limits.connections = static_cast<std::size_t>(config_.socket.max_connections);
  options.version = kVersion;
  options.host = config_.host.empty() ? system::host_name() : config_.host;
  options.access.own_uid = geteuid();
  if (const std::string& name = config_.socket.admin_group; !name.empty()) {
    const auto group = service::group_id(name);
    if (group) options.access.admin_group = *group;
    if (!group) log::warning("[socket] admin_group: " + group.error().text());
  }
  if (!config_.socket.open_to_all) options.socket_group = options.access.admin_group;
  options.log = [](std::string_view message) { log::warning(message); };
  auto server = service::Server::listen(std::move(options), *this, std::move(*reader), *live_runs_);
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  return {};
}

void Daemon::stop() {
  stopping_ = true;
  if (server_) server_->stop();
  if (ingest_) ingest_->stop();
  refit_thread_.request_stop();
  refit_due_.notify_all();
  if (refit_thread_.joinable()) refit_thread_.join();
  if (service_thread_.joinable()) service_thread_.join();
}

std::vector<Error> Daemon::open_anew_if_due() {
  const auto now = steady_clock::now();
  if (now < next_anew_ || !writer_->with([](Writer& writer) { return writer.wants_to_be_opened_anew(); }))
    return {};
  next_anew_ = now + kBetweenOpenings;
  log::info("the history can be written by now: it is opened anew", {{"PART", "history"}});
  stop();
  server_.reset();
  ingest_.reset();
  track_record_keeper_.reset();
  live_runs_.reset();
  live_reader_.reset();
  networks_reader_.reset();
  refit_.reset();
  writer_.reset();
  stopping_ = false;
  return open();
}

void Daemon::refit_loop(const std::stop_token& stop) {
  const auto soon = steady_clock::now() + std::chrono::seconds(1);  // a first look soon after the start
  RefitTurns next{
      soon, {}, {}, Pace(kRunsShare, kLongestRestOfRuns), Pace(kJudgingShare, kLongestRestOfJudging)};
  while (!stop.stop_requested()) {
    refit_beat_ = steady_clock::now().time_since_epoch().count();
    try {
      refit_round(next);
    } catch (const std::exception& defect) {  // std::bad_alloc above all; the models there are stay in force
      note_refit(fail(std::string("unexpectedly: ") + defect.what(), "it is tried again"));
    }
    Lock lock(refit_mutex_);
    refit_due_.wait_for(lock, stop, kRefitLook, [this] { return refit_soon_.load(); });
  }
}

void Daemon::refit_round(RefitTurns& next) {
  if (refit_soon_.exchange(false) || steady_clock::now() >= next.refit) {
    {
      const Lock lock(mutex_);
      next.refit = steady_clock::now() + config_.refit.interval;
    }
    const bool judge = steady_clock::now() >= next.judging;
    const auto report = refit_->run(judge ? Refit::Judging::when_outgrown : Refit::Judging::not_now);
    note_refit(report);
    const auto done_at = steady_clock::now();
    if (judge && report) next.judging = done_at + next.judging_pace.rest_after(done_at, report->learning);
  }
  if (steady_clock::now() < next.runs) return;
  const auto spent = system::thread_time();
  if (auto looked = track_record_keeper_->look(refit_->models(), system::now()); !looked) {
    log::error(looked.error(), {{"PART", "track record"}});
  }
  const auto done_at = steady_clock::now();
  next.runs = done_at + next.pace.rest_after(done_at, system::thread_time() - spent);
}

// What was put right shows in the models at once, not after the interval.
void Daemon::refit_soon() {
  refit_soon_ = true;
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
    log::info("fitted " + std::to_string(report->fitted) + " model(s) in " + std::to_string(report->seconds) +
              " s");
    server_->changed();
  }
}

std::optional<std::string> Daemon::stuck_thread(std::chrono::seconds limit) {
  const auto now = steady_clock::now();
  const auto late = [&](steady_clock::rep beat) {
    return now - steady_clock::time_point(steady_clock::duration(beat)) > limit;
  };
  server_->ping([this] { service_beat_ = steady_clock::now().time_since_epoch().count(); });
  if (late(ingest_->last_beat().time_since_epoch().count())) return "ingest";
  if (late(refit_beat_)) return "refit";
  if (late(service_beat_)) return "service";
  return std::nullopt;
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
  const auto streams = ingest_->status().streams;
  for (const follow::Status& stream : *streams) out[stream.path] = stream.text;
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
  if (done) server_->changed();
  return done;
}

// Following stops meanwhile and then goes on from what the history holds, as after a restart: what a source's
// parser has in memory would otherwise be written over the change.
Result<void> Daemon::put_right(const std::function<Result<void>()>& change) {
  const Lock one_at_a_time(reload_mutex_);
  Lock lock(mutex_);
  auto setup = ingest_setup(config_, formats_);
  lock.unlock();
  if (!setup) return tl::unexpected(setup.error());
  ingest_->stop();
  auto done = change();
  if (done) done = writer_->with([](Writer& writer) { return writer.sync(); });
  const auto started = ingest_->start(std::move(*setup));
  refit_soon();
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
    // Of one that is followed the position is kept, or it would be read from its beginning.
    if ((*row)->kind == "import" || (*row)->gone) return history.drop_source(source_id);
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
    return fail(ErrorKind::conflict, "it is running: its next line would bring it back",
                "forget it when it is over, or its source");
  const auto done = writer_->with([&](Writer& history) {
    const auto forgotten = history.forget_run(run_id);
    return forgotten ? history.sync() : forgotten;
  });
  refit_soon();
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
  const std::string copy = history_ + ".backup-" + std::to_string(++number);
  std::error_code ignored;
  std::filesystem::remove(copy, ignored);  // of a daemon that died while it made one
  auto done = backup_history(history_, copy);
  if (done) return copy;
  std::filesystem::remove(copy, ignored);  // what was written of it when the disk was full, above all
  return tl::unexpected(done.error());
}

Result<std::unique_ptr<service::ImportSession>> Daemon::begin_import(const service::ImportRequest& request) {
  const Lock lock(mutex_);
  ImportOptions options;
  options.formats = formats_;
  options.zone = system::local_zone();
  options.line_limit = config_.follow.line_limit;
  options.now = system::now;
  return begin_log_import(request, std::move(options), *writer_, [this] { server_->changed(); });
}

// Reads configuration and rule files anew. Where they have mistakes, what runs goes on as it is and says so.
Result<std::vector<std::string>> Daemon::reload() {
  const Lock one_at_a_time(reload_mutex_);
  const auto refuse = [this](const std::vector<Error>& errors) -> tl::unexpected<Error> {
    for (const Error& error : errors) log::error(error, {{"PART", "reload"}});
    Error first = errors.front();
    if (errors.size() > 1) first.message += " (and " + std::to_string(errors.size() - 1) + " more)";
    const Lock lock(mutex_);
    reload_failure_ = first;
    return tl::unexpected(first);
  };
  Config config;
  {
    const Lock lock(mutex_);
    config = config_;
  }
  if (!config_path_.empty()) {
    const auto text = system::read_file(config_path_);
    if (!text) return refuse(one(text.error()));
    auto parsed = parse_config(config_path_, *text, defaults_);
    if (!parsed) return refuse(parsed.error());
    config = std::move(*parsed);
  }
  auto formats = load_rules(config.rules.path);
  if (!formats) return refuse(formats.error());
  // As while a package is replaced: lines that nobody understands are not read again later.
  if ((*formats)->all().empty() && !this->formats()->all().empty())
    return refuse(one(Error{config.rules.path.front(), "no rule files found: no log would be understood",
                            "the rules in force stay; a start goes without"}));
  if (const auto errors = check_sources(config, **formats); !errors.empty()) return refuse(errors);
  for (const Error& warning : config.warnings) log::warning(warning.text(), {{"PART", "config"}});
  auto setup = ingest_setup(config, *formats);
  if (!setup) return refuse(one(setup.error()));
  if (auto started = ingest_->restart(std::move(*setup)); !started) return refuse(one(started.error()));
  log::set_level(config.log.level);
  const Lock lock(mutex_);
  auto waiting = keep_until_restart(config_, config);
  if (!config.command_line.patterns.empty() && !helpers_.command_lines) waiting.push_back("[command_line]");
  for (const std::string& table : waiting)
    log::warning(table + " has changed, which takes effect with the next start (systemctl restart etad)",
                 {{"PART", "config"}});
  config_ = std::move(config);
  formats_ = std::move(*formats);
  reload_failure_.reset();
  return waiting;
}

}  // namespace etad
