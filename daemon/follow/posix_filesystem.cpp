#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/trusted_open.h"

namespace etad::follow {
namespace {

FileType type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileType::regular;
  if (S_ISDIR(mode)) return FileType::directory;
  if (S_ISFIFO(mode)) return FileType::fifo;
  if (S_ISSOCK(mode)) return FileType::socket;
  if (S_ISCHR(mode)) return FileType::character_device;
  if (S_ISBLK(mode)) return FileType::block_device;
  return FileType::other;
}

// nullptr: that was all, or errno says why there is no more.
const dirent* next_of(DIR* stream) {
  errno = 0;
  return ::readdir(stream);
}

// Many a file system in user space (sshfs) lists its names without their inodes, or with numbers of its own: then that
// of the directory itself is none either. The stream is at its beginning afterwards.
bool lists_inodes(DIR* stream) {
  struct stat status {};
  std::uint64_t itself = 0;
  if (::fstat(::dirfd(stream), &status) == 0)
    while (const dirent* entry = next_of(stream))
      if (std::string_view(entry->d_name) == ".") {
        itself = entry->d_ino;
        break;
      }
  ::rewinddir(stream);
  return itself != 0 && status.st_ino == itself;
}

bool may_be(const dirent& entry, unsigned char type) {
  return entry.d_type == type || entry.d_type == DT_UNKNOWN;
}

// Whoever owns a file may give it any time, on tmpfs up to the year 292,277,026,596, which no Instant holds.
Instant instant_of(const struct statx_timestamp& time) {
  constexpr std::int64_t kFirst = 0, kLast = 253'402'300'799;  // 1970 to 9999
  const std::chrono::seconds seconds(std::clamp<std::int64_t>(time.tv_sec, kFirst, kLast));
  return Instant(seconds) + std::chrono::microseconds(time.tv_nsec / 1000);
}

FileStatus status_of(const struct statx& raw) {
  FileStatus out;
  out.device = makedev(raw.stx_dev_major, raw.stx_dev_minor);
  out.inode = raw.stx_ino;
  out.type = type_of(raw.stx_mode);
  out.size = static_cast<std::int64_t>(raw.stx_size);
  out.links = raw.stx_nlink;
  out.modified = instant_of(raw.stx_mtime);
  out.changed = instant_of(raw.stx_ctime);
  out.owner = raw.stx_uid;
  if ((raw.stx_mask & STATX_BTIME) != 0) out.born = instant_of(raw.stx_btime);
  return out;
}

// `flags` as of statx(2); with AT_EMPTY_PATH and an empty path: of the handle itself.
OsResult<FileStatus> status_at(int handle, const char* path, int flags) {
  struct statx raw {};
  if (::statx(handle, path, flags, STATX_BASIC_STATS | STATX_BTIME, &raw) != 0) return tl::unexpected(errno);
  return status_of(raw);
}

class PosixFileSystem final : public FileSystem {
 public:
  std::chrono::nanoseconds spent() const override { return spent_; }

  OsResult<FileStatus> status(const std::string& path) override {
    const Timed timed(*this);
    return status_at(AT_FDCWD, path.c_str(), 0);
  }

  OsResult<void> list(const std::string& directory, const TakeEntry& take) override {
    const Timed timed(*this);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
    if (stream == nullptr) return tl::unexpected(errno);
    const bool has_inodes = lists_inodes(stream.get());
    std::size_t names = 0;
    while (const dirent* entry = next_of(stream.get())) {
      const std::string_view name(entry->d_name);
      if (name == "." || name == "..") continue;
      if (++names > kMostNames) return tl::unexpected(EFBIG);
      if (!take({name, has_inodes ? entry->d_ino : 0, may_be(*entry, DT_LNK), may_be(*entry, DT_DIR)}))
        return {};
    }
    if (errno != 0) return tl::unexpected(errno);
    return {};
  }

  OsResult<std::string> resolve(const std::string& path) override {
    const Timed timed(*this);
    return real_path(path);
  }

  OsResult<Handle> open(const std::string& path) override {
    const Timed timed(*this);
    return open_trusted(path);
  }

  void close(Handle handle) override { ::close(handle); }

  OsResult<FileStatus> status(Handle handle) override {
    const Timed timed(*this);
    return status_at(handle, "", AT_EMPTY_PATH);
  }

  OsResult<std::size_t> read(Handle handle, std::int64_t offset, std::span<char> into) override {
    const Timed timed(*this);
    for (;;) {
      const ssize_t got = ::pread(handle, into.data(), into.size(), offset);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return tl::unexpected(errno);
    }
  }

  std::int64_t next_data(Handle handle, std::int64_t offset) override {
    const Timed timed(*this);
    const off_t data = ::lseek(handle, offset, SEEK_DATA);
    if (data >= 0) return data;
    if (errno != ENXIO) return offset;  // a file system without holes
    const auto now = status(handle);
    return now && now->size > offset ? now->size : offset;
  }

 private:
  // Adds to what was spent; of calls within one another, the outermost.
  class Timed {
   public:
    explicit Timed(PosixFileSystem& files) : files_(files) { ++files_.calls_; }
    ~Timed() {
      if (--files_.calls_ == 0) files_.spent_ += Clock::now() - begun_;
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    PosixFileSystem& files_;
    Clock::time_point begun_ = Clock::now();
  };

  std::chrono::nanoseconds spent_{0};
  int calls_ = 0;  // under way
};

}  // namespace

std::unique_ptr<FileSystem> posix_filesystem() {
  return std::make_unique<PosixFileSystem>();
}

}  // namespace etad::follow
