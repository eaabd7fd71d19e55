// Whether the database that is open is still the one under its name, and written by one process alone. What is
// written into a file that was removed or replaced is nobody's, and gone with the process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "parsers/base/error.h"

namespace etad {

class Placement {
 public:
  // `lock`: the descriptor of what keeps others from writing; -1: nothing does.
  Placement(std::string path, int lock);

  // An error where the database, its lock, or its write-ahead log once there was one, was removed or replaced, or can't be
  // looked at.
  Result<void> check();

 private:
  struct FileId {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileId&) const = default;
  };
  // Of what lies at `path`; nullopt: nothing does. An errno value: nobody knows.
  static tl::expected<std::optional<FileId>, int> id_of(const std::string& path);

  std::string path_, log_path_;
  std::optional<FileId> database_, log_, lock_;
};

// Has a history to itself: two processes that both read logs into it would each count every line. Held until the end,
// and gone with a process that is killed.
class WriterLock {
 public:
  // An error where another holds it. Where no lock can be had (a full disk), nobody is kept from writing.
  static Result<WriterLock> take(const std::string& path);
  WriterLock(WriterLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();
  int descriptor() const { return descriptor_; }  // -1: none could be had

 private:
  explicit WriterLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// An error where the database is reached by a second name (a hard link): SQLite's write-ahead log lies beside that by
// which it was opened, and the lock too.
Result<void> check_names(const std::string& path);

// Where the database lies that `path` may be a link to: SQLite keeps its other files there, and who writes to it is to be
// known under both names.
std::string real_path(const std::string& path);

// Whether permissions and the file system let this process write the files of a history, and make them.
bool may_be_written(const std::string& path);

// Of the file system that a history lies on. nullopt: it can't be said.
struct Room {
  std::uint64_t block = 0;  // bytes
  std::uint64_t free = 0;   // bytes, for those that are not root: what of the rest may be used nobody says
};
std::optional<Room> room_for(const std::string& path);

// SQLite maps its index. Where blocks are smaller than a page of memory, the file may be long enough and lack blocks:
// on a full disk whoever writes there is ended by SIGBUS. An error where that would happen at the start.
Result<void> check_room(const std::string& path, const std::optional<Room>& room);

// Where nothing lies there, an empty file that is its owner's alone, whatever the umask: what SQLite makes beside it gets
// the same mode.
void make_new(const std::string& path);

// Makes the files of a history its owner's, and, read-only, its group's where that was so.
Result<void> make_private(const std::string& path);

}  // namespace etad
