#include "daemon/follow/trusted_open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>
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
  if (now.st_dev != file.st_dev || now.st_ino != file.st_ino) return tl::unexpected(EAGAIN);
  return opened.release();
}

}  // namespace etad::follow
