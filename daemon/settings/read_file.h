// Reading a file of settings or rules, in the daemon and beside it.
#pragma once

#include <string>

#include "parsers/base/error.h"

namespace etad::config {

// At most 16 MiB: rule and configuration files are small, and neither a device nor a FIFO, which may never end, is a file.
Result<std::string> read_file(const std::string& path);

}  // namespace etad::config
