// The files that are followed, without the daemon's own database: to SQLite a lock on it is gone as soon as
// any descriptor of it is closed in this process, and a pattern, or a user's link, could lead there.
#pragma once

#include <memory>
#include <string>

#include "daemon/follow/filesystem.h"

namespace etad {

// `files`, but for the database and the files beside it: they are no regular files there. Under whatever
// name.
std::unique_ptr<follow::FileSystem> without_database(std::unique_ptr<follow::FileSystem> files,
                                                     std::string database);

// Whether a pattern of the configuration names the database or one of the files beside it.
bool names_database(const std::string& pattern, const std::string& database);

}  // namespace etad
