// etad-export: carries this machine's history into the fleet's database. Everything is in fleet/.
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <random>
#include <string>

#include "daemon/paths/paths.h"
#include "daemon/usage/usage.h"
#include "daemon/version.h"
#include "fleet/export/exporter.h"
#include "fleet/export/metrics.h"
#include "fleet/export/settings.h"
#include "fleet/schema.h"
#include "parsers/base/printable.h"

namespace {

using etad::Error;
using etad::fleet::Settings;

constexpr int kBadConfiguration = 78;  // EX_CONFIG: the unit does not try again
constexpr double kMostPause = 60;      // seconds between two tries while something is wrong
constexpr double kSayAgainAfter = 3600;

struct Asked {
  std::string config, history;
  bool check = false, migrate = false, once = false;
  std::int64_t to = etad::fleet::current_version();
};

// With its priority, as systemd reads it from stderr.
void say(int priority, const std::string& text) {
  static const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  if (journal) std::cerr << '<' << priority << '>';
  std::cerr << etad::printable(text) << std::endl;
}
void info(const std::string& text) {
  say(6, text);
}
void warn(const std::string& text) {
  say(4, text);
}

double monotonic() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string new_session() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 4; ++i) {
    std::array<char, 9> part{};
    std::snprintf(part.data(), part.size(), "%08x", random());
    out += part.data();
  }
  return out;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  const std::string whole(name.data());
  return whole.substr(0, whole.find('.'));
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

tl::expected<Settings, std::vector<Error>> read_settings(const Asked& asked) {
  const std::string prefix = etad::paths::own_prefix();
  const etad::paths::Paths usual = etad::paths::of_system(prefix);
  const std::string path =
      asked.config.empty() ? usual.config.substr(0, usual.config.rfind('/')) + "/export.toml" : asked.config;
  const auto text = etad::fleet::text_of_file(path);
  const std::string credentials = environment("CREDENTIALS_DIRECTORY");
  if (!text && (!asked.config.empty() || credentials.empty())) {
    return tl::unexpected(
        std::vector<Error>{{path, "the configuration can't be read", "man export.toml", {}}});
  }
  auto settings = etad::fleet::parse_settings(path, text.value_or(""), credentials);
  if (settings && settings->history.empty()) settings->history = usual.history;
  return settings;
}

int migrate(const Settings& settings, std::int64_t to) {
  const auto version = etad::postgres::guarded([&] {
    // A large table's new index takes as long as it takes.
    etad::postgres::Connection connection(settings.database, settings.password_file, std::chrono::seconds(0));
    return etad::fleet::migrate(connection, to);
  });
  if (!version) {
    say(3, version.error().text());
    return 1;
  }
  std::cout << "the fleet's database has schema " << *version << '\n';
  return 0;
}

// Tells what changes, once; what stays wrong, once an hour.
class Journal {
 public:
  void tell(const etad::fleet::Status& status) {
    const std::string now = status.error ? status.error->text() : "";
    const double at = monotonic();
    if (now != last_ || (!now.empty() && at - said_at_ >= kSayAgainAfter)) {
      if (!now.empty()) warn(now + "; " + std::to_string(status.waiting) + " changes wait");
      if (now.empty() && !last_.empty())
        info("the database answers again; " + std::to_string(status.waiting) + " changes wait");
      last_ = now;
      said_at_ = at;
    }
    const auto& counters = status.counters;
    if (counters.refused > refused_ && status.refusal)
      warn("the database does not take a change, which is passed over: " + status.refusal->text());
    if (counters.anew > anew_)
      info(
          "the whole history is carried again: it is not the one that was carried before, or the schema is "
          "newer");
    refused_ = counters.refused;
    anew_ = counters.anew;
  }

 private:
  std::string last_;
  double said_at_ = 0;
  std::int64_t refused_ = 0, anew_ = 0;
};

// Waits so many seconds; true: a signal asked for the end.
bool stopped_within(const sigset_t& signals, double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec timeout{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  return sigtimedwait(&signals, nullptr, &timeout) > 0;
}

int run(Settings settings, bool once) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const double interval = static_cast<double>(settings.interval.count());
  const std::string metrics = settings.metrics;
  const std::string name = settings.host.empty() ? host_name() : settings.host;
  etad::fleet::Exporter exporter(std::move(settings), new_session(), etad::kVersion, name, monotonic);
  Journal journal;
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> spread(0.5, 1);
  double pause = 0, current_at = monotonic(), written_at = -interval;
  std::string metrics_error;
  sd_notify(0, "READY=1");
  while (true) {
    const auto more = exporter.pass();
    const auto& status = exporter.status();
    journal.tell(status);
    if (more && !*more) current_at = monotonic();
    // Whole fleets lose a database at once, and shall not come back at once.
    pause = !more ? std::min(kMostPause, std::max(1.0, 2 * pause)) : 0;
    if (!metrics.empty() && (monotonic() - written_at >= interval || !more || !*more)) {
      const auto written =
          etad::fleet::write_metrics(metrics, etad::fleet::metrics_text(status, monotonic() - current_at));
      if (!written && metrics_error != written.error().text()) warn(metrics_error = written.error().text());
      if (written) metrics_error.clear();
      written_at = monotonic();
    }
    sd_notifyf(0, "WATCHDOG=1\nSTATUS=%s; %lld changes wait%s",
               status.error ? "waiting for the database" : "carrying", static_cast<long long>(status.waiting),
               status.error ? (": " + etad::printable(status.error->text())).c_str() : "");
    if (once && (!more || !*more)) return more ? 0 : 1;
    const double wait = !more ? pause * spread(random) : *more ? 0 : interval;
    if (stopped_within(signals, wait)) break;
  }
  sd_notify(0, "STOPPING=1");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Carries this machine's history of trainings into the fleet's database", "etad-export");
  Asked asked;
  app.add_option("--config", asked.config, "The configuration file")->check(etad::usage::names_a_file);
  app.add_flag("--check-config", asked.check, "Check the configuration, tell every mistake, and exit");
  auto* migrates = app.add_flag("--migrate", asked.migrate,
                                "Make the database's tables, or bring them up to date, and exit");
  app.add_option("--to", asked.to, "With --migrate: the schema's version to stop at")
      ->needs(migrates)
      ->check(CLI::Range(std::int64_t{1}, etad::fleet::current_version()));
  app.add_flag("--once", asked.once, "Carry what there is, and exit");
  app.set_version_flag("--version", std::string("etad-export ") + etad::kVersion);
  if (const auto ended = etad::usage::parse(app, argc, argv)) return *ended;
  auto settings = read_settings(asked);
  if (!settings) {
    for (const Error& error : settings.error()) say(3, error.text());
    return kBadConfiguration;
  }
  if (asked.check) {
    std::cout << "the configuration is fine\n";
    return 0;
  }
  if (asked.migrate) return migrate(*settings, asked.to);
  return run(std::move(*settings), asked.once);
}
