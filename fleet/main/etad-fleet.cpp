// etad-fleet: answers from a fleet's database on a Unix socket, as the daemon answers from a host's history.
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "daemon/paths/paths.h"
#include "daemon/rules.h"
#include "daemon/service/server.h"
#include "daemon/system.h"
#include "daemon/usage/usage.h"
#include "daemon/version.h"
#include "fleet/answers/fleet_backend.h"
#include "parsers/base/printable.h"

namespace {

struct Asked {
  std::string database, socket;
  bool child = false;
  std::int64_t refit = 60;
};

int report(const etad::Error& error) {
  std::cerr << etad::printable(error.text()) << '\n';
  return 1;
}

// A word alone is a service of libpq's pg_service.conf.
std::string connection_string(const std::string& database) {
  return database.find('=') == std::string::npos && database.find(':') == std::string::npos
             ? "service=" + database
             : database;
}

// Only where they are older than who asks would have them: somebody else is fitting what has changed since.
void tell_age(double seconds, double look) {
  if (seconds <= look || seconds < 1) return;
  const auto whole = static_cast<std::int64_t>(seconds);
  std::cerr << "etad-fleet: answered by what was known "
            << (whole < 120 ? std::to_string(whole) + " s" : std::to_string(whole / 60) + " min")
            << " ago; another process is fitting what has changed since\n";
}

int serve(const Asked& asked) {
  std::signal(SIGPIPE, SIG_IGN);
  if (asked.child) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == 1) return 1;  // it was over before
  }
  const auto formats = etad::load_rules(
      etad::paths::client_rules(etad::paths::own_prefix(), etad::paths::process_environment()));
  const std::string database = connection_string(asked.database);
  etad::fleet::FleetBackend backend(database, static_cast<double>(asked.refit),
                                    formats ? *formats : std::make_shared<const etad::FormatSet>(),
                                    etad::system::now);
  if (const auto fitted = backend.refit(); !fitted) return report(fitted.error());
  tell_age(backend.seconds_old(), static_cast<double>(asked.refit));
  // Until here a signal ends the process at once, whatever it is fitting: the database takes it back.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  etad::service::Options options;
  options.socket_path = asked.socket;
  options.world_accessible = !asked.child;
  options.access.own_uid = getuid();
  options.version = etad::kVersion;
  options.log = [](std::string_view message) { std::cerr << etad::printable(message) << '\n'; };
  using etad::fleet::Findings, etad::fleet::FleetReader, etad::fleet::kPatience;
  FleetReader live_reader(database, std::make_shared<Findings>(), kPatience);
  etad::prediction::LiveRuns live(live_reader);
  auto server = etad::service::Server::listen(
      std::move(options), backend,
      std::make_unique<FleetReader>(database, std::make_shared<Findings>(), kPatience), live);
  if (!server) return report(server.error());
  std::thread service([&] { (*server)->run(); });
  std::cout << "ready" << std::endl;
  etad::system::notify("READY=1");
  const timespec pause{static_cast<time_t>(std::max<std::int64_t>(1, asked.refit)), 0};
  while (sigtimedwait(&signals, nullptr, &pause) < 0) {
    if (asked.child && getppid() == 1) break;
    if (const auto fitted = backend.refit(); !fitted) report(fitted.error());
  }
  (*server)->stop();
  service.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Answers from a fleet's database on a Unix socket, as etad does from a host's history",
               "etad-fleet");
  Asked asked;
  app.add_option("--database", asked.database, "A connection string or URI of libpq, or a service's name")
      ->envname("ETAD_FLEET_DATABASE")
      ->required();
  app.add_option("--socket", asked.socket, "Where to listen")->required();
  app.add_option("--refit", asked.refit,
                 "Seconds between two looks, of whoever asks, for runs that have changed (default 60)")
      ->envname("ETAD_FLEET_REFIT")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{86'400}));
  app.add_flag("--child", asked.child, "End with the process that started this one");
  app.set_version_flag("--version", std::string("etad-fleet ") + etad::kVersion);
  if (const auto ended = etad::usage::parse(app, argc, argv)) return *ended;
  umask(077);
  return serve(asked);
}
