// A small file in a log's folder that says how the log's runs were started.
#pragma once

#include <string>

#include "daemon/follow/filesystem.h"

namespace etad::follow {

// What the file `name` in the folder of `log` holds; empty where there is none, where it is larger than 16
// KiB, or where it is not the work of the log's owner or of root: what is somebody else's says nothing of the
// log.
std::string text_beside(FileSystem& files, const std::string& log, const std::string& name);

}  // namespace etad::follow
