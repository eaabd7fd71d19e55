#include "daemon/follow/trusted_open.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parsers/base/text.h"

namespace etad::follow {
namespace {

constexpr std::size_t kMostLinks = 40;  // as the kernel's own limit
constexpr int kReading = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// The names of a path, first to last; of an absolute one the first is "/".
std::deque<std::string> names_of(std::string_view path) {
  std::deque<std::string> out;
  if (path.starts_with('/')) out.emplace_back("/");
  while (!path.empty()) {
    if (const std::string_view name = take_until(path, '/'); !name.empty()) out.emplace_back(name);
  }
  return out;
}

// What a walk along a path came to: the file's directory, the file (a bare handle), the links' owners.
struct Walk {
  Descriptor directory;
  Descriptor file;
  std::string name;
  std::vector<uid_t> link_owners;
};

OsResult<Walk> walk(const std::string& path) {
  Walk out;
  std::deque<std::string> names = names_of(path);
  out.directory = Descriptor(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (!names.empty()) {
    out.name = std::move(names.front());
    names.pop_front();
    Descriptor next(::openat(out.directory.get(), out.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (next.get() < 0 || ::fstat(next.get(), &status) != 0) return tl::unexpected(errno);
    if (S_ISLNK(status.st_mode)) {
      std::array<char, PATH_MAX> target{};
      const ssize_t length = ::readlinkat(next.get(), "", target.data(), target.size());
      if (length < 0) return tl::unexpected(errno);
      out.link_owners.push_back(status.st_uid);
      if (out.link_owners.size() > kMostLinks) return tl::unexpected(ELOOP);
      auto onward = names_of({target.data(), static_cast<std::size_t>(length)});
      names.insert(names.begin(), std::make_move_iterator(onward.begin()),
                   std::make_move_iterator(onward.end()));
      continue;
    }
    if (names.empty())
      out.file = std::move(next);
    else
      out.directory = std::move(next);
  }
  if (out.file.get() < 0) return tl::unexpected(EINVAL);
  return out;
}

Descriptor open_if_no_links(const std::string& path, int flags) {
  struct open_how how {};
  how.flags = static_cast<unsigned>(flags);
  how.resolve = RESOLVE_NO_SYMLINKS;
  return Descriptor(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// A file of one name, on whose way no link lies: nothing of that way is to be asked, and the kernel walks it twice. Two
// thousand folders in one another, walked one by one, would take milliseconds of each look. Nothing: all is to be asked,
// or this kernel can't be told that links be refused.
std::optional<OsResult<int>> open_plain(const std::string& path) {
  const Descriptor file = open_if_no_links(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  const auto failed = []() -> std::optional<OsResult<int>> {
    if (errno == ELOOP || errno == ENOSYS || errno == EPERM || errno == EINVAL) return std::nullopt;
    return tl::unexpected(errno);
  };
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return failed();
  if (S_ISLNK(status.st_mode)) return std::nullopt;
  if (!S_ISREG(status.st_mode)) return tl::unexpected(EINVAL);
  if (status.st_nlink > 1) return std::nullopt;
  Descriptor opened = open_if_no_links(path, kReading | O_NOFOLLOW);
  struct stat now {};
  if (opened.get() < 0 || ::fstat(opened.get(), &now) != 0) return failed();
  if (!is_same(now, status)) return tl::unexpected(EAGAIN);
  return opened.release();
}

// A file of several names is the work of its owner only where nobody else can have given it this one.
bool is_name_trusted(const struct stat& file, const struct stat& directory) {
  if (file.st_nlink <= 1) return true;
  if (directory.st_uid == file.st_uid)
    return (directory.st_mode & S_IWOTH) == 0;  // whom he lets in is his group
  const bool ours = directory.st_uid == 0 || directory.st_uid == ::geteuid();
  return ours && (directory.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

OsResult<int> open_trusted(const std::string& path) {
  if (const auto plain = open_plain(path)) return *plain;
  const auto walked = walk(path);
  if (!walked) return tl::unexpected(walked.error());
  struct stat file {};
  struct stat directory {};
  if (::fstat(walked->file.get(), &file) != 0 || ::fstat(walked->directory.get(), &directory) != 0)
    return tl::unexpected(errno);
  // A FIFO without a writer would block, a terminal would become ours, a device may act on being opened.
  if (!S_ISREG(file.st_mode)) return tl::unexpected(EINVAL);
  const auto may_show = [&](uid_t owner) {
    return owner == 0 || owner == ::geteuid() || owner == file.st_uid;
  };
  if (!std::all_of(walked->link_owners.begin(), walked->link_owners.end(), may_show) ||
      !is_name_trusted(file, directory))
    return tl::unexpected(EPERM);
  Descriptor opened(::openat(walked->directory.get(), walked->name.c_str(), kReading | O_NOFOLLOW));
  struct stat now {};
  if (opened.get() < 0 || ::fstat(opened.get(), &now) != 0) return tl::unexpected(errno);
  // Another file has taken the name since it was looked at: it is looked at anew.
  if (!is_same(now, file)) return tl::unexpected(EAGAIN);
  return opened.release();
}

// realpath() asks for each folder on the way by itself, and walks to each from the beginning: the square of their number.
OsResult<std::string> real_path(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  const bool lacks = file.get() < 0 && (errno == EMFILE || errno == ENFILE);
  if (file.get() < 0 && !lacks) return tl::unexpected(errno);
  std::array<char, PATH_MAX> name{};
  const std::string of_it = "/proc/self/fd/" + std::to_string(file.get());
  const ssize_t length = lacks ? -1 : ::readlink(of_it.c_str(), name.data(), name.size());
  struct stat status {};
  struct stat there {};
  if (length > 0 && static_cast<std::size_t>(length) < name.size() && name[0] == '/' &&
      ::fstat(file.get(), &status) == 0 && ::lstat(name.data(), &there) == 0 && is_same(status, there))
    return std::string(name.data(), static_cast<std::size_t>(length));
  char* const real = ::realpath(path.c_str(), nullptr);  // no /proc, or it was moved meanwhile
  if (real == nullptr) return tl::unexpected(errno);
  std::string out(real);
  std::free(real);
  return out;
}

}  // namespace etad::follow
