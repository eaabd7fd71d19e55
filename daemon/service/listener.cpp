#include "daemon/service/listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace etad::service {
namespace {

constexpr int kBacklog = 1024;

tl::unexpected<Error> system_error(const std::string& path, const std::string& what, std::string hint = {}) {
  return fail(what + ": " + std::strerror(errno), std::move(hint), path);
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty()) return fail("no path for the socket");
  if (path.size() >= sizeof address.sun_path) {
    return fail("the path is too long for a socket",
                "at most " + std::to_string(sizeof address.sun_path - 1) + " bytes are possible", path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// Makes room at `path`: nothing there, or the socket file of a daemon that is no more.
Result<void> clear_stale(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return system_error(path, "the socket's path can't be looked at");
  }
  if (!S_ISSOCK(found.st_mode)) {
    return fail("there is something that is no socket where the socket should be", "move it away", path);
  }
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return system_error(path, "no socket to be had");
  const int error = connect(probe, generic(address), sizeof address) == 0 ? 0 : errno;
  close(probe);
  if (error == 0 || error == EAGAIN) {
    return fail("another daemon is listening on this socket", "stop it first, or give this one another path",
                path);
  }
  if (error != ECONNREFUSED && error != ENOENT) {
    errno = error;
    return system_error(path, "the socket file that is there can't be tried");
  }
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return system_error(path, "the dead socket file can't be removed");
  }
  return {};
}

}  // namespace

Listener::Listener(Listener&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::exchange(other.path_, {})),
      is_own_(other.is_own_),
      device_(other.device_),
      inode_(other.inode_) {}

Listener& Listener::operator=(Listener&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(is_own_, other.is_own_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

Listener::~Listener() {
  if (fd_ >= 0) close(fd_);
  remove_file();
}

int Listener::release() {
  return std::exchange(fd_, -1);
}

void Listener::remove_file() {
  if (is_own_ && is_under_its_path()) unlink(path_.c_str());
  path_.clear();
}

bool Listener::is_under_its_path() const {
  if (path_.empty()) return true;
  struct stat found {};
  return lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
}

bool Listener::note_file() {
  struct stat found {};
  if (lstat(path_.c_str(), &found) != 0) return false;
  device_ = found.st_dev;
  inode_ = found.st_ino;
  return true;
}

Result<Listener> Listener::bind(const std::string& path, mode_t mode, std::optional<gid_t> group) {
  const auto address = address_of(path);
  if (!address) return tl::unexpected(address.error());
  if (auto cleared = clear_stale(path, *address); !cleared) return tl::unexpected(cleared.error());
  Listener out;
  out.fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (out.fd_ < 0) return system_error(path, "no socket to be had");
  // Linux gives the file the mode of the socket: closed to all others until it is as it should be.
  fchmod(out.fd_, 0600);
  if (::bind(out.fd_, generic(*address), sizeof *address) != 0) {
    return system_error(path, "the socket can't be created", errno == ENOENT ? "its folder must exist" : "");
  }
  out.path_ = path;
  out.is_own_ = out.note_file();
  if (!out.is_own_) return system_error(path, "the socket is gone again");
  if (group && chown(path.c_str(), static_cast<uid_t>(-1), *group) != 0) {
    return system_error(path, "the socket can't be given to its group");
  }
  if (chmod(path.c_str(), mode) != 0) return system_error(path, "the socket's mode can't be set");
  if (::listen(out.fd_, kBacklog) != 0) return system_error(path, "can't listen on the socket");
  return out;
}

Result<Listener> Listener::adopt(int fd) {
  int listening = 0;
  socklen_t length = sizeof listening;
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0 || listening == 0) {
    return fail("the inherited descriptor " + std::to_string(fd) + " is no listening socket");
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  Listener out;
  out.fd_ = fd;
  sockaddr_un address{};
  length = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0 && address.sun_path[0] == '/')
    out.path_ = address.sun_path;
  if (!out.path_.empty() && !out.note_file()) out.path_.clear();
  return out;
}

}  // namespace etad::service
