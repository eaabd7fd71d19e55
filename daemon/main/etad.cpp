// etad: the daemon's command line, signals and the service manager's watchdog. Everything else is in rooms.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "daemon/config.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/rules.h"
#include "daemon/system.h"
#include "daemon/version.h"

namespace {

using etad::Config;
using etad::Error;

constexpr char kDefaultConfig[] = "/etc/etad/etad.toml";
constexpr std::chrono::seconds kStuckAfter{
    20};  // a thread silent for so long no longer earns a watchdog ping
constexpr std::chrono::seconds kStatusEvery{5};

// EX_CONFIG of sysexits.h: the unit does not start the daemon again after it, for nothing would change.
constexpr int kBadConfiguration = 78;

int report(const std::vector<Error>& errors) {
  for (const Error& error : errors) std::cerr << error.text() << '\n';
  return kBadConfiguration;
}

int report_to_log(const std::vector<Error>& errors) {
  for (const Error& error : errors) etad::log::error(error);
  return kBadConfiguration;
}

// Without --config and without a file at the usual place: all defaults, and nothing to reload.
tl::expected<Config, std::vector<Error>> read_config(std::string& path, bool is_default) {
  if (is_default && access(path.c_str(), F_OK) != 0) path.clear();
  if (path.empty()) return Config{};
  const auto text = etad::system::read_file(path);
  if (!text) return tl::unexpected(std::vector<Error>{text.error()});
  return etad::parse_config(path, *text);
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
  etad::system::notify("WATCHDOG=1\nSTATUS=" + daemon.status_line());
}

// Until SIGTERM or SIGINT.
void run(etad::Daemon& daemon, const sigset_t& signals) {
  const auto watchdog = etad::system::watchdog_interval();
  const auto pause = watchdog.count() > 0 && watchdog / 3 < kStatusEvery
                         ? std::chrono::duration_cast<std::chrono::nanoseconds>(watchdog / 3)
                         : std::chrono::nanoseconds(kStatusEvery);
  const timespec timeout{pause.count() / 1'000'000'000, pause.count() % 1'000'000'000};
  while (true) {
    pet_watchdog(daemon);
    const int signal = sigtimedwait(&signals, nullptr, &timeout);
    if (signal == SIGHUP) reload(daemon);
    if (signal == SIGTERM || signal == SIGINT) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("etad: learns from framework logs how long neural networks take, and answers on a socket");
  std::string config_path = kDefaultConfig;
  bool check_config = false, check_rules = false;
  const auto* config_option =
      app.add_option("--config", config_path, "The configuration file")->capture_default_str();
  app.add_flag("--check-config", check_config, "Check the configuration, tell every mistake, and exit");
  app.add_flag("--check-rules", check_rules, "Load the rule files, run their samples, and exit");
  app.set_version_flag("--version", std::string("etad ") + etad::kVersion);
  CLI11_PARSE(app, argc, argv);

  auto config = read_config(config_path, config_option->count() == 0);
  const bool check_only = check_config || check_rules;
  if (!config) return check_only ? report(config.error()) : report_to_log(config.error());
  if (check_only) {
    const auto formats = etad::load_rules(config->rules.path);
    if (!formats) return report(formats.error());
    const auto setup = etad::ingest_setup(*config, *formats);
    if (!setup) return report({setup.error()});
    if (check_rules) {
      for (const auto& format : (*formats)->all()) std::cout << format->name() << ": ok\n";
    } else {
      std::cout << config_path << ": ok\n";
    }
    return 0;
  }

  etad::log::set_level(config->log.level);
  const sigset_t signals = block_signals();
  auto daemon = etad::Daemon::start(std::move(*config), config_path);
  if (!daemon) {
    for (const Error& error : daemon.error()) etad::log::error(error);
    return 1;
  }
  etad::log::info(std::string("etad ") + etad::kVersion + " is ready");
  etad::system::notify("READY=1");
  run(**daemon, signals);
  etad::system::notify("STOPPING=1");
  etad::log::info("stopping");
  (*daemon)->stop();
  return 0;
}
