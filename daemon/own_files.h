// Keeps the daemon from following its own database, where a pattern of the configuration or a user's link may lead. To
// open and close it would cost SQLite its locks: POSIX gives up a process's locks on a file as soon as the process closes
// any descriptor of it.
#pragma once

#include <memory>
#include <string>

#include "daemon/accounts.h"
#include "daemon/follow/filesystem.h"

namespace etad {

// `files`, with the database and the files beside it (-wal, -shm) shown as no regular files, whatever name leads to them,
// and each file as its owner's account's.
std::unique_ptr<follow::FileSystem> without_database(std::unique_ptr<follow::FileSystem> files,
                                                     std::string database, Accounts accounts = {});

// Whether a pattern of the configuration names the database or one of the files beside it.
bool names_database(const std::string& pattern, const std::string& database);

}  // namespace etad
