// The file system and the hints as the follower sees them: small interfaces, so that tests can rotate,
// truncate and break files without a disk. PosixFileSystem and InotifyHints are the real ones.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "parsers/base/time.h"

namespace etad::follow {

// An errno value; never 0.
using Errno = int;
template <class T>
using OsResult = tl::expected<T, Errno>;

enum class FileType : std::uint8_t {
  regular,
  directory,
  fifo,
  socket,
  character_device,
  block_device,
  other
};

struct FileStatus {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  FileType type = FileType::regular;
  std::int64_t size = 0;
  std::uint64_t links = 1;  // 0: deleted, but still open
  Instant modified{};
  std::optional<std::int64_t> owner;  // uid
  Instant born{};     // when this inode was made; the epoch where the file system does not say
  Instant changed{};  // when it was last written to, renamed, or given other rights
};

// Whether it is a copy that was given its original's time of writing: then it was written to before it was made.
inline bool is_copy(const FileStatus& status) {
  return status.born != Instant{} && status.born > status.modified;
}

// Whether a file may be what became of this owner's. A name or a content that tells it anybody may give to a file of his
// own; root's may be the work of a rotation. Where an owner is not known, all may.
inline bool may_be_of(const std::optional<std::int64_t>& owner,
                      const std::optional<std::int64_t>& owner_of_file) {
  return !owner || !owner_of_file || *owner_of_file == *owner || *owner_of_file == 0;
}
inline bool may_be_of(const std::optional<std::int64_t>& owner, const FileStatus& file) {
  return may_be_of(owner, file.owner);
}

struct DirectoryEntry {
  std::string_view name;    // for as long as the entry is being taken
  std::uint64_t inode = 0;  // of the entry itself: of the link, if it is one; 0: the file system does not say
  bool maybe_link = false;  // a symbolic link, or a file system that does not say
  bool maybe_folder = false;  // likewise
};

class FileSystem {
 public:
  using Handle = int;
  using TakeEntry = std::function<bool(const DirectoryEntry&)>;  // false: no more of them
  virtual ~FileSystem() = default;

  virtual OsResult<FileStatus> status(const std::string& path) = 0;  // follows links
  // One after the other, for a folder of millions would fill the memory. After an error some may have been taken.
  // EFBIG: there are more than kMostNames.
  virtual OsResult<void> list(const std::string& directory, const TakeEntry& take) = 0;
  static constexpr std::size_t kMostNames = 4'000'000;                 // of one folder: two seconds
  virtual OsResult<std::string> resolve(const std::string& path) = 0;  // no links in it any more

  // For reading. Must not block, whatever lies there, nor take a terminal; what is no regular file is
  // closed again and refused with EINVAL. EPERM: a link that shows what is not its owner's.
  virtual OsResult<Handle> open(const std::string& path) = 0;
  virtual void close(Handle handle) = 0;
  virtual OsResult<FileStatus> status(Handle handle) = 0;
  virtual OsResult<std::size_t> read(Handle handle, std::int64_t offset, std::span<char> into) = 0;
  // The next offset at or behind `offset` that holds data and not a hole; the file's size if none does.
  virtual std::int64_t next_data(Handle handle, std::int64_t offset) = 0;

  // How long all calls have taken until now: a path of two thousand folders, or a server far away, takes a thousand times
  // as long as another.
  virtual std::chrono::nanoseconds spent() const = 0;
};

std::unique_ptr<FileSystem> posix_filesystem();

// Errors that come and go with the machine's state, and say nothing of the file they are about: all but the few that do.
// EAGAIN: what was asked is not known yet (names moved while they were listed, a file is still being inflated).
inline bool is_passing(Errno error) {
  constexpr Errno kOfTheFile[] = {0,      ENOENT, ENOTDIR, EACCES,    EPERM, ELOOP,   ENAMETOOLONG, EINVAL,
                                  EISDIR, ENXIO,  EBADMSG, EOVERFLOW, EFBIG, ENODATA, ENOTSUP};
  return std::find(std::begin(kOfTheFile), std::end(kOfTheFile), error) == std::end(kOfTheFile);
}

inline bool is_absent(Errno error) {
  return error == ENOENT || error == ENOTDIR;
}

// Of what was there a moment ago: if it is no more, names have moved in between, and all is asked again.
inline Errno moved_or(Errno error) {
  return is_absent(error) ? EAGAIN : error;
}

// Whether it leaves open what lies there: what may not be looked at may be anything.
inline bool leaves_open(Errno error) {
  return is_passing(error) || error == EACCES || error == EPERM;
}

// Of another file than the one that is asked about: whatever keeps it from being told says nothing of that one, which is
// asked about again. EREMOTE: it may last (a file that may not be read), and is not asked at once.
inline Errno of_another(Errno error) {
  return is_passing(error) ? error : is_absent(error) ? EAGAIN : EREMOTE;
}

// Tells which directories something happened in. A hint only wakes the follower sooner; that one is missing
// or too many costs time and nothing else.
class HintSource {
 public:
  struct Hints {
    std::vector<std::string> paths;  // files (or, where no name is known, directories) that may have changed
    std::vector<std::string> folders;  // of these: such as are no files
    std::vector<std::string> removed;  // and the names that were deleted, not renamed or replaced
    bool overflow = false;             // hints were dropped: anything may have changed
  };
  virtual ~HintSource() = default;
  virtual int fd() const = 0;
  // Watching the same directory again is no error. ENOTSUP: no hints come from there (a network file system).
  virtual OsResult<void> watch(const std::string& directory) = 0;
  virtual void unwatch(const std::string& directory) = 0;
  virtual Hints drain() = 0;  // never blocks
};

// nullptr and errno in `error` where the kernel gives no inotify instance (EMFILE).
std::unique_ptr<HintSource> inotify_hints(Errno& error);

}  // namespace etad::follow
