// The daemon confines itself, whoever starts it: the service manager's walls are not there under another
// init, in a container, or in a user's own session.
#pragma once

#include <string>
#include <vector>

#include "parsers/base/error.h"

namespace etad {

// From here on this process, and each thread that it starts later, writes, makes and removes files in
// `writable` folders only (they must exist), executes nothing, and neither connects nor listens by TCP.
// Reading stays as the files' permissions have it: a reload may name any folder, and links lead anywhere.
// What was opened before stays open. By Landlock; false: this kernel has none. Call it while there is one
// thread.
Result<bool> confine(const std::vector<std::string>& writable);

}  // namespace etad
