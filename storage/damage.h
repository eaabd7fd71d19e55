// The error of a row whose bytes can't be unpacked: the history is damaged (ErrorKind::corrupt).
#pragma once

#include <string>

#include "storage/sqlite.h"

namespace etad {

[[noreturn]] inline void throw_damaged(const sqlite::Connection& connection, const std::string& what,
                                       std::int64_t id) {
  throw sqlite::Failure(
      SQLITE_CORRUPT,
      Error{connection.path(),
            "the history is damaged: " + what + " " + std::to_string(id) + " can't be unpacked",
            "restore a backup, or drop what it belongs to", ErrorKind::corrupt});
}

}  // namespace etad
