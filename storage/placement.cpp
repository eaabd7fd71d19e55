#include "storage/placement.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace etad {
namespace {

constexpr mode_t kMost = S_IRUSR | S_IWUSR | S_IRGRP;
constexpr std::uint64_t kPageBytes = 4096;       // of memory, as SQLite reckons
constexpr std::uint64_t kIndexBytes = 8 * 4096;  // that SQLite maps at a time

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

}  // namespace

Placement::Placement(std::string path, int lock)
    : path_(std::move(path)),
      log_path_(path_ + "-wal"),
      database_(id_of(path_).value_or(std::nullopt)),
      log_(id_of(log_path_).value_or(std::nullopt)) {
  struct stat locked {};
  if (lock >= 0 && fstat(lock, &locked) == 0) lock_ = FileId{locked.st_dev, locked.st_ino};
}

tl::expected<std::optional<Placement::FileId>, int> Placement::id_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0) return FileId{found.st_dev, found.st_ino};
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  return tl::unexpected(errno);
}

Result<void> Placement::check() {
  const auto database = id_of(path_), log = id_of(log_path_), lock = id_of(path_ + "-lock");
  for (const auto* found : {&database, &log, &lock}) {
    if (!*found)
      return fail(ErrorKind::unavailable,
                  std::string("the history's files can't be looked at: ") + std::strerror(found->error()),
                  "nothing more is written until they can: see the disk, and the folders on the way there",
                  path_);
  }
  if (!log_) log_ = *log;
  const char* const replaced = *database != database_     ? "database"
                               : *log != log_             ? "write-ahead log"
                               : lock_ && *lock != *lock_ ? "lock"
                                                          : nullptr;
  if (replaced == nullptr) return {};
  return fail(std::string("the history's ") + replaced + " was removed or replaced while it is in use",
              "nothing more is written to it: put it back, or restart etad, which takes what lies there then "
              "and reads the logs from where that stands",
              path_);
}

// A file of its own: closing a descriptor of the database would take SQLite's locks away.
Result<WriterLock> WriterLock::take(const std::string& path) {
  WriterLock lock(
      open((path + "-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (lock.descriptor_ < 0 || flock(lock.descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return lock;
  return fail(ErrorKind::unavailable, "another process writes to this history",
              "stop the other etad first, or give this one another path in [storage]", path);
}

WriterLock::~WriterLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<void> check_names(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_nlink < 2) return {};
  return fail(ErrorKind::conflict, "the history's database has a second name, a hard link",
              "what is committed under one of them may not be seen under the other: remove one (`find FOLDER "
              "-samefile " +
                  path + "` finds them), and copy a history by `etactl backup`",
              path);
}

std::string real_path(const std::string& path) {
  // A link may name a file that is yet to be made: that one is the history, and its lock is to lie beside it.
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::filesystem::path at = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code is_none;
    if (const auto real = std::filesystem::canonical(at, is_none); !is_none) return real.string();
    const auto target = std::filesystem::read_symlink(at, is_none);
    if (is_none) return at.string();
    at = at.parent_path() / target;
  }
  return path;
}

bool may_be_written(const std::string& path) {
  const auto may = [](const std::string& file) { return access(file.c_str(), W_OK) == 0 || errno == ENOENT; };
  return may(path) && may(path + "-wal") && may(path + "-shm") && may(folder_of(path));
}

std::optional<Room> room_for(const std::string& path) {
  struct statvfs found {};
  if (statvfs(folder_of(path).c_str(), &found) != 0) return std::nullopt;
  return Room{found.f_frsize, found.f_frsize * found.f_bavail};
}

Result<void> check_room(const std::string& path, const std::optional<Room>& room) {
  if (!room || room->block >= kPageBytes || room->free >= kIndexBytes) return {};
  return fail(ErrorKind::unavailable,
              "the disk is full, and its blocks are smaller than 4 KiB: the database's index has no room",
              "make room for 32 KiB on its file system, and start etad again", path);
}

void make_new(const std::string& path) {
  // O_EXCL, because closing a database that this process has open would release its locks.
  const int made = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (made >= 0) close(made);  // else opening it says why
}

Result<void> make_private(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const std::string file = path + suffix;
    struct stat found {};
    if (stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || (found.st_mode & 0777U & ~kMost) == 0)
      continue;
    if (chmod(file.c_str(), found.st_mode & kMost) != 0) {
      return fail(
          std::string("others may read the history, and that can't be changed: ") + std::strerror(errno),
          "chmod 600, or give the file to the user that etad runs as", file);
    }
  }
  return {};
}

}  // namespace etad
