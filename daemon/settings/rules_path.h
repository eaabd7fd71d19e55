// Where a daemon's configuration says that its rule files are: for programs that read the same rules and
// nothing else of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parsers/base/error.h"

namespace etad::config {

// The folders of `[rules] path`, "~/" as `home` (empty: it stands for nothing); nullopt: the file says none,
// or is not there or not ours to read. Error: it is no TOML, or the path is no text. What else may be wrong
// with it is the daemon's to say.
Result<std::optional<std::vector<std::string>>> rules_path(const std::string& file, const std::string& home);

}  // namespace etad::config
