#include "daemon/client/fleet.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace etad::client {
namespace {

// Beside etactl itself, wherever that lies.
std::string program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "etad-fleet";
}

// This process's environment with the database, which is on no command line: everybody can read those.
std::vector<std::string> environment_with(const std::string& database) {
  std::vector<std::string> out = {"ETAD_FLEET_DATABASE=" + database};
  for (char** each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, "ETAD_FLEET_DATABASE=", 20) != 0) out.emplace_back(*each);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<FleetServer> FleetServer::start(const std::string& database) {
  std::string folder = (std::filesystem::temp_directory_path() / "etactl-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return fail("no folder for a socket: " + std::string(std::strerror(errno)), "", folder);
  std::array<int, 2> told{};
  if (pipe2(told.data(), O_CLOEXEC) != 0) return fail(std::strerror(errno));
  std::vector<std::string> arguments = {program(), "--socket", folder + "/socket", "--child"};
  std::vector<std::string> environment = environment_with(database);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, told[1], STDOUT_FILENO);
  pid_t process = -1;
  const int failed = posix_spawn(&process, arguments.front().c_str(), &actions, nullptr,
                                 pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(told[1]);
  FleetServer server(failed == 0 ? process : -1, folder);
  char first = 0;
  const bool ready = failed == 0 && read(told[0], &first, 1) == 1;
  close(told[0]);
  if (failed != 0)
    return fail(ErrorKind::not_found,
                std::string("a fleet is asked through etad-fleet: ") + std::strerror(failed),
                "install the package etad-export", arguments.front());
  if (!ready) return fail(ErrorKind::unavailable, "the fleet can't be asked");
  return server;
}

FleetServer::FleetServer(FleetServer&& other) noexcept
    : process_(std::exchange(other.process_, -1)), folder_(std::exchange(other.folder_, {})) {}

FleetServer::~FleetServer() {
  if (process_ > 0) {
    kill(process_, SIGTERM);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (folder_.empty()) return;
  unlink(socket().c_str());
  rmdir(folder_.c_str());
}

}  // namespace etad::client
