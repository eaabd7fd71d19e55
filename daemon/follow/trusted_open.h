// Opening a file that a link may lead to. Whoever may write into a followed folder may put a link there to a
// file that only the daemon can read; so a link is followed only where its owner could as well have shown the
// file himself.
#pragma once

#include <string>

#include "daemon/follow/filesystem.h"

namespace etad::follow {

// Opens a regular file for reading, without blocking. EPERM: a link on the way belongs neither to root, nor
// to this process' user, nor to the owner of the file; or the file has several names and lies in a directory
// where one of them may be somebody else's work. ELOOP: links lead in a circle. EINVAL: no regular file.
OsResult<int> open_trusted(const std::string& path);

// The path with no links in it, as by realpath(3).
OsResult<std::string> real_path(const std::string& path);

}  // namespace etad::follow
