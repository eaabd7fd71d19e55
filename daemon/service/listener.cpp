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
      device_(other.device_),
      inode_(other.inode_) {}

Listener::~Listener() {
  if (fd_ >= 0) close(fd_);
  remove_file();
}

int Listener::release() {
  return std::exchange(fd_, -1);
}

void Listener::remove_file() {
  struct stat found {};
  const std::string path = std::exchange(path_, {});
  if (path.empty() || lstat(path.c_str(), &found) != 0) return;
  if (found.st_dev == device_ && found.st_ino == inode_) unlink(path.c_str());
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
  struct stat made {};
  if (lstat(path.c_str(), &made) != 0) return system_error(path, "the socket is gone again");
  out.path_ = path;
  out.device_ = made.st_dev;
  out.inode_ = made.st_ino;
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
  return out;
}

}  // namespace etad::service
