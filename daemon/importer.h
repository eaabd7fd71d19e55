// Importing an old log: the same way from lines to the history as a followed file, in a session that leaves
// either all of the log in the history or nothing.
//
// Nothing is counted twice: a log whose content the history already holds (followed, imported or rotated
// away, under whatever name) adds nothing, and one that has grown since its import is taken up where that
// ended. What begins with all of an imported log is that log grown, whatever its name: read as another, its
// first runs would count twice. The source bears the name under which it was imported last.
#pragma once

#include <functional>
#include <memory>

#include "daemon/follow/filesystem.h"
#include "daemon/service/backend.h"
#include "daemon/shared_writer.h"
#include "parsers/base/time.h"
#include "parsers/rules/format.h"

namespace etad {

struct ImportOptions {
  std::shared_ptr<const FormatSet> formats;
  std::string host;  // of logs that name none; empty: unknown, for they may come from anywhere
  ZoneOffset zone = utc_offset;
  std::size_t line_limit = 64 * 1024;
  std::function<Instant()> now;
  follow::FileSystem* files = nullptr;  // where followed logs lie; none: the machine's own
};

// `committed` is called when the import is complete. `writer` outlives the session.
Result<std::unique_ptr<service::ImportSession>> begin_log_import(const service::ImportRequest& request,
                                                                 ImportOptions options, SharedWriter& writer,
                                                                 std::function<void()> committed);

}  // namespace etad
