// A daemon's start and stop.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "daemon/accounts.h"
#include "daemon/daemon.h"
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

std::vector<Error> one(Error error) {
  return {std::move(error)};
}

// Of a daemon that died while it made or sent one; nobody else makes any beside this history.
void remove_copies_to_send(const std::string& history) {
  const std::filesystem::path path(history);
  const std::string begin = path.filename().string() + std::string(Daemon::kCopyToSend);
  std::error_code ignored;
  for (std::filesystem::directory_iterator at(path.parent_path(), ignored), end; at != end;
       at.increment(ignored))
    if (at->path().filename().string().starts_with(begin)) std::filesystem::remove(at->path(), ignored);
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

Result<void> Daemon::open_history() {
  const std::string& path = config_.storage.path;
  StorageOptions options;
  options.raw_samples = std::chrono::ceil<std::chrono::hours>(config_.storage.raw_samples);
  options.minute_samples = std::chrono::ceil<std::chrono::hours>(config_.storage.minute_samples);
  options.budgets = config_.budgets;
  options.hour_samples = std::chrono::ceil<std::chrono::hours>(config_.storage.hour_samples);
  options.machine = config_.storage.machine.empty() ? system::machine_id() : config_.storage.machine;
  options.alive = [this] { history_beat_ = steady_clock::now().time_since_epoch().count(); };
  auto writer = Writer::open(path, options);
  if (!writer) return tl::unexpected(writer.error());
  writer_ = std::make_unique<SharedWriter>(std::move(*writer));
  remove_copies_to_send(path);
  auto reader = Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  auto models = std::make_shared<prediction::StoredModels>(
      [path] { return ModelReader::open(path); },
      static_cast<std::size_t>(config_.refit.megabytes_in_memory) << 20,
      prediction::StoredModels::Write{put_models_with(*writer_), put_records_with(*writer_)});
  if (const auto readable = models->count(); !readable) return tl::unexpected(readable.error());
  refit_ = std::make_unique<Refit>(
      std::move(*reader), std::move(models), system::now,
      [this] {
        if (stopping_) throw Refit::Interrupted();
        refit_beat_ = steady_clock::now().time_since_epoch().count();
      },
      Refit::Measuring{
          put_costs_with(*writer_), config_.host.empty() ? system::host_name() : config_.host, {}});
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
  options.peer_of = [accounts = Accounts::of_machine()](int socket) {
    service::Peer peer = service::peer_of(socket);
    peer.uid = static_cast<uid_t>(accounts.of(peer.uid));
    return peer;
  };
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
  {
    // Whoever reloads or puts something right stops following, too, and begins it again.
    const Lock lock(reload_mutex_);
    if (ingest_) ingest_->stop();
  }
  refit_thread_.request_stop();
  refit_due_.notify_all();
  if (refit_thread_.joinable()) refit_thread_.join();
  if (service_thread_.joinable()) service_thread_.join();
}

bool Daemon::is_to_be_opened_anew() const {
  return steady_clock::now() >= next_anew_ && writer_->wants_to_be_opened_anew();
}

std::vector<Error> Daemon::open_anew() {
  next_anew_ = steady_clock::now() + kBetweenOpenings;
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

}  // namespace etad
