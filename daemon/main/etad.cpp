// etad: the daemon's command line, signals and the service manager's watchdog. Everything else is in rooms.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/alert_command.h"
#include "daemon/aside.h"
#include "daemon/command_line_reader.h"
#include "daemon/config.h"
#include "daemon/confinement.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/paths/paths.h"
#include "daemon/process_table.h"
#include "daemon/rules.h"
#include "daemon/settings/read_file.h"
#include "daemon/system.h"
#include "daemon/usage/usage.h"
#include "daemon/version.h"
#include "parsers/base/printable.h"
#include "storage/placement.h"

namespace {

using etad::Config;
using etad::Error;
using etad::paths::Paths;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kStuckAfter{
    20};  // a thread silent for so long no longer earns a watchdog ping
constexpr std::chrono::seconds kStatusEvery{5};
constexpr std::chrono::minutes kLongestStart{
    10};  // as the unit has it, while no thread is there to be watched

// EX_CONFIG of sysexits.h: the unit does not start the daemon again after it, for nothing would change.
constexpr int kBadConfiguration = 78;

int report(const std::vector<Error>& errors) {
  for (const Error& error : errors) std::cerr << etad::printable(error.text()) << '\n';
  return kBadConfiguration;
}

int report_to_log(const std::vector<Error>& errors) {
  for (const Error& error : errors) etad::log::error(error);
  return kBadConfiguration;
}

// What the command line asked for.
struct Asked {
  std::string config;  // empty: the usual place
  bool user = false, check_config = false, check_rules = false;
};

// Without --config and without a file at the usual place: all defaults.
tl::expected<Config, std::vector<Error>> read_config(std::string& path, const Paths& defaults) {
  if (path.empty() && access(defaults.config.c_str(), F_OK) == 0) path = defaults.config;
  if (path.empty()) return etad::default_config(defaults);
  const auto text = etad::config::read_file(path);
  if (!text) return tl::unexpected(std::vector<Error>{text.error()});
  return etad::parse_config(path, *text, defaults);
}

int check_only(const Asked& asked, const Config& config) {
  const auto formats = etad::load_rules(config.rules.path, etad::Samples::to_check);
  if (!formats) return report(formats.error());
  auto warnings = config.warnings;
  if (!config.alerts.command.empty())
    if (auto checked = etad::AlertCommand::check(config.alerts.command); !checked)
      warnings.push_back(checked.error());
  for (const Error& warning : warnings) std::cerr << "warning: " << etad::printable(warning.text()) << '\n';
  if (const auto errors = etad::check_config(config, **formats); !errors.empty()) return report(errors);
  const auto setup = etad::ingest_setup(config, *formats);
  if (!setup) return report({setup.error()});
  if (asked.check_rules) {
    for (const auto& format : (*formats)->all()) std::cout << format->name() << ": ok\n";
  } else {
    std::cout << (asked.config.empty() ? "no configuration, all defaults" : asked.config) << ": ok\n";
  }
  return 0;
}

// The signals that main waits for, blocked in every thread.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

// From here on the daemon writes where its history and its socket are, and nowhere else.
void confine(const Config& config) {
  std::vector<std::string> folders;
  for (const std::string& file : {etad::real_path(config.storage.path), config.socket.path}) {
    const auto folder = std::filesystem::absolute(file).parent_path();
    std::error_code ignored;  // where a folder can't be made, what needs it says why
    std::filesystem::create_directories(folder, ignored);
    if (std::filesystem::is_directory(folder, ignored)) folders.push_back(folder.string());
  }
  const auto confined = etad::confine(folders);
  if (!confined) {
    etad::log::warning("the daemon could not confine itself: " + confined.error().text());
  } else if (!*confined) {
    etad::log::info("this kernel has no Landlock: what the daemon may write is left to permissions");
  }
}

// Before the confinement, which allows to execute nothing, and before there are threads.
std::unique_ptr<etad::AlertCommand> start_alert_command(const Config& config) {
  if (config.alerts.command.empty()) return nullptr;
  if (const auto checked = etad::AlertCommand::check(config.alerts.command); !checked)
    etad::log::warning(checked.error().text(), {{"PART", "alerts"}});
  auto started = etad::AlertCommand::start(config.alerts.command, config.alerts.timeout);
  if (started) return std::move(*started);
  etad::log::error(started.error(), {{"PART", "alerts"}});
  return nullptr;
}

// Likewise: the kernel shows whoever is confined no open file of a process that is not.
std::unique_ptr<etad::CommandLineReader> start_command_line_reader(const Config& config) {
  if (config.command_line.patterns.empty()) return nullptr;
  auto started = etad::CommandLineReader::start(etad::proc_process_table());
  if (started) return std::move(*started);
  etad::log::error(started.error(), {{"PART", "command line"}});
  return nullptr;
}

void reload(etad::Daemon& daemon) {
  // systemd wants to know when the reload began, on the clock that it compares with.
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto microseconds = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
  etad::system::notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
  if (daemon.reload()) etad::log::info("reloaded configuration and rules");
  etad::system::notify("READY=1");
}

void pet_watchdog(etad::Daemon& daemon) {
  if (const auto stuck = daemon.stuck_thread(kStuckAfter)) {
    etad::log::error("the " + *stuck + " thread is stuck: the watchdog is not answered");
    return;
  }
  etad::system::notify("WATCHDOG=1\nSTATUS=" + etad::printable(daemon.status_line()));
}

// Until SIGTERM or SIGINT, or until it can't go on. What may take long is done aside: a reload waits for whoever puts
// something right, and to open the history anew is a start.
std::vector<Error> run(etad::Daemon& daemon, etad::Aside& aside, const sigset_t& signals) {
  const auto watchdog = etad::system::watchdog_interval();
  const auto pause = watchdog.count() > 0 && watchdog / 3 < kStatusEvery
                         ? std::chrono::duration_cast<std::chrono::nanoseconds>(watchdog / 3)
                         : std::chrono::nanoseconds(kStatusEvery);
  const timespec timeout{pause.count() / 1'000'000'000, pause.count() % 1'000'000'000};
  bool reload_asked = false;
  std::optional<steady_clock::time_point> opening_since;
  std::vector<Error> errors;
  while (true) {
    if (opening_since && !aside.is_busy()) opening_since.reset();
    if (!opening_since && !errors.empty()) return errors;
    if (!opening_since)
      pet_watchdog(daemon);
    else if (steady_clock::now() - *opening_since < kLongestStart)
      etad::system::notify("WATCHDOG=1\nSTATUS=opening the history anew");
    const int signal = sigtimedwait(&signals, nullptr, &timeout);
    reload_asked = reload_asked || signal == SIGHUP;
    if (signal == SIGTERM || signal == SIGINT) {
      if (opening_since) aside.wait();
      return errors;
    }
    if (opening_since) continue;
    if (reload_asked) {
      reload_asked = !aside.begin([&daemon] { reload(daemon); });
    } else if (daemon.is_to_be_opened_anew() && aside.begin([&] { errors = daemon.open_anew(); })) {
      opening_since = steady_clock::now();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Learns from framework logs how long neural networks take, and answers on a socket", "etad");
  Asked asked;
  app.add_option("--config", asked.config, "The configuration file")->check(etad::usage::names_a_file);
  app.add_flag("--user", asked.user,
               "Run for oneself, without root: configuration, history and socket in one's own folders");
  app.add_flag("--check-config", asked.check_config, "Check the configuration, tell every mistake, and exit");
  app.add_flag("--check-rules", asked.check_rules, "Load the rule files, run their samples, and exit");
  app.set_version_flag("--version", std::string("etad ") + etad::kVersion);
  if (const auto ended = etad::usage::parse(app, argc, argv)) return *ended;

  etad::system::keep_memory();
  umask(077);  // what the daemon makes is its user's alone; the socket has the mode that is asked for
  const std::string prefix = etad::paths::own_prefix();
  const Paths defaults = asked.user ? etad::paths::of_user(prefix, etad::paths::process_environment())
                                    : etad::paths::of_system(prefix);
  const bool checks = asked.check_config || asked.check_rules;
  // Before the configuration is read: who has changed it since asks for a reload, and none is lost.
  const sigset_t signals = checks ? sigset_t{} : block_signals();
  auto config = read_config(asked.config, defaults);
  if (!config) return checks ? report(config.error()) : report_to_log(config.error());
  if (checks) return check_only(asked, *config);

  etad::log::set_level(config->log.level);
  etad::Helpers helpers{start_alert_command(*config), start_command_line_reader(*config)};
  if (asked.config.empty()) {
    etad::log::warning("there is no " + defaults.config +
                       ": no log is followed before its [[source]] names some");
  }
  confine(*config);
  auto daemon = etad::Daemon::start(std::move(*config), asked.config, defaults, std::move(helpers));
  if (!daemon) {
    for (const Error& error : daemon.error()) etad::log::error(error);
    return 1;
  }
  etad::log::info(std::string("etad ") + etad::kVersion + " is ready");
  etad::system::notify("READY=1");
  etad::Aside aside;  // its end comes before the daemon's
  const auto failure = run(**daemon, aside, signals);
  for (const Error& error : failure) etad::log::error(error);
  etad::system::notify("STOPPING=1");
  etad::log::info("stopping");
  (*daemon)->stop();
  return failure.empty() ? 0 : 1;
}
