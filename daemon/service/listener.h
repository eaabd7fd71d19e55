// The listening socket's file: taking it over from a dead daemon, never from a living one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "parsers/base/error.h"

namespace etad::service {

// A bound, listening Unix stream socket. Closes it and removes its file (if it still is its own) at the end.
class Listener {
 public:
  // Creates the socket file with that mode and group. The folder must exist.
  static Result<Listener> bind(const std::string& path, mode_t mode, std::optional<gid_t> group);
  // A listening socket from the service manager: its file is not ours to remove.
  static Result<Listener> adopt(int fd);

  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&& other) noexcept;
  ~Listener();

  int release();  // hands the descriptor on; the file stays ours
  void remove_file();
  // Whether who opens the path comes to this socket. Where that was never known, it is taken to be so.
  bool is_under_its_path() const;
  const std::string& path() const { return path_; }

 private:
  Listener() = default;
  bool note_file();  // which file is at the path

  int fd_ = -1;
  std::string path_;  // empty: none, or not known
  bool is_own_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace etad::service
