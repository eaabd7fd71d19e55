// Whether the database that is open is still the one under its name. What is written into a file that was
// removed or replaced is nobody's, and gone with the process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "parsers/base/error.h"

namespace etad {

class Placement {
 public:
  explicit Placement(std::string path);

  // An error where the database, or its write-ahead log once there was one, was removed or replaced.
  Result<void> check();

 private:
  struct FileId {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileId&) const = default;
  };
  static std::optional<FileId> id_of(const std::string& path);

  std::string path_, log_path_;
  std::optional<FileId> database_, log_;
};

// Makes the files of a history its owner's (and, read-only, its group's where that was so): a new one is made
// so, one that is there is narrowed. Whoever starts the daemon, and with whatever umask.
Result<void> make_private(const std::string& path);

}  // namespace etad
