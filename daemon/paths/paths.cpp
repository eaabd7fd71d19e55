#include "daemon/paths/paths.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "daemon/paths/install_dirs.h"

namespace etad::paths {
namespace {

constexpr char kSystemSocket[] = "/run/etad/etad.sock";

// `folder` as cmake was told it: absolute, or below the prefix.
std::string below(const std::string& prefix, const std::string& folder) {
  return folder.starts_with('/') ? folder : prefix + "/" + folder;
}

std::string rules_folder(const std::string& prefix) {
  return below(prefix, kDataDir) + "/etad/rules.d";
}

// The configuration of what is installed under /usr is in /etc.
std::string config_folder(const std::string& prefix) {
  return (prefix == "/usr" ? "/etc" : below(prefix, kSysconfDir)) + std::string("/etad");
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// An absolute path out of the environment; the standard has relative ones ignored.
std::string folder_of(const Environment& environment, const std::string& variable,
                      const std::string& otherwise) {
  const auto value = environment(variable);
  return value && value->starts_with('/') ? *value : otherwise;
}

std::string home_of(const Environment& environment) {
  return folder_of(environment, "HOME", "/");
}

std::string user_socket(const Environment& environment) {
  const std::string login = "/run/user/" + std::to_string(getuid());
  const std::string runtime = folder_of(environment, "XDG_RUNTIME_DIR", is_folder(login) ? login : "");
  if (!runtime.empty()) return runtime + "/etad/etad.sock";
  return folder_of(environment, "XDG_STATE_HOME", home_of(environment) + "/.local/state") + "/etad/etad.sock";
}

// A daemon that was killed leaves its socket behind: only who answers counts.
bool listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool answered = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return answered;
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::string install_prefix(const std::string& executable) {
  for (const std::string folder : {kSbinDir, kBinDir}) {
    const std::string tail = "/" + folder;
    const std::string parent = std::filesystem::path(executable).parent_path().string();
    if (folder.starts_with('/') || !parent.ends_with(tail)) continue;
    const std::string prefix = parent.substr(0, parent.size() - tail.size());
    if (!prefix.empty() && is_folder(rules_folder(prefix))) return prefix;
  }
  return "/usr";
}

std::string own_prefix() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return install_prefix(error ? std::string() : executable.string());
}

Paths of_system(const std::string& prefix) {
  Paths out;
  const std::string config = config_folder(prefix);
  out.config = config + "/etad.toml";
  out.rules = {rules_folder(prefix), config + "/rules.d"};
  out.history = "/var/lib/etad/history.db";
  out.socket = kSystemSocket;
  return out;
}

Paths of_user(const std::string& prefix, const Environment& environment) {
  Paths out;
  out.home = home_of(environment);
  const std::string config = folder_of(environment, "XDG_CONFIG_HOME", out.home + "/.config") + "/etad";
  out.config = config + "/etad.toml";
  out.rules = {rules_folder(prefix), config + "/rules.d"};
  out.history = folder_of(environment, "XDG_STATE_HOME", out.home + "/.local/state") + "/etad/history.db";
  out.socket = user_socket(environment);
  return out;
}

std::string page_folder(const std::string& prefix, const Environment& environment) {
  return folder_of(environment, "ETAD_PAGE_DIR", below(prefix, kDataDir) + "/etad/page");
}

std::vector<std::string> client_rules(const std::string& prefix, const Environment& environment) {
  std::vector<std::string> out = of_system(prefix).rules;
  out.push_back(of_user(prefix, environment).rules.back());
  return out;
}

std::string client_socket(const Environment& environment) {
  if (const auto told = environment("ETAD_SOCKET"); told && !told->empty()) return *told;
  const std::string own = user_socket(environment);
  return listens(own) ? own : kSystemSocket;
}

}  // namespace etad::paths
